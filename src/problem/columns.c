/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/quantity.h"
#include "space/space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT_SIZE = 64 };

/* -- Names -- */

/* The text behind the name in a header; NULL if the header does not begin with the name. */
static const char *behind(const char *header, const char *name)
{
  const size_t length = strlen(name);
  return strncmp(header, name, length) == 0 ? header + length : NULL;
}

/* Reads " [W]" or " (W)"; false if the text is anything else. */
static bool read_unit(const char *text, char unit[UNIT_SIZE])
{
  while (*text == ' ')
    text++;
  const char close = *text == '[' ? ']' : *text == '(' ? ')' : '\0';
  const char *end = close != '\0' ? strrchr(text, close) : NULL;
  if (end == NULL || end[1] != '\0') return false;
  while (text[1] == ' ')
    text++;
  while (end > text + 1 && end[-1] == ' ')
    end--;
  const size_t length = (size_t)(end - text - 1);
  if (length >= UNIT_SIZE) return false;
  memcpy(unit, text + 1, length);
  unit[length] = '\0';
  return true;
}

bool fcps_columns_is_of(const char *header, const char *name)
{
  char unit[UNIT_SIZE];
  const char *rest = behind(header, name);
  return rest != NULL && (*rest == '\0' || read_unit(rest, unit));
}

/* -- Units -- */

static fcps_status check_unit(const fcps_csv *csv, int column, const char *name, const char *unit, fcps_error *error)
{
  char said[UNIT_SIZE];
  const char *header = csv->header[column];
  if (unit == NULL || *unit == '\0' || !read_unit(behind(header, name), said) || *said == '\0') return FCPS_OK;
  if (fcps_quantity_is_same(said, unit)) return FCPS_OK;
  return fcps_error_at(
      error, FCPS_ERR_FORMAT, csv->file, 1, 0, name,
      "the column '%.80s' is in %s, and %.63s is in %.63s: nothing is converted. Convert the column and "
      "call it '%.63s [%.63s]'; if only its unit is wrong, correct the header.",
      header, said, name, unit, name, unit);
}

/* -- One column -- */

/* Finds the first two columns that belong to a name. If one column has exactly this name, it is the only one. */
static int find(const fcps_csv *csv, const char *name, int *second)
{
  int first = fcps_csv_column(csv, name);
  *second = -1;
  if (first >= 0) return first;
  for (int i = 0; i < csv->columns && *second < 0; i++) {
    if (!fcps_columns_is_of(csv->header[i], name)) continue;
    if (first < 0)
      first = i;
    else
      *second = i;
  }
  return first;
}

fcps_status fcps_columns_find_one(const fcps_csv *csv, const char *name, const char *unit, int *column,
                                  fcps_error *error)
{
  int second;
  *column = find(csv, name, &second);
  if (second >= 0)
    return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, name,
                         "columns '%.80s' and '%.80s' are both of %.63s; rename one of them.", csv->header[*column],
                         csv->header[second], name);
  return *column >= 0 ? check_unit(csv, *column, name, unit, error) : FCPS_OK;
}

/* -- All columns -- */

/* A text that grows until the memory for it is full. */
typedef struct words {
  size_t size, length;
  char *text;
  int count;
} words;

static void add(words *w, const char *format, const char *a, const char *b)
{
  if (w->length + 1 >= w->size) return;
  const char *joint = w->count++ > 0 ? ", " : "";
  char item[200];
  snprintf(item, sizeof item, format, a, b);
  const bool fits = w->length + strlen(joint) + strlen(item) + strlen(", ...") < w->size;
  w->length += (size_t)snprintf(w->text + w->length, w->size - w->length, "%s%s", joint, fits ? item : "...");
  if (!fits) w->size = w->length + 1; /* The text is full: mark it so that nothing more is added. */
}

/* Whether a column has the dimension's name in other capitals, or with more text after it, as in "Dose (g)", "Room
 * humidity". */
static bool is_dressed(const char *column, const char *name)
{
  for (; *name != '\0'; column++, name++)
    if (tolower((unsigned char)*column) != tolower((unsigned char)*name) && !(*name == '_' && *column == ' '))
      return false;
  return strchr(" ([/,;:", *column) != NULL; /* strchr also finds the zero byte at the end of the text. */
}

/* Returns the free column that may be meant for a dimension without a column; NULL if no column has a similar name. */
static const char *find_like(const fcps_csv *csv, const bool *is_taken, const char *name, const char **names)
{
  int count = 0;
  for (int i = 0; i < csv->columns; i++) {
    if (is_taken[i]) continue;
    if (is_dressed(csv->header[i], name)) return csv->header[i];
    names[count++] = csv->header[i];
  }
  return fcps_nearest_name(name, count, names);
}

static fcps_status refuse_missing(const fcps_csv *csv, int count, const fcps_dimension *const *dims, const char *need,
                                  const int *columns, const bool *is_taken, const char **names, fcps_error *error)
{
  char missing_text[200] = "", rename_text[160] = "", free_text[90] = "";
  words missing = {sizeof missing_text, 0, missing_text, 0}, renamed = {sizeof rename_text, 0, rename_text, 0},
        unread = {sizeof free_text, 0, free_text, 0};
  const char *field = NULL;
  for (int i = 0; i < count; i++) {
    if (columns[i] >= 0 || dims[i]->when != NULL) continue;
    const char *name = dims[i]->name, *like = find_like(csv, is_taken, name, names);
    if (field == NULL) field = name;
    add(&missing, "'%.63s'", name, "");
    if (like != NULL) add(&renamed, "'%.60s' to %.63s", like, name);
  }
  for (int c = 0; c < csv->columns && renamed.count == 0; c++)
    if (!is_taken[c]) add(&unread, "'%.40s'", csv->header[c], "");
  return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, field, "there is no column %s; %s.%s%s%s%s%s%s",
                       missing_text, need, renamed.count > 0 ? " Rename column " : "", rename_text,
                       renamed.count > 1   ? " if they are meant."
                       : renamed.count > 0 ? " if it is meant."
                                           : "",
                       unread.count > 0 ? " No dimension has the column " : "", free_text, unread.count > 0 ? "." : "");
}

fcps_status fcps_columns_find(const fcps_csv *csv, int count, const fcps_dimension *const *dims, const char *need,
                              int *columns, fcps_error *error)
{
  bool *is_taken = fcps_allocate((size_t)csv->columns + 1, sizeof *is_taken);
  const char **names = fcps_allocate((size_t)csv->columns + 1, sizeof *names);
  fcps_status status = is_taken != NULL && names != NULL ? FCPS_OK : fcps_error_memory(error);
  int missing = 0;
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    status = fcps_columns_find_one(csv, dims[i]->name, dims[i]->unit, &columns[i], error);
    missing += columns[i] < 0 && dims[i]->when == NULL;
    if (columns[i] >= 0) is_taken[columns[i]] = true;
  }
  if (status == FCPS_OK && missing > 0)
    status = refuse_missing(csv, count, dims, need, columns, is_taken, names, error);
  free(is_taken);
  free(names);
  return status;
}

/* -- Numbers -- */

fcps_status fcps_columns_number(const fcps_csv *csv, int row, int column, const char *missing, double *value,
                                fcps_error *error)
{
  fcps_error inner = {0};
  const fcps_status status = fcps_csv_number(csv, row, column, value, &inner);
  if (status == FCPS_OK) return FCPS_OK;
  const bool has_digit = strpbrk(fcps_csv_cell(csv, row, column), "0123456789") != NULL;
  return fcps_error_at(error, status, csv->file, inner.line, 0, inner.field, "%s%s%s", inner.message,
                       has_digit ? "" : "; ", has_digit ? "" : missing);
}

fcps_status fcps_columns_value(const fcps_csv *csv, int row, int column, const fcps_dimension *dim, const char *missing,
                               double *value, fcps_error *error)
{
  if (dim->choices == NULL) return fcps_columns_number(csv, row, column, missing, value, error);
  const char *word = fcps_csv_cell(csv, row, column);
  const int index = fcps_choices_find(dim->choices, word);
  fcps_error inner = {0};
  *value = index;
  if (index >= 0) return FCPS_OK;
  if (*word == '\0')
    return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, csv->lines[row], 0, dim->name, "the cell is empty; %s",
                         missing);
  const fcps_status status = fcps_choices_refuse(dim, word, dim->name, &inner);
  return fcps_error_at(error, status, csv->file, csv->lines[row], 0, dim->name, "%s%s%s", inner.message,
                       dim->when != NULL ? "; " : "", dim->when != NULL ? missing : "");
}
