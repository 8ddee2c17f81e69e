/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts in a CSV: one column per target and environment dimension, in any order; other columns are not read. */
#ifndef FCPS_WIRE_CONTEXTS_H
#define FCPS_WIRE_CONTEXTS_H

#include "format/csv.h"

#include <fcps/problem.h>

/* Reads all rows. What cannot be read is refused with its line and column. */
fcps_status fcps_wire_contexts_read(const fcps_csv *csv, const fcps_problem *problem, double *targets,
                                    double *environments, fcps_error *error);

/* Refuses the first row that cannot be asked for, with its line and its column. */
fcps_status fcps_wire_contexts_check(const fcps_csv *csv, const fcps_problem *problem, const double *targets,
                                     const double *environments, fcps_error *error);

#endif
