/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps work`: does trials of a study as one of many workers. Standard output has one line for each trial, as soon
 * as the study has acknowledged it. */
#include "base/error.h"
#include "base/number.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"

#include <stdio.h>
#include <time.h>

typedef struct arguments {
  const char *study, *problem, *program, *name;
  int64_t parallel, trials, lease_s;
  const char *hours;
  double budget;
  bool until_converged, is_quiet, goes_on, trusts_study;
  fcps_error error;
} arguments;

/* The functions below refuse 0, which the library would take for the default or for no limit. */
static fcps_status read_parallel(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, FCPS_RUN_MOST_PARALLEL, value, error);
}

static fcps_status read_trials(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, INT64_MAX, value, error);
}

static fcps_status read_lease(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, 86400, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, study)},
    {CLI_ARGUMENT_TEXT, "problem", offsetof(arguments, problem), 0, .value = "FILE",
     .help = "The problem file on this machine, whose program is run", .file = CLI_FILE_READ},
    {CLI_ARGUMENT_TEXT, "program", offsetof(arguments, program), 0, .value = "COMMAND",
     .help = "Run this shell command here instead of the program in the file"},
    {CLI_ARGUMENT_SWITCH, "trust-study", offsetof(arguments, trusts_study),
     .help =
         "Run the program that the study itself names; everybody who can write the study can then run programs here"},
    {CLI_ARGUMENT_TEXT, "name", offsetof(arguments, name), 0, .value = "NAME",
     .help = "The name of this worker, unique among all (default: HOST-PROCESS)"},
    {CLI_ARGUMENT_READ, "parallel", offsetof(arguments, parallel), 'p', .value = "N", .read = read_parallel,
     .help = "Run N programs at once (default 1)"},
    {CLI_ARGUMENT_READ, "trials", offsetof(arguments, trials), 'n', .value = "N", .read = read_trials,
     .help = "End when the study has asked for N trials in all and none is under way"},
    {CLI_ARGUMENT_TEXT, "hours", offsetof(arguments, hours), 0, .value = "H",
     .help = "End after H hours, when the trials under way are finished"},
    {CLI_ARGUMENT_SWITCH, "until-converged", offsetof(arguments, until_converged),
     .help = "End when the learner predicts that further trials gain little"},
    {CLI_ARGUMENT_READ, "budget", offsetof(arguments, budget), .value = "COST", .read = cli_option_budget,
     .help = "End before the cost of all trials of the study exceeds this"},
    {CLI_ARGUMENT_READ, "lease", offsetof(arguments, lease_s), 0, .value = "SECONDS", .read = read_lease,
     .help = "Give an ask to another worker after this time without a sign of life (default 60)"},
    {CLI_ARGUMENT_SWITCH, "goes-on-failing", offsetof(arguments, goes_on),
     .help = "Do not end because most trials fail"},
    {CLI_ARGUMENT_SWITCH, "quiet", offsetof(arguments, is_quiet), 'q', .help = "Print nothing for each trial"},
    {0}};

static const char doc[] =
    "Does trials of a study, as one of any number of workers: asks, runs the program of the problem file, tells. STUDY "
    "is a file on this machine, http://HOST:PORT/NAME or unix:SOCKET/NAME of a server (fcps serve), or "
    "postgresql://HOST/DATABASE#NAME. Any worker may be killed at any time: its unfinished trial is given to another "
    "worker, and a finished result is kept on disk until it is stored. A worker runs the program of --problem or "
    "--program. It runs the program that the study itself names only with --trust-study.\v"
    "Example, four robots of one machine and as many elsewhere:\n"
    "  fcps work 'postgresql://db.lab/robots#throw' --problem throw.yaml --parallel 4 --trials 200\n";

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  const arguments *a = user;
  char number[FCPS_NUMBER_SIZE];
  if (a->is_quiet) return FCPS_OK;
  const fcps_rollout *r = &episode->stored.result.rollout;
  printf("%lld  %s  reward %s\n", (long long)episode->episode, fcps_rollout_status_text(r->status),
         fcps_number_write(cli_values_plain(r->reward), number));
  return cli_flush(NULL);
}

static fcps_status read_hours(arguments *a, double *seconds)
{
  double hours = 0;
  *seconds = 0;
  if (a->hours == NULL) return FCPS_OK;
  if (!fcps_number_read(a->hours, &hours) || !(hours > 0))
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--hours", "\"%.40s\" is not a positive number", a->hours);
  *seconds = hours * 3600;
  return FCPS_OK;
}

/* Opens the door. Waits while the server is away, because an array of workers is started only once. */
static fcps_status open_patiently(arguments *a, fcps_door **door)
{
  static const long longest_ms = 10000;
  fcps_status status;
  for (long ms = 200; (status = cli_open_door(door, a->study, NULL, &a->error)) == FCPS_ERR_LOCKED; ms *= 2) {
    if (ms == 200) cli_warn("W_STUDY_LOCKED", "waiting for the study: %s", a->error.message);
    if (ms > longest_ms) ms = longest_ms;
    for (long slept = 0; slept < ms; slept += 50) {
      if (cli_interrupt_stops(NULL)) return status;
      nanosleep(&(struct timespec){.tv_nsec = 50000000L}, NULL);
    }
  }
  return status;
}

static fcps_status work(arguments *a, fcps_door *door, const fcps_problem_file *file)
{
  const char *const shell[] = {"/bin/sh", "-c", a->program, NULL};
  fcps_outlook outlook = {0};
  int64_t done = 0;
  fcps_work_options options = {.worker = a->name,
                               .parallel = (int)a->parallel,
                               .lease_ms = (int)(a->lease_s * 1000),
                               .trials = a->trials,
                               .budget = a->budget,
                               .until_converged = a->until_converged ? &outlook : NULL,
                               .command = a->program != NULL ? shell : NULL,
                               .trusts_study = a->trusts_study,
                               .goes_on_failing = a->goes_on,
                               .stop = cli_interrupt_stops,
                               .on_episode = on_episode,
                               .user = a,
                               .log = cli_log};
  fcps_status status = read_hours(a, &options.seconds);
  if (status != FCPS_OK) return status;
  status = fcps_door_work(door, file, &options, &done, &a->error);
  if (status == FCPS_OK || status == FCPS_ERR_STOPPED)
    fprintf(stderr, "%lld trials done%s\n", (long long)done,
            outlook.is_converged ? "; further trials gain little" : "");
  return status;
}

int cli_command_work(int argc, char **argv)
{
  arguments a = {0};
  fcps_door *door = NULL;
  fcps_problem_file *file = NULL;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) cli_interrupt_watch();
  if (status == FCPS_OK) status = open_patiently(&a, &door);
  if (status == FCPS_OK && a.problem != NULL) status = fcps_problem_file_read(&file, a.problem, &a.error);
  if (status == FCPS_OK) status = work(&a, door, file);
  fcps_door_close(door);
  fcps_problem_file_destroy(file);
  return status == FCPS_OK ? 0 : cli_fail(&a.error);
}
