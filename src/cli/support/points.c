/* SPDX-License-Identifier: Apache-2.0 */
/* Four arrays that are made and freed together. */
#include "cli/support/points.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

static double *rows_of(const fcps_space *space, int rows)
{
  return fcps_allocate((size_t)rows * (size_t)space->count, sizeof(double));
}

fcps_status cli_points_create(cli_points *points, const fcps_problem *problem, int rows, fcps_error *error)
{
  *points = (cli_points){.target = rows_of(&problem->target, rows),
                         .environment = rows_of(&problem->environment, rows),
                         .parameters = rows_of(&problem->parameters, rows),
                         .outcome = rows_of(&problem->outcome, rows)};
  if (points->target != NULL && points->environment != NULL && points->parameters != NULL && points->outcome != NULL)
    return FCPS_OK;
  cli_points_destroy(points);
  return fcps_error_memory(error);
}

void cli_points_destroy(cli_points *points)
{
  free(points->target);
  free(points->environment);
  free(points->parameters);
  free(points->outcome);
  *points = (cli_points){0};
}
