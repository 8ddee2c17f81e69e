/* SPDX-License-Identifier: Apache-2.0 */
#include "insight/trial.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- The stored trials behind a prediction -- */

/* Adds the shares of the rows in one GP, divided by `gps`. `weights` has the whitened covariances and is
 * overwritten. */
static void add_shares(const fcps_gp *gp, int rows, int gps, double *weights, double *shares)
{
  double sum = 0.0;
  fcps_chol_solve_upper(gp->factored, gp->factor, gp->capacity, 1, weights, gp->factored);
  for (int i = 0; i < rows; i++)
    sum += fabs(weights[i]);
  for (int i = 0; i < rows && sum > 0.0; i++)
    shares[i] += fabs(weights[i]) / (sum * gps);
}

static fcps_status weigh(const fcps_model *model, const fcps_insight_place *place, double *shares)
{
  const int rows = model->training.count, gps = fcps_model_gp_count(model);
  fcps_gp_work work = {0};
  double *features = fcps_allocate((size_t)model->layout.features + (size_t)model->description.inputs, sizeof(double));
  double *weights = fcps_allocate((size_t)fcps_model_gp(model, 0)->count + 1, sizeof(double));
  fcps_status status = features != NULL && weights != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_layout_row(&model->layout, place->target, place->environment, place->parameters, features);
    fcps_model_see(model, features, features + model->layout.features);
  }
  for (int g = 0; g < gps && status == FCPS_OK; g++) {
    const fcps_gp *gp = fcps_model_gp(model, g);
    const fcps_gp_query query = {.count = 1, .points = features + model->layout.features, .whitened = weights};
    status = fcps_gp_work_reserve(&work, gp, 1);
    if (status == FCPS_OK) fcps_gp_predict(gp, NULL, &query, &work);
    if (status == FCPS_OK && gp->factored >= rows) add_shares(gp, rows, gps, weights, shares);
  }
  fcps_gp_work_destroy(&work);
  free(features);
  free(weights);
  return status;
}

fcps_status fcps_insight_weigh(const fcps_model *model, const fcps_insight_place *place, const fcps_model **answering,
                               double **shares, fcps_error *error)
{
  *shares = NULL;
  fcps_status status = fcps_split_model_child(model, place->target, place->environment, answering);
  if (status != FCPS_OK) return fcps_error_memory(error);
  *shares = fcps_allocate((size_t)(*answering)->training.count + 1, sizeof(double));
  status = *shares != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK && (*answering)->training.count > 0) status = weigh(*answering, place, *shares);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

/* -- What a trial would tell -- */

static const fcps_penalty_view unknown = {.is_sober = true, .without_limits = true};

/* Computes the present deviations at one place. */
static fcps_status look(const fcps_model *model, const fcps_insight_place *place, double *reward, double *outcomes,
                        bool *has_outcomes, fcps_error *error)
{
  fcps_posterior *posterior = NULL;
  double x[FCPS_SPACE_MAX], mean;
  fcps_space_to_unit(&model->problem->parameters, place->parameters, x);
  fcps_status status = fcps_posterior_create(&posterior, model, place->target, place->environment, error);
  if (status == FCPS_OK) {
    fcps_posterior_set_view(posterior, unknown);
    fcps_posterior_moments(posterior, 1, x, &mean, reward);
    if (outcomes != NULL) *has_outcomes = fcps_posterior_outcome(posterior, x, NULL, outcomes);
    status = fcps_posterior_failure(posterior);
  }
  fcps_posterior_destroy(posterior);
  return status;
}

fcps_status fcps_insight_teach(const fcps_model *model, const fcps_insight_place *place, int count,
                               const fcps_insight_place *elsewhere, fcps_insight_lesson *lesson, fcps_error *error)
{
  fcps_model *copy = NULL;
  double deviation;
  fcps_status status = fcps_model_copy(model, model->problem, &copy);
  if (status == FCPS_OK) status = fcps_model_refresh(copy);
  for (int after = 0; after < 2 && status == FCPS_OK; after++) {
    if (after) fcps_model_add_pending(copy, place->target, place->environment, place->parameters);
    status = look(copy, place, lesson->reward + after, lesson->outcomes[after], &lesson->has_outcomes, error);
    lesson->elsewhere[after] = count > 0 ? 0.0 : NAN;
    for (int i = 0; i < count && status == FCPS_OK; i++) {
      status = look(copy, elsewhere + i, &deviation, NULL, NULL, error);
      lesson->elsewhere[after] += deviation / count;
    }
  }
  fcps_model_destroy(copy);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

/* -- The best other trial -- */

/* In each of ROUNDS rounds one parameter at a time is moved, to LEVELS places of its range. */
enum { SPREAD = 1024, TRIED = 256, ROUNDS = 4, LEVELS = 17 };
static const double apart = 0.1;

/* Whether two points differ enough: by `apart` in a number, or in a word. */
static bool is_apart(const fcps_space *space, const bool *wraps, const double *a, const double *b)
{
  for (int d = 0; d < space->count; d++) {
    const double distance = fabs(a[d] - b[d]);
    if (space->dims[d].choices != NULL ? distance > 0.0
                                       : (wraps[d] ? fmin(distance, 1.0 - distance) : distance) >= apart)
      return true;
  }
  return false;
}

/* Rounds points to possible words and whole numbers. */
static void settle(const fcps_space *space, int count, double *points)
{
  double values[FCPS_SPACE_MAX];
  for (int i = 0; i < count; i++, points += space->count) {
    fcps_space_from_unit(space, points, values);
    fcps_space_to_unit(space, values, points);
  }
}

/* Writes points spread over the parameters, and then those that were tried, all within the region. Returns their
 * number. */
static int lay_candidates(const fcps_model *model, const fcps_region *region, double *points)
{
  const fcps_space *space = &model->problem->parameters;
  const size_t n = (size_t)space->count;
  const int all = model->training.count, tried = all < TRIED ? all : TRIED;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 2);
  fcps_points_halton(&rng, space->count, 0, SPREAD, points);
  for (int i = 0; i < tried; i++)
    fcps_space_to_unit(space, fcps_rollouts_parameters(&model->training, (int)((int64_t)i * all / tried)),
                       points + (SPREAD + (size_t)i) * n);
  settle(space, SPREAD + tried, points);
  fcps_region_fill(region, &rng, SPREAD + tried, points);
  return SPREAD + tried;
}

/* Finds among `count` rows, of those apart from `own`, the one with the largest mean + kappa deviations. Returns its
 * index, and writes this value to *best; -1 if no value is above *best. */
static int find_best(fcps_posterior *posterior, double kappa, const double *own, int count, const double *points,
                     double *means, double *best)
{
  const fcps_space *space = &fcps_posterior_model(posterior)->problem->parameters;
  double *deviations = means + count;
  int found = -1;
  fcps_posterior_moments(posterior, count, points, means, deviations);
  for (int i = 0; i < count; i++) {
    const double worth = means[i] + kappa * deviations[i];
    if (!(worth > *best) || !is_apart(space, fcps_posterior_wraps(posterior), own, points + i * space->count)) continue;
    *best = worth;
    found = i;
  }
  return found;
}

/* Writes the points that differ from `x` in one parameter, within the region. Returns their number. */
static int lay_around(const fcps_space *space, const fcps_region *region, const double *x, double *points)
{
  const size_t n = (size_t)space->count;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 3);
  for (size_t i = 0; i < n * LEVELS; i++) {
    double *point = points + i * n;
    memcpy(point, x, n * sizeof *x);
    point[i / LEVELS] = (double)(i % LEVELS) / (LEVELS - 1.0);
  }
  settle(space, (int)n * LEVELS, points);
  fcps_region_fill(region, &rng, (int)n * LEVELS, points);
  return (int)n * LEVELS;
}

fcps_status fcps_insight_runner_up(const fcps_model *model, const fcps_insight_place *place, double kappa,
                                   double *parameters, bool *exists, fcps_error *error)
{
  const fcps_space *space = &model->problem->parameters;
  const size_t n = (size_t)space->count, most = SPREAD + TRIED + n * LEVELS;
  double own[FCPS_SPACE_MAX], x[FCPS_SPACE_MAX], best = -INFINITY;
  int found = -1;
  fcps_posterior *posterior = NULL;
  double *points = fcps_allocate(most * (n + 2), sizeof(double));
  if (points == NULL) return fcps_error_memory(error);
  double *means = points + most * n;
  *exists = false;
  fcps_status status = fcps_posterior_create(&posterior, model, place->target, place->environment, error);
  if (status == FCPS_OK) {
    const fcps_region *region = fcps_posterior_region(posterior);
    int count = lay_candidates(model, region, points);
    fcps_space_to_unit(space, place->parameters, own);
    count += lay_around(space, region, own, points + (size_t)count * n);
    for (int round = 0; round <= ROUNDS; round++) {
      found = find_best(posterior, kappa, own, count, points, means, &best);
      if (found < 0) break;
      *exists = true;
      memcpy(x, points + (size_t)found * n, n * sizeof *x);
      count = lay_around(space, region, x, points);
    }
    status = fcps_posterior_failure(posterior);
  }
  *exists = status == FCPS_OK && *exists;
  if (*exists) fcps_space_from_unit(space, x, parameters);
  fcps_posterior_destroy(posterior);
  free(points);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}
