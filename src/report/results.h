/* SPDX-License-Identifier: Apache-2.0 */
/* The result files of a run, read back (run.h says what they are). */
#ifndef FCPS_REPORT_RESULTS_H
#define FCPS_REPORT_RESULTS_H

#include "format/csv.h"
#include "format/json.h"

typedef struct fcps_results {
  fcps_csv episodes, offline, map; /* a table whose file is missing has no rows */
  fcps_json *summary;
} fcps_results;

fcps_status fcps_results_read(fcps_results *results, const char *directory, fcps_error *error);
void fcps_results_destroy(fcps_results *results);

/* A number of a table; NaN where the cell is empty. */
fcps_status fcps_results_number(const fcps_csv *table, int row, int column, double *value, fcps_error *error);

/* What ran, in words: fcps_results_source(results, "task") -> "cannon". "" where it is not known. */
const char *fcps_results_source(const fcps_results *results, const char *key);

/* Number of target dimensions, and "name (unit)" of one of them. */
int fcps_results_target_count(const fcps_results *results);
char *fcps_results_target_label(const fcps_results *results, int index, size_t size, char *label);

#endif
