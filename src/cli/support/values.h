/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by name, "x=3,y=4": read from the command line, and printed as text and as JSON. */
#ifndef FCPS_CLI_SUPPORT_VALUES_H
#define FCPS_CLI_SUPPORT_VALUES_H

#include "format/json.h"

#include <fcps/study.h>

#include <stdio.h>

/* Reads "x=3,y=4" into the values of a space. Names that are not given keep what `values` holds; `given` (may be NULL)
 * says which were. With `is_complete` every dimension must be given. `option` is for errors. */
fcps_status fcps_values_read(const fcps_space *space, const char *option, const char *text, bool is_complete,
                             double *values, bool *given, fcps_error *error);

/* Prints "x=3 y=4 m", or "-" where the space is empty. */
void fcps_values_print(FILE *stream, const fcps_space *space, const double *values);

/* The same number; a zero without its sign, which means nothing to people. */
static inline double fcps_values_plain(double value)
{
  return value + 0.0;
}

/* {"x": 3, "y": 4}, or null where `values` is NULL; NULL when there is no memory. */
fcps_json *fcps_values_json(const fcps_space *space, const double *values);

/* An ask with its context and parameters as an object to which more can be added; the first failure is in *status. */
fcps_json *fcps_ask_json(const fcps_problem *problem, const fcps_ask *trial, fcps_status *status);

/* Sets `key` of an object and keeps the first failure in *status. */
void fcps_json_put(fcps_json *object, const char *key, fcps_json *value, fcps_status *status);

/* Prints an object as a line and destroys it; with `status` it only destroys it. */
fcps_status fcps_json_print(fcps_json *object, fcps_status status, fcps_error *error);

#endif
