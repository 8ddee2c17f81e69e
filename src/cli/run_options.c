/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_options.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>

enum { KEY_TASK_SET = 256, KEY_NO_FIGURE, KEY_STATE };

static const struct argp_option options[] = {
    {"learner", 'l', "NAME", 0, "What learns (default outcome); `fcps learners` lists all", 0},
    {"episodes", 'n', "N", 0, "How many rollouts (default 150)", 0},
    {"seed", 's', "N", 0, "World, contexts, noise and algorithm follow from it (default 1)", 0},
    {"set", 'S', "NAME=VALUE", 0, "A setting of the learner; may be repeated", 0},
    {"task-set", KEY_TASK_SET, "NAME=VALUE", 0, "A setting of the task; may be repeated", 0},
    {"evaluate-every", 'e', "N", 0, "Offline evaluation every N episodes (default 10; 0: at the end, -1: never)", 0},
    {"out", 'o', "DIR", 0, "Folder of the results (default results/TASK-LEARNER-seedN)", 0},
    {"state", KEY_STATE, "FILE", 0, "Keep the learner's state in FILE, and continue from it when it exists", 0},
    {"no-figure", KEY_NO_FIGURE, NULL, 0, "Draw no figure", 0},
    {"json", 'j', NULL, 0, "One JSON object an episode and a summary on standard output", 0},
    {"quiet", 'q', NULL, 0, "No progress", 0},
    {0},
};

static const char doc[] =
    "Learns a task: for each episode a context, an ask, a rollout and a tell.\v"
    "DIR gets episodes.csv, offline.csv, map.csv, summary.json and the figure as SVG and PNG. Ctrl-C ends the run "
    "between two episodes and says how to continue it.\n\n"
    "Example:\n"
    "  fcps run cannon --learner bo-fcps --episodes 150 --seed 1 --set kappa=0.5\n";

static fcps_status copy_path(const char *option, const char *text, char path[FCPS_RUN_PATH], fcps_error *error)
{
  if (*text == '\0') return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the path is empty");
  if (snprintf(path, FCPS_RUN_PATH, "%s", text) < FCPS_RUN_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the path is too long");
}

static fcps_status take_task(fcps_run_command *command, const char *text)
{
  if (command->task) {
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "task", "\"%s\" is one task too many after \"%s\"", text,
                          command->task);
  }
  command->task = text;
  return FCPS_OK;
}

static fcps_status take_option(fcps_run_command *command, int key, const char *text)
{
  fcps_error *error = command->error;
  switch (key) {
  case 'l':
    command->learner = text;
    return FCPS_OK;
  case 'n':
    return fcps_option_integer("--episodes", text, 1, 1000000, &command->episodes, error);
  case 's':
    return fcps_option_integer("--seed", text, 0, INT64_MAX, &command->seed, error);
  case 'S':
    return fcps_setting_list_add(&command->learner_settings, "--set", text, error);
  case KEY_TASK_SET:
    return fcps_setting_list_add(&command->task_settings, "--task-set", text, error);
  case 'e':
    return fcps_option_integer("--evaluate-every", text, -1, 1000000, &command->evaluate_every, error);
  case 'o':
    return copy_path("--out", text, command->directory, error);
  case KEY_STATE:
    return copy_path("--state", text, command->state, error);
  default:
    return FCPS_ERR_INTERNAL;
  }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  fcps_run_command *command = state->input;
  switch (key) {
  case KEY_NO_FIGURE:
    command->with_figure = false;
    return 0;
  case 'j':
    command->as_json = true;
    return 0;
  case 'q':
    command->is_quiet = true;
    return 0;
  case ARGP_KEY_ARG:
    return take_task(command, text) == FCPS_OK ? 0 : EINVAL;
  default:
    if (!text) return ARGP_ERR_UNKNOWN; // the keys of argp itself
    return take_option(command, key, text) == FCPS_OK ? 0 : EINVAL;
  }
}

/* What was not said. */
static fcps_status complete(fcps_run_command *command, fcps_error *error)
{
  if (!command->task) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "task",
                          "name a task, as in `fcps run cannon`; `fcps tasks` lists "
                          "all");
  }
  if (command->directory[0]) return FCPS_OK;
  const int length = snprintf(command->directory, FCPS_RUN_PATH, "results/%s-%s-seed%lld", command->task,
                              command->learner, (long long)command->seed);
  if (length < FCPS_RUN_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--learner", "the name is too long");
}

fcps_status fcps_run_command_parse(fcps_run_command *command, int argc, char **argv, fcps_error *error)
{
  static const struct argp argp = {.options = options, .parser = parse, .args_doc = "TASK", .doc = doc};
  *command = (fcps_run_command){
      .learner = "outcome", .episodes = 150, .seed = 1, .evaluate_every = 10, .with_figure = true, .error = error};
  const fcps_status status = fcps_options_parse(&argp, argc, argv, command, error);
  return status == FCPS_OK ? complete(command, error) : status;
}

void fcps_run_command_destroy(fcps_run_command *command)
{
  fcps_setting_list_destroy(&command->learner_settings);
  fcps_setting_list_destroy(&command->task_settings);
}
