/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an imported table that are there twice: a repeated trial, or a table that was pasted twice. */
#ifndef FCPS_STUDY_IMPORT_REPEATS_H
#define FCPS_STUDY_IMPORT_REPEATS_H

#include "format/csv.h"

#include <fcps/study.h>

/* For each row the earlier row that it repeats in every cell, or -1, and whether it is part of a repeated block. */
typedef struct fcps_import_repeats {
  int *earlier;
  bool *is_pasted;
  int kept, first_kept; /* rows that repeat a row, are no part of a block and were stored; the first of them */
  int pasted, first, last, model; /* rows of blocks; where the first block begins and ends, and what it repeats */
} fcps_import_repeats;

fcps_status fcps_import_repeats_find(const fcps_csv *csv, fcps_import_repeats *repeats, fcps_error *error);
void fcps_import_repeats_destroy(fcps_import_repeats *repeats);

/* Warns once (W_ROWS_REPEATED) of blocks that were skipped, and of repeated rows that were stored. */
void fcps_import_repeats_warn(const fcps_study *study, const fcps_csv *csv, const fcps_import_repeats *repeats);

#endif
