/* SPDX-License-Identifier: Apache-2.0 */
/* Active contextual entropy search: the trial, context and parameters together, whose value over many contexts
 * (contextual_gain.h) is largest. ACES with the joint model [metzen2015b], FACES with the rescored one [pinsler2019,
 * Algorithm 4]; with kg, mes, jes or pes instead of entropy search it works the same.
 *
 * Random trials, some of them where the beliefs have their representers, then ever smaller steps from the best. Where
 * the model has split, each child is searched alone, and the larger value wins.
 *
 * Invariant: coordinates of the context that the model does not see, or that are not free, stay as they are. */
#include "acquisition/contextual/contextual_gain.h"

#include "base/memory.h"
#include "optim/optim.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 160, KNOWN_CANDIDATES = 80 };
static const fcps_shrinking_search_settings narrowing = {
    .rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

/* Uniform trials, after some in representer contexts at their representers. */
static void draw_candidates(const fcps_contextual_query *q, fcps_rng *rng, double *candidates)
{
  const int n = fcps_contextual_query_width(q), parameters = q->builder.n;
  fcps_points_uniform(rng, n, CANDIDATES, candidates);
  for (int i = 0; i < KNOWN_CANDIDATES && q->count > 0; i++) {
    const fcps_representer_context *c = q->contexts + fcps_rng_below(rng, (uint64_t)q->count);
    const fcps_belief *b = c->beliefs + fcps_rng_below(rng, (uint64_t)q->outputs.outputs);
    const double *representer = b->x + fcps_rng_below(rng, (uint64_t)b->count) * (size_t)parameters;
    double *to = candidates + (size_t)i * (size_t)n;
    for (int f = 0; f < q->free_count; f++) {
      const double range = q->upper[f] - q->lower[f];
      to[f] = range > 0 ? fmin(fmax((c->x[q->free_dims[f]] - q->lower[f]) / range, 0.0), 1.0) : 0.0;
    }
    memcpy(to + q->free_count, representer, (size_t)parameters * sizeof(double));
  }
}

static void values_of(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  fcps_contextual_query_values(user, count, points, values);
}

/* The best trial of one child, where it is better than `value`. */
static fcps_status search_child(fcps_contextual_query *q, double *value, double *context, double *best)
{
  const int n = fcps_contextual_query_width(q);
  double *candidates = fcps_allocate((size_t)(CANDIDATES + 1) * (size_t)n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  double *trial = candidates + (size_t)CANDIDATES * (size_t)n;
  fcps_rng rng = q->decision->rng;
  draw_candidates(q, &rng, candidates);
  const fcps_objective objective = {.n = n, .batch = values_of, .wraps = q->wraps, .user = q};
  fcps_optimum optimum;
  const fcps_status status =
      fcps_shrinking_search_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, trial, &optimum);
  if (status == FCPS_OK && optimum.value > *value) {
    *value = optimum.value;
    fcps_contextual_query_context(q, trial, context);
    memcpy(best, trial + q->free_count, (size_t)q->builder.n * sizeof(double));
  }
  free(candidates);
  return status;
}

fcps_status fcps_contextual_gain_select(const fcps_context_decision *decision, double *context, double *x,
                                        fcps_error *error)
{
  const fcps_model *model = decision->model;
  const bool has_split = fcps_model_side_count(model) > 1;
  double value = -INFINITY, *given = fcps_copy(context, (size_t)model->layout.context.count, sizeof(double));
  fcps_representer_contexts contexts = {0};
  fcps_status status = given != NULL ? fcps_representer_contexts_draw(&contexts, decision) : FCPS_ERR_MEMORY;
  for (int child = has_split ? 0 : -1; child < (has_split ? 2 : 0) && status == FCPS_OK; child++) {
    fcps_contextual_query q = {0};
    bool is_empty = false;
    status = fcps_contextual_query_open(&q, decision, &contexts, child, given, CANDIDATES, &is_empty, error);
    if (status == FCPS_OK && !is_empty) status = search_child(&q, &value, context, x);
    fcps_contextual_query_close(&q);
  }
  fcps_representer_contexts_destroy(&contexts);
  free(given);
  return status;
}
