/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run`: a problem file is run by problem_file.c, a built-in task by the laboratory. */
#include "cli/run/options.h"
#include "cli/support/commands.h"
#include "cli/support/fail.h"
#include "cli/support/study_path.h"

#include <string.h>

int cli_command_run(int argc, char **argv)
{
  fcps_error error = {0};
  cli_run_command command;
  fcps_status status = cli_run_command_parse(&command, argc, argv, &error);
  if (status == FCPS_OK) status = command.is_file ? cli_run_file(&command) : cli_run_task(&command);
  if (status == FCPS_ERR_UNKNOWN_NAME && strcmp(error.field, "task") == 0) /* a problem file without its ending */
    cli_near_file_hint(command.what, ".yaml", &error);
  cli_run_command_destroy(&command);
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
