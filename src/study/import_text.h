/* SPDX-License-Identifier: Apache-2.0 */
/* An import of a table that is not in a file of ours: it came over a connection. */
#ifndef FCPS_STUDY_IMPORT_TEXT_H
#define FCPS_STUDY_IMPORT_TEXT_H

#include <fcps/study.h>

/* A CSV; `name` stands for its file in errors and warnings. */
typedef struct fcps_import_text {
  const char *text, *name;
  bool again; /* also rows that are stored already, as fcps_study_import_again */
} fcps_import_text;

/* As fcps_study_import. To import the same again adds nothing. */
fcps_status fcps_study_import_text(fcps_study *study, const fcps_import_text *table, int *added, int *skipped,
                                   fcps_error *error);

#endif
