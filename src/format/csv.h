/* SPDX-License-Identifier: Apache-2.0 */
/* CSV (RFC 4180): a table with a header read whole, and rows written (each ended by a newline alone). */
#ifndef FCPS_FORMAT_CSV_H
#define FCPS_FORMAT_CSV_H

#include <fcps/base.h>

#include <stdio.h>

/* A table as text cells, row-major; `header` has `columns` names. Quoted cells, CRLF and a UTF-8 byte order mark are
 * understood; blanks around cells and empty lines do not count (in a table of one column an empty line is an empty
 * cell). A row of another length, an open quote or a column name given twice is refused with its line. */
typedef struct fcps_csv {
  int rows, columns;
  char **header;
  char **cells;
  int *lines; /* 1-based line of each row in the file */
  char *file;
  char *text; /* where the cells live */
} fcps_csv;

fcps_status fcps_csv_read_file(fcps_csv *csv, const char *path, fcps_error *error);
void fcps_csv_destroy(fcps_csv *csv);

int fcps_csv_column(const fcps_csv *csv, const char *name); /* -1 when missing */
fcps_status fcps_csv_require(const fcps_csv *csv, const char *name, int *column, fcps_error *error); /* refuses then */
const char *fcps_csv_cell(const fcps_csv *csv, int row, int column);

/* The number in a cell; an error with file, line and column name when it is none. */
fcps_status fcps_csv_number(const fcps_csv *csv, int row, int column, double *value, fcps_error *error);

/* Writing: cells of a row in turn, then the end of the row. Text is quoted where needed; numbers are the shortest that
 * read back; NaN is written as an empty cell. Errors are seen by ferror on the stream. */
typedef struct fcps_csv_writer {
  FILE *stream;
  int column;
} fcps_csv_writer;
void fcps_csv_write_text(fcps_csv_writer *writer, const char *text);
void fcps_csv_write_number(fcps_csv_writer *writer, double value);
void fcps_csv_write_integer(fcps_csv_writer *writer, int64_t value);
void fcps_csv_end_row(fcps_csv_writer *writer);
void fcps_csv_write_names(fcps_csv_writer *writer, const char *const *names); /* a whole row; NULL ends the list */

#endif
