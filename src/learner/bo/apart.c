/* SPDX-License-Identifier: Apache-2.0 */
/* The region that is apart has holes, so it is searched by candidates alone: uniform ones and some around the choice,
 * then in each round some around the best, nearer and nearer.
 *
 * If a context is well known, the mean decides, and pending trials do not change it: UCB would ask nearly the same
 * again. A least distance, in lengths of the model, needs no number of the user and spreads asks along ridges.
 * If only what is near keeps the limits, it is asked for again.
 * Other contexts, and the first ask in one, keep their bytes. */
#include "learner/bo/bo.h"

#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, CANDIDATES = FCPS_POSTERIOR_BLOCK };

/* In lengths of the model. For a Matern 5/2 kernel, 1 - 5/6 r^2 is the correlation at small r. */
static const double least_distance = 0.1;

/* The points to keep away from, and how distances are measured. */
typedef struct neighbours {
  const fcps_space *space;
  const fcps_embedding *embedding; /* of the parameters */
  double *lengths;                 /* of the features */
  int count;
  double *features; /* rows: the pending asks in the same context */
} neighbours;

static bool is_same(int width, const double *a, const double *b)
{
  return width == 0 || memcmp(a, b, (size_t)width * sizeof *a) == 0;
}

/* The shortest length of each feature over all outcomes: a change of any outcome counts. */
static void find_lengths(const fcps_model *model, double *lengths)
{
  for (int i = 0; i < model->layout.parameters.width; i++) {
    lengths[i] = INFINITY;
    for (int g = 0; g < fcps_model_gp_count(model); g++)
      lengths[i] = fmin(lengths[i], exp(fcps_model_gp(model, g)->hyper[model->layout.context.width + i]));
  }
}

static fcps_status find_neighbours(const fcps_learner *learner, const double *target, const double *environment,
                                   neighbours *n)
{
  const fcps_problem *p = &learner->problem;
  const fcps_bo *b = learner->state;
  const fcps_model *model = fcps_model_side(b->model, 0);
  const size_t width = (size_t)model->layout.parameters.width;
  double x[FCPS_SPACE_MAX];
  *n = (neighbours){.space = &p->parameters, .embedding = &model->layout.parameters};
  n->lengths = fcps_allocate(width * ((size_t)learner->pending_count + 1), sizeof *n->lengths);
  if (n->lengths == NULL) return FCPS_ERR_MEMORY;
  n->features = n->lengths + width;
  find_lengths(model, n->lengths);
  for (int i = 0; i < learner->pending_count; i++) {
    const fcps_pending *pending = learner->pending + i;
    if (!is_same(p->target.count, pending->target, target) ||
        !is_same(p->environment.count, pending->environment, environment))
      continue;
    fcps_space_to_unit(&p->parameters, pending->parameters, x);
    fcps_embed(n->embedding, x, n->features + (size_t)n->count++ * width);
  }
  return FCPS_OK;
}

/* `features` is scratch. */
static bool is_apart(const neighbours *n, const double *x, double *features)
{
  const int width = n->embedding->width;
  fcps_embed(n->embedding, x, features);
  for (int i = 0; i < n->count; i++) {
    double squares = 0.0;
    for (int d = 0; d < width; d++) {
      const double step = (features[d] - n->features[i * width + d]) / n->lengths[d];
      squares += step * step;
    }
    if (squares < least_distance * least_distance) return false;
  }
  return true;
}

/* Candidates of a round (rows) that are apart and keep the constraints, integers rounded; the first round has uniform
 * ones among them. Returns how many there are. */
static int draw_candidates(const neighbours *n, const fcps_region *region, int round, const double *centre,
                           fcps_rng *rng, double *rows)
{
  const int dims = n->space->count;
  const double reach = 0.5 * pow(0.5, round); /* of the range, per dimension */
  double x[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX], features[2 * FCPS_SPACE_MAX];
  int count = 0;
  for (int c = 0; c < CANDIDATES; c++) {
    const bool is_uniform = round == 0 && c % 2 == 0;
    for (int d = 0; d < dims; d++) {
      const double draw = is_uniform ? fcps_rng_uniform(rng) : centre[d] + reach * fcps_rng_normal(rng);
      x[d] = fmin(fmax(draw, 0.0), 1.0);
    }
    fcps_space_from_unit(n->space, x, parameters);
    fcps_space_to_unit(n->space, parameters, x);
    fcps_region_settle_all(region, dims, 1, x);
    if (is_apart(n, x, features)) memcpy(rows + (size_t)count++ * (size_t)dims, x, (size_t)dims * sizeof *x);
  }
  return count;
}

/* The best candidate by UCB, round by round. `room` holds the candidates and their moments. */
static fcps_status search(const fcps_decision *decision, const neighbours *n, fcps_rng rng, double *room, double *x)
{
  const size_t dims = (size_t)n->space->count;
  const double kappa = fcps_acquisition_kappa(decision->settings, decision->posterior);
  double *mean = room + CANDIDATES * dims, *deviation = mean + CANDIDATES;
  double centre[FCPS_SPACE_MAX], best = -INFINITY;
  memcpy(centre, x, dims * sizeof *x);
  for (int round = 0; round < ROUNDS; round++) {
    const int count = draw_candidates(n, fcps_posterior_region(decision->posterior), round, centre, &rng, room);
    if (count > 0) fcps_posterior_moments(decision->posterior, count, room, mean, deviation);
    for (int c = 0; c < count; c++)
      mean[c] += kappa * deviation[c];
    fcps_acquisition_price_bounds(decision, count, room, mean);
    for (int c = 0; c < count; c++) {
      if (!(mean[c] > best)) continue;
      best = mean[c];
      memcpy(x, room + (size_t)c * dims, dims * sizeof *x);
    }
    memcpy(centre, x, dims * sizeof *x);
  }
  return fcps_posterior_failure(decision->posterior);
}

fcps_status fcps_bo_keep_apart(const fcps_learner *learner, const fcps_decision *decision, const double *target,
                               const double *environment, double *x)
{
  neighbours n = {0};
  double features[2 * FCPS_SPACE_MAX], near[FCPS_SPACE_MAX];
  if (learner->pending_count == 0) return FCPS_OK;
  fcps_status status = find_neighbours(learner, target, environment, &n);
  if (status == FCPS_OK && !is_apart(&n, x, features)) {
    double *room = fcps_allocate(CANDIDATES * ((size_t)n.space->count + 2), sizeof *room);
    memcpy(near, x, (size_t)n.space->count * sizeof *x);
    status = room != NULL ? search(decision, &n, decision->rng, room, x) : FCPS_ERR_MEMORY;
    if (status == FCPS_OK && fcps_posterior_slack(decision->posterior, x) < 0.0 &&
        fcps_posterior_slack(decision->posterior, near) >= 0.0)
      memcpy(x, near, (size_t)n.space->count * sizeof *x);
    free(room);
  }
  free(n.lengths);
  return status;
}
