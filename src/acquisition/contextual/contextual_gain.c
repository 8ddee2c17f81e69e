/* SPDX-License-Identifier: Apache-2.0 */
/* Values of trials over representer contexts; the formula is in the header. The functions follow the algorithm
 * [metzen2015b; pinsler2019, Algorithm 4]: draw representer contexts, represent the belief about the maximum in each of
 * them, and sum the gains of a trial over the nearest ones.
 *
 * Invariants: representer contexts are drawn from the purpose `represent` of the decision's random stream, and the pool
 * of parameters from a distant part of the same stream, so that neither depends on which coordinates are free. A
 * trial's value does not depend on the other trials of a call. */
#include "acquisition/contextual/contextual_gain.h"

#include "base/memory.h"
#include "gp/query.h"
#include "optim/optim.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const fcps_belief_settings fcps_contextual_belief_settings = {.pool = 200,
                                                              .best = 30,
                                                              .others = 30,
                                                              .draws = 64,
                                                              .representers = 20,
                                                              .samples = 208,
                                                              .outcomes = 5,
                                                              .maxima = 2,
                                                              .optimal_pairs = 4,
                                                              .places = 16};

/* -- Representer contexts -- */

fcps_status fcps_representer_contexts_draw(fcps_representer_contexts *contexts, const fcps_context_decision *decision)
{
  const fcps_model *model = decision->model;
  const fcps_space *space = &model->problem->target;
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  const bool has_targets = fcps_model_kind_has_outputs_per_target(model->ops) && space->count > 0;
  const int targets = has_targets ? decision->settings->targets : 1;
  const int each =
      model->layout.context.count > 0 ? decision->settings->contexts / targets : 1; /* without coordinates all contexts
                                                                                     * are the same */
  *contexts = (fcps_representer_contexts){.count = each < 1 ? 1 : each, .targets = targets};
  contexts->x = fcps_allocate((size_t)contexts->count * (size_t)model->layout.context.count, sizeof(double));
  contexts->target_values = fcps_allocate((size_t)targets * (size_t)space->count, sizeof(double));
  if (contexts->x == NULL || contexts->target_values == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = fcps_points_latin(&rng, model->layout.context.count, contexts->count, contexts->x);
  if (status == FCPS_OK && has_targets)
    status = fcps_points_latin(&rng, space->count, targets, contexts->target_values);
  for (int i = 0; i < targets && has_targets; i++) {
    double *target = contexts->target_values + (size_t)i * (size_t)space->count;
    fcps_space_from_unit(space, target, target);
  }
  return status;
}

void fcps_representer_contexts_destroy(fcps_representer_contexts *contexts)
{
  free(contexts->x);
  free(contexts->target_values);
  *contexts = (fcps_representer_contexts){0};
}

/* -- Opening a query -- */

/* If the model has split, bounds the free coordinates to one child. Returns false if the fixed coordinates are in the
 * other child. */
static bool bound_child(fcps_contextual_query *q, int child)
{
  double threshold = 0.0;
  const int split_dim = fcps_model_split_dimension(q->decision->model, &threshold);
  for (int i = 0; i < q->seen; i++) {
    const bool is_split = i == split_dim && child >= 0;
    if (!q->decision->is_free[i]) {
      if (is_split && (q->fixed[i] >= threshold) != (child == 1)) return false;
      continue;
    }
    const double below = threshold - 1e-9; /* the threshold itself belongs to child 1 */
    q->free_dims[q->free_count] = i;
    q->lower[q->free_count] = is_split && child == 1 ? fmin(threshold, 1.0) : 0.0;
    q->upper[q->free_count] = is_split && child == 0 ? fmax(below, 0.0) : 1.0;
    q->free_count++;
  }
  return true;
}

/* Writes which coordinates of a trial wrap around. A coordinate of the context only does if the child has the whole
 * circle. */
static void fill_wraps(fcps_contextual_query *q)
{
  const fcps_problem *problem = q->model->problem;
  for (int i = 0; i < q->free_count; i++) {
    const int d = q->free_dims[i], environments = problem->environment.count;
    const fcps_dimension *dim =
        d < environments ? problem->environment.dims + d : problem->target.dims + d - environments;
    q->wraps[i] = fcps_dimension_wraps(dim) && q->upper[i] - q->lower[i] >= 1.0;
  }
  fcps_space_wraps(&problem->parameters, q->wraps + q->free_count);
}

static fcps_status allocate(fcps_contextual_query *q, int contexts)
{
  const size_t seen = (size_t)q->seen, width = (size_t)q->model->layout.context.width, count = (size_t)contexts;
  const size_t most = (size_t)q->most, gains = most > seen ? most : seen;
  q->contexts = fcps_allocate(count, sizeof *q->contexts);
  q->free_dims = fcps_allocate(seen, sizeof(int));
  q->fixed = fcps_allocate(3 * seen + gains + most * count + count * (seen + width), sizeof(double));
  q->members = fcps_allocate(most, sizeof(int));
  q->wraps = fcps_allocate(seen + (size_t)q->model->layout.parameters.count, sizeof(bool));
  if (q->contexts == NULL || q->free_dims == NULL || q->fixed == NULL || q->members == NULL || q->wraps == NULL)
    return FCPS_ERR_MEMORY;
  q->lower = q->fixed + seen;
  q->upper = q->lower + seen;
  q->gains = q->upper + seen;
  q->distance = q->gains + gains;
  double *next = q->distance + most * count;
  for (size_t c = 0; c < count; c++, next += seen + width)
    q->contexts[c] = (fcps_representer_context){.x = next, .features = next + seen};
  return FCPS_OK;
}

void fcps_contextual_query_close(fcps_contextual_query *query)
{
  fcps_contextual_query *q = query;
  for (int c = 0; c < q->count; c++) {
    for (int t = 0; t < q->outputs.outputs && q->contexts[c].beliefs != NULL; t++)
      fcps_belief_destroy(q->contexts[c].beliefs + t);
    free(q->contexts[c].beliefs);
  }
  free(q->contexts);
  free(q->free_dims);
  free(q->fixed);
  free(q->members);
  free(q->wraps);
  free(q->scratch);
  free(q->beta);
  fcps_candidates_destroy(&q->trials);
  fcps_candidates_destroy(&q->near);
  fcps_gp_outputs_destroy(&q->outputs);
  fcps_belief_builder_destroy(&q->builder);
}

/* Stores the representer contexts of this child, each with a belief for each target. */
static fcps_status represent_maxima(fcps_contextual_query *q, const fcps_representer_contexts *all, int child)
{
  double threshold = 0.0;
  const int split_dim = fcps_model_split_dimension(q->decision->model, &threshold);
  for (int c = 0; c < all->count; c++) {
    fcps_representer_context *to = q->contexts + q->count;
    memcpy(to->x, all->x + (size_t)c * (size_t)q->seen, (size_t)q->seen * sizeof(double));
    fcps_embed(&q->model->layout.context, to->x, to->features);
    if (child >= 0 && (to->x[split_dim] >= threshold) != (child == 1)) continue;
    q->count++;
    to->beliefs = fcps_allocate((size_t)q->outputs.outputs, sizeof *to->beliefs);
    if (to->beliefs == NULL) return FCPS_ERR_MEMORY;
    const fcps_status status =
        fcps_gain_beliefs(q->gain, &q->builder, q->model, &q->outputs, to->features, to->beliefs);
    if (status != FCPS_OK) return status;
    for (int t = 0; t < q->outputs.outputs; t++)
      fcps_gain_report(q->gain, &q->builder, to->beliefs + t, q->decision->report);
  }
  return FCPS_OK;
}

/* Makes room for trials, and prepares the computation of their means. */
static fcps_status prepare_trials(fcps_contextual_query *q)
{
  const size_t targets = (size_t)q->outputs.outputs, rows = (size_t)q->outputs.count, most = (size_t)q->most;
  fcps_status status = fcps_candidates_create(&q->trials, q->model->gps.gp[0], q->most);
  if (status == FCPS_OK) status = fcps_candidates_create(&q->near, q->model->gps.gp[0], q->most);
  if (status != FCPS_OK) return status;
  q->beta = fcps_allocate((rows + most) * targets, sizeof(double));
  q->scratch = q->gain->scratch(&q->builder, q->most);
  if (q->beta == NULL || q->scratch == NULL) return FCPS_ERR_MEMORY;
  q->means = q->beta + rows * targets;
  fcps_gp_whitened_weights(q->model->gps.gp[0], &q->outputs, q->beta);
  return FCPS_OK;
}

fcps_status fcps_contextual_query_open(fcps_contextual_query *query, const fcps_context_decision *decision,
                                       const fcps_representer_contexts *contexts, int child, const double *context,
                                       int most, bool *is_empty, fcps_error *error)
{
  fcps_contextual_query *q = query;
  *q = (fcps_contextual_query){.decision = decision,
                               .gain = decision->acquisition->gain,
                               .model = child < 0 ? decision->model : fcps_model_side(decision->model, child),
                               .seen = decision->model->layout.context.count,
                               .most = most};
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  rng.index = UINT64_C(1) << 32; /* far behind the random numbers of the representer contexts */
  fcps_status status = allocate(q, contexts->count);
  if (status != FCPS_OK) return status;
  memcpy(q->fixed, context, (size_t)q->seen * sizeof(double));
  *is_empty = !bound_child(q, child);
  if (*is_empty) return FCPS_OK;
  fill_wraps(q);
  status = fcps_belief_builder_create(&q->builder, &fcps_contextual_belief_settings, q->model, rng);
  if (status == FCPS_OK)
    status = fcps_model_condition(q->model, contexts->targets, contexts->target_values, &q->outputs, error);
  if (status == FCPS_OK) status = represent_maxima(q, contexts, child);
  return status == FCPS_OK ? prepare_trials(q) : status;
}

/* -- Values -- */

int fcps_contextual_query_width(const fcps_contextual_query *query)
{
  return query->free_count + query->builder.n;
}

/* Writes all coordinates of a trial's context that the model uses. */
static void query_context(const fcps_contextual_query *query, const double *trial, double *context)
{
  const fcps_contextual_query *q = query;
  memcpy(context, q->fixed, (size_t)q->seen * sizeof(double));
  for (int i = 0; i < q->free_count; i++)
    context[q->free_dims[i]] = q->lower[i] + trial[i] * (q->upper[i] - q->lower[i]);
}

/* Predicts the trials with the GP. `context` is scratch for one context. */
static void predict_trials(fcps_contextual_query *q, int count, const double *trials, double *context)
{
  const size_t dim = (size_t)q->model->layout.features, n = (size_t)fcps_contextual_query_width(q);
  for (size_t i = 0; i < (size_t)count; i++) {
    double *features = q->trials.features + i * dim;
    query_context(q, trials + i * n, context);
    fcps_embed(&q->model->layout.context, context, features);
    fcps_embed(&q->model->layout.parameters, trials + i * n + q->free_count, features + q->model->layout.context.width);
  }
  fcps_candidates_prepare(&q->trials, q->model->gps.gp[0], count);
  fcps_candidates_predict(&q->trials, q->model->gps.gp[0], &q->outputs, q->beta, q->means);
}

/* Computes distance[trial*contexts + context], squared and in length-scales. */
static void measure_distances(fcps_contextual_query *q, int count)
{
  const fcps_gp *gp = q->model->gps.gp[0];
  memset(q->distance, 0, (size_t)count * (size_t)q->count * sizeof(double));
  for (int d = 0; d < q->model->layout.context.width; d++) {
    const double weight = exp(-2.0 * gp->hyper[d]);
    double *sum = q->distance;
    for (int i = 0; i < count; i++)
      for (int c = 0; c < q->count; c++) {
        const double t = q->trials.features[(size_t)i * (size_t)gp->dim + (size_t)d] - q->contexts[c].features[d];
        *sum++ += weight * t * t;
      }
  }
}

/* Whether representer context `c` is one of the `neighbours` nearest to a trial. */
static bool is_near(const fcps_contextual_query *q, int trial, int c)
{
  const double *distance = q->distance + (size_t)trial * (size_t)q->count;
  const int most = q->decision->settings->neighbours;
  int before = 0;
  for (int other = 0; other < q->count && before < most; other++)
    before += distance[other] < distance[c] || (distance[other] == distance[c] && other < c);
  return before < most;
}

/* Collects the trials for which representer context `c` is near. */
static void gather_near(fcps_contextual_query *q, int count, int c)
{
  const size_t dim = (size_t)q->model->layout.features, rows = (size_t)q->model->gps.gp[0]->factored;
  fcps_candidates *near = &q->near;
  near->count = 0;
  for (int i = 0; i < count; i++) {
    if (!is_near(q, i, c)) continue;
    const size_t to = (size_t)near->count, from = (size_t)i;
    memcpy(near->features + to * dim, q->trials.features + from * dim, dim * sizeof(double));
    memcpy(near->whitened + to * rows, q->trials.whitened + from * rows, rows * sizeof(double));
    near->variance[to] = q->trials.variance[from];
    q->members[near->count++] = i;
  }
}

/* Adds G^{s_c} of the trials near representer context c, summed over targets, to their values. */
static void add_gains(fcps_contextual_query *q, int count, int c, double *values)
{
  gather_near(q, count, c);
  memset(q->gains, 0, (size_t)q->near.count * sizeof(double));
  for (int t = 0; t < q->outputs.outputs; t++) {
    for (int i = 0; i < q->near.count; i++)
      q->near.mean[i] = q->means[(size_t)t * (size_t)count + (size_t)q->members[i]];
    q->gain->add(&q->builder, q->model->gps.gp[0], q->contexts[c].beliefs + t, &q->near, q->scratch, q->gains);
  }
  for (int i = 0; i < q->near.count; i++)
    values[q->members[i]] += q->gains[i];
}

void fcps_contextual_query_values(fcps_contextual_query *query, int count, const double *trials, double *values)
{
  fcps_contextual_query *q = query;
  predict_trials(q, count, trials, q->gains); /* here the memory of the gains serves as scratch for a context */
  measure_distances(q, count);
  memset(values, 0, (size_t)count * sizeof(double));
  for (int c = 0; c < q->count; c++)
    add_gains(q, count, c, values);
  /* the children of a split do not know the probability of failure; the whole model does */
  const fcps_model *asked = q->decision->model;
  fcps_feasibility_scale(&asked->feasibility, &asked->layout, count, q->trials.features, values);
  const int n = fcps_contextual_query_width(q);
  for (int i = 0; i < count; i++) {
    query_context(q, trials + i * n, q->gains);
    fcps_acquisition_price_trial(q->decision, q->gains, trials + i * n + q->free_count, values + i);
  }
}

/* -- ACES and FACES -- */

/* Active contextual entropy search: chooses the trial (context and parameters together) with the largest value over
 * many contexts (contextual_gain.h). It is ACES with the joint model [metzen2015b] and FACES with the rescored one
 * [pinsler2019, Algorithm 4]. kg, mes, jes and pes can replace entropy search.
 *
 * The search begins with random trials, some of them at the representers of the beliefs, and continues with ever
 * smaller steps from the best trials. If the model has split, each child is searched separately, and the larger value
 * wins.
 *
 * Invariant: coordinates of the context that the model does not use, or that are not free, do not change. */

enum { CANDIDATES = 160, KNOWN_CANDIDATES = 80 };
static const fcps_shrinking_search_settings narrowing = {
    .rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

/* Draws trials: first some at the representers of representer contexts, then uniform ones. */
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

/* Searches the best trial of one child. If it is better than *value, writes the trial and its value. */
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
    query_context(q, trial, context);
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
