/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a CSV. The file is read once, and its cells are cut out of that text without further copies. A cell is never
 * longer than its source, so the place where cells are kept (`keep`) never overtakes the text that is still to be read
 * (`next`). */
#include "format/csv.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/file.h"
#include "format/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 28)

typedef struct reader {
  const char *name;
  const char *next, *end; /* the text that is still to be read */
  char *keep;             /* where the next cell is written */
  int line;
  char separator;
  char line_end; /* LF, or CR if the text has no LF */
  char **cells;  /* all cells so far, those of the header first */
  size_t count, capacity;
  fcps_error *error;
} reader;

static bool is_blank(const reader *in, char letter)
{
  return letter == ' ' || (letter == '\t' && in->separator != '\t');
}

static void skip_blanks(reader *in)
{
  while (in->next < in->end && is_blank(in, *in->next))
    in->next++;
}

/* Tells whether the reader is at the end of a line (LF, CRLF, or CR if the text has no LF) or of the text. */
static bool at_line_end(const reader *in)
{
  if (in->next == in->end || *in->next == in->line_end) return true;
  return *in->next == '\r' && in->next + 1 < in->end && in->next[1] == '\n';
}

static void skip_line_end(reader *in)
{
  if (in->next < in->end && *in->next == '\r' && in->line_end == '\n') in->next++;
  if (in->next < in->end) in->next++;
  in->line++;
}

/* -- Reading -- */

/* Reads a quoted cell up to its closing quote. A doubled quote in it stands for one quote. */
static fcps_status read_quoted(reader *in)
{
  const int opened = in->line;
  for (in->next++; in->next < in->end; in->next++) {
    if (*in->next == in->line_end) in->line++;
    if (*in->next == '"' && (in->next + 1 == in->end || in->next[1] != '"')) break;
    if (*in->next == '"') in->next++;
    *in->keep++ = *in->next;
  }
  if (in->next == in->end)
    return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, opened, 0, NULL, "a quote is never closed; close it");
  in->next++;
  skip_blanks(in);
  if (!at_line_end(in) && *in->next != in->separator)
    return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, in->line, 0, NULL,
                         "text follows a closing quote; write a quote inside a cell twice");
  return FCPS_OK;
}

static fcps_status read_plain(reader *in)
{
  char *last = in->keep; /* the end of the cell without the blanks behind it */
  for (; !at_line_end(in) && *in->next != in->separator; in->next++) {
    if (*in->next == '"')
      return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, in->line, 0, NULL,
                           "there is a quote inside a cell; quote the whole cell and write the quote twice");
    *in->keep++ = *in->next;
    if (!is_blank(in, *in->next)) last = in->keep;
  }
  in->keep = last;
  return FCPS_OK;
}

static fcps_status read_cell(reader *in)
{
  if (!fcps_reserve((void **)&in->cells, &in->capacity, in->count + 1, sizeof *in->cells))
    return fcps_error_memory(in->error);
  char *cell = in->keep;
  skip_blanks(in);
  const fcps_status status = in->next < in->end && *in->next == '"' ? read_quoted(in) : read_plain(in);
  if (status != FCPS_OK) return status;
  in->cells[in->count++] = cell;
  return FCPS_OK;
}

/* Removes the apostrophe that the writer put before a text which a spreadsheet would take for a formula. */
static void remove_guard(char **cell)
{
  if (**cell == '\'' && fcps_csv_is_guarded(*cell)) (*cell)++;
}

/* Reads cells to the end of the line, and counts them in `*columns`. The 0 after a cell overwrites its comma or line
 * end, which the reader has passed. */
static fcps_status read_row(reader *in, size_t *columns)
{
  *columns = 0;
  for (bool more = true; more; (*columns)++) {
    const fcps_status status = read_cell(in);
    if (status != FCPS_OK) return status;
    more = !at_line_end(in);
    if (more)
      in->next++;
    else
      skip_line_end(in);
    *in->keep++ = 0;
    remove_guard(&in->cells[in->count - 1]);
  }
  return FCPS_OK;
}

/* Returns the most frequent separator in the first line. */
static char find_separator(const reader *in)
{
  static const char separators[] = {',', ';', '\t'};
  int counts[sizeof separators] = {0};
  bool is_quoted = false;
  size_t best = 0;
  for (const char *c = in->next; c < in->end && (is_quoted || *c != in->line_end); c++) {
    if (*c == '"') is_quoted = !is_quoted;
    for (size_t i = 0; i < sizeof separators && !is_quoted; i++)
      counts[i] += *c == separators[i];
  }
  for (size_t i = 1; i < sizeof separators; i++)
    if (counts[i] > counts[best]) best = i;
  return separators[best];
}

/* Reads Excel's own first line, as in "sep=;". Returns its separator, or 0 if there is no such line. */
static char read_separator_line(reader *in)
{
  static const char words[] = "sep=";
  const size_t length = strlen(words);
  if ((size_t)(in->end - in->next) <= length || memcmp(in->next, words, length) != 0) return 0;
  const char separator = in->next[length];
  reader after = *in;
  after.next += length + 1;
  if (strchr(",;\t", separator) == NULL || after.next == after.end || !at_line_end(&after)) return 0;
  skip_line_end(&after);
  *in = after;
  return separator;
}

static fcps_status read_header(fcps_csv *csv, reader *in)
{
  if (in->end - in->next >= 3 && memcmp(in->next, "\xEF\xBB\xBF", 3) == 0) in->next += 3;
  const char said = read_separator_line(in);
  while (in->next < in->end && at_line_end(in))
    skip_line_end(in);
  if (in->next == in->end)
    return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, 0, 0, NULL,
                         "is empty; a line of column names is needed");

  const int line = in->line;
  size_t columns;
  csv->separator = in->separator = said != 0 ? said : find_separator(in);
  const fcps_status status = read_row(in, &columns);
  if (status != FCPS_OK) return status;
  if (columns > INT_MAX) return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, line, 0, NULL, "too many columns");

  int first, second;
  if (!fcps_duplicate_find((int)columns, (const char *const *)in->cells, &first, &second))
    return fcps_error_memory(in->error);
  if (second >= 0)
    return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, line, 0, in->cells[second],
                         "columns %d and %d have the same name; rename one", first + 1, second + 1);
  csv->columns = (int)columns;
  return FCPS_OK;
}

/* Returns a guess why a row is longer than the header; "" without one. */
static const char *explain_length(const fcps_csv *csv, size_t columns)
{
  if (columns < (size_t)csv->columns || csv->separator != ',') return "";
  return "; a number with a decimal comma is two cells: write it with a point";
}

/* Tells whether the last `columns` cells are all empty. */
static bool has_empty_end(const reader *in, size_t columns)
{
  for (size_t i = in->count - columns; i < in->count; i++)
    if (in->cells[i][0] != '\0') return false;
  return true;
}

static fcps_status read_rows(fcps_csv *csv, reader *in)
{
  size_t capacity = 0;
  while (in->next < in->end) {
    if (csv->columns > 1 && at_line_end(in)) {
      skip_line_end(in);
      continue;
    }
    if (csv->rows == INT_MAX ||
        !fcps_reserve((void **)&csv->lines, &capacity, (size_t)csv->rows + 1, sizeof *csv->lines))
      return fcps_error_memory(in->error);
    const int line = csv->lines[csv->rows] = in->line;
    size_t columns;
    const fcps_status status = read_row(in, &columns);
    if (status != FCPS_OK) return status;
    if (columns < (size_t)csv->columns &&
        has_empty_end(in, columns)) { /* all its cells are empty: a spreadsheet has cut the line short */
      in->count -= columns;
      continue;
    }
    if (columns != (size_t)csv->columns)
      return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, line, 0, NULL,
                           "this row has %zu cells, but the header has %d%s", columns, csv->columns,
                           explain_length(csv, columns));
    csv->rows++;
  }
  return FCPS_OK;
}

/* Removes rows of empty cells at the end: spreadsheets write them below a table. */
static void remove_empty_end(fcps_csv *csv, reader *in)
{
  for (; csv->columns > 1 && csv->rows > 0 && has_empty_end(in, (size_t)csv->columns); csv->rows--)
    in->count -= (size_t)csv->columns;
}

/* Returns what a file that is not a text probably is, and what to do about it. */
static const char *explain_binary(const char *text, size_t length)
{
  static const struct {
    const char *begin;
    size_t length;
    const char *words;
  } kinds[] = {{"\xFF\xFE", 2, " but UTF-16; save it as CSV in UTF-8"},
               {"\xFE\xFF", 2, " but UTF-16; save it as CSV in UTF-8"},
               {"PK\x03\x04", 4, " but a spreadsheet (.xlsx or .ods); export it as CSV"},
               {"\xD0\xCF\x11\xE0", 4, " but a spreadsheet (.xls); export it as CSV"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (length >= kinds[i].length && memcmp(text, kinds[i].begin, kinds[i].length) == 0) return kinds[i].words;
  return "";
}

/* Reads a table. Takes ownership of `text`, which must have room for a 0 after its `length` bytes. */
static fcps_status read_table(fcps_csv *csv, char *text, size_t length, const char *name, fcps_error *error)
{
  fcps_csv made = {.text = text, .file = fcps_copy_text(name)};
  reader in = {
      .name = name, .next = text, .end = text + length, .keep = text, .line = 1, .separator = ',', .error = error};
  in.line_end = memchr(text, '\n', length) != NULL || memchr(text, '\r', length) == NULL ? '\n' : '\r';
  fcps_status status = made.file != NULL ? FCPS_OK : fcps_error_memory(error);

  const char *zero = memchr(text, 0, length);
  if (status == FCPS_OK && zero != NULL)
    status = fcps_error_at(error, FCPS_ERR_FORMAT, name, 0, 0, NULL, "byte %zu is 0: this is not a text file%s",
                           (size_t)(zero - text) + 1, explain_binary(text, length));
  if (status == FCPS_OK) status = read_header(&made, &in);
  if (status == FCPS_OK) status = read_rows(&made, &in);
  if (status == FCPS_OK) remove_empty_end(&made, &in);

  made.header = in.cells; /* one array: the names of the header, then the rows */
  made.cells = in.cells != NULL ? in.cells + made.columns : NULL;
  if (status == FCPS_OK && !fcps_csv_find_unclear(&made)) status = fcps_error_memory(error);
  if (status != FCPS_OK) {
    fcps_csv_destroy(&made);
    return status;
  }
  *csv = made;
  return FCPS_OK;
}

fcps_status fcps_csv_read_file(fcps_csv *csv, const char *path, fcps_error *error)
{
  char *text;
  size_t length;
  const fcps_status status = fcps_file_read(path, MOST_BYTES, &text, &length, error);
  return status != FCPS_OK ? status : read_table(csv, text, length, path, error);
}

fcps_status fcps_csv_read_regular(fcps_csv *csv, const char *path, fcps_error *error)
{
  char *text;
  size_t length;
  const fcps_status status = fcps_file_read_regular(path, MOST_BYTES, &text, &length, error);
  return status != FCPS_OK ? status : read_table(csv, text, length, path, error);
}

fcps_status fcps_csv_read_text(fcps_csv *csv, const char *text, size_t length, const char *name, fcps_error *error)
{
  char *copy = fcps_allocate(length + 1, 1); /* the reader cuts its cells out of a copy */
  if (copy == NULL) return fcps_error_memory(error);
  if (length > 0) memcpy(copy, text, length);
  return read_table(csv, copy, length, name, error);
}

void fcps_csv_destroy(fcps_csv *csv)
{
  if (csv == NULL) return;
  free(csv->header);
  free(csv->lines);
  free(csv->unclear);
  free(csv->file);
  free(csv->text);
  *csv = (fcps_csv){0};
}

/* -- Looking inside -- */

int fcps_csv_column(const fcps_csv *csv, const char *name)
{
  for (int i = 0; i < csv->columns; i++)
    if (strcmp(csv->header[i], name) == 0) return i;
  return -1;
}

fcps_status fcps_csv_require(const fcps_csv *csv, const char *name, int *column, fcps_error *error)
{
  *column = fcps_csv_column(csv, name);
  if (*column >= 0) return FCPS_OK;
  return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, name, "the table has no column of this name; add it");
}

const char *fcps_csv_cell(const fcps_csv *csv, int row, int column)
{
  return csv->cells[(size_t)row * (size_t)csv->columns + (size_t)column];
}

/* Returns what to do about a cell that is not a number. */
static const char *explain_cell(const char *cell)
{
  double unused;
  if (fcps_csv_is_grouped(cell)) return "; write it without a thousands separator, and with a decimal point";
  const bool has_comma = fcps_csv_read_decimal_comma(cell, &unused);
  return has_comma ? "; write its comma as a point, or separate cells by semicolons" : "";
}

fcps_status fcps_csv_number(const fcps_csv *csv, int row, int column, double *value, fcps_error *error)
{
  const char *cell = fcps_csv_cell(csv, row, column);
  if (csv->unclear != NULL && csv->unclear[column] >= 0) return fcps_csv_refuse_unclear(csv, column, error);
  if (fcps_number_read(cell, value)) return FCPS_OK;
  if (csv->separator != ',' && fcps_csv_read_decimal_comma(cell, value)) return FCPS_OK;
  if (cell[0] == 0)
    return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, csv->lines[row], 0, csv->header[column],
                         "the cell is empty; a number is needed");
  return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, csv->lines[row], 0, csv->header[column],
                       "\"%.64s\" is not a number%s", cell, explain_cell(cell));
}
