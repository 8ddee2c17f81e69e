/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps oracle`: what the best possible policy earns in the contexts of the evaluation, for the line in a figure. */
#include "base/error.h"
#include "cli/cli.h"
#include "format/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY_TASK_SET = 256, KEY_JSON };

static const struct argp_option options[] = {
    {"rollouts", 'n', "N", 0, "Rollouts a context, of robots (default 200)", 0},
    {"task-set", KEY_TASK_SET, "NAME=VALUE", 0, "A setting of the task; may be repeated", 0},
    {"seed", 's', "N", 0, "Which world (default 1)", 0},
    {"json", KEY_JSON, 0, 0, "As a JSON object", 0},
    {0},
};

static const char doc[] = "Searches for the best that can be earned in the contexts of a task's evaluation.\v"
                          "Example:\n  fcps oracle thrower --rollouts 600\n";

typedef struct oracle_command {
  const char *task;
  int64_t rollouts, seed;
  bool as_json;
  fcps_setting_list settings;
  fcps_error *error;
} oracle_command;

static error_t parse(int key, char *text, struct argp_state *state)
{
  oracle_command *command = state->input;
  fcps_status status = FCPS_OK;
  switch (key) {
  case 'n':
    status = fcps_option_integer("--rollouts", text, 10, 1000000, &command->rollouts, command->error);
    break;
  case 's':
    status = fcps_option_integer("--seed", text, 0, INT64_MAX, &command->seed, command->error);
    break;
  case KEY_TASK_SET:
    status = fcps_setting_list_add(&command->settings, "--task-set", text, command->error);
    break;
  case KEY_JSON:
    command->as_json = true;
    break;
  case ARGP_KEY_ARG:
    if (command->task)
      status = fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "task", "\"%s\" is one task too many", text);
    command->task = text;
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return status == FCPS_OK ? 0 : EINVAL;
}

/* Robots search only when they are told how long. */
static fcps_status say_rollouts(oracle_command *command)
{
  for (int i = 0; fcps_task_info_at(i); i++) {
    const fcps_task_info *info = fcps_task_info_at(i);
    if (strcmp(info->name, command->task) != 0) continue;
    for (const fcps_setting_spec *spec = info->settings; spec->name; spec++) {
      if (strcmp(spec->name, "oracle_rollouts") != 0) continue;
      char text[64];
      snprintf(text, sizeof text, "oracle_rollouts=%" PRId64, command->rollouts);
      return fcps_setting_list_add(&command->settings, "--rollouts", text, command->error);
    }
  }
  return FCPS_OK;
}

static fcps_status print(const oracle_command *command, int contexts, double optimum)
{
  if (!command->as_json) {
    printf("%s: %.6f, mean over %d contexts\n", command->task, optimum, contexts);
    return fcps_cli_flush(command->error);
  }
  fcps_json *json = fcps_json_object();
  unsigned failed = fcps_json_set(json, "task", fcps_json_from_text(command->task));
  failed |= fcps_json_set(json, "contexts", fcps_json_from_integer(contexts));
  failed |= fcps_json_set(json, "optimum", fcps_json_from_number(optimum));
  char *text = failed ? NULL : fcps_json_write(json);
  fcps_json_destroy(json);
  if (!text) return fcps_error_memory(command->error);
  puts(text);
  fcps_free(text);
  return fcps_cli_flush(command->error);
}

static fcps_status search(oracle_command *command)
{
  fcps_task *task = NULL;
  if (!command->task)
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "task", "name a task, as in `fcps oracle thrower`");
  fcps_status status = say_rollouts(command);
  if (status == FCPS_OK)
    status = fcps_task_create(&task, command->task, command->settings.items, (uint64_t)command->seed, command->error);
  if (status != FCPS_OK) return status;
  const double optimum = fcps_task_optimum(task);
  status = isnan(optimum) ? fcps_error_set(command->error, FCPS_ERR_UNSUPPORTED, "task",
                                           "the search on \"%s\" found nothing", command->task)
                          : print(command, fcps_task_evaluation(task)->count, optimum);
  fcps_task_destroy(task);
  return status;
}

int fcps_command_oracle(int argc, char **argv)
{
  static const struct argp argp = {.options = options, .parser = parse, .args_doc = "TASK", .doc = doc};
  fcps_error error = {0};
  oracle_command command = {.rollouts = 200, .seed = 1, .error = &error};
  fcps_status status = fcps_options_parse(&argp, argc, argv, &command, &error);
  if (status == FCPS_OK) status = search(&command);
  fcps_setting_list_destroy(&command.settings);
  return status == FCPS_OK ? 0 : fcps_cli_fail(&error);
}
