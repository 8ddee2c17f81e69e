/* SPDX-License-Identifier: Apache-2.0 */
/* Settings read against their table; what is refused is refused with what would be right. */
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

/* More names than any table has; only the error text is limited by it. */
#define MOST_NAMES 64

static int find(const fcps_setting_spec *specs, const char *name)
{
  for (int i = 0; specs[i].name != NULL; i++)
    if (strcmp(specs[i].name, name) == 0) return i;
  return -1;
}

/* Start of choice `index` in "a|b|c" and its length; NULL after the last one. */
static const char *choice_at(const char *choices, int index, size_t *length)
{
  for (; index > 0 && choices != NULL; index--) {
    choices = strchr(choices, '|');
    if (choices != NULL) choices++;
  }
  *length = choices != NULL ? strcspn(choices, "|") : 0;
  return choices;
}

/* -- Refusals -- */

static fcps_status refuse_name(const fcps_setting_spec *specs, const char *name, fcps_error *error)
{
  if (specs[0].name == NULL)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, name, "there is no such setting, nor any other here");

  const char *names[MOST_NAMES];
  char hint[400];
  int count = 0;
  for (; specs[count].name != NULL && count < MOST_NAMES; count++)
    names[count] = specs[count].name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, name, "there is no such setting; %s",
                        fcps_name_hint(name, count, names, sizeof hint, hint));
}

static fcps_status refuse_value(const fcps_setting_spec *spec, const char *value, fcps_error *error)
{
  static const char *const expected[] = {[FCPS_SETTING_NUMBER] = "a number",
                                         [FCPS_SETTING_INTEGER] = "a whole number",
                                         [FCPS_SETTING_SWITCH] = "on or off",
                                         [FCPS_SETTING_CHOICE] = "one of "};
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, spec->name, "\"%.64s\" is not %s%s (default %s)", value,
                        expected[spec->kind], spec->kind == FCPS_SETTING_CHOICE ? spec->choices : "", spec->initial);
}

static fcps_status refuse_range(const fcps_setting_spec *spec, double lower, double upper, const char *value,
                                fcps_error *error)
{
  char from[FCPS_NUMBER_SIZE], to[FCPS_NUMBER_SIZE];
  return fcps_error_set(error, FCPS_ERR_BOUNDS, spec->name, "%.64s is outside its range, %s to %s (default %s)", value,
                        fcps_number_write(lower, from), fcps_number_write(upper, to), spec->initial);
}

/* -- Reading -- */

static fcps_status read_number(const fcps_setting_spec *spec, const char *text, double *value, fcps_error *error)
{
  double number;
  if (!fcps_number_read(text, &number)) return refuse_value(spec, text, error);
  if (!isfinite(number))
    return fcps_error_set(error, FCPS_ERR_NOT_FINITE, spec->name, "%s is no value for a setting (default %s)", text,
                          spec->initial);
  if (number < spec->lower || number > spec->upper) return refuse_range(spec, spec->lower, spec->upper, text, error);
  *value = number;
  return FCPS_OK;
}

static fcps_status read_integer(const fcps_setting_spec *spec, const char *text, double *value, fcps_error *error)
{
  /* an int, so that fcps_settings_integer can return it */
  const double lower = fmax(spec->lower, INT_MIN), upper = fmin(spec->upper, INT_MAX);
  int64_t number;
  if (!fcps_integer_read(text, &number)) return refuse_value(spec, text, error);
  if ((double)number < lower || (double)number > upper) return refuse_range(spec, lower, upper, text, error);
  *value = (double)number;
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

static fcps_status read_switch(const fcps_setting_spec *spec, const char *text, double *value, fcps_error *error)
{
  bool on;
  if (!fcps_switch_read(text, &on)) return refuse_value(spec, text, error);
  *value = on ? 1 : 0;
  return FCPS_OK;
}

static fcps_status read_choice(const fcps_setting_spec *spec, const char *text, double *value, fcps_error *error)
{
  size_t length;
  const char *choice;
  for (int i = 0; (choice = choice_at(spec->choices, i, &length)) != NULL; i++) {
    if (strlen(text) != length || strncmp(text, choice, length) != 0) continue;
    *value = i;
    return FCPS_OK;
  }
  return refuse_value(spec, text, error);
}

static fcps_status read_value(const fcps_setting_spec *spec, const char *text, double *value, fcps_error *error)
{
  if (text == NULL) return refuse_value(spec, "", error);
  switch (spec->kind) {
  case FCPS_SETTING_NUMBER:
    return read_number(spec, text, value, error);
  case FCPS_SETTING_INTEGER:
    return read_integer(spec, text, value, error);
  case FCPS_SETTING_SWITCH:
    return read_switch(spec, text, value, error);
  case FCPS_SETTING_CHOICE:
    return read_choice(spec, text, value, error);
  }
  return fcps_error_set(error, FCPS_ERR_INTERNAL, spec->name, "a setting of unknown kind %d", (int)spec->kind);
}

/* `defaults` stand before those of the table in what a refusal says. */
static fcps_status read_list(fcps_settings *settings, const fcps_setting *list, const fcps_setting *defaults,
                             fcps_error *error)
{
  for (; list != NULL && list->name != NULL; list++) {
    const int i = find(settings->specs, list->name);
    if (i < 0) return refuse_name(settings->specs, list->name, error);
    fcps_setting_spec spec = settings->specs[i];
    for (const fcps_setting *initial = defaults; initial != NULL && initial->name != NULL; initial++)
      if (strcmp(initial->name, list->name) == 0) spec.initial = initial->value;
    const fcps_status status = read_value(&spec, list->value, &settings->number[i], error);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

fcps_status fcps_settings_create(fcps_settings *settings, const fcps_setting_spec *specs, const fcps_setting *overrides,
                                 const fcps_setting *given, fcps_error *error)
{
  fcps_settings made = {.specs = specs};
  while (specs[made.count].name != NULL)
    made.count++;
  made.number = fcps_allocate((size_t)made.count, sizeof *made.number);
  if (made.number == NULL) return fcps_error_memory(error);

  fcps_status status = FCPS_OK;
  for (int i = 0; i < made.count && status == FCPS_OK; i++)
    status = read_value(&specs[i], specs[i].initial, &made.number[i], error);
  if (status == FCPS_OK) status = read_list(&made, overrides, NULL, error);
  if (status == FCPS_OK) status = read_list(&made, given, overrides, error);
  if (status != FCPS_OK) {
    free(made.number);
    return status;
  }
  *settings = made;
  return FCPS_OK;
}

void fcps_settings_destroy(fcps_settings *settings)
{
  if (settings == NULL) return;
  free(settings->number);
  *settings = (fcps_settings){0};
}

/* -- Values -- */

double fcps_settings_number(const fcps_settings *settings, const char *name)
{
  const int i = find(settings->specs, name);
  assert(i >= 0);
  return i >= 0 ? settings->number[i] : 0;
}

int fcps_settings_integer(const fcps_settings *settings, const char *name)
{
  return (int)fcps_settings_number(settings, name);
}

bool fcps_settings_switch(const fcps_settings *settings, const char *name)
{
  return fcps_settings_number(settings, name) != 0;
}

int fcps_settings_choice(const fcps_settings *settings, const char *name)
{
  return (int)fcps_settings_number(settings, name);
}

char *fcps_settings_write(const fcps_settings *settings, int index, size_t size, char *text)
{
  const fcps_setting_spec *spec = &settings->specs[index];
  const double value = settings->number[index];
  char number[FCPS_NUMBER_SIZE];
  size_t length;

  if (size == 0) return text;
  switch (spec->kind) {
  case FCPS_SETTING_NUMBER:
  case FCPS_SETTING_INTEGER:
    snprintf(text, size, "%s", fcps_number_write(value, number));
    break;
  case FCPS_SETTING_SWITCH:
    snprintf(text, size, "%s", value != 0 ? "on" : "off");
    break;
  case FCPS_SETTING_CHOICE: {
    const char *choice = choice_at(spec->choices, (int)value, &length);
    snprintf(text, size, "%.*s", (int)length, choice);
    break;
  }
  }
  return text;
}
