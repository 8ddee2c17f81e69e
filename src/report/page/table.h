/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment's results as text. */
#ifndef FCPS_REPORT_PAGE_TABLE_H
#define FCPS_REPORT_PAGE_TABLE_H

#include <fcps/base.h>

#include <stdio.h>

/* Reads an experiment's folder and prints its table, the paper's row above ours, and its claims with their verdicts. */
fcps_status fcps_report_table_print(FILE *stream, const char *folder, fcps_error *error);

/* The claims, one JSON object a line. */
fcps_status fcps_report_table_json(FILE *stream, const char *folder, fcps_error *error);

#endif
