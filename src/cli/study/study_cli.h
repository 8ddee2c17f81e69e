/* SPDX-License-Identifier: Apache-2.0 */
/* What the study commands share: opening a study, and numbers by name as text. */
#ifndef FCPS_CLI_STUDY_STUDY_CLI_H
#define FCPS_CLI_STUDY_STUDY_CLI_H

#include "cli/support/arguments.h"

#include <fcps/study.h>

#include <stdio.h>

/* The commands behind `fcps study`. */
fcps_command_fn fcps_study_command_new, fcps_study_command_ask, fcps_study_command_choose, fcps_study_command_tell,
    fcps_study_command_forget, fcps_study_command_best, fcps_study_command_status, fcps_study_command_log,
    fcps_study_command_export, fcps_study_command_import, fcps_study_command_amend, fcps_study_command_repair;

/* Opens a study whose warnings go to stderr. */
fcps_status fcps_cli_open_study(fcps_study **study, const char *path, fcps_error *error);

/* Warns on stderr where no stored result can be learnt from: what is then said of the best is a guess. */
void fcps_cli_warn_if_empty(const fcps_study *study);

/* Says a warning of the library on stderr. */
extern const fcps_log fcps_cli_log;

/* Warns on stderr that a result without an outcome has no reward, and says what would give it one. */
void fcps_cli_warn_no_reward(void);

/* Reads "x=3,y=4" into the values of a space. Names that are not given keep what `values` holds; `given` (may be NULL)
 * says which were. With `is_complete` every dimension must be given. `option` is for errors. */
fcps_status fcps_values_read(const fcps_space *space, const char *option, const char *text, bool is_complete,
                             double *values, bool *given, fcps_error *error);

/* Prints "x=3 y=4 m", or "-" where the space is empty. */
void fcps_values_print(FILE *stream, const fcps_space *space, const double *values);

/* The same number; a zero without its sign, which means nothing to people. */
static inline double fcps_cli_plain(double value)
{
  return value + 0.0;
}

/* An ask as assignments for a shell, and whether they are harmless (shell.c). */
void fcps_shell_print(const fcps_problem *problem, const fcps_ask *trial);
fcps_status fcps_shell_check(const fcps_problem *problem, fcps_error *error);

/* A zeroed array of numbers, never NULL: the program ends when there is no memory. */
double *fcps_cli_numbers(int count);

#endif
