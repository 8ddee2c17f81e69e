/* SPDX-License-Identifier: Apache-2.0 */
/* The results of an experiment as text for a terminal, or its claims as JSON. */
#ifndef FCPS_REPORT_PAGE_TABLE_H
#define FCPS_REPORT_PAGE_TABLE_H

#include <fcps/base.h>

#include <stdio.h>

/* Reads DIRECTORY/NAME and prints its table, each row of the paper above ours, and its claims with their verdicts. The
 * experiments beside it may say how strong its baselines are. */
fcps_status fcps_report_table_print(FILE *stream, const char *directory, const char *name, fcps_error *error);

/* Prints the claims, one JSON object per line. */
fcps_status fcps_report_table_json(FILE *stream, const char *directory, const char *name, fcps_error *error);

#endif
