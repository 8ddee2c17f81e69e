/* SPDX-License-Identifier: Apache-2.0 */
/* Each outcome takes the value that most results have; a result rests where all outcomes do. */
#include "model/composite/rest.h"

#include "base/memory.h"
#include "model/composite/stuck.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer results that agree are a coincidence; fewer others say nothing about how things move. Results that agree one
 * after the other, and only then, are those of a sensor that was dead for a while. */
enum { LEAST_RESTING = 3, LEAST_MOVED = 4, LEAST_RUNS = 2 };

/* The share of a range within which values are the same, and the share of the moved results that must have an outcome
 * which no other has. */
static const double exactly = 1e-9, own_values = 0.8;

static double value_at(const fcps_rest_value *value, const double *environment)
{
  return value->environment >= 0 ? environment[value->environment] : value->number;
}

bool fcps_rest_includes(const fcps_rest *rest, const double *environment, const double *outcome)
{
  for (int j = 0; j < rest->outcomes; j++)
    if (!(fabs(outcome[j] - value_at(rest->values + j, environment)) <= rest->values[j].tolerance)) return false;
  return rest->outcomes > 0;
}

void fcps_rest_outcome(const fcps_rest *rest, const double *environment, double *outcome)
{
  for (int j = 0; j < rest->outcomes; j++)
    outcome[j] = value_at(rest->values + j, environment);
}

/* -- Finding -- */

static int ascending(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

/* The most frequent of sorted numbers; returns how often it is there. */
static int find_mode(int count, const double *sorted, double tolerance, double *mode)
{
  int most = 0;
  for (int i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && sorted[i + run] - sorted[i] <= tolerance;)
      run++;
    if (run > most) *mode = sorted[i];
    if (run > most) most = run;
  }
  return most;
}

static int count_environment(const fcps_rollouts *training, int outcome, int environment, double tolerance)
{
  int count = 0;
  for (int i = 0; i < training->count; i++) {
    const double before = fcps_rollouts_environment(training, i)[environment];
    count += fabs(fcps_rollouts_outcome(training, i)[outcome] - before) <= tolerance;
  }
  return count;
}

/* What outcome `j` most often is; `column` has room for all rollouts. A place that the environment tells explains more
 * than a number. */
static fcps_rest_value find_value(const fcps_model *model, int j, double *column)
{
  const int rows = model->training.count;
  fcps_rest_value value = {.environment = -1};
  for (int i = 0; i < rows; i++)
    column[i] = fcps_rollouts_outcome(&model->training, i)[j];
  qsort(column, (size_t)rows, sizeof *column, ascending);
  value.tolerance = exactly * (column[rows - 1] - column[0]);
  int most = find_mode(rows, column, value.tolerance, &value.number);
  for (int e = 0; e < model->problem->environment.count; e++) {
    const int count = count_environment(&model->training, j, e, value.tolerance);
    if (count < LEAST_RESTING || count < most) continue;
    value.environment = e;
    most = count;
  }
  return value;
}

static bool is_same(size_t count, const double *a, const double *b)
{
  return count == 0 || memcmp(a, b, count * sizeof(double)) == 0;
}

static bool is_same_trial(const fcps_model *model, int a, int b)
{
  const fcps_rollouts *t = &model->training;
  return is_same((size_t)model->problem->environment.count, fcps_rollouts_environment(t, a),
                 fcps_rollouts_environment(t, b)) &&
         is_same((size_t)model->problem->parameters.count, fcps_rollouts_parameters(t, a),
                 fcps_rollouts_parameters(t, b));
}

/* Trials that were repeated count once. */
static bool is_repetition(const fcps_model *model, int row)
{
  for (int i = 0; i < row; i++)
    if (is_same_trial(model, i, row)) return true;
  return false;
}

/* Whether an earlier row that moved, at another place, has the same outcome. */
static bool has_double(const fcps_model *model, const bool *rests, int row)
{
  const fcps_rollouts *t = &model->training;
  for (int i = 0; i < row; i++)
    if (!rests[i] &&
        is_same((size_t)model->problem->outcome.count, fcps_rollouts_outcome(t, i), fcps_rollouts_outcome(t, row)))
      return true;
  return false;
}

/* Whether enough results rest, again and again after something moved, and the others move in ways of their own. */
static bool is_rest(const fcps_model *model, const fcps_rest *rest, const bool *stuck, bool *rests)
{
  const fcps_rollouts *t = &model->training;
  int resting = 0, runs = 0, moved = 0, doubles = 0;
  bool has_just_moved = false;
  for (int i = 0; i < t->count; i++) {
    rests[i] = fcps_rest_includes(rest, fcps_rollouts_environment(t, i), fcps_rollouts_outcome(t, i));
    if (stuck[i] || is_repetition(model, i)) continue;
    resting += rests[i] && moved > 0;
    runs += rests[i] && has_just_moved;
    moved += !rests[i];
    doubles += !rests[i] && has_double(model, rests, i);
    has_just_moved = !rests[i];
  }
  return resting >= LEAST_RESTING && runs >= LEAST_RUNS && moved >= LEAST_MOVED &&
         doubles <= (1.0 - own_values) * moved;
}

/* Rows of a dead sensor (stuck.h) do not rest. `column` has room for all outcomes of all rollouts. */
static int find_stuck(const fcps_model *model, double *column, bool *stuck)
{
  const int rows = model->training.count, q = model->problem->outcome.count;
  for (int j = 0; j < q; j++)
    for (int i = 0; i < rows; i++)
      column[j * rows + i] = fcps_rollouts_outcome(&model->training, i)[j];
  return fcps_stuck_find(model, q, column, stuck);
}

fcps_status fcps_rest_find(const fcps_model *model, fcps_rest *rest)
{
  const int rows = model->training.count, q = model->problem->outcome.count;
  rest->outcomes = 0;
  if (rows < LEAST_RESTING + LEAST_MOVED || q == 0) return FCPS_OK;
  double *column = fcps_allocate((size_t)rows * (size_t)q, sizeof(double));
  bool *flags = fcps_allocate(2 * (size_t)rows, sizeof(bool));
  const bool has_room = column != NULL && flags != NULL;
  bool is_possible = has_room;
  for (int j = 0; j < q && is_possible; j++) {
    rest->values[j] = find_value(model, j, column);
    int count = 0;
    for (int i = 0; i < rows; i++) {
      const double at = value_at(rest->values + j, fcps_rollouts_environment(&model->training, i));
      count += fabs(fcps_rollouts_outcome(&model->training, i)[j] - at) <= rest->values[j].tolerance;
    }
    is_possible = count >= LEAST_RESTING;
  }
  if (is_possible) {
    rest->outcomes = q;
    find_stuck(model, column, flags);
    if (!is_rest(model, rest, flags, flags + rows)) rest->outcomes = 0;
  }
  free(column);
  free(flags);
  return has_room ? FCPS_OK : FCPS_ERR_MEMORY;
}
