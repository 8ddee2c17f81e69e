/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a CSV as contexts. */
#include "cli/support/context_columns.h"

#include "base/error.h"

#include <string.h>

static bool has_dimension(const fcps_space *space, const char *name)
{
  for (int d = 0; d < space->count; d++)
    if (strcmp(space->dims[d].name, name) == 0) return true;
  return false;
}

/* a column that no dimension of the space has, and whose name is near; NULL: none */
static const char *find_misspelt(const fcps_csv *csv, const fcps_space *space, const char *name)
{
  const char *names[FCPS_SPACE_MAX];
  int count = 0;
  for (int i = 0; i < csv->columns && count < FCPS_SPACE_MAX; i++)
    if (!has_dimension(space, csv->header[i])) names[count++] = csv->header[i];
  return fcps_nearest_name(name, count, names);
}

static fcps_status refuse_missing(const fcps_csv *csv, const fcps_space *space, const char *name, fcps_error *error)
{
  const char *near = find_misspelt(csv, space, name);
  if (near != NULL)
    return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, name,
                         "there is no column \"%s\"; did you mean \"%.60s\"? Each target and environment dimension "
                         "needs a column",
                         name, near);
  return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, name,
                       "there is no column \"%s\"; each target and environment dimension needs one", name);
}

static fcps_status read_space(const fcps_csv *csv, const fcps_space *space, double *values, fcps_error *error)
{
  for (int d = 0; d < space->count; d++) {
    const int column = fcps_csv_column(csv, space->dims[d].name);
    if (column < 0) return refuse_missing(csv, space, space->dims[d].name, error);
    for (int row = 0; row < csv->rows; row++) {
      const fcps_status status = fcps_csv_number(csv, row, column, &values[row * space->count + d], error);
      if (status != FCPS_OK) return status;
    }
  }
  return FCPS_OK;
}

fcps_status cli_context_columns_read(const fcps_csv *csv, const fcps_problem *problem, const cli_points *points,
                                     fcps_error *error)
{
  const fcps_status status = read_space(csv, &problem->target, points->target, error);
  return status == FCPS_OK ? read_space(csv, &problem->environment, points->environment, error) : status;
}

fcps_status cli_context_columns_check(const fcps_csv *csv, const fcps_problem *problem, const cli_points *points,
                                      fcps_error *error)
{
  for (int row = 0; row < csv->rows; row++) {
    fcps_error why = {0};
    const fcps_status status = fcps_problem_check_context(problem, points->target + row * problem->target.count,
                                                          points->environment + row * problem->environment.count, &why);
    if (status != FCPS_OK)
      return fcps_error_at(error, status, csv->file, csv->lines[row], 0, why.field, "%s", why.message);
  }
  return FCPS_OK;
}
