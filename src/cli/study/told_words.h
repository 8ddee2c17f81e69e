/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a `tell` whose study is away: before the study has answered, nobody knows what they mean, so they are kept as they
 * were typed, and said again by `tell STUDY --kept`. */
#ifndef FCPS_CLI_STUDY_TOLD_WORDS_H
#define FCPS_CLI_STUDY_TOLD_WORDS_H

#include <fcps/base.h>

enum { CLI_TOLD_PATH = 4096 };

/* Puts the words of a command on `study` into a new file of the user's state, and its name into `path`. */
fcps_status cli_told_words_keep(const char *study, int argc, char **argv, char path[CLI_TOLD_PATH], fcps_error *error);

/* Calls `tell` with the words of each file of this study, and removes those that it returns 0 for; counts them. */
fcps_status cli_told_words_say(const char *study, int (*tell)(int argc, char **argv), int *said, int *left,
                               fcps_error *error);

#endif
