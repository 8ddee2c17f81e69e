/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a CSV cell by cell. The writer only counts columns; the stream keeps the errors. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static char separator_of(const fcps_csv_writer *writer)
{
  return writer->separator != 0 ? writer->separator : ',';
}

static void begin_cell(fcps_csv_writer *writer)
{
  if (writer->column++ > 0) fputc(separator_of(writer), writer->stream);
}

/* Tells whether a text needs quotes. Blanks at either end and a byte order mark need quotes, because readers (ours too)
 * may ignore them. All separators that a spreadsheet may expect need them too: it could take the text behind one for a
 * formula. If semicolons separate the cells, a comma belongs to a number. */
static bool needs_quotes(const fcps_csv_writer *writer, const char *text)
{
  const size_t length = strlen(text);
  const bool has_marks = strchr(text, separator_of(writer)) != NULL || strpbrk(text, "\"\r\n;\t") != NULL;
  return length > 0 && (has_marks || strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL ||
                        strncmp(text, "\xEF\xBB\xBF", 3) == 0);
}

/* Tells whether a spreadsheet would take a text for a formula, and perhaps run it. */
bool fcps_csv_is_guarded(const char *text)
{
  while (*text == '\'')
    text++;
  return *text && strchr("=+-@\t\r", *text) != NULL;
}

void fcps_csv_write_text(fcps_csv_writer *writer, const char *text)
{
  double number;
  const bool is_number =
      fcps_number_read(text, &number) || (writer->has_decimal_comma && fcps_csv_read_decimal_comma(text, &number));
  const char *guard = fcps_csv_is_guarded(text) && !is_number ? "'" : "";
  begin_cell(writer);
  if (!needs_quotes(writer, text)) {
    fprintf(writer->stream, "%s%s", guard, text);
    return;
  }
  fprintf(writer->stream, "\"%s", guard);
  for (; *text; text++) {
    if (*text == '"') fputc('"', writer->stream);
    fputc(*text, writer->stream);
  }
  fputc('"', writer->stream);
}

void fcps_csv_write_number(fcps_csv_writer *writer, double value)
{
  char text[FCPS_NUMBER_SIZE];
  begin_cell(writer);
  if (isnan(value)) return;
  fcps_number_write(value, text);
  char *point = writer->has_decimal_comma ? strchr(text, '.') : NULL;
  if (point != NULL) *point = ',';
  fputs(text, writer->stream);
}

void fcps_csv_write_integer(fcps_csv_writer *writer, int64_t value)
{
  begin_cell(writer);
  fprintf(writer->stream, "%" PRId64, value);
}

void fcps_csv_end_row(fcps_csv_writer *writer)
{
  fputc('\n', writer->stream);
  writer->column = 0;
}

void fcps_csv_write_names(fcps_csv_writer *writer, const char *const *names)
{
  for (; *names; names++)
    fcps_csv_write_text(writer, *names);
  fcps_csv_end_row(writer);
}

/* -- Points and commas -- */

/* A spreadsheet of a country with decimal commas writes 1060 as 1.060 if it groups thousands, and 1.060 also reads as
 * 1.06. A single cell does not show what is meant. A column is suspect if three digits follow every point in it, while
 * other numbers of the table have decimal commas. It is refused, because both readings are numbers. If one point
 * of the column stands otherwise, as in 1.06 or 0.125, its points are decimal. Commas beside decimal points are judged
 * alike.
 *
 * If a comma separates the cells, no comma is read as a decimal mark, and points are always decimal. */

bool fcps_csv_read_decimal_comma(const char *cell, double *value)
{
  char text[64];
  const size_t length = strlen(cell);
  const char *comma = strchr(cell, ',');
  if (comma == NULL || length >= sizeof text || strchr(comma + 1, ',') != NULL || strchr(cell, '.') != NULL)
    return false;
  memcpy(text, cell, length + 1);
  text[comma - cell] = '.';
  return fcps_number_read(text, value);
}

bool fcps_csv_has_decimal_comma(const fcps_csv *csv)
{
  double unused;
  for (int row = 0; row < csv->rows && csv->separator != ','; row++)
    for (int column = 0; column < csv->columns; column++)
      if (fcps_csv_read_decimal_comma(fcps_csv_cell(csv, row, column), &unused)) return true;
  return false;
}

static size_t count_digits(const char *text)
{
  return strspn(text, "0123456789");
}

/* Tells whether `mark` can group the digits of a cell: it can in -12.345, but not in 0.345 or 1.2345. */
static bool groups(const char *cell, char mark)
{
  const char *c = cell + (*cell == '-' || *cell == '+');
  const size_t first = count_digits(c);
  if (*c == '0' || first < 1 || first > 3 || c[first] != mark) return false;
  for (c += first; *c == mark; c += 4)
    if (count_digits(c + 1) != 3) return false;
  return *c == '\0';
}

bool fcps_csv_is_grouped(const char *cell)
{
  return groups(cell, '.') || groups(cell, ',');
}

/* How a column uses a mark: the first row in which it may group thousands, and the first in which it cannot; -1:
 * none. */
typedef struct mark_use {
  int grouping, decimal;
} mark_use;

static mark_use look_for(const fcps_csv *csv, int column, char mark)
{
  mark_use use = {-1, -1};
  for (int row = 0; row < csv->rows && use.decimal < 0; row++) {
    const char *cell = fcps_csv_cell(csv, row, column);
    if (strchr(cell, mark) == NULL) continue;
    int *first = groups(cell, mark) ? &use.grouping : &use.decimal;
    if (*first < 0) *first = row;
  }
  return use;
}

/* Tells whether all cells of a column are numbers. Marks in texts and dates prove nothing. */
static bool has_only_numbers(const fcps_csv *csv, int column)
{
  double unused;
  for (int row = 0; row < csv->rows; row++) {
    const char *cell = fcps_csv_cell(csv, row, column);
    if (*cell != '\0' && !fcps_number_read(cell, &unused) && !fcps_csv_read_decimal_comma(cell, &unused) &&
        !fcps_csv_is_grouped(cell))
      return false;
  }
  return true;
}

/* Returns a cell of another column in which the other mark is a decimal mark; NULL if there is none. A comma that could
 * also group thousands counts as a decimal comma, so it shows that points are not decimal. */
static const char *find_evidence(const fcps_csv *csv, int column, char mark, int *where)
{
  for (int i = 0; i < csv->columns; i++) {
    if (i == column || !has_only_numbers(csv, i)) continue;
    const mark_use use = look_for(csv, i, mark == '.' ? ',' : '.');
    const int row = use.decimal >= 0 || mark == ',' ? use.decimal : use.grouping;
    if (row < 0) continue;
    *where = i;
    return fcps_csv_cell(csv, row, i);
  }
  return NULL;
}

static char mark_of(const fcps_csv *csv, int column)
{
  return strchr(fcps_csv_cell(csv, csv->unclear[column], column), '.') != NULL ? '.' : ',';
}

bool fcps_csv_find_unclear(fcps_csv *csv)
{
  static const char marks[] = {'.', ','};
  if (csv->separator == ',') return true;
  csv->unclear = fcps_allocate((size_t)csv->columns, sizeof *csv->unclear);
  if (csv->unclear == NULL) return false;
  for (int column = 0; column < csv->columns; column++) {
    csv->unclear[column] = -1;
    for (size_t i = 0; i < sizeof marks && csv->unclear[column] < 0; i++) {
      const mark_use use = look_for(csv, column, marks[i]);
      int unused;
      if (use.grouping >= 0 && use.decimal < 0 && find_evidence(csv, column, marks[i], &unused) != NULL)
        csv->unclear[column] = use.grouping;
    }
  }
  return true;
}

/* Copies a number without its marks. */
static const char *without_marks(const char *cell, size_t size, char *text)
{
  size_t length = 0;
  for (; *cell != '\0' && length + 1 < size; cell++)
    if (*cell != '.' && *cell != ',') text[length++] = *cell;
  text[length] = '\0';
  return text;
}

fcps_status fcps_csv_refuse_unclear(const fcps_csv *csv, int column, fcps_error *error)
{
  const int row = csv->unclear[column];
  const char *cell = fcps_csv_cell(csv, row, column), mark = mark_of(csv, column);
  const char *here = mark == '.' ? "point" : "comma", *there = mark == '.' ? "comma" : "point";
  char number[64];
  int other = column;
  const char *evidence = find_evidence(csv, column, mark, &other);
  return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, csv->lines[row], 0, csv->header[column],
                       "does \"%.40s\" mean %s? This file has decimal %ss (\"%.40s\" in column '%.60s'), and every %s "
                       "in this column stands before three digits. Write the column without thousands %ss, or its "
                       "decimals with %ss",
                       cell, without_marks(cell, sizeof number, number), there, evidence != NULL ? evidence : "",
                       csv->header[other], here, here, there);
}
