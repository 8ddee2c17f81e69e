/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of old trials, and what their import need not store again. */
#ifndef FCPS_STUDY_IMPORT_IMPORT_H
#define FCPS_STUDY_IMPORT_IMPORT_H

#include "format/csv.h"
#include "study/places.h"

#include <fcps/study.h>

/* A CSV that is not in a file of ours: it came over a connection. `name` stands for its file in errors and warnings. */
typedef struct fcps_import_text {
  const char *text, *name;
  bool again; /* also rows that are stored already, as fcps_study_import_again */
} fcps_import_text;

/* As fcps_study_import. To import the same again adds nothing. */
fcps_status fcps_study_import_text(fcps_study *study, const fcps_import_text *table, int *added, int *skipped,
                                   fcps_error *error);

/* The results that were stored before an import began: each is found in one row of it and no more, so that a log that
 * has grown by a repeated trial adds it. What the table does not say is not compared. */
typedef struct study_known {
  study_places places;
  bool *is_found;
  bool lacks_targets, lacks_deviations, lacks_hindsight;
} study_known;

/* Stores a rollout that nobody asked for, within a transaction, unless the same is among those that are known; NULL:
 * none is (tell.c). */
fcps_status fcps_study_store_unasked(fcps_study *study, const fcps_result *result, study_known *known, bool *is_known,
                                     fcps_error *error);

/* -- Its columns (columns.c) -- */

/* Warns once (W_COLUMN), naming all columns that an import does not read, and what each may have been meant to be. */
void fcps_import_warn_of_columns(const fcps_study *study, const fcps_csv *csv);

/* -- Rows that are there twice: a repeated trial, or a table that was pasted twice (repeated_rows.c) -- */

/* For each row the earlier row that it repeats in every cell, or -1, and whether it is part of a repeated block. */
typedef struct fcps_import_repeats {
  int *earlier;
  bool *is_pasted;
  int kept, first_kept; /* rows that repeat a row, are not part of a block and were stored; the first of them */
  int pasted, first, last, model; /* rows of blocks; where the first block begins and ends, and what it repeats */
} fcps_import_repeats;

fcps_status fcps_import_repeats_find(const fcps_csv *csv, fcps_import_repeats *repeats, fcps_error *error);
void fcps_import_repeats_destroy(fcps_import_repeats *repeats);

/* Warns once (W_ROWS_REPEATED) of blocks that were skipped, and of repeated rows that were stored. */
void fcps_import_repeats_warn(const fcps_study *study, const fcps_csv *csv, const fcps_import_repeats *repeats);

#endif
