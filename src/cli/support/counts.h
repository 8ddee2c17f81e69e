/* SPDX-License-Identifier: Apache-2.0 */
/* How the trials of a study ended, in one line; the names of results with a finding; and the suspects. */
#ifndef FCPS_CLI_SUPPORT_COUNTS_H
#define FCPS_CLI_SUPPORT_COUNTS_H

#include "wire/status.h"

#include <fcps/study.h>

#include <stdio.h>

/* Writes "60 results: 45 with an outcome, 12 without, 3 failed". Returns `text`. */
char *cli_counts_text(const fcps_study *study, size_t size, char *text);

/* Prints the names of the results with a finding of the last outlook, separated by commas. */
void cli_names_print(FILE *stream, const fcps_study *study, fcps_wire_finding *finding);

/* Prints a line for each suspect of the last fcps_study_find_suspects, after the word `label`: the expected value,
 * and what the user can do. Suspects that W_UNIT names are one line with their number. `path` is the study's name in
 * the commands; NULL: the study is in memory, so that no command can change it. */
void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path);

#endif
