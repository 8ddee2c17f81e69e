/* SPDX-License-Identifier: Apache-2.0 */
/* Rollouts as columns: one array per kind of value, all with room for the same number of rows. Scoring again works on
 * whole columns and copies no rollout. */
#include "problem/rollouts.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_texts[FCPS_ROLLOUT_STATUS_COUNT] = {"ok", "failed", "refused", "timeout", "unstable"};

const char *fcps_rollout_status_text(fcps_rollout_status status)
{
  return (int)status >= 0 && status < FCPS_ROLLOUT_STATUS_COUNT ? status_texts[status] : "unknown";
}

const char *fcps_rollout_ending_text(const fcps_problem *problem, const fcps_rollout *rollout)
{
  if (problem == NULL || rollout == NULL) return "unknown";
  const bool is_absent = rollout->status == FCPS_ROLLOUT_OK && rollout->outcome == NULL && problem->outcome.count > 0;
  return is_absent ? FCPS_ROLLOUT_ABSENT : fcps_rollout_status_text(rollout->status);
}

void fcps_rollouts_init(fcps_rollouts *rollouts, const fcps_problem *problem)
{
  *rollouts = (fcps_rollouts){.target_width = problem->target.count,
                              .environment_width = problem->environment.count,
                              .parameters_width = problem->parameters.count,
                              .outcome_width = problem->outcome.count};
}

void fcps_rollouts_free(fcps_rollouts *rollouts)
{
  free(rollouts->targets);
  free(rollouts->environments);
  free(rollouts->parameters);
  free(rollouts->outcomes);
  free(rollouts->deviations);
  free(rollouts->present);
  free(rollouts->rewards);
  free(rollouts->hindsight);
  free(rollouts->status);
  free(rollouts->confirmed);
  *rollouts = (fcps_rollouts){0};
}

/* A column of the list: its array, and the bytes per row. */
typedef struct column {
  void **items;
  size_t size;
} column;

enum { COLUMNS = 10 };

static void list_columns(fcps_rollouts *r, column columns[COLUMNS])
{
  const size_t number = sizeof(double);
  columns[0] = (column){(void **)&r->targets, (size_t)r->target_width * number};
  columns[1] = (column){(void **)&r->environments, (size_t)r->environment_width * number};
  columns[2] = (column){(void **)&r->parameters, (size_t)r->parameters_width * number};
  columns[3] = (column){(void **)&r->outcomes, (size_t)r->outcome_width * number};
  columns[4] = (column){(void **)&r->present, sizeof(bool)};
  columns[5] = (column){(void **)&r->rewards, number};
  columns[6] = (column){(void **)&r->hindsight, number};
  columns[7] = (column){(void **)&r->status, sizeof(fcps_rollout_status)};
  columns[8] = (column){(void **)&r->deviations, (size_t)r->outcome_width * number};
  columns[9] = (column){(void **)&r->confirmed, sizeof(bool)};
}

/* Makes room for `needed` rows in every column. After a failure some columns may be longer than others, which does no
 * harm. */
static bool reserve(fcps_rollouts *rollouts, size_t needed)
{
  if (needed <= rollouts->capacity) return true;
  column columns[COLUMNS];
  list_columns(rollouts, columns);
  size_t reached = 0;
  for (int i = 0; i < COLUMNS; i++) {
    size_t capacity = rollouts->capacity;
    if (!fcps_reserve(columns[i].items, &capacity, needed, columns[i].size > 0 ? columns[i].size : 1)) return false;
    reached = i == 0 || capacity < reached ? capacity : reached;
  }
  rollouts->capacity = reached;
  return true;
}

static void put(double *rows, int width, int row, const double *values)
{
  if (width == 0) return;
  double *to = rows + (size_t)row * (size_t)width;
  if (values != NULL)
    memcpy(to, values, (size_t)width * sizeof(double));
  else
    memset(to, 0, (size_t)width * sizeof(double));
}

/* Copies the deviations of an outcome that is present. */
static void put_deviation(fcps_rollouts *rollouts, int row, const fcps_rollout *rollout)
{
  const bool is_known = rollout->outcome != NULL && rollout->outcome_deviation != NULL;
  double *to = rollouts->deviations + (size_t)row * (size_t)rollouts->outcome_width;
  for (int i = 0; i < rollouts->outcome_width; i++)
    to[i] = is_known ? rollout->outcome_deviation[i] : NAN;
}

fcps_status fcps_rollouts_add(fcps_rollouts *rollouts, const fcps_rollout *rollout)
{
  const int row = rollouts->count;
  if (!reserve(rollouts, (size_t)row + 1)) return FCPS_ERR_MEMORY;
  put(rollouts->targets, rollouts->target_width, row, rollout->target);
  put(rollouts->environments, rollouts->environment_width, row, rollout->environment);
  put(rollouts->parameters, rollouts->parameters_width, row, rollout->parameters);
  put(rollouts->outcomes, rollouts->outcome_width, row, rollout->outcome);
  put_deviation(rollouts, row, rollout);
  rollouts->present[row] = rollout->outcome != NULL;
  rollouts->rewards[row] = rollout->reward;
  rollouts->hindsight[row] = rollout->hindsight_reward;
  rollouts->status[row] = rollout->status;
  rollouts->confirmed[row] = rollout->is_confirmed;
  rollouts->count++;
  return FCPS_OK;
}

const double *fcps_rollouts_target(const fcps_rollouts *rollouts, int index)
{
  return rollouts->targets + (size_t)index * (size_t)rollouts->target_width;
}

const double *fcps_rollouts_environment(const fcps_rollouts *rollouts, int index)
{
  return rollouts->environments + (size_t)index * (size_t)rollouts->environment_width;
}

const double *fcps_rollouts_parameters(const fcps_rollouts *rollouts, int index)
{
  return rollouts->parameters + (size_t)index * (size_t)rollouts->parameters_width;
}

const double *fcps_rollouts_outcome(const fcps_rollouts *rollouts, int index)
{
  return rollouts->present[index] ? rollouts->outcomes + (size_t)index * (size_t)rollouts->outcome_width : NULL;
}

const double *fcps_rollouts_deviation(const fcps_rollouts *rollouts, int index)
{
  const double *row = rollouts->deviations + (size_t)index * (size_t)rollouts->outcome_width;
  return rollouts->outcome_width > 0 && !isnan(row[0]) ? row : NULL;
}

fcps_rollout fcps_rollouts_at(const fcps_rollouts *rollouts, int index)
{
  return (fcps_rollout){.target = fcps_rollouts_target(rollouts, index),
                        .environment = fcps_rollouts_environment(rollouts, index),
                        .parameters = fcps_rollouts_parameters(rollouts, index),
                        .outcome = fcps_rollouts_outcome(rollouts, index),
                        .outcome_deviation = fcps_rollouts_deviation(rollouts, index),
                        .reward = rollouts->rewards[index],
                        .hindsight_reward = rollouts->hindsight[index],
                        .status = rollouts->status[index],
                        .is_confirmed = rollouts->confirmed[index]};
}

static bool same_values(int count, const double *a, const double *b)
{
  for (int i = 0; i < count; i++)
    if (a[i] != b[i]) return false;
  return true;
}

bool fcps_rollouts_same_place(const fcps_rollouts *rollouts, int a, int b)
{
  return same_values(rollouts->environment_width, fcps_rollouts_environment(rollouts, a),
                     fcps_rollouts_environment(rollouts, b)) &&
         same_values(rollouts->parameters_width, fcps_rollouts_parameters(rollouts, a),
                     fcps_rollouts_parameters(rollouts, b));
}

static bool same_bits(int count, const double *a, const double *b)
{
  return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

bool fcps_rollouts_is_trial(const fcps_rollouts *r, int i, const fcps_rollout *rollout)
{
  return same_bits(r->target_width, fcps_rollouts_target(r, i), rollout->target) &&
         same_bits(r->environment_width, fcps_rollouts_environment(r, i), rollout->environment) &&
         same_bits(r->parameters_width, fcps_rollouts_parameters(r, i), rollout->parameters);
}

fcps_status fcps_rollouts_copy(const fcps_rollouts *rollouts, fcps_rollouts *copy)
{
  *copy = (fcps_rollouts){.target_width = rollouts->target_width,
                          .environment_width = rollouts->environment_width,
                          .parameters_width = rollouts->parameters_width,
                          .outcome_width = rollouts->outcome_width};
  for (int i = 0; i < rollouts->count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(rollouts, i);
    if (fcps_rollouts_add(copy, &rollout) != FCPS_OK) {
      fcps_rollouts_free(copy);
      return FCPS_ERR_MEMORY;
    }
  }
  return FCPS_OK;
}

/* Replaces every NaN by the worst finite reward, or by `otherwise` if no reward is finite. */
static void replace_unusable(int count, double otherwise, double *rewards)
{
  double worst = INFINITY;
  for (int i = 0; i < count; i++)
    worst = fmin(worst, rewards[i]); /* fmin skips NaN. */
  for (int i = 0; i < count; i++)
    if (isnan(rewards[i])) rewards[i] = isinf(worst) ? otherwise : worst;
}

/* Scores all outcomes for one target; row i of `environments` belongs to rollout i. */
static fcps_status score(const fcps_rollouts *rollouts, const fcps_problem *problem, const double *target,
                         const double *environments, double otherwise, double *rewards, fcps_error *error)
{
  const fcps_status status = fcps_problem_score(problem, rollouts->count, target, environments, rollouts->parameters,
                                                rollouts->outcomes, rollouts->present, rewards, error);
  if (status == FCPS_OK) replace_unusable(rollouts->count, otherwise, rewards);
  return status;
}

fcps_status fcps_rollouts_rescore(const fcps_rollouts *rollouts, const fcps_problem *problem, const double *target,
                                  double *rewards, fcps_error *error)
{
  return score(rollouts, problem, target, rollouts->environments, 0.0, rewards, error);
}

fcps_status fcps_rollouts_rescore_in(const fcps_rollouts *rollouts, const fcps_problem *problem, const double *target,
                                     const double *environment, double *rewards, fcps_error *error)
{
  if (environment == NULL) return score(rollouts, problem, target, rollouts->environments, NAN, rewards, error);
  const size_t rows = (size_t)rollouts->count, width = (size_t)rollouts->environment_width;
  double *environments = fcps_allocate(rows * width, sizeof(double));
  if (environments == NULL) return fcps_error_memory(error);
  for (size_t i = 0; i < rows && width > 0; i++)
    memcpy(environments + i * width, environment, width * sizeof(double));
  const fcps_status status = score(rollouts, problem, target, environments, NAN, rewards, error);
  free(environments);
  return status;
}

/* -- Hindsight -- */

/* A second rollout exists only if the outcome, the target that it achieves and its reward are finite. */

fcps_status fcps_hindsight_check(const fcps_problem *problem, fcps_error *error)
{
  if (problem->target.count == 0)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "hindsight",
                          "hindsight replaces targets, and this problem has none; use hindsight=off");
  if (problem->achieved == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "hindsight",
                          "hindsight needs to know which target an outcome achieves, and this problem does not say: "
                          "declare `achieved`, or use hindsight=off");
  return FCPS_OK;
}

fcps_status fcps_hindsight_rollout(const fcps_problem *problem, const fcps_rollout *rollout, double *target,
                                   fcps_rollout *second, bool *exists, fcps_error *error)
{
  *exists = false;
  if (rollout->status != FCPS_ROLLOUT_OK || rollout->outcome == NULL ||
      !fcps_rollout_values_usable(problem->outcome.count, rollout->outcome))
    return FCPS_OK;
  const fcps_status status = problem->achieved(problem->user, 1, rollout->environment, rollout->outcome, target);
  if (status != FCPS_OK) return fcps_callbacks_fail(problem, FCPS_CALLBACK_ACHIEVED, status, error);
  if (!fcps_rollout_values_usable(problem->target.count, target)) return FCPS_OK;

  *second = *rollout;
  second->target = target;
  second->reward = rollout->hindsight_reward;
  second->hindsight_reward = NAN;
  if (problem->reward != NULL) {
    const bool present = true;
    const fcps_status scored = fcps_problem_score(problem, 1, target, rollout->environment, rollout->parameters,
                                                  rollout->outcome, &present, &second->reward, error);
    if (scored != FCPS_OK) return scored;
  }
  *exists = fcps_rollout_values_usable(1, &second->reward);
  return FCPS_OK;
}

/* -- Deviations of outcomes: which ones may be told, their columns in tables, and their effect on a reward -- */

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

/* Makes the rows of one trial: first with its outcome as it was told, and then with each number of the outcome moved up
 * and down by its deviation. */
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
