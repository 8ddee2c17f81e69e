/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `fcps study`. Most are made from a row of the table of operations (operation/table.c): study.c reads
 * the arguments and does the operation, print.c shows the answer. The other commands read a whole study, or make
 * one. */
#ifndef FCPS_CLI_STUDY_STUDY_H
#define FCPS_CLI_STUDY_STUDY_H

#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "door/door.h"
#include "wire/wire.h"

#include <fcps/base.h>

/* A command that is made from a row of the table of operations: the fields of the row give the arguments, and the typed
 * values become the request. */
enum { CLI_FIELDS_MAX = 24 };

/* What the user typed for one field. */
typedef struct cli_given {
  const char *text;
  bool is_on, is_null;
  cli_setting_list settings;
} cli_given;

typedef struct cli_request {
  const fcps_operation *operation;
  const char *path; /* path or address of the study, as typed */
  bool as_json;
  cli_given given[CLI_FIELDS_MAX]; /* the typed values, in the order of the fields */
  fcps_json *json;                 /* the request */
  fcps_door *door;                 /* NULL: not open yet */
  fcps_json *problem;              /* the problem, needed for --shell: its dimensions become variables of the shell */

  /* Some commands have these options in addition to the fields of their row. */
  bool for_shell, is_kept;
  const char *use, *drop, *confirm, *figure;
  fcps_error error;
} cli_request;

/* Reads the arguments of the command: those of the row, and the command's `own` ones (may be NULL), whose offsets are
 * into cli_request. */
fcps_status cli_request_parse(cli_request *request, const fcps_operation *operation, const cli_argument *own, int argc,
                              char **argv);
void cli_request_destroy(cli_request *request);

/* The typed text of a field; NULL if the field was not given. */
const char *cli_request_text(const cli_request *request, const char *field);

/* Whether a field was given as null, as by --no-outcome. */
bool cli_request_is_null(const cli_request *request, const char *field);

/* Rewrites the error of an operation so that it names the command's options instead of keys of the request. */
void cli_request_speak(const cli_request *r, fcps_error *error);

/* What a command has in addition to its row. */
typedef struct cli_special {
  const char *name;
  const cli_argument *own;                    /* further options, whose values are stored in cli_request */
  fcps_status (*check)(cli_request *request); /* refuses options that contradict each other; may be NULL */
  /* replaces the single call of the operation; may be NULL */
  fcps_status (*run)(cli_request *request, int argc, char **argv);
} cli_special;
extern const cli_special cli_study_ask, cli_study_choose, cli_study_tell, cli_study_amend, cli_study_forecast,
    cli_study_explain;

/* Opens the door of the request, does the operation, and prints the answer. */
fcps_status cli_operation_do(cli_request *request, const fcps_run_patience *patience);

/* Prints an answer: as JSON, with the operation's own printer, or value by value. */
fcps_status cli_operation_print(cli_request *request, fcps_door_answer *answer);

/* Printers of insight.c. */
void cli_why_print(const cli_request *request, const fcps_json *answer);
void cli_forecast_print(const cli_request *request, const fcps_json *answer);
void cli_explain_print(const cli_request *request, const fcps_json *answer);

/* Prints an ask as assignments for a shell. If any part of the ask is refused, nothing is printed. */
fcps_status cli_assignments_print(cli_request *request, const fcps_json *ask);

/* Prints the settings of an object, as in "kappa=3 initial=10", or "the defaults". */
void cli_settings_print(const fcps_json *settings);

cli_command_fn cli_study_new, cli_study_status, cli_study_log, cli_study_export, cli_study_backup, cli_study_restore,
    cli_study_copy, cli_study_repair, cli_study_check_model, cli_study_report;

/* Parts of `status` and `check-model`. The first prints the model of a policy in plain words, or nothing if there is
 * no model; the second a line for each worker; the third draws the figure of a check. */
fcps_status cli_health_print(const fcps_problem *problem, const fcps_policy *policy, fcps_error *error);
void cli_workers_print(const fcps_study *study);
fcps_status cli_check_figure_draw(const fcps_study_check *check, const char *path, fcps_error *error);

/* Notes on this machine that the study with this identity (NULL: unknown) has just given an ask or taken a result at an
 * address. If `address` is a file, nothing is noted. If the note cannot be written, results that are kept for this
 * address are not told without the user's consent. */
void cli_told_words_note(const char *address, const char *identity);

#endif
