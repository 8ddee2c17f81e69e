/* SPDX-License-Identifier: Apache-2.0 */
/* The commands behind `fcps study`. Most are made from a row of the table of operations (operation/table.c): request.c reads
 * what was typed, operation.c does it, print.c shows the answer. The others read a whole study, or make one. */
#ifndef FCPS_CLI_STUDY_STUDY_H
#define FCPS_CLI_STUDY_STUDY_H

#include "cli/study/request.h"
#include "cli/support/commands.h"
#include "wire/check.h"

/* What a command has beside its row. */
typedef struct cli_special {
  const char *name;
  const cli_argument *own;                    /* further options, in cli_request */
  fcps_status (*check)(cli_request *request); /* refuses options that contradict each other; may be NULL */
  fcps_status (*run)(cli_request *request, int argc, char **argv); /* in place of one call; may be NULL */
} cli_special;
extern const cli_special cli_study_ask, cli_study_choose, cli_study_tell, cli_study_amend;

/* Runs the command of a row; `special` may be NULL. */
int cli_operation_command(const fcps_operation *operation, const cli_special *special, int argc, char **argv);

/* Opens the door of the request, does it, and prints the answer. */
fcps_status cli_operation_do(cli_request *request, const fcps_run_patience *patience);

/* Prints an answer: as JSON, by the printer that the operation has, or its values by name. */
fcps_status cli_operation_print(cli_request *request, fcps_door_answer *answer);

/* Prints an ask as assignments for a shell, or nothing. */
fcps_status cli_assignments_print(cli_request *request, const fcps_json *ask);

/* Prints the settings of an object, "kappa=3 initial=10", or "the defaults". */
void cli_settings_print(const fcps_json *settings);

cli_command_fn cli_study_new, cli_study_status, cli_study_log, cli_study_export, cli_study_backup, cli_study_restore,
    cli_study_copy, cli_study_repair, cli_study_check_model, cli_study_report;

/* Parts of what `status` and `check-model` show: the model behind a policy in plain words, nothing where there is none; a
 * line for each worker; and the figure of a check. */
fcps_status cli_health_print(const fcps_problem *problem, const fcps_policy *policy, fcps_error *error);
void cli_workers_print(const fcps_study *study);
fcps_status cli_check_figure_draw(const fcps_study_check *check, const char *path, fcps_error *error);

/* Listens to the library, which says each ask that it has made (I_ASKED), and shows the time that is left. */
void cli_ask_progress_begin(int count);
void cli_ask_progress_end(void);

#endif
