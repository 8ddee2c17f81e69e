/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an fcps_error, sending messages to a log, and what their words need: hints for misspelt names, and words that a
 * shell takes.
 *
 * Functions that fill an error return its status, so that a caller can write `return fcps_error_set(...)`. `error` may
 * be NULL everywhere. */
#ifndef FCPS_BASE_ERROR_H
#define FCPS_BASE_ERROR_H

#include <fcps/base.h>

/* Sets status, field ("" or NULL for none) and message. */
fcps_status fcps_error_set(fcps_error *error, fcps_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with a position in a user's file; `line` and `column` count from 1, and 0 means none. */
fcps_status fcps_error_at(fcps_error *error, fcps_status status, const char *file, int line, int column,
                          const char *field, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* FCPS_ERR_ARGUMENT for an argument that must not be NULL. */
fcps_status fcps_error_null(fcps_error *error, const char *field);

/* FCPS_ERR_MEMORY with the standard message. */
fcps_status fcps_error_memory(fcps_error *error);

/* Sends a message to a log. Does nothing if `log` is NULL or has no callback. */
void fcps_log_say(const fcps_log *log, fcps_log_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The name among `count` names that is nearest to `name` by edit distance (the first of equals), for "did you mean".
 * NULL when no name is near. */
const char *fcps_nearest_name(const char *name, int count, const char *const *names);

/* The one of `count` names that a new `name` is probably meant for: it differs in capitals, or, from four letters on and
 * without digits, in one letter. press1 and press2 are two names. NULL: no such name, or `name` itself is there. */
const char *fcps_nearly_equal_name(const char *name, int count, const char *const *names);

/* The hint after "there is no such ...; " for a wrong `name`: "did you mean kappa? Choose from: kappa, starts". The
 * question is left out when no name is near, and ", ..." stands for names that do not fit. Returns `text`. */
char *fcps_name_hint(const char *name, int count, const char *const *names, size_t size, char *text);

/* The text as one word of a shell, for the commands that messages suggest: `text` itself if a shell changes nothing in it,
 * otherwise between single quotes in `room`; `text` also if it does not fit there. Four bytes for each byte of the text, and
 * three, always suffice. */
const char *fcps_shell_word(const char *text, size_t size, char *room);

/* -- Names that were given twice: keys of a map, columns of a table -- */

/* Finds the first name that equals an earlier one. Sets `*second` to its index and `*first` to that of the earlier one;
 * both are -1 when all names differ. Returns false when there is no memory. */
bool fcps_duplicate_find(int count, const char *const *names, int *first, int *second);

#endif
