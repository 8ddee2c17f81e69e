/* SPDX-License-Identifier: Apache-2.0 */
/* Points on the command line: "x=1.3,y=0.8". */
#ifndef FCPS_CLI_POINT_OPTION_H
#define FCPS_CLI_POINT_OPTION_H

#include <fcps/space.h>

/* Reads the named values of a point over what `values` has. Unknown names, twice the same and values that are no numbers
 * are refused; with `is_complete` also a point that lacks one. Bounds are for whoever uses the point. NULL text changes
 * nothing. */
fcps_status fcps_point_read(const fcps_space *space, const char *option, const char *text, bool is_complete,
                            double *values, fcps_error *error);

#endif
