/* SPDX-License-Identifier: Apache-2.0 */
/* A place x is within reach if for each margin m one kept trial i says so:  m_i - c L |x - x_i| >= 0,  with L the steepest
 * |m_i - m_j| / |x_i - x_j| of all trials. For the first trial the caution c is 2 for a chance of 0.95, and
 * for others in proportion to Student's quantile; it falls to 0 after four trials for each dimension and eight more. While
 * fewer trials than dimensions were seen, L is at least what would break the best margin within half the cube. */
#include "problem/reach.h"

#include "base/memory.h"
#include "base/normal.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double caution = 2.0, usual_chance = 0.95, noise_distance = 0.05, unseen_distance = 0.5;

/* Returns the distance of two places. Words have no distances between them yet, so two different words are as far apart
 * as the cube is wide. */
static double distance(const fcps_problem_reach *reach, const double *a, const double *b)
{
  const fcps_problem *p = reach->problem;
  double squares = 0.0;
  for (int d = 0; d < reach->width; d++) {
    const bool is_parameter = d >= p->environment.count;
    const fcps_dimension *dim = is_parameter ? &p->parameters.dims[d - p->environment.count] : &p->environment.dims[d];
    const double step = a[d] - b[d];
    const double apart = dim->choices != NULL ? (double)(fabs(step) > 0.5 / dim->choices->count) : step;
    squares += apart * apart;
  }
  return sqrt(squares);
}

static bool is_usable(const fcps_problem *p, const fcps_rollout *r)
{
  return r->status == FCPS_ROLLOUT_OK && r->outcome != NULL && fcps_rollout_values_usable(p->outcome.count, r->outcome);
}

/* Collects the places and margins of all usable trials. Trials with values that are not numbers are left out. */
static void collect(fcps_problem_reach *reach, fcps_problem_limits *limits, const fcps_rollouts *rollouts,
                    const double *target)
{
  const fcps_problem *p = reach->problem;
  for (int i = 0; i < rollouts->count; i++) {
    const fcps_rollout r = fcps_rollouts_at(rollouts, i);
    double *place = reach->places + (size_t)reach->rows * (size_t)reach->width;
    double *values = reach->values + (size_t)reach->rows * (size_t)reach->margins;
    if (!is_usable(p, &r)) continue;
    const fcps_problem_trial trial = {target, r.environment, r.parameters, r.outcome, NULL};
    fcps_problem_limits_margins(limits, &trial, values);
    bool is_finite = true;
    for (int k = 0; k < reach->margins; k++)
      is_finite = is_finite && isfinite(values[k]);
    if (!is_finite) continue;
    if (p->environment.count > 0) fcps_space_to_unit(&p->environment, r.environment, place);
    fcps_space_to_unit(&p->parameters, r.parameters, place + p->environment.count);
    reach->rows++;
  }
}

static void find_steepest(fcps_problem_reach *reach, const fcps_problem_limits *limits)
{
  const double enough = 4.0 * (reach->width + 2);
  const double share = caution * fmax(0.0, 1.0 - (double)(reach->rows - 1) / enough);
  for (int k = 0; k < reach->margins; k++) {
    double steepest = 0.0, best = 0.0;
    for (int i = 0; i < reach->rows; i++) {
      const double *place = reach->places + (size_t)i * (size_t)reach->width;
      const double value = reach->values[i * reach->margins + k];
      best = fmax(best, value);
      for (int j = 0; j < i && share > 0.0; j++) {
        const double apart = distance(reach, place, reach->places + (size_t)j * (size_t)reach->width);
        steepest = fmax(steepest, fabs(value - reach->values[j * reach->margins + k]) / fmax(apart, noise_distance));
      }
    }
    if (reach->rows <= reach->width + 1) steepest = fmax(steepest, best / unseen_distance);
    const double chance = reach->problem->limits[limits->margins[k].limit].chance;
    reach->steepest[k] = share * fcps_student_quantile(chance) / fcps_student_quantile(usual_chance) * steepest;
  }
}

/* Leaves only the trials that kept all limits. */
static void keep_kept(fcps_problem_reach *reach)
{
  const size_t width = (size_t)reach->width, margins = (size_t)reach->margins;
  size_t kept = 0;
  for (size_t i = 0; i < (size_t)reach->rows; i++) {
    bool is_kept = true;
    for (size_t k = 0; k < margins; k++)
      is_kept = is_kept && reach->values[i * margins + k] >= 0.0;
    if (!is_kept) continue;
    memmove(reach->places + kept * width, reach->places + i * width, width * sizeof(double));
    memmove(reach->values + kept * margins, reach->values + i * margins, margins * sizeof(double));
    kept++;
  }
  reach->rows = (int)kept;
}

fcps_status fcps_problem_reach_create(fcps_problem_reach *reach, fcps_problem_limits *limits,
                                      const fcps_rollouts *rollouts, const double *target, const double *environment)
{
  const fcps_problem *p = limits->problem;
  *reach =
      (fcps_problem_reach){.problem = p, .margins = limits->count, .width = p->environment.count + p->parameters.count};
  const size_t width = (size_t)reach->width, rows = (size_t)rollouts->count, margins = (size_t)limits->count;
  reach->places = fcps_allocate(rows * (width + margins) + margins + width, sizeof(double));
  if (reach->places == NULL) return FCPS_ERR_MEMORY;
  reach->values = reach->places + rows * width;
  reach->steepest = reach->values + rows * margins;
  reach->here = reach->steepest + margins;
  collect(reach, limits, rollouts, target);
  find_steepest(reach, limits);
  keep_kept(reach);
  if (p->environment.count > 0) fcps_space_to_unit(&p->environment, environment, reach->here);
  return FCPS_OK;
}

void fcps_problem_reach_destroy(fcps_problem_reach *reach)
{
  free(reach->places);
  *reach = (fcps_problem_reach){0};
}

double fcps_problem_reach_left(const fcps_problem_reach *reach, const double *x)
{
  double left = INFINITY;
  if (reach->rows == 0) return INFINITY;
  memcpy(reach->here + reach->problem->environment.count, x, (size_t)reach->problem->parameters.count * sizeof *x);
  for (int k = 0; k < reach->margins; k++) {
    double furthest = -INFINITY;
    if (!(reach->steepest[k] > 0.0)) continue;
    for (int i = 0; i < reach->rows; i++)
      furthest = fmax(furthest, reach->values[i * reach->margins + k] / reach->steepest[k] -
                                    distance(reach, reach->here, reach->places + (size_t)i * (size_t)reach->width));
    left = fmin(left, 10.0 * furthest);
  }
  return left;
}
