/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the numbers of a problem: one or more rows in each of its four spaces. */
#ifndef FCPS_CLI_SUPPORT_POINTS_H
#define FCPS_CLI_SUPPORT_POINTS_H

#include <fcps/problem.h>

/* Arrays of rows, one after the other; never NULL after cli_points_create, also where a space is empty. */
typedef struct cli_points {
  double *target, *environment, *parameters, *outcome;
} cli_points;

/* Zeroed rows for every space. After a failure nothing has to be freed. */
fcps_status cli_points_create(cli_points *points, const fcps_problem *problem, int rows, fcps_error *error);

/* Frees the arrays; points that were zeroed or already destroyed are allowed. */
void cli_points_destroy(cli_points *points);

#endif
