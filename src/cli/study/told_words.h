/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a `tell` whose study is away: before the study has answered, nobody knows what they mean, so they are kept as they
 * were typed, and said again by `tell STUDY --kept`.
 *
 * An address may lead to another study later, which has an ask of the same number. So this machine notes which study has
 * answered last at an address when it was asked or told. Words are kept with the identity of that study, and said to no other; where it is not known, they
 * are not said: whoever typed them is shown the command. */
#ifndef FCPS_CLI_STUDY_TOLD_WORDS_H
#define FCPS_CLI_STUDY_TOLD_WORDS_H

#include <fcps/study.h>

enum { CLI_TOLD_PATH = 4096 };

/* Notes that this study has just given an ask, or taken a result, at an address. Nothing is noted of a file, nor where that fails:
 * then words are not said without asking. */
void cli_told_words_note(const char *address, const fcps_study *study);

/* Puts the words of a command on the study at `address` into a new file of the user's state, and its name into `path`. */
fcps_status cli_told_words_keep(const char *address, int argc, char **argv, char path[CLI_TOLD_PATH],
                                fcps_error *error);

/* Calls `tell` with the words of each file of this study, and removes those that it returns 0 for; counts them. Says
 * which are not this study's, or may not be. */
fcps_status cli_told_words_say(const char *address, const fcps_study *study, int (*tell)(int argc, char **argv),
                               int *said, int *left, fcps_error *error);

#endif
