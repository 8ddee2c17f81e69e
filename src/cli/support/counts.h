/* SPDX-License-Identifier: Apache-2.0 */
/* How the trials of a study ended, in one line. */
#ifndef FCPS_CLI_SUPPORT_COUNTS_H
#define FCPS_CLI_SUPPORT_COUNTS_H

#include <fcps/study.h>

/* "60 results: 45 with an outcome, 12 without, 3 failed". Returns `text`. */
char *cli_counts_text(const fcps_study *study, size_t size, char *text);

#endif
