/* SPDX-License-Identifier: Apache-2.0 */
/* The results that the model does not believe, for people. */
#ifndef FCPS_CLI_SUPPORT_SUSPECTS_H
#define FCPS_CLI_SUPPORT_SUSPECTS_H

#include <fcps/study.h>

#include <stdio.h>

/* A line for each suspect that the last fcps_study_find_suspects found: what was expected, and what to do about it; after
 * the word `label`. Those that W_UNIT names are one line with their number. `path` is for the
 * command; NULL: the study is in memory, and no command reaches it. */
void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path);

#endif
