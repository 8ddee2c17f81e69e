/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps experiments`: lists what `fcps reproduce` can run. An experiment whose task is not installed is left out with a
 * warning. */
#include "cli/list/describe.h"
#include "cli/list/listing.h"
#include "cli/support/commands.h"
#include "cli/support/fail.h"
#include "cli/support/print_json.h"
#include "cli/support/shown.h"
#include "lab/cli/catalogue.h"

#include <stdio.h>

static const char doc[] = "Lists the experiments that `fcps reproduce` runs.\v"
                          "Example:\n  fcps experiments --json\n";

static void print_experiment(const fcps_experiment_info *info)
{
  printf("%s: %s\n  %d learners on %s, %d seeds, %lld episodes each; %d claims\n  %s\n\n", cli_shown(info->name),
         cli_shown(info->title), info->learner_count, cli_shown(info->task), info->seed_count,
         (long long)info->episodes, info->claim_count, cli_shown(info->file));
}

static fcps_json *experiment_json(const fcps_experiment_info *info)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(info->name));
  fcps_json_put(&json, "title", fcps_json_from_text(info->title));
  fcps_json_put(&json, "file", fcps_json_from_text(info->file));
  fcps_json_put(&json, "task", fcps_json_from_text(info->task));
  fcps_json_put(&json, "learners", fcps_json_from_integer(info->learner_count));
  fcps_json_put(&json, "seeds", fcps_json_from_integer(info->seed_count));
  fcps_json_put(&json, "episodes", fcps_json_from_integer(info->episodes));
  fcps_json_put(&json, "claims", fcps_json_from_integer(info->claim_count));
  return json;
}

int cli_command_experiments(int argc, char **argv)
{
  cli_listing listing = {0};
  fcps_error error = {0};
  cli_catalogue catalogue = {0};
  fcps_status status = cli_listing_parse(&listing, doc, argc, argv, &error);
  if (status == FCPS_OK)
    status = listing.name != NULL ? cli_catalogue_open(&catalogue, listing.name, &error)
                                  : cli_catalogue_open_all(&catalogue, &error);
  for (size_t i = 0; i < catalogue.count && status == FCPS_OK; i++) {
    const fcps_experiment_info info = fcps_experiment_describe(catalogue.items[i]);
    if (listing.as_json)
      status = cli_print_json(stdout, experiment_json(&info), &error);
    else
      print_experiment(&info);
  }
  cli_catalogue_destroy(&catalogue);
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
