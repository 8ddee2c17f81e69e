/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run`: its options, and the parts that runs of a built-in task and of a problem file share. */
#ifndef FCPS_CLI_RUN_H
#define FCPS_CLI_RUN_H

#include "cli/support/arguments.h"

#include <fcps/run.h>

enum { CLI_RUN_PATH = 4096 };

typedef struct cli_run_command {
  const char *what;    /* a built-in task or a problem file */
  const char *learner; /* NULL: not given */
  int64_t seed;        /* negative: not given */
  cli_setting_list learner_settings, task_settings;
  const char *store;   /* NULL: not given. A task then keeps its study in its folder of results. */
  bool has_said_store; /* --store names a study other than the one beside the problem file */
  bool without_figure, as_json, is_quiet, until_converged;
  int64_t episodes;        /* 0: not given */
  double budget;           /* the most that all trials may cost; 0: not given */
  int64_t parallel;        /* the number of trials at once; 0: not given */
  int64_t evaluate_every;  /* episodes between offline evaluations; 0: at the end, -1: never */
  const char *out;         /* folder of the results as typed; NULL: not given */
  const char *task_option; /* the first option given that only tasks have; NULL: no such option was given */

  bool is_file;                 /* `what` is a problem file */
  char directory[CLI_RUN_PATH]; /* folder of a task's results; empty: not given */
  char beside[CLI_RUN_PATH];    /* path of the study beside a problem file, which is used without --store */
  fcps_error *error;
} cli_run_command;

/* Prints what the user can do after an interruption; `words` are printed with the error. */
void cli_run_command_stopped(const cli_run_command *command, const char *words);

/* Runs a problem file (run_file.c), or a built-in task (in the laboratory). */
fcps_status cli_run_file(cli_run_command *command);
fcps_status cli_run_task(cli_run_command *command);

/* Checks that an existing study has the learner, settings and seed of the command. With --store, an option that is not
 * given is not compared. A study in a folder of results must match in everything. `file` has the settings of a problem
 * file, or is NULL. */
fcps_status cli_run_command_match(const cli_run_command *command, const fcps_setting *file, const fcps_study *study,
                                  const char *store);

/* Refuses a study that differs in `option`, and says what the user can do. */
fcps_status cli_run_command_differs(const cli_run_command *command, const char *option, const char *store);

/* -- The output about episodes and trials -- */

/* Counts the finished episodes, which are the asks of this or an earlier run that are not pending. */
int cli_run_count_episodes(const fcps_study *study);

/* Prints four facts on stderr: how the trials of the study ended (left out if a summary follows and every result is an
 * episode of a run); how many trials are episodes of runs (if not all are); which failures the model blames on the
 * machine; and which results are suspect. */
void cli_run_summary_count(const cli_run_command *command, fcps_study *study, bool has_summary);

/* Prints on stderr, after --until-converged, whether convergence ended the run. If it did not, prints what was
 * missing. */
void cli_run_summary_converged(const cli_run_command *command, const fcps_study *study, const fcps_outlook *outlook);

/* Prints one episode as a line of JSON. */
fcps_status cli_run_summary_episode(const fcps_problem *problem, const fcps_episode *episode, fcps_error *error);

/* -- The end of a run of a problem file: the results, the figure, and the next commands -- */

/* Writes the path of the study beside a problem file: NAME.fcps for NAME.yaml. */
fcps_status cli_run_file_store(const char *path, char store[CLI_RUN_PATH], fcps_error *error);

/* Prints the summary and draws the figure, NAME-figure.svg and .png, beside the study, or beside the problem file if
 * the study is in a database. */
fcps_status cli_run_file_summary(const cli_run_command *command, fcps_study *study, fcps_error *error);

#endif
