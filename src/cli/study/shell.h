/* SPDX-License-Identifier: Apache-2.0 */
/* An ask as assignments for a shell. */
#ifndef FCPS_CLI_STUDY_SHELL_H
#define FCPS_CLI_STUDY_SHELL_H

#include <fcps/study.h>

/* Refuses a problem with a dimension whose name is a variable that means something already. */
fcps_status cli_shell_check(const fcps_problem *problem, fcps_error *error);

/* Prints the ask: its number, whether it is repeated, and every number of its context and parameters. */
void cli_shell_print(const fcps_problem *problem, const fcps_ask *ask);

#endif
