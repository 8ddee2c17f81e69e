/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps learners`: lists the learners of the registry. Defaults are those of the learner, not of the shared table. */
#include "cli/listing.h"
#include "cli/support/commands.h"
#include "cli/support/fail.h"
#include "cli/support/print_json.h"

#include <stdio.h>

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
    puts("\n`fcps learners NAME` shows the settings of one.");
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
