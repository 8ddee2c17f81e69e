/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the laboratory's commands in a program that was built without the laboratory (FCPS_LAB). Each of these
 * commands is refused with the same error. */
#include "base/error.h"
#include "cli/run.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"

static fcps_status refuse(const char *what, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, what,
                        "this fcps was built without built-in tasks and experiments; build it again with "
                        "-DFCPS_LAB=ON");
}

const fcps_study_maker *cli_lab_maker(void)
{
  return NULL;
}

fcps_status cli_run_task(cli_run_command *command)
{
  return refuse("task", command->error);
}

static int refuse_command(int argc, char **argv)
{
  (void)argc;
  fcps_error error = {0};
  refuse(argv[0], &error);
  return cli_fail(&error);
}

int cli_command_reproduce(int argc, char **argv)
{
  return refuse_command(argc, argv);
}

int cli_command_sweep(int argc, char **argv)
{
  return refuse_command(argc, argv);
}

int cli_command_tasks(int argc, char **argv)
{
  return refuse_command(argc, argv);
}

int cli_command_experiments(int argc, char **argv)
{
  return refuse_command(argc, argv);
}

int cli_command_render(int argc, char **argv)
{
  return refuse_command(argc, argv);
}

int cli_command_oracle(int argc, char **argv)
{
  return refuse_command(argc, argv);
}
