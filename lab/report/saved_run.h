/* SPDX-License-Identifier: Apache-2.0 */
/* The result files of a run, read back (fcps/lab/run.h lists them). */
#ifndef FCPS_LAB_REPORT_SAVED_RUN_H
#define FCPS_LAB_REPORT_SAVED_RUN_H

#include "format/csv.h"
#include "format/json.h"

typedef struct fcps_saved_run {
  fcps_csv episodes, offline, map; /* a table whose file is missing has no rows */
  fcps_json *summary;
} fcps_saved_run;

fcps_status fcps_saved_run_read(fcps_saved_run *results, const char *directory, fcps_error *error);
void fcps_saved_run_destroy(fcps_saved_run *results);

/* A number of a table; NaN if the cell is empty. */
fcps_status fcps_saved_run_number(const fcps_csv *table, int row, int column, double *value, fcps_error *error);

/* A text of the run's source: fcps_saved_run_source(results, "task") is "cannon". "" if it is unknown. */
const char *fcps_saved_run_source(const fcps_saved_run *results, const char *key);

/* The number of target dimensions, and "name (unit)" of one of them. */
int fcps_saved_run_target_count(const fcps_saved_run *results);
char *fcps_saved_run_target_label(const fcps_saved_run *results, int index, size_t size, char *label);

#endif
