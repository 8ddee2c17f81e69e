/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `fcps run`, for a built-in task and for a problem file. */
#ifndef FCPS_CLI_RUN_OPTIONS_H
#define FCPS_CLI_RUN_OPTIONS_H

#include "cli/support/arguments.h"

#include <fcps/run.h>

enum { CLI_RUN_PATH = 4096 };

typedef struct cli_run_command {
  const char *what;    /* a built-in task or a problem file */
  const char *learner; /* NULL: not said */
  int64_t seed;        /* negative: not said */
  cli_setting_list learner_settings, task_settings;
  const char *store;   /* the study; NULL: not said, and of a task in its folder */
  bool has_said_store; /* of a problem file: it is not the one beside it */
  bool without_figure, as_json, is_quiet, until_converged;
  int64_t episodes;        /* 0: not said */
  int64_t parallel;        /* trials at once; 0: not said */
  int64_t evaluate_every;  /* episodes between offline evaluations; 0: at the end, -1: never */
  const char *out;         /* folder of the results as typed; NULL: not said */
  const char *task_option; /* the first option given of those that only tasks have; NULL: none */

  bool is_file;                 /* `what` is one */
  char directory[CLI_RUN_PATH]; /* results of a task; empty: not said */
  char beside[CLI_RUN_PATH];    /* the study of a problem file that no --store names */
  fcps_error *error;
} cli_run_command;

fcps_status cli_run_command_parse(cli_run_command *command, int argc, char **argv, fcps_error *error);
void cli_run_command_destroy(cli_run_command *command);

/* Says what can be done after an interruption, with the words of the error. */
void cli_run_command_stopped(const cli_run_command *command, const char *words);

/* Run a problem file (problem_file.c), and a built-in task: this one is the laboratory's. */
fcps_status cli_run_file(cli_run_command *command);
fcps_status cli_run_task(cli_run_command *command);

/* Whether a study that exists is of the learner, settings and seed that were said. With --store what was not said fits;
 * the study in a folder of results must be of the same command. `file`: settings of a problem file; may be NULL. */
fcps_status cli_run_command_match(const cli_run_command *command, const fcps_setting *file, const fcps_study *study,
                                  const char *store);

/* Refuses a study that differs in what `option` says, with what can be done. */
fcps_status cli_run_command_differs(const cli_run_command *command, const char *option, const char *store);

#endif
