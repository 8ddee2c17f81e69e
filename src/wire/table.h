/* SPDX-License-Identifier: Apache-2.0 */
/* All results of a study as a table, CSV: what an export writes and an import reads again. */
#ifndef FCPS_WIRE_TABLE_H
#define FCPS_WIRE_TABLE_H

#include <fcps/study.h>

#include <stdio.h>

/* Suspects are those that the last fcps_study_find_suspects found. Errors of writing show in ferror(stream). */
void fcps_wire_table_write(FILE *stream, const fcps_study *study);

#endif
