/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/contexts.h"

#include "base/error.h"
#include "problem/columns.h"
#include "problem/contexts.h"

fcps_status fcps_wire_contexts_read(const fcps_csv *csv, const fcps_problem *problem, double *targets,
                                    double *environments, fcps_error *error)
{
  const int target = problem->target.count, environment = problem->environment.count;
  int columns[2 * FCPS_SPACE_MAX];
  fcps_status status = fcps_contexts_find_columns(csv, problem, columns, error);
  for (int row = 0; row < csv->rows && status == FCPS_OK; row++)
    for (int d = 0; d < target + environment && status == FCPS_OK; d++) {
      double *value = d < target ? &targets[row * target + d] : &environments[row * environment + d - target];
      status = fcps_columns_number(csv, row, columns[d], FCPS_CONTEXTS_MISSING, value, error);
    }
  return status;
}

fcps_status fcps_wire_contexts_check(const fcps_csv *csv, const fcps_problem *problem, const double *targets,
                                     const double *environments, fcps_error *error)
{
  for (int row = 0; row < csv->rows; row++) {
    fcps_error why = {0};
    const fcps_status status = fcps_problem_check_context(problem, targets + row * problem->target.count,
                                                          environments + row * problem->environment.count, &why);
    if (status != FCPS_OK)
      return fcps_error_at(error, status, csv->file, csv->lines[row], 0, why.field, "%s", why.message);
  }
  return FCPS_OK;
}
