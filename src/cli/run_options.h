/* SPDX-License-Identifier: Apache-2.0 */
/* What `fcps run` is told on the command line. */
#ifndef FCPS_CLI_RUN_OPTIONS_H
#define FCPS_CLI_RUN_OPTIONS_H

#include "cli/cli.h"

enum { FCPS_RUN_PATH = 4096 };

typedef struct fcps_run_command {
  const char *task, *learner;
  int64_t episodes, seed, evaluate_every;
  fcps_setting_list learner_settings, task_settings;
  char directory[FCPS_RUN_PATH]; /* results */
  char state[FCPS_RUN_PATH];     /* learner's state; empty: none is kept */
  bool with_figure, as_json, is_quiet;
  fcps_error *error;
} fcps_run_command;

fcps_status fcps_run_command_parse(fcps_run_command *command, int argc, char **argv, fcps_error *error);
void fcps_run_command_destroy(fcps_run_command *command);

#endif
