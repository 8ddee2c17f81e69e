/* SPDX-License-Identifier: Apache-2.0 */
/* Rollouts as training samples (policy_search.h). Either all training samples of a rollout are added, or none of them.
 * Their weights have mean 1. */
#include "learner/policy_search/policy_search.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "problem/rollouts.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const fcps_setting_row fcps_training_rows[] = {
    FCPS_SWITCH_ROW("hindsight", fcps_training_settings, has_hindsight, "off", "also learn from the achieved target"),
    FCPS_SWITCH_ROW("factored", fcps_training_settings, is_factored, "off",
                    "learn from every rollout for many targets"),
    {.spec.name = NULL},
};

const fcps_setting_row fcps_training_target_rows[] = {
    FCPS_INTEGER_ROW("factored_targets", fcps_training_settings, factored_targets, "30", 1, 1000,
                     "for how many of the latest targets each rollout is scored again (factored)"),
    {.spec.name = NULL},
};

fcps_status fcps_training_kind_choose(const fcps_training_settings *settings, const fcps_problem *problem,
                                      fcps_training_kind *kind, fcps_error *error)
{
  const bool has_hindsight = settings->has_hindsight, is_factored = settings->is_factored;
  *kind = is_factored ? FCPS_TRAINING_FACTORED : has_hindsight ? FCPS_TRAINING_HINDSIGHT : FCPS_TRAINING_OWN;
  if (has_hindsight && is_factored)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "hindsight",
                          "factored learning already scores every rollout for other targets; use one of the two");
  if (has_hindsight) return fcps_hindsight_check(problem, error);
  if (is_factored && (problem->reward == NULL || problem->target.count == 0))
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "factored",
                          "factored learning scores rollouts again for other targets: it needs the reward as a "
                          "function, and a target; use factored=off");
  return FCPS_OK;
}

fcps_status fcps_training_samples_add(fcps_rollouts *samples, const fcps_problem *problem, const fcps_rollout *rollout,
                                      fcps_training_kind kind, fcps_error *error)
{
  const int before = samples->count;
  double *achieved = fcps_allocate((size_t)problem->target.count, sizeof(double));
  bool exists = false;
  fcps_rollout second;
  fcps_status status = achieved != NULL ? fcps_rollouts_add(samples, rollout) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK && kind == FCPS_TRAINING_HINDSIGHT)
    status = fcps_hindsight_rollout(problem, rollout, achieved, &second, &exists, error);
  if (status == FCPS_OK && exists) status = fcps_rollouts_add(samples, &second);
  if (status != FCPS_OK) samples->count = before;
  free(achieved);
  return status;
}

static bool allocate_samples(fcps_training_samples *r)
{
  const size_t count = (size_t)r->count, f = (size_t)r->features, n = (size_t)r->parameters;
  r->block = fcps_allocate(count * (f + n + 2), sizeof(double));
  if (r->block == NULL) return false;
  r->phi = r->block;
  r->theta = r->phi + count * f;
  r->rewards = r->theta + count * n;
  r->importance = r->rewards + count;
  return true;
}

/* Fills training sample `row`: rollout `sample`, scored for `target`. */
static fcps_status fill_row(fcps_training_samples *r, int row, const fcps_linear_gaussian *policy,
                            const fcps_rollouts *samples, int sample, const double *target)
{
  fcps_space_to_unit(&policy->problem->parameters, fcps_rollouts_parameters(samples, sample),
                     r->theta + (size_t)row * (size_t)r->parameters);
  r->importance[row] = 1.0;
  return fcps_linear_gaussian_features(policy, target, fcps_rollouts_environment(samples, sample),
                                       r->phi + (size_t)row * (size_t)r->features);
}

/* Returns log pi(theta | s) of a training sample, up to a constant. `residual` is scratch. */
static double log_density(const fcps_training_samples *r, int row, const fcps_linear_gaussian *policy, double *residual)
{
  const int n = r->parameters;
  fcps_linear_gaussian_mean(policy, r->phi + (size_t)row * (size_t)r->features, residual);
  for (int p = 0; p < n; p++)
    residual[p] = r->theta[(size_t)row * (size_t)n + (size_t)p] - residual[p];
  fcps_chol_solve_lower(n, policy->factor, n, 1, residual, n);
  return -0.5 * fcps_dot(n, residual, residual);
}

/* Computes the weights w_j of one rollout's training samples, which are the rows from `row` on. */
static void importance_weights(fcps_training_samples *r, int row, int targets, const fcps_linear_gaussian *policy,
                               double *residual)
{
  double top = -INFINITY, sum = 0.0, *w = r->importance + row;
  for (int j = 0; j < targets; j++) {
    w[j] = log_density(r, row + j, policy, residual);
    top = fmax(top, w[j]);
  }
  for (int j = 0; j < targets; j++) {
    w[j] = exp(w[j] - top);
    sum += w[j];
  }
  for (int j = 0; j < targets; j++)
    w[j] *= targets / sum;
}

/* Fills the training samples: all targets of the first rollout, then of the next. All rollouts are scored, although
 * only those from `first` on are used, because the worst reward of all replaces rewards that are not finite. */
static fcps_status read_factored(fcps_training_samples *r, const fcps_linear_gaussian *policy,
                                 const fcps_rollouts *samples, int first, int targets, fcps_error *error)
{
  double *scratch = fcps_allocate((size_t)samples->count + (size_t)r->parameters, sizeof(double));
  fcps_status status = scratch != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int j = 0; j < targets && status == FCPS_OK; j++) {
    const double *target = fcps_rollouts_target(samples, samples->count - targets + j);
    status = fcps_rollouts_rescore(samples, policy->problem, target, scratch, error);
    for (int i = first; i < samples->count && status == FCPS_OK; i++) {
      const int row = (i - first) * targets + j;
      status = fill_row(r, row, policy, samples, i, target);
      r->rewards[row] = scratch[i];
    }
  }
  for (int row = 0; row < r->count && status == FCPS_OK; row += targets)
    importance_weights(r, row, targets, policy, scratch + samples->count);
  free(scratch);
  return status;
}

fcps_status fcps_training_samples_create(fcps_training_samples *training, const fcps_linear_gaussian *policy,
                                         const fcps_rollouts *samples, int first, int targets, fcps_error *error)
{
  const int rollouts = samples->count - first, most = targets < samples->count ? targets : samples->count;
  *training = (fcps_training_samples){.count = targets > 0 ? rollouts * most : rollouts,
                                      .features = policy->features,
                                      .parameters = policy->parameters};
  if (!allocate_samples(training)) return FCPS_ERR_MEMORY;
  fcps_status status = FCPS_OK;
  if (targets > 0) {
    status = read_factored(training, policy, samples, first, most, error);
  } else {
    for (int i = 0; i < rollouts && status == FCPS_OK; i++)
      status = fill_row(training, i, policy, samples, first + i, fcps_rollouts_target(samples, first + i));
    memcpy(training->rewards, samples->rewards + first, (size_t)rollouts * sizeof(double));
  }
  if (status != FCPS_OK) fcps_training_samples_destroy(training);
  return status;
}

void fcps_training_samples_destroy(fcps_training_samples *training)
{
  free(training->block);
  *training = (fcps_training_samples){0};
}

void fcps_rewards_scale(int count, const double *rewards, double *scaled)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < count; i++) {
    least = fmin(least, rewards[i]);
    most = fmax(most, rewards[i]);
  }
  for (int i = 0; i < count; i++)
    scaled[i] = most > least ? (rewards[i] - least) / (most - least) : 0.0;
}

/* -- Ridge -- */

/* Weighted ridge regression by the normal equations. Their matrix has a row for each feature, and gamma > 0 keeps it
 * positive definite. Squares of many context dimensions give thousands of features, far more than rows of data. Then a
 * matrix with one row for each row of data gives the same weights: with A = D^1/2 Phi,
 *
 *   (A' A + gamma I)^-1 A' = A' (A A' + gamma I)^-1. */

/* With more features than this, the matrix of rows is used if it is the smaller one. With fewer features the other
 * matrix is fast, and gives the same bits as earlier versions. */
enum { MANY_FEATURES = 1000 };

static fcps_status fit_by_rows(int count, int features, const double *phi, int outputs, const double *y,
                               const double *d, double gamma, double *weights)
{
  const size_t c = (size_t)count, f = (size_t)features, n = (size_t)outputs;
  double *numbers = fcps_allocate(c * (f + 2 * c + n), sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  double *a = numbers, *gram = a + c * f, *backup = gram + c * c, *values = backup + c * c;
  for (size_t i = 0; i < c; i++) {
    const double root = sqrt(d[i]);
    for (size_t k = 0; k < f; k++)
      a[i * f + k] = root * phi[i * f + k];
    for (size_t p = 0; p < n; p++)
      values[p * c + i] = root * y[i * n + p];
  }
  fcps_multiply_self(count, features, 1.0, a, features, 0.0, gram, count);
  for (size_t i = 0; i < c; i++)
    gram[i * c + i] += gamma;
  const fcps_status status = fcps_chol_factor(count, gram, count, backup, NULL);
  if (status == FCPS_OK) {
    fcps_chol_solve_lower(count, gram, count, outputs, values, count);
    fcps_chol_solve_upper(count, gram, count, outputs, values, count);
    fcps_multiply_nn(features, outputs, count, 1.0, a, features, values, count, 0.0, weights, features);
  }
  free(numbers);
  return status;
}

fcps_status fcps_ridge_fit(int count, int features, const double *phi, int outputs, const double *y, const double *d,
                           double gamma, double *weights)
{
  if (features > MANY_FEATURES && features > count)
    return fit_by_rows(count, features, phi, outputs, y, d, gamma, weights);
  const size_t f = (size_t)features, n = (size_t)outputs;
  double *gram = fcps_allocate(2 * f * f, sizeof(double));
  if (gram == NULL) return FCPS_ERR_MEMORY;
  memset(weights, 0, f * n * sizeof(double));
  for (size_t i = 0; i < (size_t)count; i++) {
    const double *row = phi + i * f, *values = y + i * n;
    for (size_t a = 0; a < f; a++) {
      for (size_t b = 0; b <= a; b++)
        gram[b * f + a] += d[i] * row[a] * row[b];
      for (size_t p = 0; p < n; p++)
        weights[p * f + a] += d[i] * row[a] * values[p];
    }
  }
  for (size_t a = 0; a < f; a++)
    gram[a * f + a] += gamma;
  const fcps_status status = fcps_chol_factor(features, gram, features, gram + f * f, NULL);
  if (status == FCPS_OK) {
    fcps_chol_solve_lower(features, gram, features, outputs, weights, features);
    fcps_chol_solve_upper(features, gram, features, outputs, weights, features);
  }
  free(gram);
  return status;
}
