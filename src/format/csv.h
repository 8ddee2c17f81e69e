/* SPDX-License-Identifier: Apache-2.0 */
/* CSV (RFC 4180): reads a whole table with a header, and writes tables cell by cell. Written rows end with LF. */
#ifndef FCPS_FORMAT_CSV_H
#define FCPS_FORMAT_CSV_H

#include <fcps/base.h>

#include <stdio.h>

/* A table as text cells, row-major; `header` has `columns` names.
 *
 * The reader understands quoted cells, CRLF, CR alone if there is no LF, a UTF-8 byte order mark, and a first line
 * "sep=;". It also understands spreadsheets of countries with decimal commas: there the first line has semicolons or
 * tabs between its cells, and numbers are written as 1,5. If the points in a column may group thousands, its cells
 * cannot be read as numbers (csv_write.c). The reader ignores blanks around cells, empty lines (in a table of one
 * column an empty line is an empty cell) and rows of empty cells at the end. It refuses a row of another length, a
 * quote that is not closed and a repeated column name, and names the line. */
typedef struct fcps_csv {
  int rows, columns;
  char **header;
  char **cells;
  int *lines; /* line in the file of each row, from 1 */
  char *file;
  char *text;     /* the text out of which the cells were cut */
  char separator; /* between cells: a comma, a semicolon or a tab */
  /* per column, the first row whose points or commas may group thousands; -1: no such row. NULL: no such column */
  int *unclear;
} fcps_csv;

fcps_status fcps_csv_read_file(fcps_csv *csv, const char *path, fcps_error *error);
fcps_status fcps_csv_read_regular(fcps_csv *csv, const char *path, fcps_error *error); /* refuses pipes and devices */

/* The same from a text. Errors name `name` as the file. */
fcps_status fcps_csv_read_text(fcps_csv *csv, const char *text, size_t length, const char *name, fcps_error *error);
void fcps_csv_destroy(fcps_csv *csv);

int fcps_csv_column(const fcps_csv *csv, const char *name); /* the index of a column; -1 if there is no such column */
/* the same; an error if there is no such column */
fcps_status fcps_csv_require(const fcps_csv *csv, const char *name, int *column, fcps_error *error);

const char *fcps_csv_cell(const fcps_csv *csv, int row, int column);

/* Reads the number in a cell. If the cell is not a number, the error has file, line and column name. */
fcps_status fcps_csv_number(const fcps_csv *csv, int row, int column, double *value, fcps_error *error);

/* Tells whether the numbers of the table have a decimal comma. */
bool fcps_csv_has_decimal_comma(const fcps_csv *csv);

/* Tells whether a spreadsheet would take a text for a formula, and perhaps run it: after apostrophes at its beginning
 * it has =, +, -, @, a tab or a carriage return. The writer puts one more apostrophe before such a text, which
 * spreadsheets hide. The reader removes one, so that every text comes back unchanged. A number is written as it is. */
bool fcps_csv_is_guarded(const char *text);

/* Writing: the cells of a row from left to right, then the end of the row. Texts are quoted if needed. A number is the
 * shortest text that reads back as the same number. NaN becomes an empty cell. Errors of writing show in
 * ferror(stream). */
typedef struct fcps_csv_writer {
  FILE *stream;
  int column;
  char separator;         /* 0: a comma */
  bool has_decimal_comma; /* numbers are written as 1,5; then the separator is not a comma */
} fcps_csv_writer;
void fcps_csv_write_text(fcps_csv_writer *writer, const char *text);
void fcps_csv_write_number(fcps_csv_writer *writer, double value);
void fcps_csv_write_integer(fcps_csv_writer *writer, int64_t value);
void fcps_csv_end_row(fcps_csv_writer *writer);
/* writes a whole row of names; the list ends with NULL */
void fcps_csv_write_names(fcps_csv_writer *writer, const char *const *names);

/* -- Points and commas in the numbers of a table: a decimal mark, or a mark between thousands -- */

/* Reads 1,5 as 1.5. Returns false unless there is exactly one comma and no other separator. */
bool fcps_csv_read_decimal_comma(const char *cell, double *value);

/* Tells whether points or commas divide the digits of a whole number into groups of three, as in 1.060 or
 * 12,000,000. */
bool fcps_csv_is_grouped(const char *cell);

/* Fills `unclear` of the table: finds the columns whose points or commas may group thousands. Returns false if there is
 * no memory. */
bool fcps_csv_find_unclear(fcps_csv *csv);

/* Refuses a column of which that is unclear, with an example from it and what to do. */
fcps_status fcps_csv_refuse_unclear(const fcps_csv *csv, int column, fcps_error *error);

#endif
