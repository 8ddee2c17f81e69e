/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reproduce/options.h"

#include "base/error.h"

#include <errno.h>
#include <unistd.h>

enum { KEY_QUICK = 256, KEY_RUN_ONE, KEY_NO_CACHE, MOST_JOBS = 1024 };

static const struct argp_option options[] = {
    {"seeds", 's', "LIST", 0, "Seeds, as in 1-10 or 1-3,7 (default: those of the experiment)", 0},
    {"jobs", 'J', "N", 0, "Runs at a time (default: one a core)", 0},
    {"out", 'o', "DIR", 0, "Folder of the results (default results/reproduce)", 0},
    {"quick", KEY_QUICK, NULL, 0, "Only a look: two seeds and at most fifty episodes", 0},
    {"no-cache", KEY_NO_CACHE, NULL, 0, "Simulate every rollout of a robot, also those made before", 0},
    {"json", 'j', NULL, 0, "One JSON object a claim on standard output", 0},
    {"quiet", 'q', NULL, 0, "No progress", 0},
    {"run-one", KEY_RUN_ONE, "FILE", OPTION_HIDDEN, "Do the run of LABEL with SEED, until standard input ends", 0},
    {0},
};

static const char doc[] =
    "Runs the paper's experiments again and says, claim by claim, whether they hold.\v"
    "NAME is an experiment (`fcps experiments` lists them), the path of a YAML file, or `all`. DIR/NAME gets "
    "results.csv, curves.csv, claims.csv and the figures; DIR/report.html shows everything. A finished run is kept: "
    "the same command again goes on where it was interrupted. Rollouts of robots are kept in DIR/cache, or in "
    "$FCPS_CACHE_DIR, so that a robot never makes the same one twice.\n\n"
    "Examples:\n"
    "  fcps reproduce table1\n"
    "  fcps reproduce all --jobs 2 --out results/paper\n";

static fcps_status take_name(fcps_reproduce_command *command, const char *text)
{
  if (command->name_count == FCPS_REPRODUCE_MOST_NAMES) {
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "experiment", "more than %d experiments at a time",
                          FCPS_REPRODUCE_MOST_NAMES);
  }
  command->names[command->name_count++] = text;
  return FCPS_OK;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  fcps_reproduce_command *command = state->input;
  switch (key) {
  case 's':
    command->seeds = text;
    return 0;
  case 'J':
    return fcps_option_integer("--jobs", text, 1, MOST_JOBS, &command->jobs, command->error) == FCPS_OK ? 0 : EINVAL;
  case 'o':
    command->directory = text;
    return 0;
  case KEY_RUN_ONE:
    command->run_one = text;
    return 0;
  case KEY_QUICK:
    command->is_quick = true;
    return 0;
  case KEY_NO_CACHE:
    command->is_forgetful = true;
    return 0;
  case 'j':
    command->as_json = true;
    return 0;
  case 'q':
    command->is_quiet = true;
    return 0;
  case ARGP_KEY_ARG:
    return take_name(command, text) == FCPS_OK ? 0 : EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int64_t core_count(void)
{
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > MOST_JOBS ? MOST_JOBS : count;
}

fcps_status fcps_reproduce_command_parse(fcps_reproduce_command *command, int argc, char **argv, fcps_error *error)
{
  static const struct argp argp = {.options = options, .parser = parse, .args_doc = "NAME...", .doc = doc};
  *command = (fcps_reproduce_command){.directory = "results/reproduce", .jobs = core_count(), .error = error};
  const fcps_status status = fcps_options_parse(&argp, argc, argv, command, error);
  if (status != FCPS_OK) return status;
  if (command->directory[0] == '\0') return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--out", "the path is empty");
  if (command->name_count == 0) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "experiment",
                          "name an experiment, as in `fcps reproduce table1`, or `all`; `fcps experiments` lists them");
  }
  return FCPS_OK;
}
