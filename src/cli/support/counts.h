/* SPDX-License-Identifier: Apache-2.0 */
/* How the trials of a study ended, in one line; the names of those with a finding; the suspects. */
#ifndef FCPS_CLI_SUPPORT_COUNTS_H
#define FCPS_CLI_SUPPORT_COUNTS_H

#include "wire/status.h"

#include <fcps/study.h>

#include <stdio.h>

/* "60 results: 45 with an outcome, 12 without, 3 failed". Returns `text`. */
char *cli_counts_text(const fcps_study *study, size_t size, char *text);

/* Prints the names of the results with a finding of the last outlook, separated by commas. */
void cli_names_print(FILE *stream, const fcps_study *study, fcps_wire_finding *finding);

/* A line for each suspect that the last fcps_study_find_suspects found: what was expected, and what to do about it; after
 * the word `label`. Those that W_UNIT names are one line with their number. `path` is for the
 * command; NULL: the study is in memory, and no command reaches it. */
void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path);

#endif
