/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a `tell` whose study is away: before the study has answered, nobody knows what they mean, so they are kept as they
 * were typed, and said again by `tell STUDY --kept`.
 *
 * An address may lead to another study later, which has an ask of the same number. So this machine notes which study has
 * answered last at an address when it was asked or told. Words are kept with the identity of that study, and said to no other; where it is not known, they
 * are not said: whoever typed them is shown the command. */
#ifndef FCPS_CLI_STUDY_TOLD_WORDS_H
#define FCPS_CLI_STUDY_TOLD_WORDS_H

#include <fcps/base.h>

enum { CLI_TOLD_PATH = 4096 };

/* Notes that the study of this identity (NULL: not known) has just given an ask, or taken a result, at an address. Nothing is
 * noted of a file, nor where that fails: then words are not said without asking. */
void cli_told_words_note(const char *address, const char *identity);

/* Puts the words of a command on the study at `address` into a new file of the user's state, and its name into `path`. */
fcps_status cli_told_words_keep(const char *address, int argc, char **argv, char path[CLI_TOLD_PATH],
                                fcps_error *error);

/* Calls `tell` with the words of each file of this address and the identity of their study, and removes those that it stores;
 * counts them. Says which are not stored, and why. */
typedef fcps_status cli_told_words_fn(void *user, int argc, char **argv, const char *identity, fcps_error *error);
fcps_status cli_told_words_say(const char *address, cli_told_words_fn *tell, void *user, int *said, int *left,
                               fcps_error *error);

#endif
