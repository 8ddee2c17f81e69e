/* SPDX-License-Identifier: Apache-2.0 */
/* A command of `fcps study` that is made from a row of the table of operations: its arguments follow from the fields of the
 * row, and what was typed becomes the request. */
#ifndef FCPS_CLI_STUDY_REQUEST_H
#define FCPS_CLI_STUDY_REQUEST_H

#include "cli/support/arguments.h"
#include "door/door.h"

enum { CLI_FIELDS_MAX = 24 };

/* What was typed for one field. */
typedef struct cli_given {
  const char *text;
  bool is_on, is_null;
  cli_setting_list settings;
} cli_given;

typedef struct cli_request {
  const fcps_operation *operation;
  const char *path; /* of the study, as it was typed */
  bool as_json;
  cli_given given[CLI_FIELDS_MAX]; /* in the order of the fields */
  fcps_json *json;                 /* the request itself */
  fcps_door *door;                 /* NULL: it is not open yet */

  /* options that some commands have beside their fields */
  bool for_shell, is_kept;
  fcps_json *problem; /* for a shell: whose dimensions are its variables */
  const char *use, *drop, *confirm;
  fcps_error error;
} cli_request;

/* Reads the arguments of the command, those of the row and its `own` (may be NULL; offsets in cli_request). */
fcps_status cli_request_parse(cli_request *request, const fcps_operation *operation, const cli_argument *own, int argc,
                              char **argv);
void cli_request_destroy(cli_request *request);

/* The text that was typed for a field; NULL: none. */
const char *cli_request_text(const cli_request *request, const char *field);

/* Whether it was said that a field is null: --no-outcome. */
bool cli_request_is_null(const cli_request *request, const char *field);

/* Says an error of an operation, which speaks of the keys of a request, in the options of the command. */
void cli_request_speak(const fcps_operation *operation, fcps_error *error);

#endif
