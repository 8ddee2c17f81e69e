/* SPDX-License-Identifier: Apache-2.0 */
/* The common code of listings: all take the same arguments, and answer an unknown name with the nearest one. */
#include "cli/listing.h"

#include "base/error.h"
#include "base/settings.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/values.h"

#include <stdio.h>
#include <string.h>

static const cli_argument argument_table[] = {{CLI_ARGUMENT_OPTIONAL, "NAME", .offset = offsetof(cli_listing, name)},
                                              {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_listing, as_json), 'j',
                                               .help = "Print JSON, one object per line, instead of text"},
                                              {0}};

fcps_status cli_listing_parse(cli_listing *listing, const char *doc, int argc, char **argv, fcps_error *error)
{
  return cli_arguments_parse(argument_table, doc, argc, argv, listing, error);
}

bool cli_listing_includes(const cli_listing *listing, const char *name)
{
  return listing->name == NULL || strcmp(listing->name, name) == 0;
}

fcps_status cli_listing_check(const cli_listing *listing, const char *kind, int count, const char *const *names,
                              fcps_error *error)
{
  char hint[384];
  for (int i = 0; i < count; i++)
    if (cli_listing_includes(listing, names[i])) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, kind, "there is no %s \"%s\"; %s", kind, listing->name,
                        fcps_name_hint(listing->name, count, names, sizeof hint, hint));
}

/* -- Spaces and settings -- */

/* Spaces and settings are printed as aligned text or as JSON; both forms say the same. */

static const char *const kind_names[] = {"number", "integer", "switch", "choice", "words"};

/* The default of a setting: the learner's own default if it has one, otherwise the default of the table. */
static const char *default_of(const fcps_setting_spec *spec, const fcps_setting *defaults)
{
  const char *own = fcps_setting_value(defaults, spec->name);
  return own != NULL ? own : spec->initial;
}

/* -- For people -- */

void cli_describe_space(const char *label, const fcps_space *space)
{
  for (int i = 0; i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    printf("  %-12s %-10s [%.6g, %.6g]%s%s", i == 0 ? label : "", dim->name, dim->lower, dim->upper,
           dim->unit != NULL ? " " : "", dim->unit != NULL ? dim->unit : "");
    if (dim->period > 0.0) printf(", period %.6g", dim->period);
    if (dim->scale != FCPS_SCALE_LINEAR) printf(", %s", fcps_scale_name((int)dim->scale));
    if (dim->step > 0.0) printf(", in steps of %.6g", dim->step);
    putchar('\n');
  }
}

static char *range_of(const fcps_setting_spec *spec, size_t size, char *text)
{
  char choices[64];
  if (spec->kind == FCPS_SETTING_CHOICE)
    fcps_choice_list(spec->choice, size, text);
  else if (spec->kind == FCPS_SETTING_WORDS)
    snprintf(text, size, "%s|WORDS", fcps_choice_list(spec->choice, sizeof choices, choices));
  else if (spec->kind == FCPS_SETTING_SWITCH)
    snprintf(text, size, "on|off");
  else
    snprintf(text, size, "%s%.6g to %.6g", spec->kind == FCPS_SETTING_INTEGER ? "whole, " : "", spec->lower,
             spec->upper);
  return text;
}

void cli_describe_settings(const char *option, const fcps_setting_table *table, const fcps_setting *defaults)
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
  fcps_json_put(&json, "name", fcps_json_from_text(dim->name));
  fcps_json_put(&json, "lower", fcps_json_from_number(dim->lower));
  fcps_json_put(&json, "upper", fcps_json_from_number(dim->upper));
  fcps_json_put(&json, "period", fcps_json_from_number(dim->period));
  fcps_json_put(&json, "scale", fcps_json_from_text(fcps_scale_name((int)dim->scale)));
  if (dim->step > 0.0) fcps_json_put(&json, "step", fcps_json_from_number(dim->step));
  fcps_json_put(&json, "unit", dim->unit != NULL ? fcps_json_from_text(dim->unit) : fcps_json_null());
  return json;
}

fcps_json *cli_describe_space_json(const fcps_space *space)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < space->count; i++)
    fcps_json_add(&json, dimension_json(&space->dims[i]));
  return json;
}

static fcps_json *choices_json(fcps_choice_fn *choice)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; choice(i) != NULL; i++)
    fcps_json_add(&json, fcps_json_from_text(choice(i)));
  return json;
}

static fcps_json *setting_json(const fcps_setting_spec *spec, const fcps_setting *defaults)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(spec->name));
  fcps_json_put(&json, "kind", fcps_json_from_text(kind_names[spec->kind]));
  fcps_json_put(&json, "default", fcps_json_from_text(default_of(spec, defaults)));
  if (spec->kind == FCPS_SETTING_NUMBER || spec->kind == FCPS_SETTING_INTEGER) {
    fcps_json_put(&json, "lower", fcps_json_from_number(spec->lower));
    fcps_json_put(&json, "upper", fcps_json_from_number(spec->upper));
  }
  if (spec->choice != NULL) fcps_json_put(&json, "choices", choices_json(spec->choice));
  fcps_json_put(&json, "help", fcps_json_from_text(spec->help));
  return json;
}

fcps_json *cli_describe_settings_json(const fcps_setting_table *table, const fcps_setting *defaults)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; fcps_setting_at(table, i) != NULL; i++)
    fcps_json_add(&json, setting_json(fcps_setting_at(table, i), defaults));
  return json;
}

/* -- fcps learners --
 *
 * Lists the learners of the registry. Defaults are those of the learner, not of the shared table. */

enum { MOST_NAMES = 64 };

static const char doc[] = "Lists the learners, one line each; of the learner NAME all settings, ranges and defaults.\v"
                          "Example:\n  fcps learners\n  fcps learners outcome\n  fcps learners --json\n";

static void print_line(const fcps_learner_info *info)
{
  printf("  %-15s %s\n", info->name, info->summary);
}

static void print_learner(const fcps_learner_info *info)
{
  printf("%s: %s\n", info->name, info->summary);
  if (info->is_active) puts("  chooses contexts itself");
  if (info->needs_reward) puts("  scores old rollouts again: needs the reward as a function");
  cli_describe_settings("--set", info->settings, info->defaults);
  putchar('\n');
}

static fcps_json *learner_json(const fcps_learner_info *info)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(info->name));
  fcps_json_put(&json, "summary", fcps_json_from_text(info->summary));
  fcps_json_put(&json, "is_active", fcps_json_from_bool(info->is_active));
  fcps_json_put(&json, "needs_reward", fcps_json_from_bool(info->needs_reward));
  fcps_json_put(&json, "settings", cli_describe_settings_json(info->settings, info->defaults));
  return json;
}

static fcps_status check_name(const cli_listing *listing, fcps_error *error)
{
  const char *names[MOST_NAMES];
  int count = 0;
  while (count < MOST_NAMES && fcps_learner_info_at(count) != NULL) {
    names[count] = fcps_learner_info_at(count)->name;
    count++;
  }
  return cli_listing_check(listing, "learner", count, names, error);
}

int cli_command_learners(int argc, char **argv)
{
  cli_listing listing = {0};
  fcps_error error = {0};
  fcps_status status = cli_listing_parse(&listing, doc, argc, argv, &error);
  if (status == FCPS_OK) status = check_name(&listing, &error);
  for (int i = 0; status == FCPS_OK && fcps_learner_info_at(i) != NULL; i++) {
    if (!cli_listing_includes(&listing, fcps_learner_info_at(i)->name)) continue;
    if (listing.name == NULL && !listing.as_json)
      print_line(fcps_learner_info_at(i));
    else if (listing.as_json)
      status = cli_print_json(stdout, learner_json(fcps_learner_info_at(i)), &error);
    else
      print_learner(fcps_learner_info_at(i));
  }
  if (status == FCPS_OK && listing.name == NULL && !listing.as_json)
    puts("\n`fcps learners NAME` shows the settings of a learner.");
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
