/* SPDX-License-Identifier: Apache-2.0 */
/* GP-UCB: a(theta) = mean(theta) + kappa deviation(theta) [srinivas2009; pinsler2019, Eq. 1].
 *
 * kappa is constant or grows with the number of rows. With kappa = 0 the deviation is not computed. If trials have
 * costs, the bound's gain over the best parameters tried so far is divided by the cost. */
#include "acquisition/acquisition.h"

#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double fcps_acquisition_kappa(const fcps_acquisition_settings *settings, const fcps_posterior *posterior)
{
  const double t = fcps_posterior_outputs(posterior)->count, d = fcps_posterior_model(posterior)->layout.features,
               pi = 3.141592653589793, delta = 0.5;
  if (t < 1 || settings->schedule == FCPS_KAPPA_CONSTANT) return settings->kappa;
  if (settings->schedule == FCPS_KAPPA_GP_UCB) return sqrt(4.0 * (d + 1.0) * log(t));
  return sqrt(2.0 * ((d / 2.0 + 2.0) * log(t) + log(pi * pi / (3.0 * delta))));
}

/* Returns a = mean + kappa deviation, and its derivatives 1 and kappa. */
static double upper_confidence_bound(const void *user, double mean, double deviation, double *by_mean,
                                     double *by_deviation)
{
  const double kappa = *(const double *)user;
  *by_mean = 1.0;
  *by_deviation = kappa;
  return mean + kappa * deviation;
}

/* Returns how trials are priced. The gain of a trial is the part of its bound above the best expected reward so far. */
static fcps_price price_of(fcps_posterior *posterior, fcps_cost *cost)
{
  return (fcps_price){.cost = cost, .floor = cost != NULL ? fcps_posterior_incumbent(posterior) : 0.0};
}

void fcps_acquisition_price_bounds(const fcps_decision *decision, int count, const double *x, double *values)
{
  const fcps_price price = price_of(decision->posterior, decision->cost);
  fcps_price_apply(decision->cost != NULL ? &price : NULL, decision->n, count, x, values);
}

/* Finds the best parameters in the context of a posterior, and their value: with `points` only by climbs from them. */
static fcps_status maximize(fcps_posterior *posterior, const fcps_acquisition_settings *settings, fcps_cost *cost,
                            fcps_rng rng, const fcps_scored_points *points, double *x, double *value)
{
  const double kappa = fcps_acquisition_kappa(settings, posterior);
  const fcps_moment_objective objective = {
      .value = upper_confidence_bound, .needs_deviation = kappa > 0.0, .user = &kappa};
  const fcps_price price = price_of(posterior, cost);
  fcps_search_settings search = settings->search;
  if (cost != NULL) search.price = &price;
  fcps_optimum optimum;
  const fcps_status status = points != NULL
                                 ? fcps_search_moments_from(posterior, &objective, &search, points, x, &optimum)
                                 : fcps_search_moments(posterior, &objective, &search, rng, x, &optimum);
  *value = optimum.value;
  return status;
}

fcps_status fcps_acquisition_climb(const fcps_decision *decision, const fcps_scored_points *points, double *x)
{
  double value;
  return maximize(decision->posterior, decision->settings, decision->cost, decision->rng, points, x, &value);
}

static fcps_status select_ucb(const fcps_decision *decision, double *x)
{
  double value;
  return maximize(decision->posterior, decision->settings, decision->cost, decision->rng, NULL, x, &value);
}

/* -- If the context is free -- */

/* The number of contexts that are compared, and room for one of them: in the unit cube, in its own units, and its best
 * parameters. */
enum { CONTEXTS = 40 };
typedef struct context_room {
  double *unit, *environment, *target, *x;
} context_room;

/* Draws the free coordinates of a context and finds the best parameters in it. */
static fcps_status try_context(const fcps_context_decision *decision, int number, const context_room *room,
                               double *value, fcps_error *error)
{
  const fcps_problem *problem = decision->model->problem;
  const int environments = problem->environment.count, targets = problem->target.count;
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  rng.index = (uint64_t)number << 32; /* contexts must not share random numbers */
  for (int i = 0; i < environments + targets; i++) {
    const double u = fcps_rng_uniform(&rng);
    if (decision->is_free[i]) room->unit[i] = u;
  }
  fcps_space_from_unit(&problem->environment, room->unit, room->environment);
  fcps_space_from_unit(&problem->target, room->unit + environments, room->target);
  fcps_posterior *posterior = NULL;
  fcps_status status = fcps_posterior_create(&posterior, decision->model, room->target, room->environment, error);
  if (decision->cost != NULL) fcps_cost_set_context(decision->cost, room->target, room->environment);
  if (status == FCPS_OK)
    status = maximize(posterior, decision->search_settings, decision->cost, decision->rng, NULL, room->x, value);
  fcps_posterior_destroy(posterior);
  return status;
}

/* Chooses the best of several random contexts. It therefore prefers easy contexts, which [pinsler2019, Sec. IV-B] calls
 * problematic. */
static fcps_status select_ucb_context(const fcps_context_decision *decision, double *context, double *x,
                                      fcps_error *error)
{
  const fcps_problem *problem = decision->model->problem;
  const size_t width = (size_t)(problem->environment.count + problem->target.count),
               n = (size_t)problem->parameters.count;
  double *numbers = fcps_allocate(2 * width + n, sizeof(double)), best = -INFINITY;
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  const context_room room = {.unit = numbers,
                             .environment = numbers + width,
                             .target = numbers + width + problem->environment.count,
                             .x = numbers + 2 * width};
  memcpy(room.unit, context, width * sizeof(double));
  fcps_status status = FCPS_OK;
  for (int i = 0; i < CONTEXTS && status == FCPS_OK; i++) {
    double value = -INFINITY;
    status = try_context(decision, i, &room, &value, error);
    if (status != FCPS_OK || (i > 0 && !(value > best))) continue;
    best = value;
    memcpy(context, room.unit, width * sizeof(double));
    memcpy(x, room.x, n * sizeof(double));
  }
  free(numbers);
  return status;
}

const fcps_acquisition fcps_acquisition_ucb = {.name = "ucb",
                                               .needs_model = true,
                                               .repeats_itself = true,
                                               .select = select_ucb,
                                               .select_context = select_ucb_context};
