/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/support/describe.h"

#include "base/error.h"
#include "base/settings.h"
#include "cli/support/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {"number", "integer", "switch", "choice"};

typedef struct list_input {
  fcps_listing *listing;
  fcps_error *error;
} list_input;

static error_t parse(int key, char *text, struct argp_state *state)
{
  list_input *input = state->input;
  switch (key) {
  case 'j':
    input->listing->as_json = true;
    return 0;
  case ARGP_KEY_ARG:
    if (input->listing->name != NULL) {
      fcps_error_set(input->error, FCPS_ERR_ARGUMENT, "arguments", "\"%s\" is one too many; give one name, or none",
                     text);
      return EINVAL;
    }
    input->listing->name = text;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

fcps_status fcps_describe_parse(const char *doc, int argc, char **argv, fcps_listing *listing, fcps_error *error)
{
  const struct argp_option options[] = {{"json", 'j', NULL, 0, "JSON, one object a line, instead of text", 0}, {0}};
  const struct argp argp = {.options = options, .parser = parse, .args_doc = "[NAME]", .doc = doc};
  list_input input = {listing, error};
  return fcps_options_parse(&argp, argc, argv, &input, error);
}

bool fcps_describe_includes(const fcps_listing *listing, const char *name)
{
  return listing->name == NULL || strcmp(listing->name, name) == 0;
}

fcps_status fcps_describe_check(const fcps_listing *listing, const char *kind, int count, const char *const *names,
                                fcps_error *error)
{
  char hint[384];
  for (int i = 0; i < count; i++)
    if (fcps_describe_includes(listing, names[i])) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, kind, "there is no %s \"%s\"; %s", kind, listing->name,
                        fcps_name_hint(listing->name, count, names, sizeof hint, hint));
}

/* The default of a setting, as this learner has it. */
static const char *default_of(const fcps_setting_spec *spec, const fcps_setting *defaults)
{
  for (; defaults != NULL && defaults->name != NULL; defaults++) {
    if (strcmp(defaults->name, spec->name) == 0) return defaults->value;
  }
  return spec->initial;
}

/* -- For people -- */

void fcps_describe_space(const char *label, const fcps_space *space)
{
  for (int i = 0; i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    printf("  %-12s %-10s [%.6g, %.6g]%s%s", i == 0 ? label : "", dim->name, dim->lower, dim->upper,
           dim->unit != NULL ? " " : "", dim->unit != NULL ? dim->unit : "");
    if (dim->period > 0.0) printf(", period %.6g", dim->period);
    if (dim->scale != FCPS_SCALE_LINEAR) printf(", %s", fcps_scale_name((int)dim->scale));
    putchar('\n');
  }
}

static char *range_of(const fcps_setting_spec *spec, size_t size, char *text)
{
  if (spec->kind == FCPS_SETTING_CHOICE)
    fcps_choice_list(spec->choice, size, text);
  else if (spec->kind == FCPS_SETTING_SWITCH)
    snprintf(text, size, "on|off");
  else
    snprintf(text, size, "%s%.6g to %.6g", spec->kind == FCPS_SETTING_INTEGER ? "whole, " : "", spec->lower,
             spec->upper);
  return text;
}

void fcps_describe_settings(const char *option, const fcps_setting_table *table, const fcps_setting *defaults)
{
  if (fcps_setting_at(table, 0) == NULL) return;
  const fcps_setting_spec *spec;
  char range[128];
  int width = 0;
  for (int i = 0; (spec = fcps_setting_at(table, i)) != NULL; i++) {
    const int length = (int)strlen(range_of(spec, sizeof range, range));
    if (length > width) width = length;
  }
  printf("  settings (%s NAME=VALUE), default, range\n", option);
  for (int i = 0; (spec = fcps_setting_at(table, i)) != NULL; i++) {
    printf("    %-16s %-11s %-*s  %s\n", spec->name, default_of(spec, defaults), width,
           range_of(spec, sizeof range, range), spec->help);
  }
}

/* -- For programs -- */

static fcps_json *dimension_json(const fcps_dimension *dim)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = fcps_json_set(json, "name", fcps_json_from_text(dim->name));
  failed |= fcps_json_set(json, "lower", fcps_json_from_number(dim->lower));
  failed |= fcps_json_set(json, "upper", fcps_json_from_number(dim->upper));
  failed |= fcps_json_set(json, "period", fcps_json_from_number(dim->period));
  failed |= fcps_json_set(json, "scale", fcps_json_from_text(fcps_scale_name((int)dim->scale)));
  failed |= fcps_json_set(json, "unit", dim->unit != NULL ? fcps_json_from_text(dim->unit) : fcps_json_null());
  return fcps_json_whole(json, failed);
}

fcps_json *fcps_describe_space_json(const fcps_space *space)
{
  fcps_json *json = fcps_json_array();
  unsigned failed = json == NULL;
  for (int i = 0; i < space->count; i++)
    failed |= fcps_json_append(json, dimension_json(&space->dims[i]));
  return fcps_json_whole(json, failed);
}

static fcps_json *choices_json(fcps_choice_fn *choice)
{
  fcps_json *json = fcps_json_array();
  unsigned failed = json == NULL;
  for (int i = 0; choice(i) != NULL; i++)
    failed |= fcps_json_append(json, fcps_json_from_text(choice(i)));
  return fcps_json_whole(json, failed);
}

static fcps_json *setting_json(const fcps_setting_spec *spec, const fcps_setting *defaults)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = fcps_json_set(json, "name", fcps_json_from_text(spec->name));
  failed |= fcps_json_set(json, "kind", fcps_json_from_text(kind_names[spec->kind]));
  failed |= fcps_json_set(json, "default", fcps_json_from_text(default_of(spec, defaults)));
  if (spec->kind == FCPS_SETTING_NUMBER || spec->kind == FCPS_SETTING_INTEGER) {
    failed |= fcps_json_set(json, "lower", fcps_json_from_number(spec->lower));
    failed |= fcps_json_set(json, "upper", fcps_json_from_number(spec->upper));
  }
  if (spec->kind == FCPS_SETTING_CHOICE) failed |= fcps_json_set(json, "choices", choices_json(spec->choice));
  failed |= fcps_json_set(json, "help", fcps_json_from_text(spec->help));
  return fcps_json_whole(json, failed);
}

fcps_json *fcps_describe_settings_json(const fcps_setting_table *table, const fcps_setting *defaults)
{
  fcps_json *json = fcps_json_array();
  unsigned failed = json == NULL;
  for (int i = 0; fcps_setting_at(table, i) != NULL; i++)
    failed |= fcps_json_append(json, setting_json(fcps_setting_at(table, i), defaults));
  return fcps_json_whole(json, failed);
}

fcps_status fcps_describe_print(fcps_json *json, fcps_error *error)
{
  char *text = json != NULL ? fcps_json_write(json) : NULL;
  const fcps_status status = text != NULL ? FCPS_OK : fcps_error_memory(error);
  if (text != NULL) puts(text);
  fcps_free(text);
  fcps_json_destroy(json);
  return status;
}
