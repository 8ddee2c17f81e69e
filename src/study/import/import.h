/* SPDX-License-Identifier: Apache-2.0 */
/* Imports tables of old trials. Rows that are stored already are skipped. */
#ifndef FCPS_STUDY_IMPORT_IMPORT_H
#define FCPS_STUDY_IMPORT_IMPORT_H

#include "format/csv.h"
#include "study/study_impl.h"

#include <fcps/study.h>

/* A CSV that did not come from a file on this machine but over a connection. Errors and warnings call it `name`. */
typedef struct fcps_import_text {
  const char *text, *name;
  bool again; /* also import rows that are stored already, as fcps_study_import_again does */
} fcps_import_text;

/* Imports a table as fcps_study_import does: importing the same table again adds nothing. */
fcps_status fcps_study_import_text(fcps_study *study, const fcps_import_text *table, int *added, int *skipped,
                                   fcps_error *error);

/* The results that were stored before an import began. Each of them matches at most one row of the table, so if a trial
 * was repeated and the table has grown by its row, the row is imported. Columns that the table does not have are not
 * compared. */
typedef struct study_known {
  study_places places;
  bool *is_found;
  bool lacks_targets, lacks_deviations, lacks_hindsight;
} study_known;

/* Within a transaction, stores a rollout without an ask, unless it is one of the known results. `known` may be NULL
 * (tell.c). */
fcps_status fcps_study_store_unasked(fcps_study *study, const fcps_result *result, study_known *known, bool *is_known,
                                     fcps_error *error);

/* -- The columns of a table (warnings.c) -- */

/* Warns once (W_COLUMN) of all columns that an import does not read. For each, the warning suggests the name that may
 * have been meant. */
void fcps_import_warn_of_columns(const fcps_study *study, const fcps_csv *csv);

/* -- Rows that are in the table twice: repeated trials, or rows that were pasted twice (warnings.c) -- */

/* For each row: an earlier row with the same text in every cell, or -1; and whether the row belongs to a block of rows
 * that was pasted twice. */
typedef struct fcps_import_repeats {
  int *earlier;
  bool *is_pasted;
  int kept, first_kept; /* how many stored rows repeat an earlier row outside such blocks, and the first of them */
  /* The number of rows in pasted blocks; the first and last row of the first block; and the earlier row that its first
   * row repeats. */
  int pasted, first, last, model;
} fcps_import_repeats;

fcps_status fcps_import_repeats_find(const fcps_csv *csv, fcps_import_repeats *repeats, fcps_error *error);
void fcps_import_repeats_destroy(fcps_import_repeats *repeats);

/* Warns once (W_ROWS_REPEATED) of blocks that were skipped, and of repeated rows that were stored. */
void fcps_import_repeats_warn(const fcps_study *study, const fcps_csv *csv, const fcps_import_repeats *repeats);

#endif
