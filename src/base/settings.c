/* SPDX-License-Identifier: Apache-2.0 */
/* Reads settings by their table. Every refusal says which values are allowed. settings.h lists the invariants. */
#include "base/settings.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No table has more names. If one had, only the error text would be incomplete. */
#define MOST_NAMES 64

/* -- Rows -- */

/* Returns row `index` of the table; NULL past the last row. `offset`, if not NULL, receives the offset of the row's
 * field in the table's struct. */
static const fcps_setting_row *row_at(const fcps_setting_table *table, int index, size_t *offset)
{
  for (int i = 0; i < FCPS_SETTING_PARTS && table->parts[i].rows != NULL; i++)
    for (const fcps_setting_row *row = table->parts[i].rows; row->spec.name != NULL; row++) {
      if (index-- > 0) continue;
      if (offset != NULL) *offset = table->parts[i].offset + row->offset;
      return row;
    }
  return NULL;
}

const fcps_setting_spec *fcps_setting_at(const fcps_setting_table *table, int index)
{
  const fcps_setting_row *row = table != NULL && index >= 0 ? row_at(table, index, NULL) : NULL;
  return row != NULL ? &row->spec : NULL;
}

static int find(const fcps_setting_table *table, const char *name)
{
  const fcps_setting_spec *spec;
  for (int i = 0; (spec = fcps_setting_at(table, i)) != NULL; i++)
    if (strcmp(spec->name, name) == 0) return i;
  return -1;
}

/* -- Choices -- */

const char *fcps_choice_at(int count, const char *const *names, int index)
{
  return index >= 0 && index < count ? names[index] : NULL;
}

int fcps_choice_find(fcps_choice_fn *choice, const char *name)
{
  for (int i = 0; name != NULL && choice(i) != NULL; i++)
    if (strcmp(choice(i), name) == 0) return i;
  return -1;
}

char *fcps_choice_list(fcps_choice_fn *choice, size_t size, char *text)
{
  size_t length = 0;
  if (size > 0) text[0] = '\0';
  for (int i = 0; choice(i) != NULL && length < size; i++) {
    const int added = snprintf(text + length, size - length, "%s%s", i > 0 ? "|" : "", choice(i));
    length += added > 0 ? (size_t)added : 0;
  }
  return text;
}

/* -- Refusals -- */

static fcps_status refuse_name(const fcps_setting_table *table, const char *name, fcps_error *error)
{
  if (fcps_setting_at(table, 0) == NULL)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, name, "there are no settings here; leave it out");

  const char *names[MOST_NAMES];
  char hint[400];
  int count = 0;
  for (; count < MOST_NAMES && fcps_setting_at(table, count) != NULL; count++)
    names[count] = fcps_setting_at(table, count)->name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, name, "there is no such setting; %s",
                        fcps_name_hint(name, count, names, sizeof hint, hint));
}

static fcps_status refuse_value(const fcps_setting_spec *spec, const char *value, fcps_error *error)
{
  static const char *const expected[] = {[FCPS_SETTING_NUMBER] = "a number",
                                         [FCPS_SETTING_INTEGER] = "a whole number",
                                         [FCPS_SETTING_SWITCH] = "on or off",
                                         [FCPS_SETTING_CHOICE] = "one of ",
                                         [FCPS_SETTING_WORDS] = "a text of at most 255 characters, or one of "};
  char choices[256] = "";
  if (spec->choice != NULL) fcps_choice_list(spec->choice, sizeof choices, choices);
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, spec->name, "\"%.64s\" is not %s%s (default %s)", value,
                        expected[spec->kind], choices, spec->initial);
}

static fcps_status refuse_range(const fcps_setting_spec *spec, double lower, double upper, const char *value,
                                fcps_error *error)
{
  char from[FCPS_NUMBER_SIZE], to[FCPS_NUMBER_SIZE];
  return fcps_error_set(error, FCPS_ERR_BOUNDS, spec->name, "%.64s is outside its range, %s to %s (default %s)", value,
                        fcps_number_write(lower, from), fcps_number_write(upper, to), spec->initial);
}

/* -- Reading -- */

static fcps_status read_number(const fcps_setting_spec *spec, const char *text, double *field, fcps_error *error)
{
  double number;
  if (!fcps_number_read(text, &number)) return refuse_value(spec, text, error);
  if (!isfinite(number))
    return fcps_error_set(error, FCPS_ERR_NOT_FINITE, spec->name, "%s is not a finite number (default %s)", text,
                          spec->initial);
  if (number < spec->lower || number > spec->upper) return refuse_range(spec, spec->lower, spec->upper, text, error);
  *field = number;
  return FCPS_OK;
}

static fcps_status read_integer(const fcps_setting_spec *spec, const char *text, int *field, fcps_error *error)
{
  const double lower = fmax(spec->lower, INT_MIN), upper = fmin(spec->upper, INT_MAX);
  int64_t number;
  if (!fcps_integer_read(text, &number)) return refuse_value(spec, text, error);
  if ((double)number < lower || (double)number > upper) return refuse_range(spec, lower, upper, text, error);
  *field = (int)number;
  return FCPS_OK;
}

bool fcps_switch_read(const char *text, bool *value)
{
  static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
  for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
    if (strcmp(text, words[i]) != 0) continue;
    *value = i % 2 == 1;
    return true;
  }
  return false;
}

static fcps_status read_choice(const fcps_setting_spec *spec, const char *text, int *field, fcps_error *error)
{
  const int index = fcps_choice_find(spec->choice, text);
  if (index < 0) return refuse_value(spec, text, error);
  *field = index;
  return FCPS_OK;
}

static fcps_status read_words(const fcps_setting_spec *spec, const char *text, char *field, fcps_error *error)
{
  const size_t length = strlen(text);
  if (length == 0 || length >= FCPS_SETTING_WORDS_SIZE) return refuse_value(spec, text, error);
  memset(field, 0, FCPS_SETTING_WORDS_SIZE);
  memcpy(field, text, length);
  return FCPS_OK;
}

/* Reads a value into its field, whose type the macros that make rows have checked. */
static fcps_status read_value(const fcps_setting_spec *spec, const char *text, void *field, fcps_error *error)
{
  if (text == NULL) return refuse_value(spec, "", error);
  switch (spec->kind) {
  case FCPS_SETTING_NUMBER:
    return read_number(spec, text, field, error);
  case FCPS_SETTING_INTEGER:
    return read_integer(spec, text, field, error);
  case FCPS_SETTING_SWITCH:
    return fcps_switch_read(text, field) ? FCPS_OK : refuse_value(spec, text, error);
  case FCPS_SETTING_CHOICE:
    return read_choice(spec, text, field, error);
  case FCPS_SETTING_WORDS:
    return read_words(spec, text, field, error);
  }
  return fcps_error_set(error, FCPS_ERR_INTERNAL, spec->name, "a setting of unknown kind %d", (int)spec->kind);
}

static fcps_status read_defaults(const fcps_setting_table *table, unsigned char *values, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  const fcps_setting_row *row;
  size_t offset;
  for (int i = 0; (row = row_at(table, i, &offset)) != NULL && status == FCPS_OK; i++)
    status = read_value(&row->spec, row->spec.initial, values + offset, error);
  return status;
}

/* Reads a list of settings. A refusal names the default in `defaults`, if it has one, or else that of the table. */
static fcps_status read_list(const fcps_setting_table *table, const fcps_setting *list, const fcps_setting *defaults,
                             unsigned char *values, fcps_error *error)
{
  for (; list != NULL && list->name != NULL; list++) {
    const int i = find(table, list->name);
    if (i < 0) return refuse_name(table, list->name, error);
    size_t offset;
    fcps_setting_spec spec = row_at(table, i, &offset)->spec;
    for (const fcps_setting *initial = defaults; initial != NULL && initial->name != NULL; initial++)
      if (strcmp(initial->name, list->name) == 0) spec.initial = initial->value;
    const fcps_status status = read_value(&spec, list->value, values + offset, error);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

fcps_status fcps_settings_create(void **values, const fcps_setting_table *table, const fcps_setting *overrides,
                                 const fcps_setting *given, fcps_error *error)
{
  *values = NULL;
  unsigned char *made = fcps_allocate(1, table->size);
  if (made == NULL) return fcps_error_memory(error);
  fcps_status status = read_defaults(table, made, error);
  if (status == FCPS_OK) status = read_list(table, overrides, NULL, made, error);
  if (status == FCPS_OK) status = read_list(table, given, overrides, made, error);
  if (status != FCPS_OK) {
    free(made);
    return status;
  }
  *values = made;
  return FCPS_OK;
}

/* -- Writing -- */

char *fcps_settings_write(const fcps_setting_table *table, const void *values, int index, size_t size, char *text)
{
  size_t offset;
  const fcps_setting_row *row = row_at(table, index, &offset);
  assert(row != NULL);
  const void *field = (const unsigned char *)values + offset;
  char number[FCPS_NUMBER_SIZE];

  switch (row->spec.kind) {
  case FCPS_SETTING_NUMBER:
    snprintf(text, size, "%s", fcps_number_write(*(const double *)field, number));
    break;
  case FCPS_SETTING_INTEGER:
    snprintf(text, size, "%s", fcps_number_write(*(const int *)field, number));
    break;
  case FCPS_SETTING_SWITCH:
    snprintf(text, size, "%s", *(const bool *)field ? "on" : "off");
    break;
  case FCPS_SETTING_CHOICE:
    snprintf(text, size, "%s", row->spec.choice(*(const int *)field));
    break;
  case FCPS_SETTING_WORDS:
    snprintf(text, size, "%s", (const char *)field);
    break;
  }
  return text;
}

const char *fcps_setting_value(const fcps_setting *list, const char *name)
{
  const char *value = NULL;
  for (; list != NULL && list->name != NULL; list++)
    if (strcmp(list->name, name) == 0) value = list->value;
  return value;
}
