/* SPDX-License-Identifier: Apache-2.0 */
/* From what was typed to what is printed, for every row of the table. */
#include "base/error.h"
#include "cli/study/study.h"
#include "cli/study/told_words.h"
#include "cli/support/fail.h"
#include "cli/support/log.h"
#include "cli/support/open_study.h"

fcps_status cli_operation_do(cli_request *r, const fcps_run_patience *patience)
{
  fcps_door_answer answer = {NULL};
  fcps_status status = r->door == NULL ? cli_open_door(&r->door, r->path, patience, &r->error) : FCPS_OK;
  if (status == FCPS_OK) status = cli_door_do(r->door, r->operation->name, r->json, &answer, &r->error);
  if (status == FCPS_OK && r->operation->kind == FCPS_OPERATION_WRITES)
    cli_told_words_note(r->path, fcps_door_identity(r->door));
  if (status == FCPS_OK) status = cli_operation_print(r, &answer);
  fcps_door_answer_destroy(&answer);
  return status;
}

int cli_operation_command(const fcps_operation *operation, const cli_special *special, int argc, char **argv)
{
  cli_request r = {0};
  fcps_status status = cli_request_parse(&r, operation, special != NULL ? special->own : NULL, argc, argv);
  if (status == FCPS_OK && special != NULL && special->check != NULL) status = special->check(&r);
  if (status == FCPS_OK)
    status = special != NULL && special->run != NULL ? special->run(&r, argc, argv) : cli_operation_do(&r, NULL);
  if (status != FCPS_OK) cli_request_speak(operation, &r.error);
  const int code = status != FCPS_OK ? cli_fail(&r.error) : 0;
  cli_request_destroy(&r);
  return code;
}
