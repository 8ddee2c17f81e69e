/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps experiments`: what `fcps reproduce` can do. */
#include "cli/list/listing.h"
#include "cli/support/catalogue.h"
#include "cli/support/command.h"
#include "cli/support/describe.h"
#include "cli/support/fail.h"

#include <stdio.h>

static const char doc[] = "Lists the experiments that `fcps reproduce` runs.\v"
                          "Example:\n  fcps experiments --json\n";

static void print_experiment(const fcps_experiment_info *info)
{
  printf("%s: %s\n  %d learners on %s, %d seeds, %lld episodes each; %d claims\n  %s\n\n", info->name, info->title,
         info->learner_count, info->task, info->seed_count, (long long)info->episodes, info->claim_count, info->file);
}

static fcps_json *experiment_json(const fcps_experiment_info *info)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = fcps_json_set(json, "name", fcps_json_from_text(info->name));
  failed |= fcps_json_set(json, "title", fcps_json_from_text(info->title));
  failed |= fcps_json_set(json, "file", fcps_json_from_text(info->file));
  failed |= fcps_json_set(json, "task", fcps_json_from_text(info->task));
  failed |= fcps_json_set(json, "learners", fcps_json_from_integer(info->learner_count));
  failed |= fcps_json_set(json, "seeds", fcps_json_from_integer(info->seed_count));
  failed |= fcps_json_set(json, "episodes", fcps_json_from_integer(info->episodes));
  failed |= fcps_json_set(json, "claims", fcps_json_from_integer(info->claim_count));
  return fcps_json_whole(json, failed);
}

int fcps_command_experiments(int argc, char **argv)
{
  fcps_listing listing = {0};
  fcps_error error = {0};
  fcps_catalogue catalogue = {0};
  fcps_status status = fcps_listing_parse(&listing, doc, argc, argv, &error);
  if (status == FCPS_OK)
    status = listing.name != NULL ? fcps_catalogue_open(&catalogue, listing.name, &error)
                                  : fcps_catalogue_open_all(&catalogue, &error);
  for (size_t i = 0; i < catalogue.count && status == FCPS_OK; i++) {
    const fcps_experiment_info info = fcps_experiment_describe(catalogue.items[i]);
    if (listing.as_json)
      status = fcps_describe_print(experiment_json(&info), &error);
    else
      print_experiment(&info);
  }
  fcps_catalogue_destroy(&catalogue);
  return status == FCPS_OK ? 0 : fcps_cli_fail(&error);
}
