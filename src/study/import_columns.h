/* SPDX-License-Identifier: Apache-2.0 */
/* The names of an imported file's columns: which of them mean nothing to the study. */
#ifndef FCPS_STUDY_IMPORT_COLUMNS_H
#define FCPS_STUDY_IMPORT_COLUMNS_H

#include "format/csv.h"

#include <fcps/study.h>

/* Warns once (W_COLUMN), naming all columns that an import does not read, and what each may have been meant to be. */
void fcps_import_warn_of_columns(const fcps_study *study, const fcps_csv *csv);

#endif
