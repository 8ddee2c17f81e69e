/* SPDX-License-Identifier: Apache-2.0 */
#include "search/search.h"

#include "base/memory.h"
#include "base/settings.h"
#include "search/bound_screening.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fcps_search_kind_name(int index)
{
  static const char *const names[] = {[FCPS_SEARCH_MULTISTART] = "multistart", [FCPS_SEARCH_DIRECT] = "direct"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static fcps_status maximize_in_cube(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                    double *x, fcps_optimum *optimum)
{
  if (settings->kind == FCPS_SEARCH_DIRECT)
    return fcps_direct_lbfgsb_maximize(objective, settings->candidates, settings->local_budget, x, optimum);
  const size_t count = (size_t)settings->candidates;
  double *candidates = fcps_allocate(count * (size_t)objective->n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  fcps_points_uniform(&rng, objective->n, settings->candidates, candidates);
  const fcps_status status = fcps_multistart_maximize(objective, settings->candidates, candidates, settings->starts,
                                                      settings->local_budget, x, optimum);
  free(candidates);
  return status;
}

/* An objective in a box of the cube, whose points are fractions of its sides. */
typedef struct boxed {
  const fcps_objective *objective;
  double *lower, *length; /* of the sides */
  double *points;         /* as many as were asked for at once */
} boxed;

static void leave_box(const boxed *b, int count, const double *fractions)
{
  const int n = b->objective->n;
  for (int i = 0; i < count * n; i++) {
    const int d = i % n;
    const double x = b->lower[d] + fractions[i] * b->length[d];
    b->points[i] = b->objective->wraps != NULL && b->objective->wraps[d] ? x - floor(x) : x;
  }
}

static void boxed_batch(void *user, int n, int count, const double *points, double *values)
{
  const boxed *b = user;
  leave_box(b, count, points);
  b->objective->batch(b->objective->user, n, count, b->points, values);
}

static void boxed_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const boxed *b = user;
  leave_box(b, count, points);
  b->objective->slopes(b->objective->user, n, count, b->points, values, gradients);
  for (int i = 0; i < count * n; i++)
    gradients[i] *= b->length[i % n];
}

static double boxed_value(void *user, int n, const double *x, double *gradient)
{
  const boxed *b = user;
  leave_box(b, 1, x);
  const double value = b->objective->value(b->objective->user, n, b->points, gradient);
  for (int d = 0; d < n && gradient != NULL; d++)
    gradient[d] *= b->length[d];
  return value;
}

/* The box around the centre, cut off at the cube's faces; a circle has none. */
static void set_box(const fcps_search_settings *settings, boxed *b)
{
  const double half = 0.5 * fmin(settings->side, 1.0);
  for (int d = 0; d < b->objective->n; d++) {
    const bool wraps = b->objective->wraps != NULL && b->objective->wraps[d];
    const double centre = settings->centre[d];
    const double low = wraps ? centre - half : fmax(centre - 0.5 * settings->side, 0.0);
    const double high = wraps ? centre + half : fmin(centre + 0.5 * settings->side, 1.0);
    b->lower[d] = low;
    b->length[d] = high - low;
  }
}

static fcps_status maximize_in_box(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                   double *x, fcps_optimum *optimum)
{
  const size_t n = (size_t)objective->n, most = (size_t)settings->candidates;
  boxed b = {.objective = objective, .lower = fcps_allocate(2 * n + n * most, sizeof(double))};
  if (b.lower == NULL) return FCPS_ERR_MEMORY;
  b.length = b.lower + n;
  b.points = b.length + n;
  set_box(settings, &b);
  const fcps_objective inside = {.n = objective->n,
                                 .value = boxed_value,
                                 .batch = boxed_batch,
                                 .slopes = objective->slopes != NULL ? boxed_slopes : NULL,
                                 .value_scale = objective->value_scale,
                                 .user = &b};
  const fcps_status status = maximize_in_cube(settings, &inside, rng, x, optimum);
  if (status == FCPS_OK) {
    leave_box(&b, 1, x);
    memcpy(x, b.points, n * sizeof(double));
  }
  free(b.lower);
  return status;
}

fcps_status fcps_search_maximize(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                 double *x, fcps_optimum *optimum)
{
  const fcps_status status =
      (settings->centre != NULL ? maximize_in_box : maximize_in_cube)(settings, objective, rng, x, optimum);
  return status == FCPS_OK ? fcps_levels_settle(objective, settings->local_budget, x, optimum) : status;
}

/* Candidates whose exact values are asked for at once, and points whose gradients are. */
enum { SCREEN_BLOCK = 32, SLOPES = 8 };

/* mean + kappa deviation of a view, as an objective. */
typedef struct ucb_objective {
  fcps_posterior *posterior;
  double kappa;
  double *scratch; /* deviations of all candidates, or of SLOPES points with their gradients */
  double *block;   /* SCREEN_BLOCK candidates with their values and deviations */
  fcps_bound_screening screening;
} ucb_objective;

static void predict_optimism(const ucb_objective *o, int count, const double *points, double *values,
                             double *deviations)
{
  fcps_posterior_moments(o->posterior, count, points, values, o->kappa > 0 ? deviations : NULL);
  for (int i = 0; i < count && o->kappa > 0; i++)
    values[i] += o->kappa * deviations[i];
}

/* Replaces upper bounds of the best candidates by exact values. */
static void make_best_exact(ucb_objective *o, int n, int count, const double *points, double *values)
{
  double *chosen = o->block, *exact = chosen + (size_t)SCREEN_BLOCK * (size_t)n;
  int block, which[SCREEN_BLOCK];
  fcps_bound_screening_begin(&o->screening, count, values);
  while ((block = fcps_bound_screening_next(&o->screening, SCREEN_BLOCK, which)) > 0) {
    for (int i = 0; i < block; i++)
      memcpy(chosen + i * n, points + (size_t)which[i] * (size_t)n, (size_t)n * sizeof(double));
    predict_optimism(o, block, chosen, exact, exact + SCREEN_BLOCK);
    for (int i = 0; i < block; i++)
      fcps_bound_screening_tell(&o->screening, which[i], exact[i]);
  }
}

static void optimism_batch(void *user, int n, int count, const double *points, double *values)
{
  ucb_objective *o = user;
  if (o->kappa > 0 && fcps_posterior_bound(o->posterior, count, points, values, o->scratch)) {
    for (int i = 0; i < count; i++)
      values[i] += o->kappa * o->scratch[i];
    make_best_exact(o, n, count, points, values);
  } else {
    predict_optimism(o, count, points, values, o->scratch);
  }
}

static void optimism_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const ucb_objective *o = user;
  double *deviations = o->scratch, *by_unit = deviations + SLOPES;
  for (int start = 0; start < count; start += SLOPES) {
    const int block = count - start < SLOPES ? count - start : SLOPES;
    const size_t place = (size_t)start * (size_t)n;
    const bool is_bold = o->kappa > 0;
    fcps_posterior_gradients(o->posterior, block, points + place, values + start, is_bold ? deviations : NULL,
                             gradients + place, is_bold ? by_unit : NULL);
    for (int i = 0; i < block && is_bold; i++)
      values[start + i] += o->kappa * deviations[i];
    for (int i = 0; i < block * n && is_bold; i++)
      gradients[place + (size_t)i] += o->kappa * by_unit[i];
  }
}

static double optimism_value(void *user, int n, const double *x, double *gradient)
{
  const ucb_objective *o = user;
  double value;
  if (gradient != NULL)
    optimism_slopes(user, n, 1, x, &value, gradient);
  else
    predict_optimism(o, 1, x, &value, o->scratch);
  return value;
}

static double *allocate_scratch(int n, size_t candidates)
{
  const size_t slopes = SLOPES * ((size_t)n + 1);
  return fcps_allocate(candidates > slopes ? candidates : slopes, sizeof(double));
}

/* Scratch for `candidates` candidates of n parameters. */
static bool reserve(ucb_objective *o, int n, size_t candidates)
{
  o->scratch = allocate_scratch(n, candidates);
  o->block = fcps_allocate(SCREEN_BLOCK * ((size_t)n + 2), sizeof *o->block);
  return o->scratch != NULL && o->block != NULL &&
         fcps_bound_screening_create(&o->screening, (int)candidates) == FCPS_OK;
}

static void release(ucb_objective *o)
{
  free(o->scratch);
  free(o->block);
  fcps_bound_screening_destroy(&o->screening);
}

fcps_status fcps_search_ucb(fcps_posterior *posterior, double kappa, const fcps_search_settings *settings, fcps_rng rng,
                            double *x, fcps_optimum *optimum)
{
  const int n = fcps_posterior_parameters(posterior);
  ucb_objective o = {.posterior = posterior, .kappa = kappa};
  fcps_status status = FCPS_ERR_MEMORY;
  if (reserve(&o, n, (size_t)settings->candidates)) {
    const fcps_objective objective = {.n = n,
                                      .value = optimism_value,
                                      .batch = optimism_batch,
                                      .slopes = optimism_slopes,
                                      .wraps = fcps_posterior_wraps(posterior),
                                      .levels = fcps_posterior_levels(posterior),
                                      .value_scale = fcps_posterior_value_scale(posterior),
                                      .user = &o};
    status = fcps_search_maximize(settings, &objective, rng, x, optimum);
  }
  release(&o);
  return status == FCPS_OK ? fcps_posterior_failure(posterior) : status;
}

fcps_status fcps_search_ucb_from(fcps_posterior *posterior, double kappa, const fcps_search_settings *settings,
                                 int count, const double *candidates, const double *values, double *x,
                                 fcps_optimum *optimum)
{
  const int n = fcps_posterior_parameters(posterior);
  ucb_objective o = {.posterior = posterior, .kappa = kappa};
  o.scratch = allocate_scratch(n, 0);
  if (o.scratch == NULL) return FCPS_ERR_MEMORY;
  const fcps_objective objective = {.n = n,
                                    .value = optimism_value,
                                    .slopes = optimism_slopes,
                                    .wraps = fcps_posterior_wraps(posterior),
                                    .levels = fcps_posterior_levels(posterior),
                                    .value_scale = fcps_posterior_value_scale(posterior),
                                    .user = &o};
  fcps_status status = fcps_multistart_refine(&objective, count, candidates, values, settings->starts,
                                              settings->local_budget, x, optimum);
  if (status == FCPS_OK) status = fcps_levels_settle(&objective, settings->local_budget, x, optimum);
  free(o.scratch);
  return status == FCPS_OK ? fcps_posterior_failure(posterior) : status;
}
