/* SPDX-License-Identifier: Apache-2.0 */
/* The remarks that hold "enough" back, in a few words: their codes. What they say is a warning on stderr. */
#ifndef FCPS_CLI_SUPPORT_REMARKS_H
#define FCPS_CLI_SUPPORT_REMARKS_H

#include <fcps/study_remarks.h>

/* "W_UNIT and W_OUTSIDE_RANGE stand: see the warnings", after the words `before`. Returns `text`. */
char *cli_remarks_text(const char *before, const fcps_study *study, size_t size, char *text);

#endif
