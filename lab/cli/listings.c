/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps tasks`: lists the built-in tasks. A task that is not installed is listed with the reason. */
#include "cli/listing.h"
#include "cli/support/commands.h"
#include "cli/support/fail.h"
#include "cli/support/shown.h"
#include "lab/cli/catalogue.h"

#include <fcps/lab/lab.h>

#include <stdio.h>

enum { MOST_NAMES = 64 };

static const char tasks_doc[] = "Lists the built-in tasks, with their spaces and settings.\v"
                                "Example:\n"
                                "  fcps tasks cannon\n"
                                "  fcps tasks --json\n";

static void print_task(const fcps_task_info *info, const fcps_task *task)
{
  printf("%s: %s\n", info->name, info->summary);
  if (task == NULL) {
    printf("  not available: %s\n\n", info->unavailable);
    return;
  }
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *evaluation = fcps_task_evaluation(task);
  cli_describe_space("target", &problem->target);
  cli_describe_space("environment", &problem->environment);
  cli_describe_space("parameters", &problem->parameters);
  cli_describe_space("outcome", &problem->outcome);
  printf("  %-12s %d contexts, without noise\n", "evaluation", evaluation->count);
  cli_describe_settings("--task-set", info->settings, info->defaults);
  putchar('\n');
}

static fcps_json *task_json(const fcps_task_info *info, const fcps_task *task)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(info->name));
  fcps_json_put(&json, "summary", fcps_json_from_text(info->summary));
  fcps_json_put(&json, "unavailable",
                info->unavailable != NULL ? fcps_json_from_text(info->unavailable) : fcps_json_null());
  if (task != NULL) {
    const fcps_problem *problem = fcps_task_problem(task);
    fcps_json_put(&json, "target", cli_describe_space_json(&problem->target));
    fcps_json_put(&json, "environment", cli_describe_space_json(&problem->environment));
    fcps_json_put(&json, "parameters", cli_describe_space_json(&problem->parameters));
    fcps_json_put(&json, "outcome", cli_describe_space_json(&problem->outcome));
    fcps_json_put(&json, "evaluation", fcps_json_from_integer(fcps_task_evaluation(task)->count));
  }
  fcps_json_put(&json, "settings", cli_describe_settings_json(info->settings, info->defaults));
  return json;
}

static fcps_status check_name(const cli_listing *listing, fcps_error *error)
{
  const char *names[MOST_NAMES];
  int count = 0;
  while (count < MOST_NAMES && fcps_task_info_at(count) != NULL) {
    names[count] = fcps_task_info_at(count)->name;
    count++;
  }
  return cli_listing_check(listing, "task", count, names, error);
}

int cli_command_tasks(int argc, char **argv)
{
  cli_listing listing = {0};
  fcps_error error = {0};
  fcps_status status = cli_listing_parse(&listing, tasks_doc, argc, argv, &error);
  if (status == FCPS_OK) status = check_name(&listing, &error);
  for (int i = 0; status == FCPS_OK && fcps_task_info_at(i) != NULL; i++) {
    if (!cli_listing_includes(&listing, fcps_task_info_at(i)->name)) continue;
    fcps_task_info info = *fcps_task_info_at(i);
    fcps_task *task = NULL;
    if (info.unavailable == NULL) status = fcps_task_create(&task, info.name, NULL, 0, &error);
    if (status == FCPS_ERR_UNAVAILABLE) { /* the files exist, but they do not work */
      info.unavailable = error.message;
      status = FCPS_OK;
    }
    if (status == FCPS_OK && listing.as_json)
      status = cli_print_json(stdout, task_json(&info, task), &error);
    else if (status == FCPS_OK)
      print_task(&info, task);
    fcps_task_destroy(task);
  }
  return status == FCPS_OK ? 0 : cli_fail(&error);
}

/* -- Experiments -- */

/* `fcps experiments`: lists what `fcps reproduce` can run. An experiment whose task is not installed is left out with a
 * warning. */

static const char experiments_doc[] = "Lists the experiments that `fcps reproduce` runs.\v"
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
  fcps_status status = cli_listing_parse(&listing, experiments_doc, argc, argv, &error);
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
