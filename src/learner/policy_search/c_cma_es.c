/* SPDX-License-Identifier: Apache-2.0 */
/* Contextual covariance matrix adaptation [abdolmaleki2017, hansen2016]: a linear-Gaussian policy N(W' phi(s), sigma^2
 * C) that moves once per generation of rollouts. The ranks of their rewards, less the rewards expected in their
 * contexts, determine the move.
 *
 *   mean        W  = W_old + weighted ridge regression of the residuals e_i sigma on phi_i
 *   step        y  = (W - W_old)' phibar / sigma
 *   paths       ps = (1-cs) ps + sqrt(cs (2-cs) mueff) C^-1/2 y,   pc = (1-cc) pc + h sqrt(cc (2-cc) mueff) y
 *   covariance  C  = (1 - c1a - cmu) C + cmu sum_i d_i e_i e_i' + c1 pc pc'
 *   step size   sigma *= exp(min(0.6, cs/ds (|ps|/chi - 1)))
 *
 * Without context this is CMA-ES. The state follows from the rollouts, so only the rollouts are saved. */
#include "base/error.h"
#include "base/memory.h"
#include "learner/policy_search/policy_search.h"
#include "linalg/dense.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Weights -- */

/* Rates and weights of contextual CMA-ES. The order of the training samples breaks ties, so that equal rewards give the
 * same weights on every machine. */

static const double baseline_ridge = 1e-4;

/* Returns the weight, not normalized, of a rank (1, 2, ...) in `population`. */
static double rank_weight(double rank, int population)
{
  return fmax(0.0, log(population / 2 + 0.5) - log(rank));
}

fcps_cma_rates fcps_cma_rates_of(int n, int contexts, int population)
{
  const double total = n + contexts, size = n;
  const int usual = 4 + (int)floor(3.0 * log(total)) * (1 + 2 * contexts);
  fcps_cma_rates r = {.population = population > 0 ? population : usual > 4 ? usual : 4};
  double sum = 0.0, squares = 0.0;
  for (int i = 1; i <= r.population / 2; i++) {
    const double w = rank_weight(i, r.population);
    sum += w;
    squares += w * w;
  }
  r.mueff = sum * sum / squares;
  r.c1 = 2.0 / ((total + 1.3) * (total + 1.3) + r.mueff);
  r.cmu = fmin(1.0 - r.c1, 2.0 * (r.mueff - 2.0 + 1.0 / r.mueff) / ((total + 2.0) * (total + 2.0) + r.mueff));
  r.cc = (4.0 + r.mueff / total) / (4.0 + total + 2.0 * r.mueff / total);
  r.cs = (r.mueff + 2.0) / (total + r.mueff + 5.0);
  r.ds = 1.0 + 2.0 * fmax(0.0, sqrt((r.mueff - 1.0) / (total + 1.0)) - 1.0) + r.cs + log(contexts + 1.0);
  r.chi = sqrt(size) * (1.0 - 1.0 / (4.0 * size) + 1.0 / (21.0 * size * size));
  return r;
}

typedef struct ranked {
  double advantage;
  int index;
} ranked;

static int compare(const void *a, const void *b)
{
  const ranked *p = a, *q = b;
  if (p->advantage != q->advantage) return p->advantage > q->advantage ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

/* Ranks the training samples by advantage (reward less expected reward), the largest first. */
static fcps_status rank(const fcps_training_samples *r, double *numbers, ranked *ranking)
{
  double *scaled = numbers, *shares = scaled + r->count, *value = shares + r->count;
  fcps_rewards_scale(r->count, r->rewards, scaled); /* scaled so that the ridge has the same effect for all rewards */
  for (int i = 0; i < r->count; i++)
    shares[i] = r->importance[i] / r->count;
  const fcps_status status = fcps_ridge_fit(r->count, r->features, r->phi, 1, scaled, shares, baseline_ridge, value);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < r->count; i++) {
    const double expected = fcps_dot(r->features, value, r->phi + (size_t)i * (size_t)r->features);
    ranking[i] = (ranked){scaled[i] - expected, i};
  }
  qsort(ranking, (size_t)r->count, sizeof *ranking, compare);
  return FCPS_OK;
}

/* Computes the weights d (sum 1) by the ranks of the advantages R - V(s), where V is a regression of rewards on the
 * features. Training sample i counts as the share importance_i/N of a generation. Its rank is the middle of its share,
 * in units of one of `population`. */
static fcps_status weigh_samples(const fcps_training_samples *training, const fcps_cma_rates *rates, double *d)
{
  const size_t count = (size_t)training->count;
  double *numbers = fcps_allocate(2 * count + (size_t)training->features, sizeof(double));
  ranked *ranking = fcps_allocate(count, sizeof *ranking);
  fcps_status status = numbers != NULL && ranking != NULL ? rank(training, numbers, ranking) : FCPS_ERR_MEMORY;
  double before = 0.0, sum = 0.0;
  for (size_t i = 0; i < count && status == FCPS_OK; i++) {
    const int index = ranking[i].index;
    const double share = training->importance[index] / training->count;
    d[index] = share * rank_weight(rates->population * (before + 0.5 * share) + 0.5, rates->population);
    before += share;
    sum += d[index];
  }
  for (size_t i = 0; i < count && status == FCPS_OK; i++)
    d[i] /= sum;
  free(numbers);
  free(ranking);
  return status;
}

/* -- The learner -- */

typedef struct c_cma_es_settings {
  int population; /* 0 means the usual number */
  fcps_features features;
  double initial_deviation, ridge;
  fcps_training_settings training;
} c_cma_es_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_INTEGER_ROW(
        "population", c_cma_es_settings, population, "0", 0, 100000,
        "rollouts per generation, at least 2; 0: from the numbers of parameters and of context dimensions"),
    FCPS_CHOICE_ROW("features", c_cma_es_settings, features, "squared", fcps_features_name,
                    "features of the context in which the policy is linear"),
    FCPS_NUMBER_ROW("initial_deviation", c_cma_es_settings, initial_deviation, "0.15", 1e-3, 10,
                    "deviation of the first policy around the middle of the box, in ranges of the parameters"),
    FCPS_NUMBER_ROW("ridge", c_cma_es_settings, ridge, "1e-4", 1e-12, 1, "regularization of the mean's change"),
    {.spec.name = NULL},
};

const fcps_setting_table fcps_learner_c_cma_es_settings = {
    .size = sizeof(c_cma_es_settings),
    .parts = {{setting_rows, 0},
              {fcps_training_rows, offsetof(c_cma_es_settings, training)},
              {fcps_training_target_rows, offsetof(c_cma_es_settings, training)}}};

/* The state that a generation changes, in one allocation. */
typedef struct shape {
  double *block;
  double *weights;    /* W: features x n */
  double *factor;     /* sigma times the Cholesky factor of C: n x n */
  double *covariance; /* C: n x n, lower */
  double *ps, *pc;    /* the two paths, n numbers each */
  double sigma;
} shape;

typedef struct c_cma_es {
  const c_cma_es_settings *settings; /* borrowed from the learner */
  fcps_linear_gaussian policy;       /* has the W and the factor of `now` */
  fcps_cma_rates rates;
  fcps_rollouts samples; /* all samples: a factored learner scores new ones for targets of earlier generations */
  int first;             /* the first sample of this generation */
  int since, generation;
  shape now;
  fcps_training_kind kind;
} c_cma_es;

static bool allocate_shape(shape *s, size_t features, size_t n)
{
  s->block = fcps_allocate(features * n + 2 * n * n + 2 * n, sizeof(double));
  if (s->block == NULL) return false;
  s->weights = s->block;
  s->factor = s->weights + features * n;
  s->covariance = s->factor + n * n;
  s->ps = s->covariance + n * n;
  s->pc = s->ps + n;
  return true;
}

static void destroy(void *state)
{
  c_cma_es *c = state;
  if (c == NULL) return;
  fcps_linear_gaussian_destroy(&c->policy);
  fcps_rollouts_free(&c->samples);
  free(c->now.block);
  free(c);
}

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const c_cma_es_settings *s = learner->settings;
  c_cma_es *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  learner->state = c;
  c->settings = s;
  if (s->population == 1)
    return fcps_error_set(
        error, FCPS_ERR_BOUNDS, "population",
        "a generation of 1 rollout has no better half to learn from; use 2 or more, or 0 for the usual number");
  c->now.sigma = s->initial_deviation;
  fcps_rollouts_init(&c->samples, &learner->problem);
  if (fcps_training_kind_choose(&s->training, &learner->problem, &c->kind, error) != FCPS_OK)
    return FCPS_ERR_UNSUPPORTED;
  if (fcps_linear_gaussian_create(&c->policy, &learner->problem, s->features == FCPS_FEATURES_SQUARED, c->now.sigma) !=
      FCPS_OK)
    return fcps_error_memory(error);
  const size_t n = (size_t)c->policy.parameters, features = (size_t)c->policy.features;
  if (!allocate_shape(&c->now, features, n)) return fcps_error_memory(error);
  c->rates = fcps_cma_rates_of(c->policy.parameters, c->policy.context.width, s->population);
  memcpy(c->now.weights, c->policy.weights, features * n * sizeof(double));
  memcpy(c->now.factor, c->policy.factor, n * n * sizeof(double));
  for (size_t p = 0; p < n; p++)
    c->now.covariance[p * n + p] = 1.0;
  return FCPS_OK;
}

static fcps_status ask(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                       double *parameters, fcps_error *error)
{
  const c_cma_es *c = learner->state;
  const fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
  const fcps_status status = fcps_linear_gaussian_act(&c->policy, target, environment, &rng, parameters);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

/* A generation: its training samples, residuals and weights, and the state after it. */
typedef struct generation {
  fcps_training_samples training;
  shape next;
  double *block;     /* owns the arrays below */
  double *residuals; /* training samples x n: row i is e_i sigma */
  double *d;         /* weight of each training sample */
  double *change;    /* features x n: W - W_old */
  double *y;         /* y of the formulas above: n */
  double *vectors;   /* n x n: eigenvectors of C */
  double *values;    /* eigenvalues of C: n */
  double *work;      /* for eigenvalues and factors */
} generation;

static fcps_status open_generation(const c_cma_es *c, generation *g, fcps_error *error)
{
  const int targets = c->kind == FCPS_TRAINING_FACTORED ? c->settings->training.factored_targets : 0;
  const fcps_status status =
      fcps_training_samples_create(&g->training, &c->policy, &c->samples, c->first, targets, error);
  if (status != FCPS_OK) return status;
  const size_t count = (size_t)g->training.count, n = (size_t)g->training.parameters;
  const size_t f = (size_t)g->training.features, eigen = (size_t)fcps_eigen_work((int)n);
  g->block = fcps_allocate(count * (n + 1) + f * n + 2 * n + n * n + (eigen > n * n ? eigen : n * n), sizeof(double));
  if (g->block == NULL || !allocate_shape(&g->next, f, n)) return FCPS_ERR_MEMORY;
  g->residuals = g->block;
  g->d = g->residuals + count * n;
  g->change = g->d + count;
  g->y = g->change + f * n;
  g->vectors = g->y + n;
  g->values = g->vectors + n * n;
  g->work = g->values + n;
  memcpy(g->next.block, c->now.block, (f * n + 2 * n * n + 2 * n) * sizeof(double));
  g->next.sigma = c->now.sigma;
  return FCPS_OK;
}

static void close_generation(generation *g)
{
  fcps_training_samples_destroy(&g->training);
  free(g->next.block);
  free(g->block);
}

static void find_residuals(const c_cma_es *c, generation *g)
{
  const fcps_training_samples *r = &g->training;
  const size_t n = (size_t)r->parameters;
  for (size_t i = 0; i < (size_t)r->count; i++) {
    double *e = g->residuals + i * n;
    fcps_linear_gaussian_mean(&c->policy, r->phi + i * (size_t)r->features, e);
    for (size_t p = 0; p < n; p++)
      e[p] = r->theta[i * n + p] - e[p];
  }
}

/* Computes W, and how far the mean moved in the average context, in units of sigma. */
static fcps_status move_mean(const c_cma_es *c, generation *g)
{
  const fcps_training_samples *r = &g->training;
  const size_t n = (size_t)r->parameters, f = (size_t)r->features;
  const fcps_status status =
      fcps_ridge_fit(r->count, r->features, r->phi, r->parameters, g->residuals, g->d, c->settings->ridge, g->change);
  if (status != FCPS_OK) return status;
  for (size_t p = 0; p < n; p++) {
    double moved = 0.0;
    for (size_t i = 0; i < (size_t)r->count; i++)
      moved += r->importance[i] / r->count * fcps_dot(r->features, g->change + p * f, r->phi + i * f);
    g->y[p] = moved / c->now.sigma;
  }
  for (size_t w = 0; w < f * n; w++)
    g->next.weights[w] += g->change[w];
  return FCPS_OK;
}

/* Computes both paths and sigma. Sets *stalls if ps is so long that y is not added to pc (h = 0). */
static fcps_status move_paths(const c_cma_es *c, generation *g, bool *stalls)
{
  const fcps_cma_rates *rates = &c->rates;
  const size_t n = (size_t)c->policy.parameters;
  memcpy(g->vectors, c->now.covariance, n * n * sizeof(double));
  const fcps_status status = fcps_eigen_symmetric((int)n, g->vectors, (int)n, g->values, g->work);
  if (status != FCPS_OK) return status;
  const double pull = sqrt(rates->cs * (2.0 - rates->cs) * rates->mueff);
  for (size_t p = 0; p < n; p++)
    g->next.ps[p] *= 1.0 - rates->cs;
  for (size_t k = 0; k < n; k++) { /* C^-1/2 y, one eigenvector after the other */
    const double *b = g->vectors + k * n;
    const double along = fcps_dot((int)n, b, g->y) / sqrt(fmax(g->values[k], DBL_EPSILON));
    for (size_t p = 0; p < n; p++)
      g->next.ps[p] += pull * along * b[p];
  }
  const double length = sqrt(fcps_dot((int)n, g->next.ps, g->next.ps));
  const double settled = sqrt(1.0 - pow(1.0 - rates->cs, 2.0 * (c->generation + 1)));
  *stalls = length / settled >= (1.4 + 2.0 / ((double)n + 1.0)) * rates->chi;
  const double follow = *stalls ? 0.0 : sqrt(rates->cc * (2.0 - rates->cc) * rates->mueff);
  for (size_t p = 0; p < n; p++)
    g->next.pc[p] = (1.0 - rates->cc) * g->next.pc[p] + follow * g->y[p];
  g->next.sigma *= exp(fmin(0.6, rates->cs / rates->ds * (length / rates->chi - 1.0)));
  return FCPS_OK;
}

/* Computes the next C, and the factor of the next policy. */
static fcps_status adapt_covariance(const c_cma_es *c, generation *g, bool stalls)
{
  const fcps_cma_rates *rates = &c->rates;
  const size_t n = (size_t)c->policy.parameters;
  const double c1a = rates->c1 * (1.0 - (stalls ? rates->cc * (2.0 - rates->cc) : 0.0));
  const double scale = rates->cmu / (c->now.sigma * c->now.sigma);
  for (size_t b = 0; b < n; b++)
    for (size_t a = b; a < n; a++) {
      double *entry = g->next.covariance + b * n + a;
      *entry = (1.0 - c1a - rates->cmu) * *entry + rates->c1 * g->next.pc[a] * g->next.pc[b];
      for (size_t i = 0; i < (size_t)g->training.count; i++)
        *entry += scale * g->d[i] * g->residuals[i * n + a] * g->residuals[i * n + b];
    }
  for (size_t b = 0; b < n; b++)
    for (size_t a = b; a < n; a++)
      g->next.factor[b * n + a] = g->next.sigma * g->next.sigma * g->next.covariance[b * n + a];
  return fcps_chol_factor((int)n, g->next.factor, (int)n, g->work, NULL);
}

static fcps_status evolve(const c_cma_es *c, generation *g)
{
  bool stalls = false;
  find_residuals(c, g);
  fcps_status status = weigh_samples(&g->training, &c->rates, g->d);
  if (status == FCPS_OK) status = move_mean(c, g);
  if (status == FCPS_OK) status = move_paths(c, g, &stalls);
  return status == FCPS_OK ? adapt_covariance(c, g, stalls) : status;
}

/* Computes the next policy from this generation. If it cannot be computed, the old policy stays. */
static fcps_status update(fcps_learner *learner, fcps_error *error)
{
  c_cma_es *c = learner->state;
  const int n = c->policy.parameters, weights = n * c->policy.features, all = weights + 2 * n * n + 2 * n;
  generation g = {0};
  fcps_status status = open_generation(c, &g, error);
  const bool is_open = status == FCPS_OK;
  if (is_open) status = evolve(c, &g);
  if (status == FCPS_OK && fcps_rollout_values_usable(all, g.next.block) &&
      fcps_rollout_values_usable(1, &g.next.sigma)) {
    memcpy(c->now.block, g.next.block, (size_t)all * sizeof(double));
    c->now.sigma = g.next.sigma;
    memcpy(c->policy.weights, c->now.weights, (size_t)weights * sizeof(double));
    memcpy(c->policy.factor, c->now.factor, (size_t)n * (size_t)n * sizeof(double));
  } else if (is_open && status != FCPS_ERR_MEMORY) {
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_CMA_KEPT",
                 "a generation gave no usable policy; the previous policy stays");
    status = FCPS_OK;
  }
  close_generation(&g);
  return status;
}

static fcps_status absorb(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error)
{
  c_cma_es *c = learner->state;
  if (rollout->status != FCPS_ROLLOUT_OK || !fcps_rollout_values_usable(1, &rollout->reward)) return FCPS_OK;
  const int before = c->samples.count;
  fcps_status status = fcps_training_samples_add(&c->samples, &learner->problem, rollout, c->kind, error);
  const bool is_due = c->since + 1 >= c->rates.population;
  if (status == FCPS_OK && is_due) status = update(learner, error);
  if (status != FCPS_OK) {
    c->samples.count = before;
    return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
  }
  c->since = is_due ? 0 : c->since + 1;
  if (is_due) {
    c->first = c->samples.count;
    c->generation++;
  }
  return FCPS_OK;
}

static fcps_status policy(const fcps_learner *learner, fcps_policy **policy, fcps_error *error)
{
  const c_cma_es *c = learner->state;
  return fcps_policy_create_linear_gaussian(policy, &c->policy, error);
}

const fcps_learner_ops fcps_learner_c_cma_es = {
    .create = create, .destroy = destroy, .ask = ask, .absorb = absorb, .policy = policy};
