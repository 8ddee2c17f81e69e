/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an fcps_error, and sending messages to a log. For their texts: hints about misspelt names, and words that a
 * shell can read.
 *
 * Functions that fill an error return its status, so that a caller can write `return fcps_error_set(...)`. `error` may
 * be NULL everywhere. */
#ifndef FCPS_BASE_ERROR_H
#define FCPS_BASE_ERROR_H

#include <fcps/base.h>

/* Sets status, field and message. `field` may be "" or NULL if the error concerns no field. */
fcps_status fcps_error_set(fcps_error *error, fcps_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with a position in a user's file. `line` and `column` count from 1; 0 means that it is unknown. */
fcps_status fcps_error_at(fcps_error *error, fcps_status status, const char *file, int line, int column,
                          const char *field, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* Sets FCPS_ERR_ARGUMENT for an argument that must not be NULL. */
fcps_status fcps_error_null(fcps_error *error, const char *field);

/* Sets FCPS_ERR_MEMORY with the standard message. */
fcps_status fcps_error_memory(fcps_error *error);

/* Sends a message to a log. Does nothing if `log` is NULL or has no callback. */
void fcps_log_say(const fcps_log *log, fcps_log_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the name that is nearest to `name` by edit distance, for "did you mean"; the first of equally near ones. NULL
 * if no name is near. */
const char *fcps_nearest_name(const char *name, int count, const char *const *names);

/* Returns the name that was probably meant by a new `name`: the two differ only in capitals, or, if they have four
 * letters or more and no digits, in one letter. (press1 and press2 are two different names.) NULL if no name is so
 * similar, or if `name` itself is among the names. */
const char *fcps_nearly_equal_name(const char *name, int count, const char *const *names);

/* Writes the hint about a wrong `name` that follows "there is no such ...; ", as in "did you mean kappa? Choose from:
 * kappa, starts". The question is left out if no name is near; ", ..." stands for names for which there is no room.
 * Returns `text`. */
char *fcps_name_hint(const char *name, int count, const char *const *names, size_t size, char *text);

/* The text as one word of a shell, for the commands that messages suggest. Returns `text` itself if a shell changes
 * nothing in it; otherwise writes it between single quotes into `room`. Four bytes for each byte of the text, and three
 * more, always suffice; if `room` is too small, returns `text`. */
const char *fcps_shell_word(const char *text, size_t size, char *room);

/* -- Names that were given twice: keys of a map, columns of a table -- */

/* Finds the first name that equals an earlier one. Sets `*second` to its index and `*first` to the index of the earlier
 * one; both are -1 if all names differ. Returns false if there is no memory. */
bool fcps_duplicate_find(int count, const char *const *names, int *first, int *second);

#endif
