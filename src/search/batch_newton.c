/* SPDX-License-Identifier: Apache-2.0 */
/* Newton searches for many contexts side by side (optim's batch Newton). An outcome, its variance and their slopes
 * do not depend on the target, so the GP predicts the points of all searches together, and their rewards then follow
 * from a few numbers per point.
 *
 * The reward is a function of few inner functions: the outcomes, the log variance and the terms in the parameters
 * (fcps_expected_reward_curvature). Its Hessian follows from its own curvature, which is known, and from the Hessians
 * of the inner functions, which each search estimates from its own steps by symmetric updates of rank one. */
#include "search/batch_impl.h"

#include "base/memory.h"
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Starts --
 *
 * The starts of a batch's searches are the best candidates of each context. If only upper bounds of the rewards are
 * known, exact rewards are computed as needed (search.h), for several contexts in one pass of the GP. */

enum { BLOCK = FCPS_POSTERIOR_BLOCK };

/* The contexts that are screened together. */
typedef struct screening {
  fcps_batch *batch;
  int first, count;
  fcps_bound_screening screens[FCPS_BATCH_STARTING];
  double *values; /* values of all candidates, one row per context */
  double *points; /* points of one pass of the GP */
} screening;

static double *values_of(const screening *s, int i)
{
  return s->values + (size_t)i * (size_t)s->batch->candidates;
}

/* Computes the exact rewards that the contexts need next, in one pass of the GP. Returns false if no context needs an
 * exact reward. */
static bool make_exact(screening *s)
{
  const size_t n = (size_t)s->batch->model->layout.parameters.count;
  int contexts[BLOCK], which[BLOCK], count = 0;
  double exact[BLOCK];
  for (int i = 0; i < s->count; i++) {
    const int block = fcps_bound_screening_next(&s->screens[i], BLOCK / FCPS_BATCH_STARTING, which + count);
    for (int j = 0; j < block; j++, count++) {
      contexts[count] = s->first + i;
      memcpy(s->points + (size_t)count * n, s->batch->x + (size_t)which[count] * n, n * sizeof(double));
    }
  }
  if (count == 0) return false;
  fcps_batch_predict_rewards(s->batch, count, contexts, s->points, exact, NULL);
  for (int i = 0; i < count; i++)
    fcps_bound_screening_tell(&s->screens[contexts[i] - s->first], which[i], exact[i]);
  return true;
}

static fcps_status value_candidates(screening *s)
{
  const bool has_bounds =
      s->batch->expected_reward != NULL && fcps_failure_penalty_has_bound(s->batch->posterior->penalty);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < s->count && status == FCPS_OK; i++)
    status = (has_bounds ? fcps_batch_bound : fcps_batch_score)(s->batch, s->first + i, values_of(s, i));
  if (status != FCPS_OK || (s->batch->has_variances && !has_bounds)) return status;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_bound_screening_create(&s->screens[i], s->batch->candidates);
    if (status == FCPS_OK) fcps_bound_screening_begin(&s->screens[i], s->batch->candidates, values_of(s, i));
  }
  while (status == FCPS_OK && make_exact(s))
    ;
  return status;
}

static fcps_status choose(const screening *s, int starts, double *x)
{
  const fcps_batch *batch = s->batch;
  const size_t n = (size_t)batch->model->layout.parameters.count;
  const fcps_objective shape = {
      .n = (int)n, .wraps = fcps_posterior_wraps(batch->posterior), .levels = fcps_posterior_levels(batch->posterior)};
  int *chosen = fcps_allocate((size_t)starts, sizeof *chosen);
  fcps_status status = chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_multistart_choose(&shape, &(fcps_scored_points){batch->candidates, batch->x, values_of(s, i)}, starts,
                                    chosen);
    for (int j = 0; j < starts && status == FCPS_OK; j++, x += n)
      memcpy(x, batch->x + (size_t)chosen[j] * n, n * sizeof(double));
  }
  free(chosen);
  return status;
}

static fcps_status find_starts(fcps_batch *batch, int first, int count, int starts, double *x)
{
  screening s = {.batch = batch, .first = first, .count = count};
  s.values = fcps_allocate((size_t)count * (size_t)batch->candidates, sizeof(double));
  s.points = fcps_allocate(BLOCK * (size_t)batch->model->layout.parameters.count, sizeof(double));
  fcps_status status = s.values != NULL && s.points != NULL ? value_candidates(&s) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = choose(&s, starts, x);
  for (int i = 0; i < count; i++)
    fcps_bound_screening_destroy(&s.screens[i]);
  free(s.values);
  free(s.points);
  return status;
}

/* -- The searches -- */

/* A search ends at a step whose expected gain, relative to the reward, is smaller than this. */
static const double tolerance = 1e-5;

/* The most numbers that all searches together may store. With many parameters fewer contexts are searched together. */
enum { MOST_NUMBERS = 4000000 };

/* The last point of a search. */
typedef struct last_point {
  bool exists;
  double *x;
  double *slopes;   /* gradients of the inner functions at x */
  double *hessians; /* estimates of their second derivatives */
} last_point;

/* Searches for the contexts first ... first + contexts - 1 of the batch. */
typedef struct newton_searches {
  fcps_batch *batch;
  int first, contexts;
  int starts;           /* number of searches per context */
  const double *levels; /* numbers of levels of integers and words; NULL if there are no such parameters */
  bool words_only;
  double *means, *variances;             /* for FCPS_POSTERIOR_BLOCK points */
  double *mean_slopes, *variance_slopes; /* with respect to features */
  double *value_scales;                  /* spread of the rewards, one per search */
  last_point *last_points;               /* one per search */
  double *slopes, *weights;              /* those of the inner functions at one point */
} newton_searches;

bool fcps_batch_can_maximize(const fcps_batch *batch)
{
  return batch->is_closed && fcps_model_gp_count(batch->model) == 1 && batch->model->layout.parameters.count > 0;
}

/* Returns the outcome and the variance at point i of a round, with their slopes with respect to the parameters. */
static fcps_outcome_slope slope_at(const newton_searches *c, int i, const double *x)
{
  const fcps_posterior *posterior = c->batch->posterior;
  const fcps_model *model = posterior->model;
  const size_t dim = (size_t)model->layout.features, first = (size_t)model->layout.context.width;
  const int q = posterior->outputs->outputs.outputs, p = model->layout.parameters.count;
  for (int o = 0; o < q; o++)
    fcps_embed_gradient(&model->layout.parameters, x, c->mean_slopes + (size_t)(i * q + o) * dim + first,
                        posterior->outputs->slopes + o * p);
  fcps_embed_gradient(&model->layout.parameters, x, c->variance_slopes + (size_t)i * dim + first,
                      posterior->outputs->slopes + q * p);
  return (fcps_outcome_slope){.x = x,
                              .mean = c->means + i * q,
                              .variances = c->variances + i,
                              .mean_gradients = posterior->outputs->slopes,
                              .variance_gradients = posterior->outputs->slopes + q * p,
                              .gp_count = 1};
}

/* Computes the slopes of the inner functions at a point. Those of the terms are the part of the reward's gradient that
 * outcomes and variance do not explain. */
static void inner_slopes(const newton_searches *c, const fcps_outcome_slope *at, const double *gradient)
{
  const int p = c->batch->model->layout.parameters.count, q = c->batch->posterior->outputs->outputs.outputs;
  double *slopes = c->slopes, *terms = slopes + (q + 1) * p;
  memcpy(slopes, at->mean_gradients, (size_t)(q * p) * sizeof(double));
  for (int d = 0; d < p; d++) {
    slopes[q * p + d] = at->variance_gradients[d] / at->variances[0];
    terms[d] = gradient[d];
    for (int j = 0; j <= q; j++)
      terms[d] += c->weights[j] * slopes[j * p + d];
  }
}

/* Updates `hessian` by a symmetric matrix of rank one [nocedal2006, Eq. 6.24], so that it agrees with the change of
 * the gradient. */
static void update_hessian(int p, const double *step, const double *before, const double *after, double *hessian)
{
  double lack[FCPS_SPACE_MAX], along = 0.0, size = 0.0, length = 0.0;
  for (int i = 0; i < p; i++) {
    lack[i] = after[i] - before[i];
    for (int j = 0; j < p; j++)
      lack[i] -= hessian[i * p + j] * step[j];
    along += lack[i] * step[i];
    size += lack[i] * lack[i];
    length += step[i] * step[i];
  }
  if (!(fabs(along) > 1e-3 * sqrt(size * length))) return;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++)
      hessian[i * p + j] += lack[i] * lack[j] / along;
}

/* Updates the estimates of the Hessians by the last step, and stores the new point. */
static void remember(const newton_searches *c, last_point *t, const double *x)
{
  const int p = c->batch->model->layout.parameters.count, functions = c->batch->posterior->outputs->outputs.outputs + 2;
  const bool *wraps = fcps_posterior_wraps(c->batch->posterior);
  double step[FCPS_SPACE_MAX];
  for (int d = 0; d < p; d++) {
    step[d] = x[d] - t->x[d];
    if (wraps[d]) step[d] -= round(step[d]);
  }
  for (int f = 0; f < functions && t->exists; f++)
    update_hessian(p, step, t->slopes + f * p, c->slopes + f * p, t->hessians + f * p * p);
  memcpy(t->x, x, (size_t)p * sizeof(double));
  memcpy(t->slopes, c->slopes, (size_t)(functions * p) * sizeof(double));
  t->exists = true;
}

/* Computes -Hessian of the reward, from its own curvature and the estimates for the inner functions. */
static void curvature_at(const newton_searches *c, last_point *t, const fcps_outcome_slope *at, const double *gradient,
                         double *curvature)
{
  const int p = c->batch->model->layout.parameters.count, q = c->batch->posterior->outputs->outputs.outputs;
  fcps_expected_reward_curvature(c->batch->expected_reward, at, curvature, c->weights);
  inner_slopes(c, at, gradient);
  remember(c, t, at->x);
  c->weights[q + 1] = -1.0;
  for (int f = 0; f < q + 2; f++)
    for (int i = 0; i < p * p; i++)
      curvature[i] += c->weights[f] * t->hessians[f * p * p + i];
}

/* Evaluates at most FCPS_POSTERIOR_BLOCK points. */
static void evaluate_block(const newton_searches *c, int count, const int *which, const double *points, double *values,
                           double *gradients, double *curvatures)
{
  fcps_posterior *posterior = c->batch->posterior;
  const size_t n = (size_t)posterior->model->layout.parameters.count;
  for (int i = 0; i < count; i++) {
    fcps_batch_select_context(c->batch, c->first + which[i] / c->starts);
    fcps_output_posterior_embed(posterior->outputs, i, points + (size_t)i * n);
  }
  const fcps_gp_query query = {.count = count,
                               .points = posterior->outputs->features,
                               .sums = FCPS_SUMS_AS_PRODUCTS,
                               .mean = c->means,
                               .variance = c->variances,
                               .mean_gradient = c->mean_slopes,
                               .variance_gradient = c->variance_slopes};
  fcps_model_predict(posterior->model, &posterior->outputs->outputs, &query, &c->batch->work);
  for (int i = 0; i < count; i++) {
    const fcps_outcome_slope at = slope_at(c, i, points + (size_t)i * n);
    double *gradient = gradients + (size_t)i * n, unused;
    fcps_batch_select_context(c->batch, c->first + which[i] / c->starts);
    fcps_posterior_note(posterior, fcps_expected_reward_gradient(c->batch->expected_reward, &at, values + i, &unused,
                                                                 gradient, NULL, posterior->error));
    curvature_at(c, &c->last_points[which[i]], &at, gradient, curvatures + (size_t)i * n * n);
    fcps_posterior_note(posterior, fcps_failure_penalty_apply_gradient(posterior->penalty, NULL, at.x, values + i, NULL,
                                                                       gradient, NULL));
    fcps_levels_hold((int)n, c->levels, c->words_only, gradient, curvatures + (size_t)i * n * n);
  }
}

static void evaluate(void *user, int count, const int *which, const double *points, double *values, double *gradients,
                     double *curvatures)
{
  const newton_searches *c = user;
  const size_t n = (size_t)c->batch->model->layout.parameters.count;
  for (int start = 0; start < count; start += FCPS_POSTERIOR_BLOCK) {
    const size_t row = (size_t)start;
    const int block = count - start < FCPS_POSTERIOR_BLOCK ? count - start : FCPS_POSTERIOR_BLOCK;
    evaluate_block(c, block, which + start, points + row * n, values + start, gradients + row * n,
                   curvatures + row * n * n);
  }
}

/* Finds the best candidates of every context, as rows of x. */
static fcps_status choose_starts(const newton_searches *c, double *x)
{
  const size_t each = (size_t)c->starts * (size_t)c->batch->model->layout.parameters.count;
  fcps_status status = FCPS_OK;
  for (int done = 0, block; done < c->contexts && status == FCPS_OK; done += block) {
    const int left = c->contexts - done;
    block = left < FCPS_BATCH_STARTING ? left : FCPS_BATCH_STARTING;
    status = find_starts(c->batch, c->first + done, block, c->starts, x + (size_t)done * each);
  }
  return status;
}

/* Returns how many numbers a search stores. */
static size_t last_point_size(const fcps_batch *batch)
{
  const size_t n = (size_t)batch->model->layout.parameters.count,
               functions = (size_t)batch->posterior->outputs->outputs.outputs + 2;
  return n + functions * n * (1 + n);
}

/* Allocates room for the points of a pass, and for the stored points of all searches. */
static fcps_status reserve(newton_searches *c, size_t searches)
{
  const fcps_posterior *posterior = c->batch->posterior;
  const size_t dim = (size_t)posterior->model->layout.features, q = (size_t)posterior->outputs->outputs.outputs,
               functions = q + 2;
  const size_t n = (size_t)posterior->model->layout.parameters.count, each = last_point_size(c->batch),
               pass = FCPS_POSTERIOR_BLOCK;
  c->means = fcps_allocate(pass * (q + 1) * (dim + 1) + functions * (n + 1) + searches * (each + 1), sizeof(double));
  c->last_points = fcps_allocate(searches, sizeof *c->last_points);
  if (c->means == NULL || c->last_points == NULL) return FCPS_ERR_MEMORY;
  c->variances = c->means + pass * q;
  c->mean_slopes = c->variances + pass;
  c->variance_slopes = c->mean_slopes + pass * q * dim;
  c->slopes = c->variance_slopes + pass * dim;
  c->weights = c->slopes + functions * n;
  c->value_scales = c->weights + functions;
  for (size_t i = 0; i < searches; i++) {
    last_point *t = &c->last_points[i];
    c->value_scales[i] = c->batch->reward_range[(size_t)c->first + i / (size_t)c->starts].spread;
    t->x = c->value_scales + searches + i * each;
    t->slopes = t->x + n;
    t->hessians = t->slopes + functions * n;
  }
  const int points = searches < FCPS_POSTERIOR_BLOCK ? (int)searches : FCPS_POSTERIOR_BLOCK;
  const fcps_status status = fcps_model_reserve(&c->batch->work, posterior->model, points);
  return status == FCPS_OK ? fcps_gp_work_reserve_products(&c->batch->work, posterior->model->gps.gp[0], (int)q, points)
                           : status;
}

/* Writes for each context the best end of its searches. */
static void keep_best(const newton_searches *c, const double *x, const double *values, double *best_x)
{
  const size_t n = (size_t)c->batch->model->layout.parameters.count;
  for (int t = 0; t < c->contexts; t++) {
    int best = t * c->starts;
    for (int s = best; s < (t + 1) * c->starts; s++)
      if (values[s] > values[best]) best = s;
    memcpy(best_x + (size_t)t * n, x + (size_t)best * n, n * sizeof(double));
  }
}

/* Searches from the starts in x, which has room for values behind them, and writes the best end of each context.
 * `group` is that of fcps_newton_objective. */
static fcps_status search_from(newton_searches *c, int group, int budget, double *x, double *best_x)
{
  const size_t n = (size_t)c->batch->model->layout.parameters.count, searches = (size_t)c->contexts * (size_t)c->starts;
  fcps_status status = reserve(c, searches);
  if (status == FCPS_OK) {
    const fcps_newton_objective objective = {.n = (int)n,
                                             .searches = (int)searches,
                                             .group = group,
                                             .evaluate = evaluate,
                                             .wraps = fcps_posterior_wraps(c->batch->posterior),
                                             .value_scales = c->value_scales,
                                             .user = c};
    status = fcps_newton_maximize(&objective, budget, tolerance, x, x + searches * n);
  }
  if (status == FCPS_OK) keep_best(c, x, x + searches * n, best_x);
  free(c->means);
  free(c->last_points);
  return status;
}

static fcps_status search_some(newton_searches c, int budget, double *best_x)
{
  const size_t n = (size_t)c.batch->model->layout.parameters.count;
  double *x = fcps_allocate((size_t)c.contexts * (size_t)c.starts * (n + 1), sizeof(double));
  fcps_status status = x != NULL ? choose_starts(&c, x) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = search_from(&c, c.starts, budget, x, best_x);
  free(x);
  return status;
}

/* Rounds integers to their levels and searches again over the other parameters (optim/levels.c), once for each
 * option. */
static fcps_status settle_some(newton_searches c, int budget, double *best_x)
{
  const int n = c.batch->model->layout.parameters.count;
  c.words_only = false;
  if (c.levels == NULL) return FCPS_OK;
  c.starts = fcps_levels_options(n, c.levels);
  const size_t each = (size_t)c.starts * (size_t)n;
  double *x = fcps_allocate((size_t)c.contexts * (each + (size_t)c.starts), sizeof(double));
  if (x == NULL) return FCPS_ERR_MEMORY;
  for (int t = 0; t < c.contexts; t++)
    fcps_levels_lay(n, c.levels, fcps_posterior_wraps(c.batch->posterior), best_x + (size_t)(t * n),
                    x + (size_t)t * each);
  const fcps_status status = search_from(&c, 1, budget, x, best_x);
  free(x);
  return status;
}

/* Climbs on from the ends of the Newton steps, which may end too early: on a kink that a climb along it can leave, at a
 * penalty whose curvature they do not know, or because they were so short that evaluations ran out. Levels are changed
 * one by one. Only a distance whose parameters have no levels needs no further climb. */
static fcps_status climb_on(fcps_batch *batch, const fcps_search_settings *settings, double *x)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < batch->count && status == FCPS_OK; i++) {
    double start[FCPS_SPACE_MAX], value;
    fcps_optimum optimum;
    fcps_batch_select_context(batch, i);
    memcpy(start, x + (size_t)i * n, n * sizeof(double));
    if (fcps_posterior_levels(batch->posterior) == NULL && !fcps_expected_reward_is_sum(batch->expected_reward))
      continue;
    fcps_posterior_moments(batch->posterior, 1, start, &value, NULL);
    status = fcps_search_moments_from(batch->posterior, &fcps_moment_objective_mean, settings,
                                      &(fcps_scored_points){1, start, &value}, x + (size_t)i * n, &optimum);
  }
  return status;
}

fcps_status fcps_batch_maximize(fcps_batch *batch, const fcps_search_settings *settings, double *x)
{
  const int n = batch->model->layout.parameters.count,
            options = fcps_levels_options(n, fcps_posterior_levels(batch->posterior));
  const double *levels = fcps_posterior_levels(batch->posterior);
  const int wanted = fcps_words_starts(n, levels, settings->starts);
  const int starts = wanted < batch->candidates ? wanted : batch->candidates;
  const size_t fit = MOST_NUMBERS / (last_point_size(batch) * (size_t)(starts > options ? starts : options));
  const int at_once = fit < 1 ? 1 : fit < FCPS_BATCH_CONTEXTS ? (int)fit : FCPS_BATCH_CONTEXTS;
  fcps_status status = FCPS_OK;
  for (int first = 0; first < batch->count && status == FCPS_OK; first += at_once) {
    const int left = batch->count - first;
    const newton_searches some = {.batch = batch,
                                  .first = first,
                                  .contexts = left < at_once ? left : at_once,
                                  .starts = starts,
                                  .levels = levels,
                                  .words_only = true};
    double *best = x + (size_t)first * (size_t)n;
    status = search_some(some, settings->local_budget, best);
    if (status == FCPS_OK) status = settle_some(some, settings->local_budget, best);
  }
  if (status == FCPS_OK) status = climb_on(batch, settings, x);
  return status == FCPS_OK ? fcps_posterior_failure(batch->posterior) : status;
}
