/* SPDX-License-Identifier: Apache-2.0 */
/* Standard deviations of outcomes: which ones may be told, their columns in tables, and their effect on a reward. */
#include "problem/deviation.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fcps_status fcps_rollout_check_deviation(const fcps_problem *problem, const fcps_rollout *rollout, fcps_error *error)
{
  const double *deviation = rollout->outcome_deviation;
  if (deviation == NULL || problem->outcome.count == 0) return FCPS_OK;
  if (rollout->outcome == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "outcome_sd",
                          "an outcome that is absent has no deviation; leave outcome_sd out, or give the outcome");
  for (int i = 0; i < problem->outcome.count; i++) {
    char field[FCPS_DEVIATION_COLUMN_SIZE];
    if (deviation[i] >= 0 && deviation[i] <= FCPS_VALUE_LIMIT) continue;
    snprintf(field, sizeof field, "outcome_sd.%s", problem->outcome.dims[i].name);
    if (deviation[i] < 0 && deviation[i] >= -FCPS_VALUE_LIMIT)
      return fcps_error_set(error, FCPS_ERR_BOUNDS, field,
                            "a standard deviation cannot be negative; give 0 if the outcome is exact");
    return fcps_error_set(error, FCPS_ERR_NOT_FINITE, field,
                          "the standard deviation is NaN, infinite or too large; give a finite number, or leave "
                          "outcome_sd out if it is unknown");
  }
  return FCPS_OK;
}

void fcps_rollout_deviation_column(const fcps_problem *problem, int outcome, char name[FCPS_DEVIATION_COLUMN_SIZE])
{
  const fcps_space *const spaces[] = {&problem->target, &problem->environment, &problem->parameters, &problem->outcome};
  const char *own = problem->outcome.dims[outcome].name;
  bool is_taken = false;
  snprintf(name, FCPS_DEVIATION_COLUMN_SIZE, "%s_sd", own);
  for (int s = 0; s < 4; s++)
    is_taken = is_taken || fcps_space_find(spaces[s], name) >= 0;
  if (is_taken) snprintf(name, FCPS_DEVIATION_COLUMN_SIZE, "outcome_sd.%s", own);
}

/* Makes the rows of one trial: its outcome as it was told, then with each number moved up and down by its deviation. */
static void move_outcomes(const fcps_rollout *r, const fcps_rollouts *widths, double *environments, double *parameters,
                          double *outcomes)
{
  const size_t e = (size_t)widths->environment_width, p = (size_t)widths->parameters_width;
  const size_t q = (size_t)widths->outcome_width;
  for (size_t row = 0; row < 2 * q + 1; row++) {
    if (e > 0) memcpy(environments + row * e, r->environment, e * sizeof(double));
    if (p > 0) memcpy(parameters + row * p, r->parameters, p * sizeof(double));
    memcpy(outcomes + row * q, r->outcome, q * sizeof(double));
    const size_t moved = row > 0 ? (row - 1) / 2 : 0;
    if (row > 0) outcomes[row * q + moved] += (row % 2 == 1 ? 1.0 : -1.0) * r->outcome_deviation[moved];
  }
}

fcps_status fcps_rollouts_reward_variance(const fcps_rollouts *rollouts, const fcps_problem *problem, int index,
                                          double *variance, fcps_error *error)
{
  const fcps_rollout r = fcps_rollouts_at(rollouts, index);
  *variance = 0.0;
  if (r.outcome_deviation == NULL || problem->reward == NULL) return FCPS_OK;
  const size_t e = (size_t)rollouts->environment_width, p = (size_t)rollouts->parameters_width;
  const size_t q = (size_t)rollouts->outcome_width, rows = 2 * q + 1;
  double *environments = fcps_allocate(rows * (e + p + q + 1), sizeof(double));
  bool *present = fcps_allocate(rows, sizeof(bool));
  fcps_status status = environments != NULL && present != NULL ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) {
    double *parameters = environments + rows * e, *outcomes = parameters + rows * p, *rewards = outcomes + rows * q;
    for (size_t row = 0; row < rows; row++)
      present[row] = true;
    move_outcomes(&r, rollouts, environments, parameters, outcomes);
    status =
        fcps_problem_score(problem, (int)rows, r.target, environments, parameters, outcomes, present, rewards, error);
    for (size_t row = 1; row < rows && status == FCPS_OK; row++) {
      const double change = rewards[row] - rewards[0];
      if (isfinite(change)) *variance += 0.5 * change * change;
    }
  }
  free(environments);
  free(present);
  return status;
}
