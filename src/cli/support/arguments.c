/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/support/arguments.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 24, FIRST_KEY = 256 };

typedef struct parsing {
  const fcps_argument *table;
  void *values;
  int arguments; /* seen so far */
  fcps_error *error;
} parsing;

static bool is_option(const fcps_argument *row)
{
  return row->kind != FCPS_ARGUMENT_NEEDED && row->kind != FCPS_ARGUMENT_LEFT;
}

static fcps_status take_option(parsing *p, const fcps_argument *row, const char *text)
{
  void *place = (char *)p->values + row->place;
  char option[64];
  snprintf(option, sizeof option, "--%s", row->name);
  switch (row->kind) {
  case FCPS_ARGUMENT_SWITCH:
    *(bool *)place = true;
    return FCPS_OK;
  case FCPS_ARGUMENT_COUNT:
    return fcps_option_integer(option, text, 0, INT64_MAX, place, p->error);
  case FCPS_ARGUMENT_SETTINGS:
    return fcps_setting_list_add(place, option, text, p->error);
  default:
    /* of values by name, who writes the second does not take back the first */
    if (*(const char **)place && row->value != NULL && strchr(row->value, '=') != NULL)
      return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, option, "is given twice%s",
                            strstr(row->value, ",...") != NULL ? "; values are joined by commas, as in --target x=3,y=4"
                                                               : "");
    *(const char **)place = text;
    return FCPS_OK;
  }
}

/* The next argument without an option. */
static fcps_status take_argument(parsing *p, const char *text)
{
  int index = 0;
  for (const fcps_argument *row = p->table; row->name != NULL; row++) {
    if (is_option(row) || index++ < p->arguments) continue;
    p->arguments++;
    return take_option(p, row, text);
  }
  return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, "", "\"%s\" is one argument too many%s", text,
                        strchr(text, '=') != NULL ? "; values are joined by commas, as in --target x=3,y=4" : "");
}

static fcps_status check_complete(const parsing *p)
{
  int index = 0;
  for (const fcps_argument *row = p->table; row->name != NULL; row++) {
    if (row->kind != FCPS_ARGUMENT_NEEDED || index++ < p->arguments) continue;
    return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, "", "which %s? --help says more", row->name);
  }
  return FCPS_OK;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  parsing *p = state->input;
  fcps_status status = FCPS_OK;
  if (key == ARGP_KEY_ARG) {
    status = take_argument(p, text);
  } else if (key == ARGP_KEY_END) {
    status = check_complete(p);
  } else if (key >= FIRST_KEY && key < FIRST_KEY + MOST_ROWS) {
    status = take_option(p, &p->table[key - FIRST_KEY], text);
  } else {
    const fcps_argument *row = p->table;
    while (row->name != NULL && !(is_option(row) && row->letter && row->letter == key))
      row++;
    if (row->name == NULL) return ARGP_ERR_UNKNOWN;
    status = take_option(p, row, text);
  }
  return status == FCPS_OK ? 0 : EINVAL;
}

fcps_status fcps_arguments_parse(const fcps_argument *table, const char *doc, int argc, char **argv, void *values,
                                 fcps_error *error)
{
  struct argp_option options[MOST_ROWS + 1] = {{0}};
  char names[256] = "";
  int count = 0;
  for (int i = 0; table[i].name != NULL && i < MOST_ROWS; i++) {
    const fcps_argument *row = &table[i];
    const size_t used = strlen(names);
    if (is_option(row))
      options[count++] =
          (struct argp_option){row->name, row->letter ? row->letter : FIRST_KEY + i, row->value, 0, row->help, 0};
    else
      snprintf(names + used, sizeof names - used, row->kind == FCPS_ARGUMENT_LEFT ? "%s[%s]" : "%s%s", used ? " " : "",
               row->name);
  }
  const struct argp argp = {.options = options, .parser = parse, .args_doc = names, .doc = doc};
  parsing p = {.table = table, .values = values, .error = error};
  return fcps_options_parse(&argp, argc, argv, &p, error);
}
