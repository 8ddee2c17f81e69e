/* SPDX-License-Identifier: Apache-2.0 */
/* The import of tables of old trials; rows that are stored already are skipped. */
#ifndef FCPS_STUDY_IMPORT_IMPORT_H
#define FCPS_STUDY_IMPORT_IMPORT_H

#include "format/csv.h"
#include "study/study_impl.h"

#include <fcps/study.h>

/* A CSV that came over a connection, not from a file here. `name` stands for the file's name in errors and warnings. */
typedef struct fcps_import_text {
  const char *text, *name;
  bool again; /* import rows that are stored already, too, as fcps_study_import_again does */
} fcps_import_text;

/* Imports a table as fcps_study_import does: importing the same table again adds nothing. */
fcps_status fcps_study_import_text(fcps_study *study, const fcps_import_text *table, int *added, int *skipped,
                                   fcps_error *error);

/* The results that were stored before an import began. Each matches one row of the table and no more, so a log that
 * has grown by a repeated trial adds that trial. Columns that the table lacks are not compared. */
typedef struct study_known {
  study_places places;
  bool *is_found;
  bool lacks_targets, lacks_deviations, lacks_hindsight;
} study_known;

/* Within a transaction, stores a rollout without an ask, unless it is among the known results; `known` may be NULL
 * (tell.c). */
fcps_status fcps_study_store_unasked(fcps_study *study, const fcps_result *result, study_known *known, bool *is_known,
                                     fcps_error *error);

/* -- The columns of a table (warnings.c) -- */

/* Warns once (W_COLUMN) of all columns that an import does not read, and names the column that each may have been
 * meant to be. */
void fcps_import_warn_of_columns(const fcps_study *study, const fcps_csv *csv);

/* -- Rows that are in the table twice: repeated trials, or rows that were pasted twice (warnings.c) -- */

/* For each row: an earlier row that is equal to it in every cell, or -1, and whether it belongs to a block that was
 * pasted twice. */
typedef struct fcps_import_repeats {
  int *earlier;
  bool *is_pasted;
  int kept, first_kept; /* stored rows that repeat a row without being in a block: how many, and the first */
  /* the number of rows in pasted blocks; the first and last row of the first block, and the earlier row that its first
   * row repeats */
  int pasted, first, last, model;
} fcps_import_repeats;

fcps_status fcps_import_repeats_find(const fcps_csv *csv, fcps_import_repeats *repeats, fcps_error *error);
void fcps_import_repeats_destroy(fcps_import_repeats *repeats);

/* Warns once (W_ROWS_REPEATED) of blocks that were skipped, and of repeated rows that were stored. */
void fcps_import_repeats_warn(const fcps_study *study, const fcps_csv *csv, const fcps_import_repeats *repeats);

#endif
