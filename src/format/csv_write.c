/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a CSV cell by cell. The writer only counts columns; the stream keeps the errors. */
#include "base/number.h"
#include "format/csv.h"
#include "format/csv_marks.h"

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

/* Blanks at either end and a byte order mark also need quotes: readers may ignore them, as ours does. So do
 * the separators that a spreadsheet may expect: what follows one could be taken for a formula. Between semicolons a comma
 * is that of a number. */
static bool needs_quotes(const fcps_csv_writer *writer, const char *text)
{
  const size_t length = strlen(text);
  const bool has_marks = strchr(text, separator_of(writer)) != NULL || strpbrk(text, "\"\r\n;\t") != NULL;
  return length > 0 && (has_marks || strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL ||
                        strncmp(text, "\xEF\xBB\xBF", 3) == 0);
}

/* Spreadsheets take a text that begins with one of these for a formula, and may run it. */
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
