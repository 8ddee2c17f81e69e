/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run`: its options, and what runs of a built-in task and of a problem file share. */
#ifndef FCPS_CLI_RUN_H
#define FCPS_CLI_RUN_H

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
  double budget;           /* 0: not said */
  int64_t parallel;        /* trials at once; 0: not said */
  int64_t evaluate_every;  /* episodes between offline evaluations; 0: at the end, -1: never */
  const char *out;         /* folder of the results as typed; NULL: not said */
  const char *task_option; /* the first option given of those that only tasks have; NULL: none */

  bool is_file;                 /* `what` is one */
  char directory[CLI_RUN_PATH]; /* results of a task; empty: not said */
  char beside[CLI_RUN_PATH];    /* the study of a problem file that no --store names */
  fcps_error *error;
} cli_run_command;

/* Says what can be done after an interruption, with the words of the error. */
void cli_run_command_stopped(const cli_run_command *command, const char *words);

/* Run a problem file (run_file.c), and a built-in task: this one is the laboratory's. */
fcps_status cli_run_file(cli_run_command *command);
fcps_status cli_run_task(cli_run_command *command);

/* Whether a study that exists is of the learner, settings and seed that were said. With --store what was not said fits;
 * the study in a folder of results must be of the same command. `file`: settings of a problem file; may be NULL. */
fcps_status cli_run_command_match(const cli_run_command *command, const fcps_setting *file, const fcps_study *study,
                                  const char *store);

/* Refuses a study that differs in what `option` says, with what can be done. */
fcps_status cli_run_command_differs(const cli_run_command *command, const char *option, const char *store);

/* -- What a run prints of its episodes and trials -- */

/* Prints on stderr how the trials of the study ended, how many of them are episodes if that is another number, and
 * which failures are taken for an outage. If a summary follows, the trials are counted there. */
void cli_run_summary_count(const cli_run_command *command, fcps_study *study, bool has_summary);

/* Prints on stderr, after --until-converged, whether that ended the run, and if not, what stands against it. */
void cli_run_summary_converged(const cli_run_command *command, const fcps_study *study, const fcps_outlook *outlook);

/* One episode as a line of JSON. */
fcps_status cli_run_summary_episode(const fcps_problem *problem, const fcps_episode *episode, fcps_error *error);

/* -- The end of a run of a problem file: what was learnt, the figure, and the commands that come next -- */

/* The study beside a problem file: NAME.fcps for NAME.yaml. */
fcps_status cli_run_file_store(const char *path, char store[CLI_RUN_PATH], fcps_error *error);

/* Prints the summary and draws the figure, NAME-figure.svg and .png beside the study, or beside the problem
 * file if the study is in a database. */
fcps_status cli_run_file_summary(const cli_run_command *command, fcps_study *study, fcps_error *error);

#endif
