/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV file of an experiment, written in memory and put in place whole. */
#ifndef FCPS_EXPERIMENT_TABLE_FILE_H
#define FCPS_EXPERIMENT_TABLE_FILE_H

#include "experiment/experiment_impl.h"
#include "format/csv.h"

typedef struct fcps_table_file {
  fcps_csv_writer csv;
  char *text;
  size_t length;
} fcps_table_file;

fcps_status fcps_table_file_begin(fcps_table_file *file, fcps_error *error);

/* Writes DIRECTORY/NAME/`name` and frees the file. */
fcps_status fcps_table_file_end(fcps_table_file *file, const fcps_experiment *experiment, const char *directory,
                                const char *name, fcps_error *error);

#endif
