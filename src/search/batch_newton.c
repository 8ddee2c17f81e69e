/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for many contexts side by side. An outcome, its variance and their slopes do not depend on the target, so
 * the points of all searches go through the GP together; what they are worth is then a matter of a few numbers each. */
#include "search/batch_impl.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step that is expected to gain less than this, relative to the reward, ends a search. */
static const double tolerance = 1e-5;

/* Numbers that all searches at a time may remember: with many parameters fewer contexts go together. */
enum { MOST_NUMBERS = 4000000 };

/* What a search remembers of its last point: where it was, the slopes there of the functions that the reward is made of
 * (outcomes, log variance, terms), and estimates of their second derivatives. */
typedef struct trail {
  bool has_begun;
  double *x, *slopes, *bends;
} trail;

/* Searches for the contexts first ... first + contexts - 1 of the fan. */
typedef struct climb {
  fcps_batch *batch;
  int first, contexts;
  int starts;                            /* searches a context */
  const double *levels;                  /* where integers are held; NULL: nowhere */
  double *means, *variances;             /* of FCPS_POSTERIOR_BLOCK points */
  double *mean_slopes, *variance_slopes; /* with respect to features */
  double *units;                         /* of the rewards, for each search */
  trail *trails;                         /* one a search */
  double *slopes, *weights;              /* of the inner functions at one point */
} climb;

bool fcps_batch_can_maximize(const fcps_batch *batch)
{
  const fcps_posterior *posterior = batch->posterior;
  return posterior->expected_reward != NULL && fcps_expected_reward_is_closed_everywhere(posterior->expected_reward) &&
         fcps_model_gp_count(posterior->model) == 1 && batch->model->parameters.count > 0;
}

/* Slopes of outcome and variance in the parameters at point i of a round. */
static fcps_outcome_slope slope_at(const climb *c, int i, const double *x)
{
  const fcps_posterior *posterior = c->batch->posterior;
  const fcps_model *model = posterior->model;
  const size_t dim = (size_t)model->gp->dim, first = (size_t)model->context.width;
  const int q = posterior->outputs.outputs, p = model->parameters.count;
  for (int o = 0; o < q; o++)
    fcps_embed_gradient(&model->parameters, x, c->mean_slopes + (size_t)(i * q + o) * dim + first,
                        posterior->slopes + o * p);
  fcps_embed_gradient(&model->parameters, x, c->variance_slopes + (size_t)i * dim + first, posterior->slopes + q * p);
  return (fcps_outcome_slope){.x = x,
                              .mean = c->means + i * q,
                              .variances = c->variances + i,
                              .mean_gradients = posterior->slopes,
                              .variance_gradients = posterior->slopes + q * p,
                              .parts = 1};
}

/* Slopes of the functions that the reward at a point is made of, given its gradient; what is left are the terms. */
static void inner_slopes(const climb *c, const fcps_outcome_slope *at, const double *gradient)
{
  const int p = c->batch->model->parameters.count, q = c->batch->posterior->outputs.outputs;
  double *slopes = c->slopes, *terms = slopes + (q + 1) * p;
  memcpy(slopes, at->mean_gradients, (size_t)(q * p) * sizeof(double));
  for (int d = 0; d < p; d++) {
    slopes[q * p + d] = at->variance_gradients[d] / at->variances[0];
    terms[d] = gradient[d];
    for (int j = 0; j <= q; j++)
      terms[d] += c->weights[j] * slopes[j * p + d];
  }
}

/* The symmetric update of rank one [nocedal2006, Eq. 6.24] that makes `bend` agree with how the slope changed. */
static void learn_bend(int p, const double *step, const double *before, const double *after, double *bend)
{
  double lack[FCPS_SPACE_MAX], along = 0.0, size = 0.0, length = 0.0;
  for (int i = 0; i < p; i++) {
    lack[i] = after[i] - before[i];
    for (int j = 0; j < p; j++)
      lack[i] -= bend[i * p + j] * step[j];
    along += lack[i] * step[i];
    size += lack[i] * lack[i];
    length += step[i] * step[i];
  }
  if (!(fabs(along) > 1e-3 * sqrt(size * length))) return;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++)
      bend[i * p + j] += lack[i] * lack[j] / along;
}

static void follow(const climb *c, trail *t, const double *x)
{
  const int p = c->batch->model->parameters.count, functions = c->batch->posterior->outputs.outputs + 2;
  const bool *wraps = fcps_posterior_wraps(c->batch->posterior);
  double step[FCPS_SPACE_MAX];
  for (int d = 0; d < p; d++) {
    step[d] = x[d] - t->x[d];
    if (wraps[d]) step[d] -= round(step[d]);
  }
  for (int f = 0; f < functions && t->has_begun; f++)
    learn_bend(p, step, t->slopes + f * p, c->slopes + f * p, t->bends + f * p * p);
  memcpy(t->x, x, (size_t)p * sizeof(double));
  memcpy(t->slopes, c->slopes, (size_t)(functions * p) * sizeof(double));
  t->has_begun = true;
}

/* -Hessian, from what bends by itself and what is known of the inner functions. */
static void bend_at(const climb *c, trail *t, const fcps_outcome_slope *at, const double *gradient, double *curvature)
{
  const int p = c->batch->model->parameters.count, q = c->batch->posterior->outputs.outputs;
  fcps_expected_reward_curvature(c->batch->posterior->expected_reward, at, curvature, c->weights);
  inner_slopes(c, at, gradient);
  follow(c, t, at->x);
  c->weights[q + 1] = -1.0;
  for (int f = 0; f < q + 2; f++)
    for (int i = 0; i < p * p; i++)
      curvature[i] += c->weights[f] * t->bends[f * p * p + i];
}

/* At most FCPS_POSTERIOR_BLOCK points. */
static void evaluate_block(const climb *c, int count, const int *which, const double *points, double *values,
                           double *gradients, double *curvatures)
{
  fcps_posterior *posterior = c->batch->posterior;
  const size_t n = (size_t)posterior->model->parameters.count;
  for (int i = 0; i < count; i++) {
    fcps_batch_select_context(c->batch, c->first + which[i] / c->starts);
    fcps_posterior_features(posterior, i, points + (size_t)i * n);
  }
  fcps_gp_slopes_predict(&c->batch->slopes, count, posterior->features, c->means, c->variances, c->mean_slopes,
                         c->variance_slopes);
  for (int i = 0; i < count; i++) {
    const fcps_outcome_slope at = slope_at(c, i, points + (size_t)i * n);
    double *gradient = gradients + (size_t)i * n, unused;
    fcps_batch_select_context(c->batch, c->first + which[i] / c->starts);
    fcps_posterior_note(posterior, fcps_expected_reward_gradient(posterior->expected_reward, &at, values + i, &unused,
                                                                 gradient, NULL, posterior->error));
    bend_at(c, &c->trails[which[i]], &at, gradient, curvatures + (size_t)i * n * n);
    fcps_failure_penalty_gradient(posterior, at.x, values + i, NULL, gradient, NULL);
    fcps_levels_hold((int)n, c->levels, gradient, curvatures + (size_t)i * n * n);
  }
}

static void evaluate(void *user, int count, const int *which, const double *points, double *values, double *gradients,
                     double *curvatures)
{
  const climb *c = user;
  const size_t n = (size_t)c->batch->model->parameters.count;
  for (int start = 0; start < count; start += FCPS_POSTERIOR_BLOCK) {
    const size_t row = (size_t)start;
    const int block = count - start < FCPS_POSTERIOR_BLOCK ? count - start : FCPS_POSTERIOR_BLOCK;
    evaluate_block(c, block, which + start, points + row * n, values + start, gradients + row * n,
                   curvatures + row * n * n);
  }
}

/* The best candidates of every context, as rows of x. */
static fcps_status choose_starts(const climb *c, double *x)
{
  const size_t each = (size_t)c->starts * (size_t)c->batch->model->parameters.count;
  fcps_status status = FCPS_OK;
  for (int done = 0, block; done < c->contexts && status == FCPS_OK; done += block) {
    const int left = c->contexts - done;
    block = left < FCPS_BATCH_STARTING ? left : FCPS_BATCH_STARTING;
    status = fcps_batch_starts(c->batch, c->first + done, block, c->starts, x + (size_t)done * each);
  }
  return status;
}

/* Numbers that a search remembers. */
static size_t trail_size(const fcps_batch *batch)
{
  const size_t n = (size_t)batch->model->parameters.count, functions = (size_t)batch->posterior->outputs.outputs + 2;
  return n + functions * n * (1 + n);
}

/* Room for the points of a pass, and for what each search remembers. */
static fcps_status reserve(climb *c, size_t searches)
{
  const fcps_posterior *posterior = c->batch->posterior;
  const size_t dim = (size_t)posterior->model->gp->dim, q = (size_t)posterior->outputs.outputs, functions = q + 2;
  const size_t n = (size_t)posterior->model->parameters.count, each = trail_size(c->batch), pass = FCPS_POSTERIOR_BLOCK;
  c->means = fcps_allocate(pass * (q + 1) * (dim + 1) + functions * (n + 1) + searches * (each + 1), sizeof(double));
  c->trails = fcps_allocate(searches, sizeof *c->trails);
  if (c->means == NULL || c->trails == NULL) return FCPS_ERR_MEMORY;
  c->variances = c->means + pass * q;
  c->mean_slopes = c->variances + pass;
  c->variance_slopes = c->mean_slopes + pass * q * dim;
  c->slopes = c->variance_slopes + pass * dim;
  c->weights = c->slopes + functions * n;
  c->units = c->weights + functions;
  for (size_t i = 0; i < searches; i++) {
    trail *t = &c->trails[i];
    c->units[i] = fcps_reward_range_scale(&c->batch->reward_range[(size_t)c->first + i / (size_t)c->starts]);
    t->x = c->units + searches + i * each;
    t->slopes = t->x + n;
    t->bends = t->slopes + functions * n;
  }
  const int points = searches < FCPS_POSTERIOR_BLOCK ? (int)searches : FCPS_POSTERIOR_BLOCK;
  if (c->batch->slopes.points >= points) return FCPS_OK;
  fcps_gp_slopes_destroy(&c->batch->slopes);
  return fcps_gp_slopes_create(&c->batch->slopes, posterior->model->gp, &posterior->outputs, points);
}

/* For each context the best end of its searches. */
static void keep_best(const climb *c, const double *x, const double *values, double *best_x)
{
  const size_t n = (size_t)c->batch->model->parameters.count;
  for (int t = 0; t < c->contexts; t++) {
    int best = t * c->starts;
    for (int s = best; s < (t + 1) * c->starts; s++)
      if (values[s] > values[best]) best = s;
    memcpy(best_x + (size_t)t * n, x + (size_t)best * n, n * sizeof(double));
  }
}

/* Climbs from the starts in x, with room for values behind them, to the best end of each context; `group` as in a
 * lockstep. */
static fcps_status climb_from(climb *c, int group, int budget, double *x, double *best_x)
{
  const size_t n = (size_t)c->batch->model->parameters.count, searches = (size_t)c->contexts * (size_t)c->starts;
  fcps_status status = reserve(c, searches);
  if (status == FCPS_OK) {
    const fcps_newton_objective objective = {.n = (int)n,
                                             .searches = (int)searches,
                                             .group = group,
                                             .evaluate = evaluate,
                                             .wraps = fcps_posterior_wraps(c->batch->posterior),
                                             .value_scales = c->units,
                                             .user = c};
    status = fcps_newton_maximize(&objective, budget, tolerance, x, x + searches * n);
  }
  if (status == FCPS_OK) keep_best(c, x, x + searches * n, best_x);
  free(c->means);
  free(c->trails);
  return status;
}

static fcps_status climb_some(climb c, int budget, double *best_x)
{
  const size_t n = (size_t)c.batch->model->parameters.count;
  double *x = fcps_allocate((size_t)c.contexts * (size_t)c.starts * (n + 1), sizeof(double));
  fcps_status status = x != NULL ? choose_starts(&c, x) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = climb_from(&c, c.starts, budget, x, best_x);
  free(x);
  return status;
}

/* Puts integers on their levels and climbs again with the others (optim/levels.c): each option to its end. */
static fcps_status settle_some(climb c, int budget, double *best_x)
{
  const int n = c.batch->model->parameters.count;
  c.levels = fcps_posterior_levels(c.batch->posterior);
  if (c.levels == NULL) return FCPS_OK;
  c.starts = fcps_levels_options(n, c.levels);
  const size_t each = (size_t)c.starts * (size_t)n;
  double *x = fcps_allocate((size_t)c.contexts * (each + (size_t)c.starts), sizeof(double));
  if (x == NULL) return FCPS_ERR_MEMORY;
  for (int t = 0; t < c.contexts; t++)
    fcps_levels_lay(n, c.levels, fcps_posterior_wraps(c.batch->posterior), best_x + (size_t)(t * n),
                    x + (size_t)t * each);
  const fcps_status status = climb_from(&c, 1, budget, x, best_x);
  free(x);
  return status;
}

fcps_status fcps_batch_maximize(fcps_batch *batch, const fcps_search_settings *settings, double *x)
{
  const int n = batch->model->parameters.count,
            options = fcps_levels_options(n, fcps_posterior_levels(batch->posterior));
  const int starts = settings->starts < batch->candidates ? settings->starts : batch->candidates;
  const size_t fit = MOST_NUMBERS / (trail_size(batch) * (size_t)(starts > options ? starts : options));
  const int at_once = fit < 1 ? 1 : fit < FCPS_BATCH_CONTEXTS ? (int)fit : FCPS_BATCH_CONTEXTS;
  fcps_status status = FCPS_OK;
  for (int first = 0; first < batch->count && status == FCPS_OK; first += at_once) {
    const int left = batch->count - first;
    const climb some = {.batch = batch, .first = first, .contexts = left < at_once ? left : at_once, .starts = starts};
    double *best = x + (size_t)first * (size_t)n;
    status = climb_some(some, settings->local_budget, best);
    if (status == FCPS_OK) status = settle_some(some, settings->local_budget, best);
  }
  return status == FCPS_OK ? fcps_posterior_failure(batch->posterior) : status;
}
