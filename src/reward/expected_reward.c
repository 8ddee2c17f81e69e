/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards of uncertain outcomes: rows for the reward function, sums over the nodes of the quadrature, and their
 * gradients. The closed form for distances is in distance_form.c.
 *
 * Gradients go through the reparameterization o = m + s z: at node k
 *
 *   dR_k/dx = (dR/do)' (dm/dx + z_k ds/dx) + dR/dx,     s_j = scale_j sqrt(variance_j)
 *
 * with the problem's own derivatives. If the problem has no derivatives, central differences are used, of all nodes and
 * of several points in one call.
 *
 * Invariants: rows are filled before the reward function is called with at most `capacity` of them; a reward that is
 * NaN counts as the worst. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "reward/expected_reward_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The step of central differences, in the unit cube and in outcome scales. */
static const double step = 1e-5;

/* There is room for at least this many rows in one call of the reward. */
enum { LEAST_ROWS = 2048 };

static bool allocate(fcps_expected_reward *s)
{
  const fcps_problem *problem = s->problem;
  const size_t q = (size_t)s->outcomes, p = (size_t)s->parameters, e = (size_t)problem->environment.count;
  const size_t nodes = (size_t)s->quadrature.count;
  const size_t differences = nodes * (1 + 2 * q + 2 * p); /* a gradient by differences is one call */
  const size_t rows = differences > LEAST_ROWS ? differences : LEAST_ROWS;
  s->capacity = (int)rows;
  s->target = fcps_allocate((size_t)problem->target.count, sizeof(double));
  s->typical = fcps_allocate(q, sizeof(double));
  s->scale = fcps_allocate(q, sizeof(double));
  s->row_environments = fcps_allocate(rows * e, sizeof(double));
  s->row_parameters = fcps_allocate(rows * p, sizeof(double));
  s->row_outcomes = fcps_allocate(rows * q, sizeof(double));
  s->row_rewards = fcps_allocate(rows, sizeof(double));
  s->all_present = fcps_allocate(rows, sizeof(bool));
  s->none_present = fcps_allocate(rows, sizeof(bool));
  s->node_rewards = fcps_allocate(nodes, sizeof(double));
  s->node_gradients = fcps_allocate(nodes * p, sizeof(double));
  s->outcome_gradients = fcps_allocate(nodes * q, sizeof(double));
  s->parameter_gradients = fcps_allocate(nodes * p, sizeof(double));
  s->parameter_slopes = fcps_allocate(p, sizeof(double));
  s->middle = fcps_allocate(p, sizeof(double));
  return s->target != NULL && s->typical != NULL && s->scale != NULL && s->row_environments != NULL &&
         s->row_parameters != NULL && s->row_outcomes != NULL && s->row_rewards != NULL && s->all_present != NULL &&
         s->none_present != NULL && s->node_rewards != NULL && s->node_gradients != NULL &&
         s->outcome_gradients != NULL && s->parameter_gradients != NULL && s->parameter_slopes != NULL &&
         s->middle != NULL;
}

static void fill(fcps_expected_reward *s, const double *target, const double *scale, const double *typical)
{
  const size_t q = (size_t)s->outcomes, t = (size_t)s->problem->target.count;
  if (t > 0) memcpy(s->target, target, t * sizeof(double));
  memcpy(s->scale, scale, q * sizeof(double));
  memcpy(s->typical, typical, q * sizeof(double));
  for (int i = 0; i < s->capacity; i++)
    s->all_present[i] = true;
}

fcps_status fcps_expected_reward_create(fcps_expected_reward **expected_reward, const fcps_problem *problem,
                                        const double *target, const double *environment, const double *scale,
                                        const double *typical, double worst, fcps_expected_reward_path path,
                                        fcps_error *error)
{
  *expected_reward = NULL;
  fcps_expected_reward *s = fcps_allocate(1, sizeof *s);
  if (s == NULL) return fcps_error_memory(error);
  s->problem = problem;
  s->outcomes = problem->outcome.count;
  s->parameters = problem->parameters.count;
  s->path = path;
  s->worst = worst;
  s->formula = fcps_reward_formula_of(problem);
  fcps_status status = fcps_quadrature_create(&s->quadrature, s->outcomes);
  if (status == FCPS_OK && !allocate(s)) status = FCPS_ERR_MEMORY;
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  if (status == FCPS_OK) {
    fill(s, target, scale, typical);
    status = fcps_expected_reward_set_environments(s, 1, environment, error);
  }
  if (status != FCPS_OK) {
    fcps_expected_reward_destroy(s);
    return status;
  }
  *expected_reward = s;
  return FCPS_OK;
}

static void free_environments(fcps_expected_reward *s)
{
  for (int i = 0; i < s->environment_count; i++)
    fcps_distance_form_destroy(&s->forms[i]);
  free(s->forms);
  free(s->environments);
}

fcps_status fcps_expected_reward_set_environments(fcps_expected_reward *s, int count, const double *environments,
                                                  fcps_error *error)
{
  const size_t size = (size_t)count * (size_t)s->problem->environment.count;
  fcps_distance_form *forms = fcps_allocate((size_t)count, sizeof *forms);
  double *copy = fcps_allocate(size, sizeof(double));
  if (forms == NULL || copy == NULL) {
    free(forms);
    free(copy);
    return fcps_error_memory(error);
  }
  if (size > 0) memcpy(copy, environments, size * sizeof(double));
  free_environments(s);
  s->environment_count = count;
  s->forms = forms;
  s->form = NULL;
  s->environments = copy;
  fcps_status status = FCPS_OK;
  for (int i = count - 1; i >= 0; i--) { /* backwards, so that the first environment is selected at the end */
    fcps_expected_reward_select_environment(s, i);
    if (status == FCPS_OK && s->path == FCPS_EXPECTED_REWARD_AUTO) status = fcps_distance_form_find(s, error);
  }
  return status;
}

void fcps_expected_reward_select_environment(fcps_expected_reward *s, int environment_index)
{
  if (s->form == &s->forms[environment_index]) return;
  s->form = &s->forms[environment_index];
  s->environment = s->environments + (size_t)environment_index * (size_t)s->problem->environment.count;
  s->filled = 0;
  s->sum = NULL;
}

void fcps_expected_reward_destroy(fcps_expected_reward *s)
{
  if (s == NULL) return;
  fcps_quadrature_destroy(&s->quadrature);
  fcps_expected_reward_free_sums(s);
  free_environments(s);
  free(s->target);
  free(s->typical);
  free(s->scale);
  free(s->row_environments);
  free(s->row_parameters);
  free(s->row_outcomes);
  free(s->row_rewards);
  free(s->all_present);
  free(s->none_present);
  free(s->node_rewards);
  free(s->node_gradients);
  free(s->outcome_gradients);
  free(s->parameter_gradients);
  free(s->parameter_slopes);
  free(s->middle);
  free(s->ahead);
  free(s);
}

void fcps_expected_reward_set_target(fcps_expected_reward *s, const double *target, double worst)
{
  const size_t count = (size_t)s->problem->target.count;
  if (count > 0 && memcmp(s->target, target, count * sizeof(double)) != 0) {
    memcpy(s->target, target, count * sizeof(double));
    s->sum = NULL;
  }
  s->worst = worst;
}

void fcps_expected_reward_set_hopes(fcps_expected_reward *expected_reward, bool hopes)
{
  expected_reward->hopes = hopes;
}

bool fcps_expected_reward_is_closed(const fcps_expected_reward *expected_reward)
{
  return expected_reward->form->k > 0;
}

bool fcps_expected_reward_is_closed_everywhere(const fcps_expected_reward *expected_reward)
{
  for (int i = 0; i < expected_reward->environment_count; i++)
    if (expected_reward->forms[i].k == 0) return false;
  return true;
}

const double *fcps_expected_reward_environments(fcps_expected_reward *s, int count)
{
  const size_t e = (size_t)s->problem->environment.count;
  for (; s->filled < count; s->filled++)
    if (e > 0) memcpy(s->row_environments + (size_t)s->filled * e, s->environment, e * sizeof(double));
  return s->row_environments;
}

fcps_status fcps_expected_reward_rows(fcps_expected_reward *s, int count, const double *target, const bool *present,
                                      fcps_error *error)
{
  const fcps_sum_form *sum = target == s->target ? fcps_expected_reward_sum(s) : NULL;
  if (sum != NULL && fcps_expected_reward_sum_rows(s, present == s->all_present ? &sum->whole : &sum->absent, count))
    return FCPS_OK;
  const fcps_status status = fcps_problem_score(s->problem, count, target, fcps_expected_reward_environments(s, count),
                                                s->row_parameters, s->row_outcomes, present, s->row_rewards, error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (isnan(s->row_rewards[i])) s->row_rewards[i] = s->worst;
  return status;
}

void fcps_expected_reward_set_parameters(fcps_expected_reward *s, int row, const double *x)
{
  fcps_space_from_unit(&s->problem->parameters, x, s->row_parameters + (size_t)row * (size_t)s->parameters);
}

/* Writes the outcome at node `node` for a mean and variances (one for all outcomes, or one for each). Each outcome is
 * clipped to its bounds. `is_free` (may be NULL) receives for each outcome whether it was not clipped. */
static void place_node(const fcps_expected_reward *s, int node, const double *mean, const double *variances,
                       int gp_count, double *outcome, bool *is_free)
{
  const double *z = s->quadrature.nodes + (size_t)node * (size_t)s->outcomes;
  double deviation = sqrt(variances[0]);
  for (int j = 0; j < s->outcomes; j++) {
    if (gp_count > 1) deviation = sqrt(variances[j]);
    const double value = mean[j] + s->scale[j] * deviation * z[j];
    outcome[j] = fcps_dimension_clip(s->problem->outcome.dims + j, value);
    if (is_free != NULL) is_free[j] = outcome[j] == value;
  }
}

/* Computes two numbers from the rewards at the nodes of one point. */
typedef void reduce_fn(const fcps_expected_reward *s, const double *rewards, const fcps_utility *utility, double *first,
                       double *second);

static void reduce_moments(const fcps_expected_reward *s, const double *rewards, const fcps_utility *utility,
                           double *mean, double *deviation)
{
  (void)utility;
  const double *w = s->quadrature.weights;
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < s->quadrature.count; k++)
    sum += w[k] * rewards[k];
  for (int k = 0; k < s->quadrature.count; k++)
    squares += w[k] * (rewards[k] - sum) * (rewards[k] - sum);
  *mean = sum;
  if (deviation != NULL) *deviation = sqrt(squares);
}

static void reduce_utility(const fcps_expected_reward *s, const double *rewards, const fcps_utility *utility,
                           double *value, double *unused)
{
  (void)unused;
  *value = 0.0;
  for (int k = 0; k < s->quadrature.count; k++)
    *value += s->quadrature.weights[k] * utility->of_reward(utility->user, rewards[k], NULL);
}

/* Scores the nodes of all points. Each call of the reward takes as many points as the rows have room for. */
static fcps_status score_nodes(fcps_expected_reward *s, const fcps_outcomes *o, reduce_fn *reduce,
                               const fcps_utility *utility, double *first, double *second, fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, gps = o->gp_count > 1 ? q : 1;
  const int nodes = s->quadrature.count, at_once = s->capacity / nodes;
  for (int start = 0; start < o->count; start += at_once) {
    const int block = o->count - start < at_once ? o->count - start : at_once;
    for (int i = 0; i < block; i++) {
      const size_t point = (size_t)(start + i), base = (size_t)i * (size_t)nodes;
      fcps_expected_reward_set_parameters(s, i * nodes, o->x + point * p);
      for (int k = 0; k < nodes; k++) {
        if (k > 0) memcpy(s->row_parameters + (base + (size_t)k) * p, s->row_parameters + base * p, p * sizeof(double));
        place_node(s, k, o->means + point * q, o->variances + point * gps, o->gp_count,
                   s->row_outcomes + (base + (size_t)k) * q, NULL);
      }
    }
    const fcps_status status = fcps_expected_reward_rows(s, block * nodes, s->target, s->all_present, error);
    if (status != FCPS_OK) return status;
    for (int i = 0; i < block; i++)
      reduce(s, s->row_rewards + (size_t)i * (size_t)nodes, utility, first + start + i,
             second != NULL ? second + start + i : NULL);
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_node_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                              double *deviation, fcps_error *error)
{
  return score_nodes(s, outcomes, reduce_moments, NULL, mean, deviation, error);
}

fcps_status fcps_expected_reward_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                         double *deviation, fcps_error *error)
{
  if (fcps_expected_reward_is_closed(s)) return fcps_distance_form_moments(s, outcomes, mean, deviation, error);
  const fcps_sum_form *sum = fcps_expected_reward_sum(s);
  if (sum == NULL) return fcps_expected_reward_node_moments(s, outcomes, mean, deviation, error);
  const fcps_status status = fcps_sum_form_moments(s, sum, outcomes, mean, deviation, error);
  return status == FCPS_OK && s->hopes && deviation != NULL && sum->branches != NULL
             ? fcps_sum_branches_hope(s, sum, outcomes, mean, deviation, error)
             : status;
}

void fcps_expected_reward_curvature(fcps_expected_reward *s, const fcps_outcome_slope *at, double *own, double *weights)
{
  const fcps_sum_form *sum = fcps_expected_reward_sum(s);
  if (sum != NULL)
    fcps_sum_form_curvature(s, sum, at, own, weights);
  else
    fcps_distance_form_curvature(s, at, own, weights);
}

fcps_status fcps_expected_reward_utility(fcps_expected_reward *s, const fcps_outcomes *outcomes,
                                         const fcps_utility *utility, double *values, fcps_error *error)
{
  return score_nodes(s, outcomes, reduce_utility, utility, values, NULL, error);
}

/* Computes the rewards of `count` points with given outcomes; without an outcome if `outcomes` is NULL. */
static fcps_status score_points(fcps_expected_reward *s, int count, const double *x, const double *outcomes,
                                double *rewards, fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes;
  for (int start = 0; start < count; start += s->capacity) {
    const int block = count - start < s->capacity ? count - start : s->capacity;
    for (int i = 0; i < block; i++)
      fcps_expected_reward_set_parameters(s, i, x + (size_t)(start + i) * p);
    if (outcomes != NULL)
      memcpy(s->row_outcomes, outcomes + (size_t)start * q, (size_t)block * q * sizeof(double));
    else
      memset(s->row_outcomes, 0, (size_t)block * q * sizeof(double));
    const fcps_status status =
        fcps_expected_reward_rows(s, block, s->target, outcomes != NULL ? s->all_present : s->none_present, error);
    if (status != FCPS_OK) return status;
    memcpy(rewards + start, s->row_rewards, (size_t)block * sizeof(double));
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_exact(fcps_expected_reward *s, int count, const double *x, const double *outcomes,
                                       double *rewards, fcps_error *error)
{
  return score_points(s, count, x, outcomes, rewards, error);
}

fcps_status fcps_expected_reward_absent(fcps_expected_reward *s, int count, const double *x, double *rewards,
                                        fcps_error *error)
{
  return score_points(s, count, x, NULL, rewards, error);
}

fcps_status fcps_expected_reward_has_value(fcps_expected_reward *s, const double *x, const double *outcome,
                                           bool *has_value, fcps_error *error)
{
  fcps_expected_reward_set_parameters(s, 0, x);
  for (int j = 0; j < s->outcomes; j++)
    s->row_outcomes[j] = fcps_dimension_clip(s->problem->outcome.dims + j, outcome[j]);
  const fcps_status status =
      fcps_problem_score(s->problem, 1, s->target, fcps_expected_reward_environments(s, 1), s->row_parameters,
                         s->row_outcomes, s->all_present, s->row_rewards, error);
  *has_value = status != FCPS_OK || !isnan(s->row_rewards[0]);
  return status;
}

/* -- Gradients -- */

/* Computes the derivatives of the parameters by x. They are 0 for a parameter with steps: rewards then have steps
 * too. */
void fcps_expected_reward_find_parameter_slopes(fcps_expected_reward *s)
{
  const double *parameters = s->row_parameters;
  for (int d = 0; d < s->parameters; d++) {
    const fcps_dimension *dim = s->problem->parameters.dims + d;
    s->parameter_slopes[d] = fcps_dimension_step(dim) > 0   ? 0.0
                             : dim->scale == FCPS_SCALE_LOG ? parameters[d] * log(dim->upper / dim->lower)
                                                            : fcps_dimension_span(dim);
  }
}

/* Returns a coordinate moved by a step within the cube, so steps forward and back may differ in length. */
static double moved(double x, double by)
{
  return fmin(fmax(x + by, 0.0), 1.0);
}
static double width_of(double x)
{
  return (moved(x, step) - x) - (moved(x, -step) - x);
}

/* copy_parameters copies the parameters of row `of` to row `row`. place_moved also changes coordinate d to `x`, and
 * then scales only this coordinate back to its parameter. */
static void copy_parameters(fcps_expected_reward *s, int of, int row)
{
  const size_t p = (size_t)s->parameters;
  if (row != of) memcpy(s->row_parameters + (size_t)row * p, s->row_parameters + (size_t)of * p, p * sizeof(double));
}
static void place_moved(fcps_expected_reward *s, int of, int row, int d, double x)
{
  const fcps_space axis = {1, s->problem->parameters.dims + d};
  copy_parameters(s, of, row);
  fcps_space_from_unit(&axis, &x, s->row_parameters + (size_t)row * (size_t)s->parameters + d);
}

/* Calls the problem's gradient for the first `count` rows. Derivatives that are not finite become 0. */
static fcps_status call_gradient(fcps_expected_reward *s, int count, const double *target, double *by_outcome,
                                 double *by_parameters, fcps_error *error)
{
  const fcps_problem *problem = s->problem;
  const fcps_status status =
      problem->gradient(problem->user, count, target, fcps_expected_reward_environments(s, count), s->row_parameters,
                        s->row_outcomes, by_outcome, by_parameters);
  if (status != FCPS_OK) return fcps_callbacks_fail(problem, FCPS_CALLBACK_GRADIENT, status, error);
  fcps_expected_reward_find_parameter_slopes(s);
  for (int i = 0; i < count * s->outcomes; i++)
    if (!isfinite(by_outcome[i])) by_outcome[i] = 0.0;
  for (int i = 0; i < count * s->parameters; i++) {
    by_parameters[i] *= s->parameter_slopes[i % s->parameters];
    if (!isfinite(by_parameters[i])) by_parameters[i] = 0.0;
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_parameter_gradient(fcps_expected_reward *s, const double *target,
                                                    const double *outcome, const double *x, double *gradient,
                                                    fcps_error *error)
{
  const int p = s->parameters;
  const size_t q = (size_t)s->outcomes;
  if (outcome != NULL && s->problem->gradient != NULL) {
    fcps_expected_reward_set_parameters(s, 0, x);
    memcpy(s->row_outcomes, outcome, q * sizeof(double));
    return call_gradient(s, 1, target, s->outcome_gradients, gradient, error);
  }
  fcps_expected_reward_set_parameters(s, 0, x);
  const fcps_sum_form *sum = outcome == NULL && target == s->target ? fcps_expected_reward_sum(s) : NULL;
  if (sum != NULL) {
    fcps_expected_reward_find_parameter_slopes(s);
    if (fcps_expected_reward_sum_slopes(s, &sum->absent, 1, NULL, gradient)) return FCPS_OK;
  }
  for (int row = 2 * p - 1; row >= 0; row--) { /* row 0 comes last, because all others are copies of it */
    place_moved(s, 0, row, row / 2, moved(x[row / 2], row % 2 == 0 ? step : -step));
    if (outcome != NULL)
      memcpy(s->row_outcomes + (size_t)row * q, outcome, q * sizeof(double));
    else
      memset(s->row_outcomes + (size_t)row * q, 0, q * sizeof(double));
  }
  const fcps_status status =
      fcps_expected_reward_rows(s, 2 * p, target, outcome != NULL ? s->all_present : s->none_present, error);
  for (int d = 0; d < p && status == FCPS_OK; d++)
    gradient[d] = (s->row_rewards[2 * d] - s->row_rewards[2 * d + 1]) / width_of(x[d]);
  return status;
}

fcps_status fcps_expected_reward_outcome_gradient(fcps_expected_reward *s, const double *outcome, const double *x,
                                                  double *gradient, fcps_error *error)
{
  return fcps_expected_reward_parameter_gradient(s, s->target, outcome, x, gradient, error);
}

fcps_status fcps_expected_reward_absent_gradient(fcps_expected_reward *s, const double *x, double *reward,
                                                 double *gradient, fcps_error *error)
{
  const fcps_status status = fcps_expected_reward_parameter_gradient(s, s->target, NULL, x, gradient, error);
  return status == FCPS_OK ? fcps_expected_reward_absent(s, 1, x, reward, error) : status;
}

/* Writes the nodes of one point to the rows from number `base` on. */
static void place_nodes(fcps_expected_reward *s, int base, const fcps_outcome_slope *at)
{
  fcps_expected_reward_set_parameters(s, base, at->x);
  for (int k = 0; k < s->quadrature.count; k++) {
    copy_parameters(s, base, base + k);
    place_node(s, k, at->mean, at->variances, at->gp_count, s->row_outcomes + (size_t)(base + k) * (size_t)s->outcomes,
               NULL);
  }
}

/* The number of rows of a gradient by differences: the nodes, and, for each outcome and parameter, the nodes moved
 * forward and moved back. */
static int rows_of_differences(const fcps_expected_reward *s)
{
  return s->quadrature.count * (1 + 2 * s->outcomes + 2 * s->parameters);
}
static void place_differences(fcps_expected_reward *s, int base, const double *x)
{
  const int nodes = s->quadrature.count, q = s->outcomes, p = s->parameters;
  for (int side = 0; side < 2 * (q + p); side++)
    for (int k = 0; k < nodes; k++) {
      const int row = base + (1 + side) * nodes + k, d = side / 2;
      const double by = side % 2 == 0 ? step : -step;
      double *outcome = s->row_outcomes + (size_t)row * (size_t)q;
      memcpy(outcome, s->row_outcomes + (size_t)(base + k) * (size_t)q, (size_t)q * sizeof(double));
      if (d < q) {
        outcome[d] += by * s->scale[d];
        copy_parameters(s, base, row);
      } else {
        place_moved(s, base, row, d - q, moved(x[d - q], by));
      }
    }
}

/* Makes room for `count` rewards that are computed ahead of their use. Returns false if there is no memory; they are
 * then computed at their use. */
static bool reserve_ahead(fcps_expected_reward *s, size_t count)
{
  if (count <= s->ahead_capacity) return true;
  free(s->ahead);
  s->ahead = fcps_allocate(count, sizeof(double));
  s->ahead_capacity = s->ahead != NULL ? count : 0;
  return s->ahead != NULL;
}

fcps_status fcps_expected_reward_ahead(fcps_expected_reward *s, const fcps_outcomes *outcomes, fcps_error *error)
{
  const int rows = rows_of_differences(s), at_once = s->capacity / rows;
  const int p = s->parameters, q = s->outcomes, gps = outcomes->gp_count > 1 ? q : 1;
  s->ahead_count = 0;
  if (outcomes->count < 2 || at_once < 2 || s->formula != NULL || s->problem->gradient != NULL ||
      fcps_expected_reward_is_closed(s) || !reserve_ahead(s, (size_t)outcomes->count * (size_t)rows))
    return FCPS_OK;
  for (int start = 0; start < outcomes->count; start += at_once) {
    const int block = outcomes->count - start < at_once ? outcomes->count - start : at_once;
    for (int i = 0; i < block; i++) {
      const int point = start + i;
      const fcps_outcome_slope at = {.x = outcomes->x + point * p,
                                     .mean = outcomes->means + point * q,
                                     .variances = outcomes->variances + point * gps,
                                     .gp_count = outcomes->gp_count};
      place_nodes(s, i * rows, &at);
      place_differences(s, i * rows, at.x);
    }
    const fcps_status status = fcps_expected_reward_rows(s, block * rows, s->target, s->all_present, error);
    if (status != FCPS_OK) return status;
    memcpy(s->ahead + (size_t)start * (size_t)rows, s->row_rewards, (size_t)(block * rows) * sizeof(double));
  }
  s->ahead_count = outcomes->count;
  return FCPS_OK;
}

/* Scores the nodes, and the nodes moved forward and back. The rows of the nodes must be filled. */
static fcps_status score_differences(fcps_expected_reward *s, const fcps_outcome_slope *at, fcps_error *error)
{
  const int rows = rows_of_differences(s);
  if (at->place > 0 && at->place <= s->ahead_count) {
    memcpy(s->row_rewards, s->ahead + (size_t)(at->place - 1) * (size_t)rows, (size_t)rows * sizeof(double));
    return FCPS_OK;
  }
  place_differences(s, 0, at->x);
  return fcps_expected_reward_rows(s, rows, s->target, s->all_present, error);
}

static fcps_status differences(fcps_expected_reward *s, const fcps_outcome_slope *at, fcps_error *error)
{
  const int nodes = s->quadrature.count, q = s->outcomes, p = s->parameters;
  const fcps_status status = score_differences(s, at, error);
  if (status != FCPS_OK) return status;
  for (int d = 0; d < q + p; d++) {
    const double width = d < q ? 2.0 * step * s->scale[d] : width_of(at->x[d - q]);
    const double *plus = s->row_rewards + (1 + 2 * d) * nodes, *minus = plus + nodes;
    for (int k = 0; k < nodes; k++) {
      const double slope = (plus[k] - minus[k]) / width;
      if (d < q)
        s->outcome_gradients[k * q + d] = slope;
      else
        s->parameter_gradients[k * p + d - q] = slope;
    }
  }
  return FCPS_OK;
}

/* Computes reward and gradient at every node of one point. */
static fcps_status nodes_at(fcps_expected_reward *s, const fcps_outcome_slope *at, fcps_error *error)
{
  const int nodes = s->quadrature.count, q = s->outcomes, p = s->parameters;
  place_nodes(s, 0, at);
  fcps_status status = FCPS_OK;
  const fcps_sum_form *sum = fcps_expected_reward_sum(s);
  fcps_expected_reward_find_parameter_slopes(s);
  if (sum != NULL &&
      fcps_expected_reward_sum_slopes(s, &sum->whole, nodes, s->outcome_gradients, s->parameter_gradients)) {
    /* the rewards were computed ahead */
  } else if (s->problem->gradient != NULL) {
    status = fcps_expected_reward_rows(s, nodes, s->target, s->all_present, error);
    if (status == FCPS_OK)
      status = call_gradient(s, nodes, s->target, s->outcome_gradients, s->parameter_gradients, error);
  } else {
    status = differences(s, at, error);
  }
  if (status != FCPS_OK) return status;

  memcpy(s->node_rewards, s->row_rewards, (size_t)nodes * sizeof(double));
  memcpy(s->node_gradients, s->parameter_gradients, (size_t)(nodes * p) * sizeof(double));
  for (int k = 0; k < nodes; k++) {
    double outcome[FCPS_SPACE_MAX];
    bool is_free[FCPS_SPACE_MAX];
    place_node(s, k, at->mean, at->variances, at->gp_count, outcome, is_free);
    for (int j = 0; j < q; j++) {
      if (!is_free[j]) continue; /* a clipped outcome does not change with the parameters */
      const double slope = s->outcome_gradients[k * q + j];
      const int gp = at->gp_count > 1 ? j : 0;
      const double *by_variance = at->variance_gradients + gp * p;
      const double spread = s->quadrature.nodes[k * q + j] * s->scale[j] / (2.0 * sqrt(at->variances[gp]));
      for (int d = 0; d < p; d++)
        s->node_gradients[k * p + d] += slope * (at->mean_gradients[j * p + d] + spread * by_variance[d]);
    }
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at, double *mean,
                                          double *deviation, double *mean_gradient, double *deviation_gradient,
                                          fcps_error *error)
{
  if (fcps_expected_reward_is_closed(s))
    return fcps_distance_form_gradient(s, at, mean, deviation, mean_gradient, deviation_gradient, error);
  const fcps_sum_form *sum = fcps_expected_reward_sum(s);
  if (sum != NULL && fcps_sum_form_gradient(s, sum, at, mean, deviation, mean_gradient, deviation_gradient)) {
    if (s->hopes && sum->branches != NULL)
      fcps_sum_branches_hope_gradient(s, sum, at, *mean, deviation, deviation_gradient);
    return FCPS_OK;
  }
  const fcps_status status = nodes_at(s, at, error);
  if (status != FCPS_OK) return status;
  const int nodes = s->quadrature.count, p = s->parameters;
  const double *w = s->quadrature.weights, *r = s->node_rewards;
  double squares = 0.0;
  *mean = 0.0;
  for (int k = 0; k < nodes; k++)
    *mean += w[k] * r[k];
  for (int k = 0; k < nodes; k++)
    squares += w[k] * (r[k] - *mean) * (r[k] - *mean);
  *deviation = sqrt(squares);
  for (int d = 0; d < p; d++) {
    double first = 0.0, second = 0.0;
    for (int k = 0; k < nodes; k++) {
      first += w[k] * s->node_gradients[k * p + d];
      second += w[k] * (r[k] - *mean) * s->node_gradients[k * p + d];
    }
    mean_gradient[d] = first;
    if (deviation_gradient != NULL) deviation_gradient[d] = *deviation > 0 ? second / *deviation : 0.0;
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_utility_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at,
                                                  const fcps_utility *utility, double *value, double *gradient,
                                                  fcps_error *error)
{
  const fcps_status status = nodes_at(s, at, error);
  if (status != FCPS_OK) return status;
  const int p = s->parameters;
  *value = 0.0;
  memset(gradient, 0, (size_t)p * sizeof(double));
  for (int k = 0; k < s->quadrature.count; k++) {
    double slope;
    const double w = s->quadrature.weights[k];
    *value += w * utility->of_reward(utility->user, s->node_rewards[k], &slope);
    if (slope == 0.0) continue;
    for (int d = 0; d < p; d++)
      gradient[d] += w * slope * s->node_gradients[k * p + d];
  }
  return FCPS_OK;
}
