/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, their defaults, and what argp cannot check. */
#include "lab/cli/reproduce_options.h"

#include "base/error.h"

#include <string.h>
#include <unistd.h>

enum { MOST_JOBS = 1024 };

static fcps_status read_jobs(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, MOST_JOBS, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_LIST, "NAME", offsetof(cli_reproduce_command, names), .file = CLI_FILE_READ, .value = "experiment",
     .help = "name an experiment, as in `fcps reproduce table1`, or `all`; `fcps experiments` lists them"},
    {CLI_ARGUMENT_TEXT, "seeds", offsetof(cli_reproduce_command, seeds), 's', "LIST",
     .help = "Seeds, as in 1-10 or 1-3,7 (default: those of the experiment)"},
    {CLI_ARGUMENT_READ, "jobs", offsetof(cli_reproduce_command, jobs), 'J', "N", .read = read_jobs,
     .help = "Number of runs at a time (default: one per core)"},
    {CLI_ARGUMENT_TEXT, "engine", offsetof(cli_reproduce_command, engine), .value = "NAME",
     .help = "Who does the runs: local (default), or slurm: a job array, with DIR on a shared file system"},
    {CLI_ARGUMENT_TEXT, "out", offsetof(cli_reproduce_command, directory), 'o', "DIR", .file = CLI_FILE_FOLDER,
     .help = "Folder of the results (default results/reproduce)"},
    {CLI_ARGUMENT_SWITCH, "quick", offsetof(cli_reproduce_command, is_quick),
     .help = "A quick look: two seeds and at most fifty episodes"},
    {CLI_ARGUMENT_SWITCH, "no-cache", offsetof(cli_reproduce_command, no_cache),
     .help = "Simulate every rollout of a robot again"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_reproduce_command, as_json), 'j',
     .help = "Print one JSON object per claim"},
    {CLI_ARGUMENT_SWITCH, "quiet", offsetof(cli_reproduce_command, is_quiet), 'q', .help = "Do not show progress"},
    {CLI_ARGUMENT_TEXT, "sweep", offsetof(cli_reproduce_command, sweep), .value = "FILE", .is_hidden = true,
     .help = "This file of fcps sweep, which lies in DIR, in place of NAME"},
    {CLI_ARGUMENT_TEXT, "run-one", offsetof(cli_reproduce_command, run_one), .value = "FILE", .is_hidden = true,
     .help = "Do the run of LABEL with SEED, until standard input ends"},
    {0}};

static const char doc[] =
    "Runs the paper's experiments again and says, claim by claim, whether they hold.\v"
    "NAME is an experiment (`fcps experiments` lists them), the path of a YAML file, or `all`. DIR/NAME receives "
    "results.csv, curves.csv, claims.csv and the figures; DIR/report.html shows everything. Finished runs are kept, so "
    "the same command continues where it was interrupted. Rollouts of robots are kept in DIR/cache, or in "
    "$FCPS_CACHE_DIR, so no rollout is simulated twice.\n\n"
    "Examples:\n"
    "  fcps reproduce table1\n"
    "  fcps reproduce all --jobs 2 --out results/paper\n";

static int64_t core_count(void)
{
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > MOST_JOBS ? MOST_JOBS : count;
}

fcps_status cli_reproduce_command_parse(cli_reproduce_command *command, int argc, char **argv, fcps_error *error)
{
  *command = (cli_reproduce_command){.directory = "results/reproduce"};
  const fcps_status status = cli_arguments_parse(table, doc, argc, argv, command, error);
  if (status != FCPS_OK) return status;
  /* a cluster has cores of its own */
  if (command->jobs == 0 && (command->engine == NULL || strcmp(command->engine, "slurm") != 0))
    command->jobs = core_count();
  if (command->directory[0] == '\0') return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--out", "the path is empty");
  return FCPS_OK;
}
