/* SPDX-License-Identifier: Apache-2.0 */
/* Points and commas in the numbers of a table: of decimals, or of thousands. */
#ifndef FCPS_FORMAT_CSV_MARKS_H
#define FCPS_FORMAT_CSV_MARKS_H

#include "format/csv.h"

/* 1,5 for 1.5; false where there is not one comma, or anything else that may be a point */
bool fcps_csv_read_decimal_comma(const char *cell, double *value);

/* Whether points or commas stand before every three digits of a whole number, as in 1.060 or 12,000,000. */
bool fcps_csv_is_grouped(const char *cell);

/* Finds the columns whose points or commas may group thousands, for `unclear` of the table. False: no memory. */
bool fcps_csv_find_unclear(fcps_csv *csv);

/* Refuses such a column, with an example and what to do. */
fcps_status fcps_csv_refuse_unclear(const fcps_csv *csv, int column, fcps_error *error);

#endif
