/* SPDX-License-Identifier: Apache-2.0 */
/* A study is opened with the built-in tasks at hand and with its warnings on stderr. */
#include "cli/support/open_study.h"

#include "base/error.h"
#include "cli/support/commands.h"
#include "cli/support/interrupt.h"
#include "cli/support/log.h"
#include "cli/support/named_files.h"
#include "cli/support/passing_folder.h"
#include "cli/support/study_path.h"
#include "door/client.h"

/* -- Tokens -- */

/* whose token came with an address */
static fcps_client owner;

void cli_hide_tokens(int argc, char **argv)
{
  fcps_client found;
  for (int i = 1; i < argc; i++)
    if (fcps_client_take_token(argv[i], &found)) owner = found;
}

const char *cli_token(const char *address)
{
  return owner.token[0] != '\0' && fcps_client_is_same_server(&owner, address) ? owner.token : NULL;
}

/* -- Doors -- */

static void pass_on(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  fcps_log_say(&cli_log, level, code, "%s", message);
}

const fcps_run_patience cli_patience = {.is_kept = true, .stop = cli_interrupt_stops, .log = {.write = pass_on}};

fcps_door_options cli_door_options(const char *address)
{
  return (fcps_door_options){
      .study = {.log = cli_log, .maker = cli_lab_maker()}, .token = cli_token(address), .stop = cli_interrupt_stops};
}

const char *cli_copy_place(void)
{
  return cli_passing_folder_make(CLI_PASSING_COPY, "study.fcps");
}

fcps_status cli_open_door(fcps_door **door, const char *path, const fcps_run_patience *patience, fcps_error *error)
{
  fcps_door_options options = cli_door_options(path);
  options.patience = patience;
  fcps_status status = cli_near_address_check(path, error);
  if (status != FCPS_OK) return status;
  status = fcps_door_open(door, path, &options, error);
  if (status == FCPS_OK) fcps_door_set_place(*door, cli_copy_place);
  if (status == FCPS_ERR_IO) cli_near_file_hint(path, ".fcps", error);
  if (status != FCPS_ERR_DAMAGED) return status;
  if (cli_path_is_policy(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is a policy file, not a study; `fcps policy query` reads it");
  if (cli_path_is_no_study(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is not a study; a study comes first, and `fcps study new` or `fcps run FILE.yaml` makes one");
  return status;
}

fcps_status cli_door_failure(const fcps_door *door, fcps_status status, fcps_error *error)
{
  if (status == FCPS_ERR_LOCKED && door != NULL && fcps_door_is_away(door)) error->status = FCPS_ERR_IO;
  return status == FCPS_OK ? status : error->status;
}

fcps_status cli_door_do(fcps_door *door, const char *operation, const fcps_json *request, fcps_door_answer *answer,
                        fcps_error *error)
{
  return cli_door_failure(door, fcps_door_do(door, fcps_operation_find(operation), request, answer, error), error);
}

fcps_status cli_door_study(fcps_door *door, fcps_study **study, fcps_error *error)
{
  const fcps_status status = cli_door_failure(door, fcps_door_study(door, study, error), error);
  return status == FCPS_OK ? cli_named_files_check_study(*study, error) : status;
}

fcps_status cli_open_study(fcps_door **door, fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_status status = cli_open_door(door, path, NULL, error);
  return status == FCPS_OK ? cli_door_study(*door, study, error) : status;
}
