/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of outcomes in a posterior. The slack of a trial (problem/limits.h) says how surely it keeps the limits. If it
 * is small or negative, the value of the trial is lowered by
 *
 *   spread * (5 v + 5 v^2),    v = max(0, edge - slack)
 *
 * where `spread` is that of the rewards. The slack is in deviations, so this does not depend on units. The lowered
 * value has a kink at the edge but no jump, so searches can end at the edge. The slack is computed for the outcome of a
 * trial: with noise, with the widening of deviations (fcps_model_widening), and without pending trials. While results
 * are few, problem/reach.h bounds the steps, and the slack is at most the rest of a step. Its gradient is computed by
 * differences. */
#include "base/memory.h"
#include "model/leave_one_out.h"
#include "model/posterior/posterior_ops.h"
#include "problem/reach.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double steep = 5.0, edge = 0.02, difference = 1e-4, severe = 1e3;

struct fcps_posterior_limits {
  fcps_problem_limits limits;
  fcps_problem_reach reach;
  double *target, *environment;
  double *outcomes, *deviations, *slacks; /* for FCPS_POSTERIOR_BLOCK points */
  double *points;                         /* neighbours of a point, to compute differences */
  double *widening;                       /* one factor for each outcome */
  fcps_few few;
  bool is_severe; /* set by fcps_posterior_set_severe */
};

fcps_status fcps_posterior_take_limits(fcps_posterior *posterior, const double *target, const double *environment)
{
  const fcps_model *model = posterior->parent;
  const fcps_problem *p = model->problem;
  const size_t t = (size_t)p->target.count, e = (size_t)p->environment.count, n = (size_t)p->parameters.count,
               q = (size_t)p->outcome.count;
  if (p->limit_count == 0 || !model->ops->predicts_outcomes) return FCPS_OK;
  fcps_posterior_limits *l = posterior->limits = fcps_allocate(1, sizeof *l);
  if (l == NULL) return FCPS_ERR_MEMORY;
  l->target = fcps_allocate(t + e + (2 * q + 1) * FCPS_POSTERIOR_BLOCK + 2 * n * n + q + 1, sizeof(double));
  if (l->target == NULL) return FCPS_ERR_MEMORY;
  l->environment = l->target + t;
  l->outcomes = l->environment + e;
  l->deviations = l->outcomes + q * FCPS_POSTERIOR_BLOCK;
  l->slacks = l->deviations + q * FCPS_POSTERIOR_BLOCK;
  l->points = l->slacks + FCPS_POSTERIOR_BLOCK;
  l->widening = l->points + 2 * n * n;
  if (t > 0) memcpy(l->target, target, t * sizeof(double));
  if (e > 0) memcpy(l->environment, environment, e * sizeof(double));
  fcps_status status = fcps_problem_limits_read(&l->limits, p, posterior->error);
  if (status == FCPS_OK)
    status = fcps_problem_reach_create(&l->reach, &l->limits, &model->training, l->target, l->environment);
  if (status == FCPS_OK) status = fcps_model_widening(model, l->widening, posterior->error);
  l->few = fcps_few_of(model->training.count, p->environment.count + p->parameters.count);
  return status;
}

void fcps_posterior_drop_limits(fcps_posterior *posterior)
{
  fcps_posterior_limits *l = posterior->limits;
  if (l == NULL) return;
  fcps_problem_limits_free(&l->limits);
  fcps_problem_reach_destroy(&l->reach);
  free(l->target);
  free(l);
}

/* Predicts the outcomes of trials at the points of a block, without pending trials. */
static void predict(fcps_posterior *posterior, int count, const double *x)
{
  fcps_posterior_limits *l = posterior->limits;
  fcps_output_posterior *outputs = posterior->outputs;
  const double *widening = outputs->widening;
  outputs->widening = l->widening;
  outputs->has_results_only = true;
  posterior->ops->outcome(posterior, count, x, l->outcomes, l->deviations);
  outputs->has_results_only = false;
  outputs->widening = widening;
}

/* Computes the slack of each point of a block. */
static void find_slacks(fcps_posterior *posterior, int count, const double *x)
{
  fcps_posterior_limits *l = posterior->limits;
  const fcps_problem *p = l->limits.problem;
  const size_t n = (size_t)p->parameters.count, q = (size_t)p->outcome.count;
  double parameters[FCPS_SPACE_MAX];
  predict(posterior, count, x);
  for (size_t i = 0; i < (size_t)count; i++) {
    fcps_space_from_unit(&p->parameters, x + i * n, parameters);
    const fcps_problem_trial trial = {l->target, l->environment, parameters, l->outcomes + i * q,
                                      l->deviations + i * q};
    if (l->is_severe)
      fcps_few_widen_outcomes(&l->few, &posterior->parent->training, l->outcomes + i * q, l->deviations + i * q);
    l->slacks[i] = fmin(fcps_problem_limits_slack(&l->limits, &trial), fcps_problem_reach_left(&l->reach, x + i * n));
  }
}

/* Computes the gradient of the slack at a point of the cube, by differences within the cube. */
static void find_slope(fcps_posterior *posterior, const double *x, double *slope)
{
  fcps_posterior_limits *l = posterior->limits;
  const size_t n = (size_t)posterior->model->layout.parameters.count;
  for (size_t d = 0, done = 0; d < n; d += done) {
    done = n - d < FCPS_POSTERIOR_BLOCK / 2 ? n - d : FCPS_POSTERIOR_BLOCK / 2;
    for (size_t i = 0; i < done; i++)
      for (size_t side = 0; side < 2; side++) {
        double *point = l->points + (2 * i + side) * n;
        memcpy(point, x, n * sizeof *x);
        point[d + i] = side == 0 ? fmax(x[d + i] - difference, 0.0) : fmin(x[d + i] + difference, 1.0);
      }
    find_slacks(posterior, (int)(2 * done), l->points);
    for (size_t i = 0; i < done; i++)
      slope[d + i] = (l->slacks[2 * i + 1] - l->slacks[2 * i]) /
                     (l->points[(2 * i + 1) * n + d + i] - l->points[2 * i * n + d + i]);
  }
}

void fcps_posterior_limit(fcps_posterior *posterior, int count, const double *x, double *values, double *gradients)
{
  fcps_posterior_limits *l = posterior->limits;
  if (l == NULL || posterior->penalty->view.without_limits) return;
  const size_t n = (size_t)posterior->model->layout.parameters.count;
  const double scale = posterior->penalty->reward_range.spread * (l->is_severe ? severe : 1.0);
  double slope[FCPS_SPACE_MAX], lacks[FCPS_POSTERIOR_BLOCK];
  for (int first = 0, block; first < count; first += block) {
    const double *points = x + (size_t)first * n;
    block = fcps_posterior_block(count - first);
    find_slacks(posterior, block, points);
    for (int i = 0; i < block; i++)
      lacks[i] = fmax(edge - l->slacks[i], 0.0);
    for (int i = 0; i < block; i++) {
      const double lack = fmin(lacks[i], 1e6);
      if (!(lack > 0.0)) continue;
      values[first + i] -= scale * steep * (lack + lack * lack);
      if (gradients == NULL) continue;
      find_slope(posterior, points + (size_t)i * n, slope);
      for (size_t d = 0; d < n; d++)
        gradients[(size_t)(first + i) * n + d] += scale * steep * (1.0 + 2.0 * lack) * slope[d];
    }
  }
}

double fcps_posterior_slack(fcps_posterior *posterior, const double *x)
{
  if (posterior->limits == NULL) return INFINITY;
  const bool was_severe = posterior->limits->is_severe;
  posterior->limits->is_severe = true;
  find_slacks(posterior, 1, x);
  posterior->limits->is_severe = was_severe;
  return posterior->limits->slacks[0];
}

void fcps_posterior_set_severe(fcps_posterior *posterior, bool is_severe)
{
  if (posterior->limits != NULL) posterior->limits->is_severe = is_severe;
}

/* -- Proven parameters: they were declared safe for a context, or kept the limits in it, and never broke a limit there.
 * One distant result can make the model so unsure that it rejects parameters although they were measured. -- */

typedef struct proven {
  fcps_posterior *posterior;
  int most;
  double value, *x; /* the best parameters so far */
  bool is_found;
} proven;

static bool are_same(int count, const double *a, const double *b)
{
  for (int d = 0; d < count; d++)
    if (a[d] != b[d]) return false;
  return true;
}

/* Returns how often parameters kept the limits in this environment; -1 if a trial of them broke a limit or failed. */
static int count_kept(const proven *best, const double *parameters)
{
  const fcps_model *model = best->posterior->parent;
  const fcps_posterior_limits *l = best->posterior->limits;
  const fcps_problem *p = model->problem;
  int times = 0;
  for (int i = 0; i < model->training.count; i++) {
    fcps_rollout r = fcps_rollouts_at(&model->training, i);
    if (!are_same(p->environment.count, r.environment, l->environment) ||
        !are_same(p->parameters.count, r.parameters, parameters))
      continue;
    r.target = l->target; /* limits may depend on the target */
    if (r.status != FCPS_ROLLOUT_OK || r.outcome == NULL || fcps_problem_limits_broken(p, &r)) return -1;
    times++;
  }
  return times;
}

static void consider(proven *best, const double *parameters)
{
  fcps_posterior *posterior = best->posterior;
  const fcps_space *space = &posterior->parent->problem->parameters;
  double x[FCPS_SPACE_MAX], value;
  const int times = count_kept(best, parameters);
  if (times < 0 || times >= best->most) return;
  fcps_space_to_unit(space, parameters, x);
  if (!fcps_feasible_contains(posterior->feasible, x, FCPS_FEASIBLE_TOLERANCE, NULL)) return;
  fcps_posterior_moments(posterior, 1, x, &value, NULL);
  if (!(value > best->value)) return;
  best->value = value;
  best->is_found = true;
  memcpy(best->x, x, (size_t)space->count * sizeof *x);
}

fcps_status fcps_posterior_prefer_proven(fcps_posterior *posterior, int most, double *x, bool *is_proven)
{
  const fcps_model *model = posterior->parent;
  const fcps_problem *p = model->problem;
  proven best = {.posterior = posterior, .most = most, .value = -INFINITY, .x = x};
  *is_proven = false;
  if (!(fcps_posterior_slack(posterior, x) < 0.0)) return fcps_posterior_failure(posterior);
  const fcps_posterior_limits *l = posterior->limits;
  for (int i = -1; (i = fcps_problem_next_safe(p, posterior->feasible, i + 1, l->target, l->environment)) >= 0;)
    consider(&best, p->safe[i].parameters);
  for (int i = 0; i < model->training.count; i++)
    if (are_same(p->environment.count, fcps_rollouts_environment(&model->training, i), l->environment))
      consider(&best, fcps_rollouts_parameters(&model->training, i));
  *is_proven = best.is_found;
  return fcps_posterior_failure(posterior);
}
