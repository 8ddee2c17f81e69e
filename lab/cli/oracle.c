/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps oracle` prints three mean rewards over the evaluation contexts of a task: for doing nothing, for random
 * parameters, and for the best parameters that a search finds. They are levels to compare learning curves with. */
#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/values.h"

#include <fcps/lab/lab.h>
#include <inttypes.h>
#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROLLOUTS = 10, MOST_ROLLOUTS = 1000000 };

typedef struct oracle_command {
  const char *task;
  int64_t rollouts, seed;
  bool as_json, searches; /* searches: the task has the setting `oracle_rollouts` */
  cli_setting_list settings;
  fcps_error *error;
} oracle_command;

static fcps_status read_rollouts(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, LEAST_ROLLOUTS, MOST_ROLLOUTS, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "TASK", offsetof(oracle_command, task), .value = "task",
     .help = "name a task, as in `fcps oracle thrower`"},
    {CLI_ARGUMENT_READ, "rollouts", offsetof(oracle_command, rollouts), 'n', "N", .read = read_rollouts,
     .help = "For robots: rollouts per context (default 200)"},
    {CLI_ARGUMENT_SETTINGS, "task-set", offsetof(oracle_command, settings), .value = "NAME=VALUE",
     .help = "A setting of the task; may be repeated"},
    {CLI_ARGUMENT_COUNT, "seed", offsetof(oracle_command, seed), 's', "N", .help = "Seed of the world (default 1)"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(oracle_command, as_json), .help = "Print one JSON object"},
    {0}};

static const char doc[] =
    "Prints three mean rewards over the evaluation contexts of a task: for doing nothing, for random parameters and "
    "for the best parameters that a search found. Compare learning curves with them.\v"
    "Example:\n"
    "  fcps oracle thrower --rollouts 600\n";

/* Passes the number of rollouts to the task, if it has a setting for that. Robots search for the best parameters only
 * if this setting is given. */
static fcps_status say_rollouts(oracle_command *command)
{
  for (int i = 0; fcps_task_info_at(i) != NULL; i++) {
    const fcps_task_info *info = fcps_task_info_at(i);
    if (strcmp(info->name, command->task) != 0) continue;
    for (int j = 0; fcps_setting_at(info->settings, j) != NULL; j++) {
      if (strcmp(fcps_setting_at(info->settings, j)->name, "oracle_rollouts") != 0) continue;
      char text[64];
      command->searches = true;
      snprintf(text, sizeof text, "oracle_rollouts=%" PRId64, command->rollouts);
      return cli_setting_list_add(&command->settings, "--rollouts", text, command->error);
    }
  }
  return FCPS_OK;
}

/* -- The command -- */

static void print_level(const char *name, double level, const char *how)
{
  if (!isnan(level)) printf("%-18s %9.6f   %s\n", name, level, how);
}

static fcps_status print(const oracle_command *command, int contexts, const fcps_oracle_levels *found)
{
  char random[64], best[64] = "the largest possible reward";
  snprintf(random, sizeof random, "mean of %d rollouts per context", FCPS_ORACLE_RANDOM_ROLLOUTS);
  if (command->searches) snprintf(best, sizeof best, "in %" PRId64 " rollouts per context", command->rollouts);
  printf("%s: mean reward over %d contexts\n", command->task, contexts);
  print_level("doing nothing", found->idle, "");
  print_level("random parameters", found->random, random);
  print_level("best found", found->best, best);
  return cli_flush(command->error);
}

static fcps_status print_json(const oracle_command *command, int contexts, const fcps_oracle_levels *found)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "task", fcps_json_from_text(command->task));
  fcps_json_put(&json, "contexts", fcps_json_from_integer(contexts));
  fcps_json_put(&json, "idle", fcps_json_from_known(found->idle));
  fcps_json_put(&json, "random", fcps_json_from_known(found->random));
  fcps_json_put(&json, "optimum", fcps_json_from_known(found->best));
  const fcps_status status = cli_print_json(stdout, json, command->error);
  return status == FCPS_OK ? cli_flush(command->error) : status;
}

static fcps_status search(oracle_command *command)
{
  fcps_task *task = NULL;
  fcps_oracle_levels found;
  fcps_status status = say_rollouts(command);
  if (status == FCPS_OK)
    status = fcps_task_create(&task, command->task, command->settings.items, (uint64_t)command->seed, command->error);
  if (status == FCPS_OK) status = fcps_oracle_measure(task, (uint64_t)command->seed, &found, command->error);
  if (status == FCPS_OK && isnan(found.best))
    status = fcps_error_set(
        command->error, FCPS_ERR_UNSUPPORTED, "task",
        "the best reward of \"%s\" is unknown: the task has no search for it, or no rollout of the search had a reward",
        command->task);
  if (status == FCPS_OK)
    status = (command->as_json ? print_json : print)(command, fcps_task_evaluation(task)->count, &found);
  fcps_task_destroy(task);
  return status;
}

int cli_command_oracle(int argc, char **argv)
{
  fcps_error error = {0};
  oracle_command command = {.rollouts = 200, .seed = 1, .error = &error};
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &command, &error);
  if (status == FCPS_OK) status = search(&command);
  cli_setting_list_destroy(&command.settings);
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
