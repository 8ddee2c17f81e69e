/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by name, "x=3,y=4": read from the command line, and printed as text. */
#ifndef FCPS_CLI_SUPPORT_VALUES_H
#define FCPS_CLI_SUPPORT_VALUES_H

#include <fcps/problem.h>

#include <stdio.h>

/* Reads "x=3,y=4" into the values of a space. Names that are not given keep what `values` holds; `given` (may be NULL)
 * says which were. With `is_complete` every dimension must be given. `option` is for errors. */
fcps_status cli_values_read(const fcps_space *space, const char *option, const char *text, bool is_complete,
                            double *values, bool *given, fcps_error *error);

/* Prints "x=3 y=4 m", or "-" where the space is empty. */
void cli_values_print(FILE *stream, const fcps_space *space, const double *values);

/* The same number; a zero without its sign, which means nothing to people. */
static inline double cli_values_plain(double value)
{
  return value + 0.0;
}

#endif
