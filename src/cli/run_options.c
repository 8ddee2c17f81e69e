/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_options.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_TASK_SET = 256, KEY_NO_FIGURE, KEY_STORE, KEY_CONVERGED, TASK_EPISODES = 150, FILE_EPISODES = 100 };

static const struct argp_option options[] = {
    {"learner", 'l', "NAME", 0, "What learns (default outcome, or what the file says); `fcps learners` lists all", 0},
    {"episodes", 'n', "N", 0, "How many rollouts, with those of earlier runs (default 150; of a file 100)", 0},
    {"seed", 's', "N", 0, "World, contexts, noise and algorithm follow from it (default 1)", 0},
    {"set", 'S', "NAME=VALUE", 0, "A setting of the learner; may be repeated", 0},
    {"store", KEY_STORE, "STUDY", 0, "Keep the rollouts in this study, and go on from it when it exists", 0},
    {"until-converged", KEY_CONVERGED, NULL, 0, "Stop earlier when further trials are worth little", 0},
    {"json", 'j', NULL, 0, "One JSON object an episode, and of a task a summary, on standard output", 0},
    {"quiet", 'q', NULL, 0, "No progress", 0},
    {NULL, 0, NULL, 0, "Of built-in tasks:", 1},
    {"task-set", KEY_TASK_SET, "NAME=VALUE", 0, "A setting of the task; may be repeated", 1},
    {"evaluate-every", 'e', "N", 0, "Offline evaluation every N episodes (default 10; 0: at the end, -1: never)", 1},
    {"out", 'o', "DIR", 0, "Folder of the results (default results/TASK-LEARNER-seedN)", 1},
    {"no-figure", KEY_NO_FIGURE, NULL, 0, "Draw no figure", 1},
    {0},
};

static const char doc[] =
    "Learns a task: for each episode a context, an ask, a rollout and a tell. TASK is built in; FILE.yaml is a problem "
    "of "
    "your own with an external program (docs/study.md). Interrupted at any place it goes on where it was, with the "
    "same "
    "asks as if it had never stopped.\v"
    "Of a built-in task DIR gets episodes.csv, offline.csv, map.csv, summary.json, the figure as SVG and PNG, and, "
    "unless --store names another place, the study run.fcps. Without --store nothing is kept of a FILE.yaml.\n\n"
    "Example:\n"
    "  fcps run cannon --learner bo-fcps --episodes 150 --seed 1 --set kappa=0.5\n"
    "  fcps run throw.yaml --episodes 100 --store throw.fcps\n";

static fcps_status copy_path(const char *option, const char *text, char path[FCPS_RUN_PATH], fcps_error *error)
{
  if (*text == '\0') return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the path is empty");
  if (snprintf(path, FCPS_RUN_PATH, "%s", text) < FCPS_RUN_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the path is too long");
}

static fcps_status take_what(fcps_run_command *command, const char *text)
{
  if (command->what) {
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "task", "\"%s\" is one task too many after \"%s\"", text,
                          command->what);
  }
  const char *end = strrchr(text, '.');
  command->what = text;
  command->is_file = end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
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
  case KEY_STORE:
    command->store = text;
    return *text ? FCPS_OK : fcps_error_set(error, FCPS_ERR_ARGUMENT, "--store", "the path is empty");
  case KEY_TASK_SET:
    command->task_option = "--task-set";
    return fcps_setting_list_add(&command->task_settings, "--task-set", text, error);
  case 'e':
    command->task_option = "--evaluate-every";
    return fcps_option_integer("--evaluate-every", text, -1, 1000000, &command->evaluate_every, error);
  case 'o':
    command->task_option = "--out";
    return copy_path("--out", text, command->directory, error);
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
    command->task_option = "--no-figure";
    return 0;
  case KEY_CONVERGED:
    command->until_converged = true;
    return 0;
  case 'j':
    command->as_json = true;
    return 0;
  case 'q':
    command->is_quiet = true;
    return 0;
  case ARGP_KEY_ARG:
    return take_what(command, text) == FCPS_OK ? 0 : EINVAL;
  default:
    if (!text) return ARGP_ERR_UNKNOWN; // the keys of argp itself
    return take_option(command, key, text) == FCPS_OK ? 0 : EINVAL;
  }
}

fcps_status fcps_run_command_parse(fcps_run_command *command, int argc, char **argv, fcps_error *error)
{
  static const struct argp argp = {.options = options, .parser = parse, .args_doc = "TASK|FILE.yaml", .doc = doc};
  *command = (fcps_run_command){.seed = -1, .evaluate_every = 10, .with_figure = true, .error = error};
  const fcps_status status = fcps_options_parse(&argp, argc, argv, command, error);
  if (status != FCPS_OK) return status;
  if (!command->what) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "task",
                          "name a task, as in `fcps run cannon`, or a problem file; `fcps tasks` lists all tasks");
  }
  if (command->is_file && command->task_option) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, command->task_option,
                          "only built-in tasks have it; the rollouts of %s are kept by --store STUDY", command->what);
  }
  if (command->episodes == 0) command->episodes = command->is_file ? FILE_EPISODES : TASK_EPISODES;
  return FCPS_OK;
}

/* Whether every setting that was said has its value in the study, which has no others. */
static bool has_settings(const fcps_setting_list *said, const fcps_setting *there)
{
  size_t count = 0, found = 0;
  for (; there && there[count].name; count++) {
    for (size_t i = 0; i < said->count; i++)
      found +=
          strcmp(said->items[i].name, there[count].name) == 0 && strcmp(said->items[i].value, there[count].value) == 0;
  }
  return count == said->count && found == count;
}

fcps_status fcps_run_command_match(const fcps_run_command *command, const fcps_study *study, fcps_error *error)
{
  const char *differs = NULL;
  if (command->learner && strcmp(command->learner, fcps_study_learner(study)) != 0) differs = "--learner";
  if (command->learner_settings.count > 0 && !has_settings(&command->learner_settings, fcps_study_settings(study)))
    differs = "--set";
  if (command->seed >= 0 && (uint64_t)command->seed != fcps_study_seed(study)) differs = "--seed";
  if (!differs) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, differs,
                        "%s exists and has its own; leave this out to go on, or choose another --store",
                        command->store);
}

void fcps_run_command_stopped(const fcps_run_command *command, const char *words, const char *store)
{
  char stopped[sizeof command->error->message];
  snprintf(stopped, sizeof stopped, "%s", command->error->message);
  fcps_error_set(command->error, FCPS_ERR_STOPPED, "", "%s; %s%s%s", stopped, words, *store ? " " : "", store);
}

void fcps_run_command_destroy(fcps_run_command *command)
{
  fcps_setting_list_destroy(&command->learner_settings);
  fcps_setting_list_destroy(&command->task_settings);
}
