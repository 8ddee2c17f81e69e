/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts in a CSV: one column per target and environment dimension, in any order; other columns are not read. */
#ifndef FCPS_CLI_SUPPORT_CONTEXT_COLUMNS_H
#define FCPS_CLI_SUPPORT_CONTEXT_COLUMNS_H

#include "cli/support/values.h"
#include "format/csv.h"

/* Reads all rows into `points`, which has room for them. A cell that is not a number is refused with its line and
 * column. */
fcps_status cli_context_columns_read(const fcps_csv *csv, const fcps_problem *problem, const cli_points *points,
                                     fcps_error *error);

/* Refuses the first row that cannot be asked for, with its line and its column. */
fcps_status cli_context_columns_check(const fcps_csv *csv, const fcps_problem *problem, const cli_points *points,
                                      fcps_error *error);

#endif
