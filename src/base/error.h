/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an fcps_error. Each function returns the status, so that a caller can write `return fcps_error_set(...)`;
 * `error` may be NULL. */
#ifndef FCPS_BASE_ERROR_H
#define FCPS_BASE_ERROR_H

#include <fcps/base.h>

/* Sets status, field ("" or NULL for none) and message. */
fcps_status fcps_error_set(fcps_error *error, fcps_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds the place in a user's file; `line` and `column` are 1-based, 0 for none. */
fcps_status fcps_error_at(fcps_error *error, fcps_status status, const char *file, int line, int column,
                          const char *field, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* Out of memory, with the standard words. */
fcps_status fcps_error_memory(fcps_error *error);

/* Says something through a log; nothing where `log` is NULL or has no callback. */
void fcps_log_say(const fcps_log *log, fcps_log_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The name among `count` names that is nearest to `name` by edit distance (the first of equals), or NULL when none is
 * near: for "did you mean". */
const char *fcps_nearest_name(const char *name, int count, const char *const *names);

/* What to say after "there is no such ...; " about the wrong `name`: "did you mean kappa? Choose from: kappa, starts",
 * without the question when no name is near, and with ", ..." for names that do not fit. Returns `text`. */
char *fcps_name_hint(const char *name, int count, const char *const *names, size_t size, char *text);

#endif
