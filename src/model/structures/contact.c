/* SPDX-License-Identifier: Apache-2.0 */
/* Contact: a hurdle model. One model predicts whether anything moves, another how it moves.
 *
 * A hand that misses moves nothing. The result is then "at rest": each outcome equals a dimension of the environment,
 * such as the position before, or a number that is always the same. A sensor at the end of its range is treated in the
 * same way. A single Gaussian process for pushes and misses would have to bend at the edge between them and learn short
 * length-scales everywhere. With contact the GPs only learn from rows in which something moved: rows at rest have so
 * much noise that they have no influence, and offsets and scales are computed without them. A classifier learns the
 * chance p that something moves (feasibility/), and the reward is that of a mixture (failure_penalty.h):
 *
 *   mean := otherwise + p (mean - otherwise),     otherwise = the exact reward of the outcome at rest
 *
 * Descriptions with and without contact are compared at a resolution of e, a twentieth of the outcomes' spread. Neither
 * description gains anything by a higher precision. So rest that is exact to the last digit counts no more than rest
 * that is nearly constant. With r results at rest and q outcomes, contact explains these results by
 *
 *   log p(which rest) + r sum_q log N(0; 0, e_q^2)
 *
 * and the GPs explain the other results. Rest is proposed only if enough results are at rest, if rest returns after
 * results that moved, and if results that moved hardly ever have equal outcomes. */
#include "model/structures/doubts.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/feasibility/feasibility.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With fewer than LEAST_RESTING results at rest, their agreement may be a coincidence. With fewer than LEAST_MOVED
 * other results, the motion cannot be learnt. Rest must begin at least LEAST_RUNS times after a motion, because equal
 * results in a single run are those of a sensor that was dead for a while. */
enum { LEAST_RESTING = 3, LEAST_MOVED = 4, LEAST_RUNS = 2 };

/* Values count as equal if they differ by less than the share `exactly` of the outcome's range. At least the share
 * `own_values` of the results that moved must have an outcome that no other result has. */
static const double exactly = 1e-9, own_values = 0.8;

/* The noise of a row at rest, in units of the kernel's variance. It is so large that the row has no influence. */
static const double nothing_told = 1e6;

/* The value of one outcome at rest: that of a dimension of the environment, or a fixed number. */
typedef struct rest_value {
  double environment; /* index of the dimension; if -1, the value is `number` */
  double number, tolerance;
} rest_value;

/* The state of the structure: the values of all outcomes at rest. */
typedef struct rest {
  double outcomes;
  rest_value values[];
} rest;

static size_t rest_size(int outcomes)
{
  return sizeof(rest) + (size_t)outcomes * sizeof(rest_value);
}

static double value_at(const rest_value *value, const double *environment)
{
  return value->environment >= 0 ? environment[(int)value->environment] : value->number;
}

static bool rests(const void *state, const double *environment, const double *outcome)
{
  const rest *r = state;
  for (int j = 0; j < r->outcomes; j++)
    if (!(fabs(outcome[j] - value_at(r->values + j, environment)) <= r->values[j].tolerance)) return false;
  return r->outcomes > 0;
}

static void rest_outcome(const void *state, const double *environment, double *outcome)
{
  const rest *r = state;
  for (int j = 0; j < r->outcomes; j++)
    outcome[j] = value_at(r->values + j, environment);
}

static bool rests_row(const rest *r, const fcps_rollouts *rollouts, int row)
{
  return rests(r, fcps_rollouts_environment(rollouts, row), fcps_rollouts_outcome(rollouts, row));
}

/* -- Finding -- */

/* Finds the number that occurs most often among sorted numbers, up to the tolerance. Returns how often it occurs. */
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

/* Finds the value that outcome `j` has most often. A dimension of the environment is preferred to a fixed number,
 * because it explains more. `column` has room for all rollouts. */
static rest_value find_value(const fcps_look *look, int j, double *column)
{
  const int rows = look->rollouts->count;
  rest_value value = {.environment = -1};
  for (int i = 0; i < rows; i++)
    column[i] = fcps_rollouts_outcome(look->rollouts, i)[j];
  qsort(column, (size_t)rows, sizeof *column, fcps_number_compare);
  value.tolerance = exactly * (column[rows - 1] - column[0]);
  int most = find_mode(rows, column, value.tolerance, &value.number);
  for (int e = 0; e < look->layout->problem->environment.count; e++) {
    const int count = count_environment(look->rollouts, j, e, value.tolerance);
    if (count < LEAST_RESTING || count < most) continue;
    value.environment = e;
    most = count;
  }
  return value;
}

/* Whether an earlier row has the same environment and parameters. A repeated trial counts only once. */
static bool is_repetition(const fcps_rollouts *rollouts, int row)
{
  for (int i = 0; i < row; i++)
    if (fcps_rollouts_same_place(rollouts, i, row)) return true;
  return false;
}

/* Whether an earlier row that is not at rest has the same outcome. */
static bool has_double(const fcps_rollouts *t, const bool *resting, int row)
{
  for (int i = 0; i < row; i++)
    if (!resting[i] && memcmp(fcps_rollouts_outcome(t, i), fcps_rollouts_outcome(t, row),
                              (size_t)t->outcome_width * sizeof(double)) == 0)
      return true;
  return false;
}

/* Whether the outcome `r` is rest: enough results have it, it returns several times after a motion, and the other
 * results hardly ever have equal outcomes. Sets rests_here[i]. Rows of a dead sensor (`stuck`) do not count. */
static bool is_rest(const fcps_rollouts *t, const rest *r, const bool *stuck, bool *rests_here)
{
  int resting = 0, runs = 0, moved = 0, doubles = 0;
  bool has_just_moved = false;
  for (int i = 0; i < t->count; i++) {
    rests_here[i] = rests_row(r, t, i);
    if (stuck[i] || is_repetition(t, i)) continue;
    resting += rests_here[i] && moved > 0;
    runs += rests_here[i] && has_just_moved;
    moved += !rests_here[i];
    doubles += !rests_here[i] && has_double(t, rests_here, i);
    has_just_moved = !rests_here[i];
  }
  return resting >= LEAST_RESTING && runs >= LEAST_RUNS && moved >= LEAST_MOVED &&
         doubles <= (1.0 - own_values) * moved;
}

/* Finds the values of all outcomes at rest. `found` has 0 outcomes if the rollouts show no rest. */
static fcps_status find_rest(const fcps_look *look, rest *found)
{
  const fcps_rollouts *rollouts = look->rollouts;
  const int rows = rollouts->count, q = look->layout->outputs;
  found->outcomes = 0;
  double *column = fcps_allocate((size_t)rows, sizeof(double));
  bool *flags = fcps_allocate(2 * (size_t)rows, sizeof(bool));
  const bool has_room = column != NULL && flags != NULL;
  bool is_possible = has_room && rows >= LEAST_RESTING + LEAST_MOVED;
  for (int j = 0; j < q && is_possible; j++) {
    found->values[j] = find_value(look, j, column);
    int count = 0;
    for (int i = 0; i < rows; i++) {
      const double at = value_at(found->values + j, fcps_rollouts_environment(rollouts, i));
      count += fabs(fcps_rollouts_outcome(rollouts, i)[j] - at) <= found->values[j].tolerance;
    }
    is_possible = count >= LEAST_RESTING;
  }
  if (is_possible) {
    found->outcomes = q;
    if (look->y != NULL) fcps_stuck_find(look, flags); /* rows of a dead sensor are not at rest */
    if (!is_rest(rollouts, found, flags, flags + rows)) found->outcomes = 0;
  }
  free(column);
  free(flags);
  return has_room ? FCPS_OK : FCPS_ERR_MEMORY;
}

static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  rest *found = fcps_allocate(rest_size(look->layout->outputs), 1);
  if (found == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = find_rest(look, found);
  *count = status == FCPS_OK && found->outcomes > 0;
  if (*count > 0) status = fcps_structure_set(proposals, rest_size(look->layout->outputs), found);
  free(found);
  return status;
}

/* Computes the log evidence of the rows at rest: log p(which rows rest) plus the log density of their outcomes at the
 * given resolution. */
static fcps_status explain(const fcps_look *look, const void *state, int count, const int *source,
                           const double *resolution, double *nats)
{
  static const double half_log_two_pi = 0.9189385332046727;
  const rest *r = state;
  int resting = 0;
  const fcps_status status =
      fcps_feasibility_explain_movement(look, count, source, (fcps_rest_rule){rests, state}, nats);
  for (int i = 0; i < count; i++)
    resting += rests_row(r, look->rollouts, source[i]);
  for (int j = 0; j < r->outcomes; j++)
    *nats -= resting * (half_log_two_pi + log(fmax(resolution[j], 1e-300)));
  return status;
}

/* -- What it changes -- */

static fcps_status grow(fcps_look *look, fcps_structure *structure)
{
  const int rows = look->rollouts->count;
  double *noise = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++)
    noise[i] = rests_row(structure->state, look->rollouts, i) ? nothing_told : 0.0;
  for (int g = 0; g < look->gps->count && status == FCPS_OK; g++)
    status = fcps_gps_set_noise(look->gps, look->index, g, rows, noise, 0.0);
  free(noise);
  return status == FCPS_OK ? fcps_description_set_aside(look->description, look->layout, look->rollouts) : status;
}

/* -- Files and words -- */

static bool is_state(const fcps_look *look, int count, const double *numbers)
{
  const rest *r = (const rest *)numbers;
  const int q = look->layout->outputs, environments = look->layout->problem->environment.count;
  bool is_ok = look->layout->predicts_outcomes && count == 1 + 3 * q && r->outcomes == q;
  for (int j = 0; j < q && is_ok; j++) {
    const rest_value *v = r->values + j;
    is_ok = v->environment == floor(v->environment) && v->environment >= -1 && v->environment < environments &&
            v->tolerance >= 0;
  }
  return is_ok;
}

static char *describe(const fcps_look *look, const void *state, size_t size, char *text)
{
  int resting = 0;
  for (int i = 0; i < look->rollouts->count; i++)
    resting += rests_row(state, look->rollouts, i);
  snprintf(text, size,
           "at rest in %d of %d results (nothing moved, or a sensor at the end of its range): modelled separately",
           resting, look->rollouts->count);
  return text;
}

const fcps_structure_kind fcps_structure_contact = {.name = "contact",
                                                    .needs_whole = true,
                                                    .least_rows = LEAST_RESTING + LEAST_MOVED,
                                                    .resolution = 0.05,
                                                    .propose = propose,
                                                    .explain = explain,
                                                    .rests = rests,
                                                    .rest = rest_outcome,
                                                    .judges_values = true,
                                                    .grow = grow,
                                                    .is_state = is_state,
                                                    .describe = describe};
