/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards that are a distance plus terms in environment and parameters,
 *
 *   R = -|target - achieved(o)| + terms,      achieved(o) = A o + b,   A S (A S)' = c^2 I,
 *
 * with the scales S of the outcomes. If every outcome is uncertain by one unit of its scale, the achieved target is
 * then equally uncertain in every direction. The problem only says that its reward is a distance. A and b follow from
 * calling `achieved` at a few outcomes, and the terms from the reward of an outcome that achieves its target exactly.
 * If the problem does not have this form (`achieved` is not such a map, outcomes have other scales, or the reward is
 * not such a sum), the sum over nodes is used. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "reward/expected_reward.h"
#include "reward/expected_reward_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- The distance to an uncertain point -- */

/* Moments of the distance to an uncertain point: a scaled noncentral chi variable with k degrees of freedom.
 *
 * With lambda = d/s and E = E|delta + s z| the derivatives are short. E is homogeneous in (d, s), so E = d E_d + s E_s
 * by Euler's theorem:
 *
 *   k = 1   E_d = erf(lambda/sqrt 2)                       E_s = sqrt(2/pi) exp(-lambda^2/2)
 *   k = 2   E_d = sqrt(pi/8) lambda (I0e(x) + I1e(x))      E_s = sqrt(pi/2) I0e(x),     x = lambda^2/4
 *   k = 3   E_d = (1 - 1/lambda^2) erf(lambda/sqrt 2) + sqrt(2/pi) exp(-lambda^2/2)/lambda
 *                                                          E_s = (2/lambda) erf(lambda/sqrt 2)
 *
 * I0e and I1e are exp(-x) times the modified Bessel functions. The second moment is d^2 + k s^2. */
static const double pi = 3.14159265358979323846;

/* exp(-x) I_order(x) for order 0 or 1, by the power series. The asymptotic series is used if it is exact up to rounding
 * [abramowitz1964, 9.6.10 and 9.7.1]. */
static double scaled_bessel(int order, double x)
{
  double term = 1.0, sum = 1.0;
  if (x < 20.0) {
    const double quarter = x * x / 4.0;
    for (int i = 1; term > 1e-17 * sum; i++) {
      term *= quarter / (i * (i + order));
      sum += term;
    }
    return sum * exp(-x) * (order == 0 ? 1.0 : x / 2.0);
  }
  const double mu = 4.0 * order * order;
  for (int i = 1; i < 30; i++) {
    const double odd = 2.0 * i - 1.0;
    term *= -(mu - odd * odd) / (i * 8.0 * x);
    sum += term;
    if (fabs(term) < 1e-17 * fabs(sum)) break;
  }
  return sum / sqrt(2.0 * pi * x);
}

static void slopes(int k, double lambda, double *slope_d, double *slope_s)
{
  const double tail = sqrt(2.0 / pi) * exp(-0.5 * lambda * lambda);
  if (k == 1) {
    *slope_d = erf(lambda / sqrt(2.0));
    *slope_s = tail;
  } else if (k == 2) {
    const double x = lambda * lambda / 4.0, i0 = scaled_bessel(0, x), i1 = scaled_bessel(1, x);
    *slope_d = sqrt(pi / 8.0) * lambda * (i0 + i1);
    *slope_s = sqrt(pi / 2.0) * i0;
  } else if (lambda < 1e-3) {
    /* uses the first terms of the series, because the closed form divides by lambda */
    *slope_d = sqrt(2.0 / pi) * 2.0 * lambda / 3.0;
    *slope_s = sqrt(2.0 / pi) * 2.0 * (1.0 - lambda * lambda / 6.0);
  } else {
    const double inside = erf(lambda / sqrt(2.0));
    *slope_d = (1.0 - 1.0 / (lambda * lambda)) * inside + tail / lambda;
    *slope_s = 2.0 / lambda * inside;
  }
}

fcps_distance fcps_distance_moments(int k, double d, double s)
{
  fcps_distance m;
  slopes(k, d / s, &m.mean_d, &m.mean_s);
  m.mean = d * m.mean_d + s * m.mean_s;

  /* far away only the component along delta matters; the formula d^2 + k s^2 - E^2 would subtract large numbers */
  if (d > 1e4 * s) {
    m.deviation = s;
    m.deviation_d = 0.0;
    m.deviation_s = 1.0;
    return m;
  }
  m.deviation = sqrt(fmax(d * d + k * s * s - m.mean * m.mean, 1e-300));
  m.deviation_d = (d - m.mean * m.mean_d) / m.deviation;
  m.deviation_s = (k * s - m.mean * m.mean_s) / m.deviation;
  return m;
}

/* -- The form -- */

/* Relative differences up to this one count as rounding errors. */
static const double rounding = 1e-9;

/* Calls `achieved` at some outcomes: the reference, and the reference moved along each axis and along all axes. */
static fcps_status probe(fcps_expected_reward *s, double *targets, fcps_error *error)
{
  const fcps_distance_form *form = s->form;
  const fcps_problem *problem = s->problem;
  const int q = s->outcomes;
  for (int row = 0; row < q + 2; row++)
    for (int j = 0; j < q; j++)
      s->row_outcomes[row * q + j] = form->reference[j] + (row == j + 1   ? s->scale[j]
                                                           : row == q + 1 ? 0.3 * (j + 1) * s->scale[j]
                                                                          : 0.0);
  const fcps_status status =
      problem->achieved(problem->user, q + 2, fcps_expected_reward_environments(s, q + 2), s->row_outcomes, targets);
  return status == FCPS_OK ? FCPS_OK : fcps_callbacks_fail(problem, FCPS_CALLBACK_ACHIEVED, status, error);
}

/* Computes map and offset from these calls. Returns true if the last call agrees with them, and if the rows of the map
 * are orthogonal and equally long. */
static bool fit_map(fcps_expected_reward *s, int k, const double *targets)
{
  fcps_distance_form *form = s->form;
  const int q = s->outcomes;
  double size = 0.0;
  for (int i = 0; i < k; i++) {
    double predicted = targets[i], reach = 0.0; /* reach: how far these calls move the target */
    form->offset[i] = targets[i];
    for (int j = 0; j < q; j++) {
      const double slope = (targets[(j + 1) * k + i] - targets[i]) / s->scale[j];
      form->map[i * q + j] = slope;
      form->offset[i] -= slope * form->reference[j];
      predicted += slope * 0.3 * (j + 1) * s->scale[j];
      reach += fabs(slope) * s->scale[j];
    }
    const double found = targets[(q + 1) * k + i];
    if (!(fabs(found - predicted) <= rounding * (fabs(found) + fabs(predicted) + reach))) return false;
  }
  for (int i = 0; i < k; i++)
    for (int l = 0; l <= i; l++) {
      double product = 0.0;
      for (int j = 0; j < q; j++)
        product += form->map[i * q + j] * form->map[l * q + j] * pow(s->scale[j] / s->scale[0], 2.0);
      if (i == 0) size = product;
      if (!(fabs(product - (i == l ? size : 0.0)) <= 1e-6 * size)) return false;
    }
  form->spread = sqrt(size) * s->scale[0];
  return size > 0.0;
}

/* Checks, in the middle of the cube, that the reward is the distance plus the reward of an outcome on target. */
static fcps_status check_reward(fcps_expected_reward *s, int k, bool *holds, fcps_error *error)
{
  const double *reference = s->form->reference, *achieved = reference + s->outcomes;
  double squares = 0.0;
  for (int i = 0; i < k; i++)
    squares += (s->target[i] - achieved[i]) * (s->target[i] - achieved[i]);
  for (int d = 0; d < s->parameters; d++)
    s->middle[d] = 0.5;
  fcps_expected_reward_set_parameters(s, 0, s->middle);
  memcpy(s->row_outcomes, reference, (size_t)s->outcomes * sizeof(double));
  fcps_status status = fcps_expected_reward_rows(s, 1, achieved, s->all_present, error);
  const double terms = s->row_rewards[0];
  if (status == FCPS_OK) status = fcps_expected_reward_rows(s, 1, s->target, s->all_present, error);
  const double expected = terms - sqrt(squares), found = s->row_rewards[0];
  *holds = fabs(found - expected) <= rounding * (1.0 + fabs(found) + fabs(terms));
  return status;
}

fcps_status fcps_distance_form_find(fcps_expected_reward *s, fcps_error *error)
{
  fcps_distance_form *form = s->form;
  const int k = s->problem->target.count, q = s->outcomes;
  if (!s->problem->is_distance || s->problem->achieved == NULL || k < 1 || k > FCPS_DISTANCE_MAX || q < k)
    return FCPS_OK;
  const size_t size = (size_t)k * (size_t)q;
  form->map = fcps_allocate(size, sizeof(double));
  form->offset = fcps_allocate((size_t)k, sizeof(double));
  form->reference = fcps_allocate((size_t)(q + k), sizeof(double));
  double *targets = fcps_allocate((size_t)(q + 2) * (size_t)k, sizeof(double));
  fcps_status status = form->map != NULL && form->offset != NULL && form->reference != NULL && targets != NULL
                           ? FCPS_OK
                           : fcps_error_memory(error);
  bool holds = false;
  if (status == FCPS_OK) {
    memcpy(form->reference, s->typical, (size_t)q * sizeof(double));
    status = probe(s, targets, error);
  }
  if (status == FCPS_OK && fit_map(s, k, targets)) {
    memcpy(form->reference + q, targets, (size_t)k * sizeof(double));
    status = check_reward(s, k, &holds, error);
  }
  form->k = status == FCPS_OK && holds ? k : 0;
  free(targets);
  return status;
}

void fcps_distance_form_destroy(fcps_distance_form *form)
{
  free(form->map);
  free(form->offset);
  free(form->reference);
  *form = (fcps_distance_form){0};
}

/* Computes delta = target - (A mean + b). Returns its length. */
static double miss(const fcps_expected_reward *s, const double *mean, double delta[FCPS_DISTANCE_MAX])
{
  const fcps_distance_form *form = s->form;
  double squares = 0.0;
  for (int i = 0; i < form->k; i++) {
    delta[i] = s->target[i] - form->offset[i];
    for (int j = 0; j < s->outcomes; j++)
      delta[i] -= form->map[i * s->outcomes + j] * mean[j];
    squares += delta[i] * delta[i];
  }
  return sqrt(squares);
}

fcps_status fcps_expected_reward_terms(fcps_expected_reward *s, int count, const double *x, double *terms,
                                       fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes;
  for (int start = 0; start < count; start += s->capacity) {
    const int block = count - start < s->capacity ? count - start : s->capacity;
    for (int i = 0; i < block; i++) {
      fcps_expected_reward_set_parameters(s, i, x + (size_t)(start + i) * p);
      memcpy(s->row_outcomes + (size_t)i * q, s->form->reference, q * sizeof(double));
    }
    const fcps_status status = fcps_expected_reward_rows(s, block, s->form->reference + q, s->all_present, error);
    if (status != FCPS_OK) return status;
    memcpy(terms + start, s->row_rewards, (size_t)block * sizeof(double));
  }
  return FCPS_OK;
}

fcps_status fcps_distance_form_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                       double *deviation, fcps_error *error)
{
  const fcps_status status = fcps_expected_reward_terms(s, outcomes->count, outcomes->x, mean, error);
  if (status != FCPS_OK) return status;
  const double spread = s->form->spread;
  for (int i = 0; i < outcomes->count; i++) {
    double delta[FCPS_DISTANCE_MAX];
    const double d = miss(s, outcomes->means + (size_t)i * (size_t)s->outcomes, delta);
    const fcps_distance m = fcps_distance_moments(s->form->k, d, spread * sqrt(outcomes->variances[i]));
    mean[i] -= m.mean;
    if (deviation != NULL) deviation[i] = m.deviation;
  }
  return FCPS_OK;
}

/* By Jensen's inequality, used twice, d <= E|delta + s z| <= sqrt(d^2 + k s^2). These bounds are cheap. They show which
 * few candidates need the exact mean, with its Bessel functions. */
void fcps_expected_reward_screen(const fcps_expected_reward *s, const fcps_outcomes *outcomes, const double *terms,
                                 int best, double *mean)
{
  enum { MOST = 64 };
  const int wanted = best < MOST ? best : MOST;
  const double spread = s->form->spread;
  double largest[MOST], delta[FCPS_DISTANCE_MAX];
  for (int i = 0; i < wanted; i++)
    largest[i] = -INFINITY;
  for (int i = 0; i < outcomes->count; i++) {
    const double d = miss(s, outcomes->means + (size_t)i * (size_t)s->outcomes, delta);
    mean[i] = terms[i] - sqrt(d * d + s->form->k * spread * spread * outcomes->variances[i]);
    fcps_expected_reward_keep_largest(wanted, largest, mean[i]);
  }
  for (int i = 0; i < outcomes->count; i++) {
    const double d = miss(s, outcomes->means + (size_t)i * (size_t)s->outcomes, delta);
    if (terms[i] - d < largest[wanted - 1]) continue;
    mean[i] = terms[i] - fcps_distance_moments(s->form->k, d, spread * sqrt(outcomes->variances[i])).mean;
  }
}

void fcps_expected_reward_bound(const fcps_expected_reward *s, int count, const double *outcomes, const double *terms,
                                double *bounds)
{
  double delta[FCPS_DISTANCE_MAX];
  for (int i = 0; i < count; i++)
    bounds[i] = terms[i] - miss(s, outcomes + (size_t)i * (size_t)s->outcomes, delta);
}

fcps_status fcps_distance_form_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at, double *mean,
                                        double *deviation, double *mean_gradient, double *deviation_gradient,
                                        fcps_error *error)
{
  const int k = s->form->k, q = s->outcomes, p = s->parameters;
  fcps_status status = fcps_expected_reward_terms(s, 1, at->x, mean, error);
  if (status == FCPS_OK)
    status = fcps_expected_reward_parameter_gradient(s, s->form->reference + q, s->form->reference, at->x,
                                                     mean_gradient, error);
  if (status != FCPS_OK) return status;
  double delta[FCPS_DISTANCE_MAX];
  const double d = miss(s, at->mean, delta), spread = s->form->spread * sqrt(at->variances[0]);
  const fcps_distance m = fcps_distance_moments(k, d, spread);
  *mean -= m.mean;
  *deviation = m.deviation;
  for (int l = 0; l < p; l++) {
    double slope_d = 0.0;
    for (int i = 0; i < k; i++)
      for (int j = 0; j < q; j++)
        slope_d -= delta[i] * s->form->map[i * q + j] * at->mean_gradients[j * p + l];
    slope_d /= fmax(d, 1e-300);
    const double slope_s = 0.5 * spread / at->variances[0] * at->variance_gradients[l];
    mean_gradient[l] -= m.mean_d * slope_d + m.mean_s * slope_s;
    if (deviation_gradient != NULL) deviation_gradient[l] = m.deviation_d * slope_d + m.deviation_s * slope_s;
  }
  return FCPS_OK;
}

/* Adds weight slope slope' to `own`. */
static void add_square(int p, double weight, const double *slope, double *own)
{
  for (int l = 0; l < p; l++)
    for (int m = 0; m < p; m++)
      own[l * p + m] += weight * slope[l] * slope[m];
}

/* The mean distance e(|delta|), as a function of delta, lies below the parabola that has its value and slope, and the
 * curvature w = (de/dd)/d in every direction, because e is concave in d^2. If d is small the two are equal. Steps for
 * that parabola do not overshoot the target [weiszfeld1937], so the parabola's curvature replaces the second
 * derivatives of e. The spread is s = c exp(l/2), so e_l = e_s s/2. */
void fcps_distance_form_curvature(const fcps_expected_reward *s, const fcps_outcome_slope *at, double *own,
                                  double *weights)
{
  const int k = s->form->k, q = s->outcomes, p = s->parameters;
  double delta[FCPS_DISTANCE_MAX], slope[FCPS_SPACE_MAX];
  const double spread = s->form->spread * sqrt(at->variances[0]);
  const double d = fmax(miss(s, at->mean, delta), 1e-4 * spread);
  const fcps_distance e = fcps_distance_moments(k, d, spread);
  const double w = e.mean_d / d, *map = s->form->map;
  memset(own, 0, (size_t)(p * p) * sizeof(double));
  for (int j = 0; j < q; j++) {
    weights[j] = 0.0;
    for (int i = 0; i < k; i++)
      weights[j] -= w * delta[i] * map[i * q + j];
  }
  for (int i = 0; i < k; i++) {
    for (int l = 0; l < p; l++) {
      slope[l] = 0.0;
      for (int j = 0; j < q; j++)
        slope[l] += map[i * q + j] * at->mean_gradients[j * p + l];
    }
    add_square(p, w, slope, own);
  }
  for (int l = 0; l < p; l++)
    slope[l] = at->variance_gradients[l] / at->variances[0];
  add_square(p, 0.25 * e.mean_s * spread, slope, own);
  weights[q] = 0.5 * e.mean_s * spread;
}

/* -- Weights of outcomes --
 *
 * With achieved(o) = A o + b the weight of outcome j is the length of column j of A. The target's coordinates have one
 * unit if the rows of A diag(1/weights) are orthogonal and equally long. This holds if each coordinate is one outcome,
 * in whatever unit, and also for a rotated frame. A follows from calling `achieved` at some outcomes, in the middle of
 * the environments. */

/* Relative differences up to this one count as rounding errors. */
static const double metric_rounding = 1e-6;

/* Writes outcomes to probe: at 0, at 1 along each axis, and at 1 along all axes. All environments are in the middle. */
static void place_probes(const fcps_problem *problem, int q, double *environments, double *outcomes)
{
  const int e = problem->environment.count;
  double middle[FCPS_SPACE_MAX];
  for (int i = 0; i < e; i++)
    middle[i] = 0.5;
  for (int row = 0; row < q + 2; row++) {
    fcps_space_from_unit(&problem->environment, middle, environments + row * e);
    for (int j = 0; j < q; j++)
      outcomes[row * q + j] = row == j + 1 || row == q + 1 ? 1.0 : 0.0;
  }
}

/* Whether the map is linear: the target of the last outcome follows from the targets of the others. */
static bool is_linear(int k, int q, const double *targets)
{
  for (int i = 0; i < k; i++) {
    double sum = targets[i], reach = fabs(targets[i]);
    for (int j = 0; j < q; j++) {
      sum += targets[(j + 1) * k + i] - targets[i];
      reach += fabs(targets[(j + 1) * k + i] - targets[i]);
    }
    if (!(fabs(sum - targets[(q + 1) * k + i]) <= metric_rounding * reach)) return false;
  }
  return true;
}

/* Computes the lengths of the columns of A. Returns whether at least one is positive. */
static bool measure_columns(int k, int q, const double *targets, double *weights)
{
  double largest = 0.0;
  for (int j = 0; j < q; j++) {
    double squares = 0.0;
    for (int i = 0; i < k; i++)
      squares += pow(targets[(j + 1) * k + i] - targets[i], 2.0);
    weights[j] = sqrt(squares);
    if (!isfinite(weights[j])) return false;
    largest = fmax(largest, weights[j]);
  }
  return largest > 0.0;
}

/* Whether the rows of A diag(1/weights) are orthogonal and equally long. */
static bool is_isotropic(int k, int q, const double *targets, const double *weights)
{
  double size = 0.0;
  for (int i = 0; i < k; i++)
    for (int l = 0; l <= i; l++) {
      double product = 0.0;
      for (int j = 0; j < q; j++)
        if (weights[j] > 0.0)
          product += (targets[(j + 1) * k + i] - targets[i]) * (targets[(j + 1) * k + l] - targets[l]) /
                     (weights[j] * weights[j]);
      if (i == 0) size = product;
      if (!(fabs(product - (i == l ? size : 0.0)) <= metric_rounding * size)) return false;
    }
  return true;
}

bool fcps_metric_find_weights(const fcps_problem *problem, double *weights)
{
  const int k = problem->target.count, q = problem->outcome.count, e = problem->environment.count;
  if (!problem->is_distance || problem->achieved == NULL || k < 1 || q < k) return false;
  const size_t rows = (size_t)q + 2;
  double *environments = fcps_allocate(rows * (size_t)(e + q + k), sizeof(double));
  if (environments == NULL) return false;
  double *outcomes = environments + rows * (size_t)e, *targets = outcomes + rows * (size_t)q;
  place_probes(problem, q, environments, outcomes);
  const bool is_found = problem->achieved(problem->user, (int)rows, environments, outcomes, targets) == FCPS_OK &&
                        is_linear(k, q, targets) && measure_columns(k, q, targets, weights) &&
                        is_isotropic(k, q, targets, weights);
  free(environments);
  return is_found;
}
