/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the columns of a CSV that belong to dimensions. A column has the name of its dimension, or the name with a
 * unit: `heat [W]`, `heat (W)`. If the dimension has a unit, the column must have the same one: nothing is converted. */
#ifndef FCPS_PROBLEM_COLUMNS_H
#define FCPS_PROBLEM_COLUMNS_H

#include "format/csv.h"

#include <fcps/space.h>

/* Whether a column of this header belongs to `name`. */
bool fcps_columns_is_of(const char *header, const char *name);

/* columns[i] := the column of dims[i]. One error names all dimensions without a column, each with the column that may
 * be meant, and all columns without a dimension. If a conditional parameter has no column, its index is -1. `need` is
 * the reason in the error, as in "each dimension of the study needs one". */
fcps_status fcps_columns_find(const fcps_csv *csv, int count, const fcps_dimension *const *dims, const char *need,
                              int *columns, fcps_error *error);

/* *column := the column of `name`, which has numbers in the unit of a dimension, such as its deviation; -1 if there
 * is no such column. */
fcps_status fcps_columns_find_one(const fcps_csv *csv, const char *name, const char *unit, int *column,
                                  fcps_error *error);

/* Reads the number in a cell. If the cell has no digit, such as "n/a", the error ends with `missing`, which says what
 * to write instead. */
fcps_status fcps_columns_number(const fcps_csv *csv, int row, int column, const char *missing, double *value,
                                fcps_error *error);

/* The value of a dimension in a cell: its number, or the place of its word. */
fcps_status fcps_columns_value(const fcps_csv *csv, int row, int column, const fcps_dimension *dim, const char *missing,
                               double *value, fcps_error *error);

#endif
