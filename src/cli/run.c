/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run`: run_file.c runs a problem file, and the laboratory runs a built-in task. The output about trials that
 * both share is printed here. With --json, each episode is printed as one line as soon as it is stored. */
#include "cli/run.h"

#include "base/error.h"
#include "base/settings.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- Options -- */

/* This part has the table of options, the checks that argp cannot do, and the check that an existing study belongs to
 * the same command. */

enum { TASK_EPISODES = 150, FILE_EPISODES = 100, MOST_EPISODES = 1000000 };

static fcps_status read_episodes(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, MOST_EPISODES, value, error);
}

static fcps_status read_parallel(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, FCPS_RUN_MOST_PARALLEL, value, error);
}

static fcps_status read_evaluate_every(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, -1, MOST_EPISODES, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "TASK|FILE.yaml", offsetof(cli_run_command, what), .value = "task",
     .help = "name a task, as in `fcps run cannon`, or a problem file; `fcps tasks` lists all tasks"},
    {CLI_ARGUMENT_TEXT, "learner", offsetof(cli_run_command, learner), 'l', "NAME",
     .help = "The learner (default: outcome, or the learner of the file); `fcps learners` lists all"},
    {CLI_ARGUMENT_READ, "episodes", offsetof(cli_run_command, episodes), 'n', "N", .read = read_episodes,
     .help =
         "Number of episodes: trials that `fcps run` asks for, also in earlier runs of the study, however they end. "
         "Results that were imported or told for other asks are not counted (default 150; for a file 100)"},
    {CLI_ARGUMENT_COUNT, "seed", offsetof(cli_run_command, seed), 's', "N",
     .help = "Seed of the world, the contexts, the noise and the learner (default 1)"},
    {CLI_ARGUMENT_SETTINGS, "set", offsetof(cli_run_command, learner_settings), 'S', "NAME=VALUE",
     .help = "A setting of the learner; may be repeated"},
    {CLI_ARGUMENT_TEXT, "store", offsetof(cli_run_command, store), .value = "STUDY",
     .help = "Keep the rollouts in this study; continue it if it exists (default for a file: NAME.fcps beside "
             "NAME.yaml; memory: keeps nothing)"},
    {CLI_ARGUMENT_READ, "parallel", offsetof(cli_run_command, parallel), 'p', "N", .read = read_parallel,
     .help = "Run N trials at once (default 1): N programs of the file, each with its number, from 1, in FCPS_WORKER"},
    {CLI_ARGUMENT_READ, "budget", offsetof(cli_run_command, budget), .value = "COST", .read = cli_option_budget,
     .help = "Stop before the cost of all trials of the study exceeds this (by the cost in the problem file)"},
    {CLI_ARGUMENT_SWITCH, "until-converged", offsetof(cli_run_command, until_converged),
     .help = "Stop earlier, when the learner predicts that further trials gain little"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_run_command, as_json), 'j',
     .help = "Print one JSON object per new episode; for a task also a summary"},
    {CLI_ARGUMENT_SWITCH, "quiet", offsetof(cli_run_command, is_quiet), 'q', .help = "Do not show progress"},
    {CLI_ARGUMENT_SETTINGS, "task-set", offsetof(cli_run_command, task_settings), .value = "NAME=VALUE",
     .note = offsetof(cli_run_command, task_option), .help = "Tasks only: a setting of the task; may be repeated"},
    {CLI_ARGUMENT_READ, "evaluate-every", offsetof(cli_run_command, evaluate_every), 'e', "N",
     .read = read_evaluate_every, .note = offsetof(cli_run_command, task_option),
     .help = "Tasks only: evaluate offline every N episodes (default 10; 0: at the end, -1: never)"},
    {CLI_ARGUMENT_TEXT, "out", offsetof(cli_run_command, out), 'o', "DIR",
     .note = offsetof(cli_run_command, task_option),
     .help = "Tasks only: folder of the results (default results/TASK-LEARNER-seedN)"},
    {CLI_ARGUMENT_SWITCH, "no-figure", offsetof(cli_run_command, without_figure), .help = "Do not draw the figure"},
    {0}};

static const char doc[] =
    "Learns a task. Each episode has a context, an ask, a rollout and a tell. TASK is a built-in task. FILE.yaml is "
    "your own problem with an external program (docs/program.md). You may interrupt the run at any time: the same "
    "command continues it, with the same asks as an uninterrupted run.\v"
    "For a built-in task, DIR receives episodes.csv, offline.csv, map.csv, summary.json, the figure as SVG and PNG, "
    "and the study run.fcps (unless --store names another file). The same command continues the run; --episodes may "
    "grow. A different command for the same DIR is refused. For a FILE.yaml, the study NAME.fcps is kept beside it; a "
    "summary, the figure NAME-figure.svg and .png, and the next commands follow the last trial (not with --json or "
    "--quiet).\n\n"
    "With --parallel, each result is stored when it comes, and its program gets the next ask at once. A program that "
    "crashes or hangs costs its own trial. Any number may continue a run. The trials of a built-in task are simulated "
    "one after another, as if N robots were equally fast.\n\n"
    "Example:\n"
    "  fcps run cannon --learner outcome --episodes 150 --seed 1 --set kappa=0.5\n"
    "  fcps run throw.yaml --episodes 100\n"
    "  fcps run throw.yaml --episodes 100 --store other.fcps --parallel 4\n";

static fcps_status copy_path(const char *option, const char *text, char path[CLI_RUN_PATH], fcps_error *error)
{
  if (text == NULL) return FCPS_OK;
  if (*text == '\0') return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the path is empty");
  if (snprintf(path, CLI_RUN_PATH, "%s", text) < CLI_RUN_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the path is too long");
}

/* Refuses options that only tasks have: a problem file has no folder of results and no evaluation. */
static fcps_status refuse_task_option(const cli_run_command *command, fcps_error *error)
{
  char option[64];
  if (command->task_option == NULL) return FCPS_OK;
  snprintf(option, sizeof option, "--%s", command->task_option);
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, option,
      "only built-in tasks have it; the rollouts of %s go into a study: choose its file with --store STUDY",
      command->what);
}

static fcps_status parse(cli_run_command *command, int argc, char **argv, fcps_error *error)
{
  *command = (cli_run_command){.seed = -1, .evaluate_every = 10, .error = error};
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, command, error);
  if (status == FCPS_OK) status = copy_path("--out", command->out, command->directory, error);
  if (status != FCPS_OK) return status;
  if (command->store != NULL && *command->store == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--store", "the path is empty");
  const char *end = strrchr(command->what, '.');
  command->is_file = end != NULL && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
  if (!command->is_file && strpbrk(command->what, "./") != NULL)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "task",
                          "there is no task \"%s\"; the name of a problem file ends with .yaml or .yml", command->what);
  if (command->episodes == 0) command->episodes = command->is_file ? FILE_EPISODES : TASK_EPISODES;
  return command->is_file ? refuse_task_option(command, error) : FCPS_OK;
}

/* Whether the study's settings are exactly those of the file, after the given settings have replaced theirs. */
static bool has_settings(const fcps_setting *file, const fcps_setting *said, const fcps_setting *there)
{
  const fcps_setting *const lists[] = {file, said};
  for (int l = 0; l < 2; l++)
    for (const fcps_setting *setting = lists[l]; setting != NULL && setting->name != NULL; setting++)
      if (fcps_setting_value(there, setting->name) == NULL) return false;
  for (; there != NULL && there->name != NULL; there++) {
    const char *value = fcps_setting_value(said, there->name);
    if (value == NULL) value = fcps_setting_value(file, there->name);
    if (value == NULL || strcmp(value, there->value) != 0) return false;
  }
  return true;
}

fcps_status cli_run_command_differs(const cli_run_command *command, const char *option, const char *store)
{
  if (command->store == NULL)
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, option,
                          "%s holds an earlier run with another value of this option; choose another folder with --out "
                          "DIR, or repeat that run's command to continue it",
                          store);
  if (strcmp(option, "--learner") == 0 || strcmp(option, "--set") == 0)
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, option,
                          "%s exists and has its own value; leave this option out to continue, choose another --store, "
                          "or change the study: fcps study amend %s %s",
                          store, cli_shown_word(store),
                          strcmp(option, "--set") == 0 ? "--set NAME=VALUE" : "--learner NAME");
  return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, option,
                        "%s exists and has its own value; leave this option out to continue, or choose another --store",
                        store);
}

fcps_status cli_run_command_match(const cli_run_command *command, const fcps_setting *file, const fcps_study *study,
                                  const char *store)
{
  const fcps_setting *said = command->learner_settings.items;
  /* With --store but without --set, a study may have any settings. */
  const bool is_open = command->store != NULL && command->learner_settings.count == 0;
  const char *differs = NULL;
  if (!is_open && !has_settings(file, said, fcps_study_settings(study))) differs = "--set";
  if (command->learner != NULL && strcmp(command->learner, fcps_study_learner(study)) != 0) differs = "--learner";
  if (command->seed >= 0 && (uint64_t)command->seed != fcps_study_seed(study)) differs = "--seed";
  return differs != NULL ? cli_run_command_differs(command, differs, store) : FCPS_OK;
}

void cli_run_command_stopped(const cli_run_command *command, const char *words)
{
  char stopped[sizeof command->error->message];
  snprintf(stopped, sizeof stopped, "%s", command->error->message);
  fcps_error_set(command->error, FCPS_ERR_STOPPED, "", "%s; %s", stopped, words);
}

static void destroy(cli_run_command *command)
{
  cli_setting_list_destroy(&command->learner_settings);
  cli_setting_list_destroy(&command->task_settings);
}

/* -- The command -- */

int cli_command_run(int argc, char **argv)
{
  fcps_error error = {0};
  cli_run_command command;
  fcps_status status = parse(&command, argc, argv, &error);
  if (status == FCPS_OK) status = command.is_file ? cli_run_file(&command) : cli_run_task(&command);
  /* The user may have typed a problem file without its ending. */
  if (status == FCPS_ERR_UNKNOWN_NAME && strcmp(error.field, "task") == 0)
    cli_near_file_hint(command.what, ".yaml", &error);
  destroy(&command);
  return status == FCPS_OK ? 0 : cli_fail(&error);
}

/* -- Lines about trials at the end of a run, for people -- */

void cli_run_summary_converged(const cli_run_command *command, const fcps_study *study, const fcps_outlook *outlook)
{
  char text[400];
  const bool has_file = fcps_study_url(study) != NULL;
  const char *more = has_file ? " (fcps study status says more)" : "";
  if (command->is_quiet || outlook->contexts == 0) return;
  fprintf(stderr, "%sconverged: more trials gain %s %.3g per context", outlook->is_converged ? "" : "not ",
          outlook->is_converged ? "at most" : "about", outlook->gain);
  if (outlook->edge_gain > fmax(outlook->caution_cost, 0.1 * outlook->gain))
    fprintf(stderr, ", %.3g of it beyond the edge of what is known to work%s", outlook->edge_gain, more);
  else if (outlook->caution_cost > 0.1 * outlook->gain)
    fprintf(stderr, ", %.3g of it given up by caution%s", outlook->caution_cost, more);
  if (outlook->suspects > 0)
    fprintf(stderr, "; %d suspect result%s%s", outlook->suspects, outlook->suspects == 1 ? " waits" : "s wait",
            has_file ? " for --confirm or --drop" : "");
  if (outlook->remarks > 0) fprintf(stderr, "; %s", fcps_wire_remarks_text("", study, sizeof text, text));
  fprintf(stderr, "\n");
}

int cli_run_count_episodes(const fcps_study *study)
{
  static const char client[] = FCPS_RUN_CLIENT;
  const size_t length = sizeof client - 1;
  int count = 0;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    const bool is_run = strncmp(ask.client, client, length) == 0 && (!ask.client[length] || ask.client[length] == '/');
    count += is_run && ask.state != FCPS_ASK_PENDING;
  }
  return count;
}

/* Prints the failures that the model blames on the machine (an outage). Only a policy knows these failures, so a policy
 * is made, but only if there may be an outage. */
static void print_outage(fcps_study *study)
{
  enum { LEAST_FAILURES = 3 };
  fcps_study_counts counts;
  fcps_policy *policy = NULL;
  fcps_outlook outlook = {0};
  fcps_study_count(study, &counts);
  if (counts.failed + counts.without_outcome < LEAST_FAILURES || counts.usable == 0) return;
  fcps_status status = fcps_study_policy(study, &policy, NULL);
  if (status == FCPS_OK) status = fcps_study_outlook(study, policy, &outlook, NULL, NULL, NULL);
  fcps_policy_destroy(policy);
  if (status != FCPS_OK || outlook.excused == 0) return;
  fprintf(stderr, "%d trials in a row went wrong, probably because of the machine and not of their parameters: ",
          outlook.excused);
  cli_names_print(stderr, study, fcps_wire_is_excused);
  fprintf(stderr, ". They do not count against their parameters%s\n",
          fcps_study_url(study) != NULL
              ? ". `fcps study amend` changes that: --confirm if the parameters are to blame, "
                "--drop to take them out for good"
              : "");
}

/* Prints suspect results as `fcps study status` does, so that the user need not call it. */
static void print_suspects(fcps_study *study)
{
  const fcps_study_remark *remark;
  char room[2000];
  int count = 0;
  if (fcps_study_find_suspects(study, &count, NULL) != FCPS_OK || count == 0) return;
  cli_suspects_print(stderr, "suspect ", study, fcps_study_url(study));
  for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++)
    if (strcmp(remark->code, "W_UNIT") == 0)
      fprintf(stderr, "%s: %s\n", remark->code, cli_shown(cli_no_file_text(remark->text, sizeof room, room)));
}

void cli_run_summary_count(const cli_run_command *command, fcps_study *study, bool has_summary)
{
  char text[120];
  fcps_study_counts counts;
  if (command->is_quiet) return;
  const int episodes = cli_run_count_episodes(study);
  fcps_study_count(study, &counts);
  /* The numbers differ if asks were given up, or if results were dropped, imported or told for asks made by hand. */
  if (episodes != counts.results)
    fprintf(stderr, "%d episode%s of runs; the study has ", episodes, episodes == 1 ? "" : "s");
  if (episodes != counts.results || !has_summary) fprintf(stderr, "%s\n", cli_counts_text(study, sizeof text, text));
  print_outage(study);
  print_suspects(study);
}

/* -- For programs -- */

fcps_status cli_run_summary_episode(const fcps_problem *problem, const fcps_episode *episode, fcps_error *error)
{
  const fcps_status status =
      cli_print_json(stdout, fcps_wire_episode_write(problem, episode->episode, &episode->stored), error);
  return status == FCPS_OK ? cli_flush(error) : status;
}
