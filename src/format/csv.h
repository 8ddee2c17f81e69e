/* SPDX-License-Identifier: Apache-2.0 */
/* CSV (RFC 4180): reads a table with a header at once, and writes tables cell by cell. Written rows end with LF. */
#ifndef FCPS_FORMAT_CSV_H
#define FCPS_FORMAT_CSV_H

#include <fcps/base.h>

#include <stdio.h>

/* A table as text cells, row-major; `header` has `columns` names. The reader understands quoted cells, CRLF, CR alone
 * if there is no LF, a UTF-8 byte order mark, a first line "sep=;", and what spreadsheets write where a comma is the
 * decimal point: semicolons or tabs between cells, by the first line, and numbers such as 1,5 then. A column whose points
 * may be those of thousands has no numbers then (csv_write.c). It ignores blanks around cells, empty lines (in a table
 * of one column such a line is an empty cell) and rows of empty cells at the end. It refuses a row of another length, an
 * open quote and a repeated column name, each with its line. */
typedef struct fcps_csv {
  int rows, columns;
  char **header;
  char **cells;
  int *lines; /* 1-based line of each row in the file */
  char *file;
  char *text;     /* where the cells live */
  char separator; /* of its cells: a comma, a semicolon or a tab */
  int *unclear;   /* by column: the first row whose points or commas may group thousands, -1: none; NULL: no column */
} fcps_csv;

fcps_status fcps_csv_read_file(fcps_csv *csv, const char *path, fcps_error *error);
fcps_status fcps_csv_read_regular(fcps_csv *csv, const char *path, fcps_error *error); /* refuses pipes and devices */

/* The same from a text; `name` stands for the file in errors. */
fcps_status fcps_csv_read_text(fcps_csv *csv, const char *text, size_t length, const char *name, fcps_error *error);
void fcps_csv_destroy(fcps_csv *csv);

int fcps_csv_column(const fcps_csv *csv, const char *name); /* -1 when missing */
fcps_status fcps_csv_require(const fcps_csv *csv, const char *name, int *column, fcps_error *error); /* else an error */

const char *fcps_csv_cell(const fcps_csv *csv, int row, int column);

/* The number in a cell; an error with file, line and column name when the cell is not a number. */
fcps_status fcps_csv_number(const fcps_csv *csv, int row, int column, double *value, fcps_error *error);

/* Tells whether a number of the table has a decimal comma. */
bool fcps_csv_has_decimal_comma(const fcps_csv *csv);

/* Tells whether a text, after apostrophes at its beginning, begins with =, +, -, @, a tab or a carriage return:
 * spreadsheets take such a cell for a formula and may run it. The writer puts one more apostrophe before it, which
 * spreadsheets hide, and the reader takes one away, so that every text comes back as it was. A number is written as it
 * is. */
bool fcps_csv_is_guarded(const char *text);

/* Writing: the cells of a row from left to right, then the end of the row. Texts are quoted if needed, numbers are
 * the shortest texts that read back, NaN becomes an empty cell. Errors of writing show in ferror(stream). */
typedef struct fcps_csv_writer {
  FILE *stream;
  int column;
  char separator;         /* 0: a comma */
  bool has_decimal_comma; /* numbers are written as 1,5; the separator is another */
} fcps_csv_writer;
void fcps_csv_write_text(fcps_csv_writer *writer, const char *text);
void fcps_csv_write_number(fcps_csv_writer *writer, double value);
void fcps_csv_write_integer(fcps_csv_writer *writer, int64_t value);
void fcps_csv_end_row(fcps_csv_writer *writer);
void fcps_csv_write_names(fcps_csv_writer *writer, const char *const *names); /* a whole row; NULL ends the list */

/* -- Points and commas in the numbers of a table: of decimals, or of thousands -- */

/* Reads 1,5 as 1.5. Returns false unless there is exactly one comma and no other separator. */
bool fcps_csv_read_decimal_comma(const char *cell, double *value);

/* Tells whether points or commas stand before every three digits of a whole number, as in 1.060 or 12,000,000. */
bool fcps_csv_is_grouped(const char *cell);

/* Finds the columns whose points or commas may group thousands, for `unclear` of the table. False: no memory. */
bool fcps_csv_find_unclear(fcps_csv *csv);

/* Refuses such a column, with an example and what to do. */
fcps_status fcps_csv_refuse_unclear(const fcps_csv *csv, int column, fcps_error *error);

#endif
