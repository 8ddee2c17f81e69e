/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program. A new command is a file with its function, which is declared here and listed in
 * main.c. */
#ifndef FCPS_CLI_SUPPORT_COMMANDS_H
#define FCPS_CLI_SUPPORT_COMMANDS_H

#include <fcps/study.h>

#include <stdbool.h>

/* Gets the arguments of the command (argv[0] is "fcps NAME") and returns the exit code. */
typedef int cli_command_fn(int argc, char **argv);

cli_command_fn cli_command_run, cli_command_reproduce, cli_command_study, cli_command_retarget, cli_command_policy,
    cli_command_tasks, cli_command_learners, cli_command_experiments, cli_command_render, cli_command_oracle,
    cli_command_init, cli_command_check, cli_command_serve, cli_command_work, cli_command_sweep, cli_command_mcp;

bool cli_study_has_command(const char *name); /* `fcps study NAME` */
/* the most similar name of such a command; NULL if no name is similar */
const char *cli_study_nearest_command(const char *name);

/* Returns the laboratory's way to open studies that were made from a built-in task (lab/). In a program without a
 * laboratory it is NULL; lab_absent.c then has this function. */
const fcps_study_maker *cli_lab_maker(void);

#endif
