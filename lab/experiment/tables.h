/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV file of an experiment. The table is written in memory and then replaces the old file at once, so that a reader
 * never sees an incomplete table. */
#ifndef FCPS_LAB_EXPERIMENT_TABLES_H
#define FCPS_LAB_EXPERIMENT_TABLES_H

#include "format/csv.h"
#include "lab/experiment/experiment_impl.h"

typedef struct fcps_table_file {
  fcps_csv_writer csv;
  char *text;
  size_t length;
} fcps_table_file;

/* Starts an empty table. `names` (ends with NULL) are its column names; if it is NULL, the caller writes the header
 * row. */
fcps_status fcps_table_file_begin(fcps_table_file *file, const char *const *names, fcps_error *error);

/* Writes DIRECTORY/NAME/`name` and frees the file. */
fcps_status fcps_table_file_end(fcps_table_file *file, const fcps_experiment *experiment, const char *directory,
                                const char *name, fcps_error *error);

/* The processor times of runs. Times are not results: they differ each time, so they have their own files. */

/* Keeps the processor seconds of one run's asks, rollouts and tells, in runs/LABEL-seedK.seconds. */
fcps_status fcps_times_keep(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed,
                            double seconds, fcps_error *error);

/* Writes times.csv: one row per learner, with the mean over the seeds whose time is known. */
fcps_status fcps_times_write(const fcps_experiment *experiment, const char *directory, fcps_error *error);

#endif
