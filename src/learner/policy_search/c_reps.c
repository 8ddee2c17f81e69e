/* SPDX-License-Identifier: Apache-2.0 */
/* Contextual relative entropy policy search [kupcsik2013]: a linear-Gaussian policy, which every few episodes moves
 * towards parameters with a higher reward than expected in their contexts. A bound on the relative entropy limits the
 * move.
 *
 *   weights   d_i ~ exp((R_i - nu' phi_i)/eta)         the dual's optimum, see below
 *   mean      W  = (Phi' D Phi + gamma I)^-1 Phi' D Theta
 *   deviation S  = sum d_i e_i e_i' / (1 - sum d_i^2),  e_i = theta_i - W_old' phi_i
 *
 * Samples are used for their own target, also for the achieved one, or, importance-weighted, for many targets
 * (policy_search.h). Residuals are taken from the old mean, so that exploration shrinks more slowly. The policy follows
 * from the rollouts, so only the rollouts are saved.
 */
#include "base/error.h"
#include "base/memory.h"
#include "learner/policy_search/policy_search.h"
#include "linalg/dense.h"
#include "optim/optim.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct c_reps_settings {
  double epsilon, ridge, initial_deviation, least_deviation;
  int update_every, memory;
  fcps_features features;
  fcps_training_settings training;
} c_reps_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_NUMBER_ROW("epsilon", c_reps_settings, epsilon, "0.5", 1e-3, 100,
                    "largest relative entropy between a policy and the next"),
    FCPS_INTEGER_ROW("update_every", c_reps_settings, update_every, "30", 1, 100000,
                     "rollouts between updates of the policy"),
    FCPS_INTEGER_ROW("memory", c_reps_settings, memory, "100", 1, 100000, "latest rollouts that an update uses"),
    FCPS_CHOICE_ROW("features", c_reps_settings, features, "squared", fcps_features_name,
                    "features of the context in which the policy is linear"),
    FCPS_NUMBER_ROW("initial_deviation", c_reps_settings, initial_deviation, "0.15", 1e-3, 10,
                    "deviation of the first policy around the middle of the box, in ranges of the parameters"),
    FCPS_NUMBER_ROW("ridge", c_reps_settings, ridge, "1e-4", 1e-12, 1, "regularization of the mean"),
    FCPS_NUMBER_ROW("least_deviation", c_reps_settings, least_deviation, "1e-3", 1e-9, 1,
                    "deviation that every update adds, as a share of each range"),
    {.spec.name = NULL},
};

const fcps_setting_table fcps_learner_c_reps_settings = {
    .size = sizeof(c_reps_settings),
    .parts = {{setting_rows, 0},
              {fcps_training_rows, offsetof(c_reps_settings, training)},
              {fcps_training_target_rows, offsetof(c_reps_settings, training)}}};

typedef struct c_reps {
  const c_reps_settings *settings; /* borrowed from the learner */
  fcps_linear_gaussian policy;
  fcps_rollouts samples; /* usable rollouts; with hindsight each is followed by that for its achieved target, if there
                          * is one */
  int since;             /* usable rollouts since the last update */
  fcps_training_kind kind;
} c_reps;

static void destroy(void *state)
{
  c_reps *c = state;
  if (c == NULL) return;
  fcps_linear_gaussian_destroy(&c->policy);
  fcps_rollouts_free(&c->samples);
  free(c);
}

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const c_reps_settings *s = learner->settings;
  c_reps *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  learner->state = c;
  c->settings = s;
  fcps_rollouts_init(&c->samples, &learner->problem);
  if (fcps_training_kind_choose(&s->training, &learner->problem, &c->kind, error) != FCPS_OK)
    return FCPS_ERR_UNSUPPORTED;
  const fcps_status status = fcps_linear_gaussian_create(&c->policy, &learner->problem,
                                                         s->features == FCPS_FEATURES_SQUARED, s->initial_deviation);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status ask(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                       double *parameters, fcps_error *error)
{
  const c_reps *c = learner->state;
  const fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
  const fcps_status status = fcps_linear_gaussian_act(&c->policy, target, environment, &rng, parameters);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

/* The data of an update: training samples and the next policy. */
typedef struct step {
  fcps_training_samples training;
  double *d;       /* one weight per training sample */
  double *weights; /* features x n: the next W */
  double *factor;  /* n x n: the next L */
  double *backup;  /* scratch to factorize: n x n */
} step;

static bool allocate_step(step *s)
{
  const size_t count = (size_t)s->training.count, f = (size_t)s->training.features, n = (size_t)s->training.parameters;
  s->d = fcps_allocate(count + f * n + 2 * n * n, sizeof(double));
  if (s->d == NULL) return false;
  s->weights = s->d + count;
  s->factor = s->weights + f * n;
  s->backup = s->factor + n * n;
  return true;
}

/* Computes the factor of the weighted covariance of the residuals from the old mean. The first numbers of `backup` are
 * scratch for one residual. */
static fcps_status spread(const c_reps *c, step *s)
{
  const fcps_training_samples *r = &s->training;
  const size_t n = (size_t)r->parameters;
  double squares = 0.0;
  for (size_t i = 0; i < (size_t)r->count; i++)
    squares += s->d[i] * s->d[i];
  const double unbiased = fmax(1.0 - squares, 1.0 / r->count); /* a single sample says nothing about the spread */
  for (size_t i = 0; i < (size_t)r->count; i++) {
    double *e = s->backup;
    fcps_linear_gaussian_mean(&c->policy, r->phi + i * (size_t)r->features, e);
    for (size_t p = 0; p < n; p++)
      e[p] = r->theta[i * n + p] - e[p];
    for (size_t b = 0; b < n; b++)
      for (size_t a = b; a < n; a++)
        s->factor[b * n + a] += s->d[i] * e[a] * e[b] / unbiased;
  }
  for (size_t p = 0; p < n; p++)
    s->factor[p * n + p] += c->settings->least_deviation * c->settings->least_deviation;
  return fcps_chol_factor(r->parameters, s->factor, r->parameters, s->backup, NULL);
}

/* Computes the next W and L from the training samples. */
static fcps_status improve(const c_reps *c, step *s)
{
  const fcps_training_samples *r = &s->training;
  const bool is_weighted = c->kind == FCPS_TRAINING_FACTORED;
  const fcps_reps_samples samples = {r->count, r->features, r->phi, r->rewards, is_weighted ? r->importance : NULL};
  fcps_status status = fcps_reps_weights(&samples, c->settings->epsilon, s->d);
  if (status == FCPS_OK)
    status =
        fcps_ridge_fit(r->count, r->features, r->phi, r->parameters, r->theta, s->d, c->settings->ridge, s->weights);
  return status == FCPS_OK ? spread(c, s) : status;
}

/* Computes the next policy from the latest samples. If it cannot be computed, the old policy stays. */
static fcps_status update(fcps_learner *learner, fcps_error *error)
{
  c_reps *c = learner->state;
  const int rows = c->settings->memory * (c->kind == FCPS_TRAINING_HINDSIGHT ? 2 : 1),
            first = c->samples.count > rows ? c->samples.count - rows : 0;
  step s = {0};
  fcps_status status = fcps_training_samples_create(
      &s.training, &c->policy, &c->samples, first,
      c->kind == FCPS_TRAINING_FACTORED ? c->settings->training.factored_targets : 0, error);
  if (status != FCPS_OK) return status;
  status = allocate_step(&s) ? improve(c, &s) : FCPS_ERR_MEMORY;
  const int weights = s.training.features * s.training.parameters,
            factor = s.training.parameters * s.training.parameters;
  if (status == FCPS_OK && fcps_rollout_values_usable(weights, s.weights) &&
      fcps_rollout_values_usable(factor, s.factor)) {
    memcpy(c->policy.weights, s.weights, (size_t)weights * sizeof(double));
    memcpy(c->policy.factor, s.factor, (size_t)factor * sizeof(double));
  } else if (status != FCPS_ERR_MEMORY) {
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_REPS_KEPT",
                 "an update gave no usable policy; the previous policy stays");
    status = FCPS_OK;
  }
  free(s.d);
  fcps_training_samples_destroy(&s.training);
  return status;
}

static fcps_status absorb(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error)
{
  c_reps *c = learner->state;
  if (rollout->status != FCPS_ROLLOUT_OK || !fcps_rollout_values_usable(1, &rollout->reward)) return FCPS_OK;
  const int before = c->samples.count;
  fcps_status status = fcps_training_samples_add(&c->samples, &learner->problem, rollout, c->kind, error);
  const bool is_due = c->since + 1 >= c->settings->update_every;
  if (status == FCPS_OK && is_due) status = update(learner, error);
  if (status == FCPS_OK)
    c->since = is_due ? 0 : c->since + 1;
  else
    c->samples.count = before;
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

static fcps_status policy(const fcps_learner *learner, fcps_policy **policy, fcps_error *error)
{
  const c_reps *c = learner->state;
  return fcps_policy_create_linear_gaussian(policy, &c->policy, error);
}

const fcps_learner_ops fcps_learner_c_reps = {
    .create = create, .destroy = destroy, .ask = ask, .absorb = absorb, .policy = policy};

/* -- The dual -- */

/* With q_i = (R_i - nu' phi_i)/eta and p_i = w_i exp q_i / sum w exp q:
 *
 *   dg/deta = epsilon + log(1/N sum w exp q) - sum p_i q_i,     dg/dnu = phibar - sum p_i phi_i.
 *
 * The dual is convex. It is minimized over (log eta, nu), which keeps eta positive, with rewards scaled to [0, 1],
 * so that one pair of bounds for eta fits every task. nu absorbs the shift, because phi contains a constant.
 */

/* Bounds of eta in units of the rewards' range. Below them, one sample takes all the weight; above, all weigh the
 * same. */
static const double eta_lower = 1e-4, eta_upper = 1e4;
static const double nu_bound = 1e3;
enum { DUAL_BUDGET = 300 };
static const double dual_tolerance = 1e-9;

static double dot(int count, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static double importance(const fcps_reps_samples *samples, int index)
{
  return samples->importance != NULL ? samples->importance[index] : 1.0;
}

/* Writes z_i = w_i exp(q_i - max q) and the sums of z and z q; returns max q. */
static double exponentials(const fcps_reps_samples *samples, double eta, const double *nu, double *z, double *sum,
                           double *sum_q)
{
  double top = -INFINITY;
  for (int i = 0; i < samples->count; i++) {
    z[i] =
        (samples->rewards[i] - dot(samples->features, nu, samples->phi + (size_t)i * (size_t)samples->features)) / eta;
    top = fmax(top, z[i]);
  }
  *sum = *sum_q = 0.0;
  for (int i = 0; i < samples->count; i++) {
    const double q = z[i];
    z[i] = importance(samples, i) * exp(q - top);
    *sum += z[i];
    *sum_q += z[i] * q;
  }
  return top;
}

double fcps_reps_dual(const fcps_reps_samples *samples, double epsilon, double eta, const double *nu, double *scratch,
                      double *gradient)
{
  const int count = samples->count, features = samples->features;
  double sum, sum_q, baseline = 0.0;
  const double top = exponentials(samples, eta, nu, scratch, &sum, &sum_q);
  const double log_mean = top + log(sum / count);
  if (gradient != NULL) gradient[0] = epsilon + log_mean - sum_q / sum;
  for (int f = 0; f < features; f++) {
    double mean = 0.0, weighted = 0.0;
    for (int i = 0; i < count; i++) {
      const double phi = samples->phi[(size_t)i * (size_t)features + (size_t)f];
      mean += importance(samples, i) * phi / count;
      weighted += phi * scratch[i] / sum;
    }
    baseline += nu[f] * mean;
    if (gradient != NULL) gradient[1 + f] = mean - weighted;
  }
  return eta * epsilon + baseline + eta * log_mean;
}

typedef struct dual {
  fcps_reps_samples samples;
  double epsilon;
  double *scratch;
} dual;

/* Returns -g at (log eta, nu), with its gradient. */
static double objective(void *user, int n, const double *x, double *gradient)
{
  const dual *d = user;
  const double eta = exp(x[0]);
  const double value = fcps_reps_dual(&d->samples, d->epsilon, eta, x + 1, d->scratch, gradient);
  if (gradient != NULL) {
    gradient[0] *= eta;
    for (int i = 0; i < n; i++)
      gradient[i] = -gradient[i];
  }
  return -value;
}

fcps_status fcps_reps_weights(const fcps_reps_samples *samples, double epsilon, double *weights)
{
  const int count = samples->count, n = 1 + samples->features;
  double *numbers = fcps_allocate(2 * (size_t)count + 3 * (size_t)n, sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  double *scaled = numbers, *lower = scaled + 2 * count, *upper = lower + n, *x = upper + n;
  fcps_rewards_scale(count, samples->rewards, scaled);
  dual d = {.samples = *samples, .epsilon = epsilon, .scratch = scaled + count};
  d.samples.rewards = scaled;
  for (int i = 0; i < n; i++) {
    lower[i] = i == 0 ? log(eta_lower) : -nu_bound;
    upper[i] = i == 0 ? log(eta_upper) : nu_bound;
  }
  const fcps_objective problem = {.n = n, .value = objective, .user = &d};
  fcps_optimum optimum;
  const fcps_status status = fcps_lbfgsb_maximize_box(&problem, lower, upper, DUAL_BUDGET, dual_tolerance, x, &optimum);
  if (status == FCPS_OK) {
    double sum, sum_q;
    exponentials(&d.samples, exp(x[0]), x + 1, weights, &sum, &sum_q);
    for (int i = 0; i < count; i++)
      weights[i] = fmax(weights[i] / sum, DBL_EPSILON); /* a sample of weight 0 would not count at all */
  }
  free(numbers);
  return status;
}
