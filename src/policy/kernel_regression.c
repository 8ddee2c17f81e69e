/* SPDX-License-Identifier: Apache-2.0 */
/* Cost-regularized kernel regression as a policy; fitted.h has the formulas. A query factorizes the matrix of all
 * samples, which are few. The policy only stores the samples, so a saved policy answers with the same bits. */
#include "policy/fitted.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "problem/problem.h"
#include "problem/save.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest log cost. A rollout with it has no weight, and exp stays finite. */
static const double largest_log_cost = 40.0;

fcps_status fcps_regression_policy_create(fcps_regression_policy *regression, const fcps_problem *problem,
                                          bool is_factored, double width, double lambda, double temperature)
{
  const fcps_space *spaces[] = {&problem->environment, &problem->target};
  *regression = (fcps_regression_policy){
      .problem = problem, .is_factored = is_factored, .width = width, .lambda = lambda, .temperature = temperature};
  fcps_rollouts_init(&regression->samples, problem);
  return fcps_embedding_create(&regression->context, is_factored ? 1 : 2, spaces, true);
}

void fcps_regression_policy_destroy(fcps_regression_policy *regression)
{
  fcps_embedding_destroy(&regression->context);
  fcps_rollouts_free(&regression->samples);
}

/* The arrays of one query, in one allocation. */
typedef struct workspace {
  int count, n, width;
  double *x;        /* room for one context */
  double *features; /* count + 1 rows: the samples' contexts, then the query's */
  double *rewards;  /* one for each stored sample */
  double *matrix;   /* count x count: K + lambda C, then its factor */
  double *backup;   /* scratch to factorize: count x count */
  double *k;        /* count: k(s), then L^-1 k(s) */
  double *theta;    /* count x n, column-major: L^-1 of the parameters */
} workspace;

static bool open_workspace(const fcps_regression_policy *r, int first, workspace *d)
{
  *d = (workspace){.count = r->samples.count - first, .n = r->problem->parameters.count, .width = r->context.width};
  const size_t count = (size_t)d->count, n = (size_t)d->n, width = (size_t)d->width, in = (size_t)r->context.count;
  d->x = fcps_allocate(in + n + (count + 1) * width + (size_t)r->samples.count + 2 * count * count + count * (n + 1),
                       sizeof(double));
  if (d->x == NULL) return false;
  d->features = d->x + in + n; /* x has room for a context, or for parameters */
  d->rewards = d->features + (count + 1) * width;
  d->matrix = d->rewards + r->samples.count;
  d->backup = d->matrix + count * count;
  d->k = d->backup + count * count;
  d->theta = d->k + count;
  return true;
}

static void place_context(const fcps_regression_policy *r, workspace *d, int row, const double *target,
                          const double *environment)
{
  fcps_space_to_unit(&r->problem->environment, environment, d->x);
  if (!r->is_factored) fcps_space_to_unit(&r->problem->target, target, d->x + r->problem->environment.count);
  fcps_embed(&r->context, d->x, d->features + (size_t)row * (size_t)d->width);
}

static double kernel(const fcps_regression_policy *r, const workspace *d, int a, int b)
{
  double sum = 0.0;
  for (int i = 0; i < d->width; i++) {
    const double t = d->features[a * d->width + i] - d->features[b * d->width + i];
    sum += t * t;
  }
  return exp(-0.5 * sum / (r->width * r->width));
}

/* Computes lambda c of every sample from its reward. */
static void compute_costs(const fcps_regression_policy *r, const workspace *d, const double *rewards, double *costs)
{
  double best = -INFINITY, mean = 0.0, squares = 0.0;
  for (int i = 0; i < d->count; i++) {
    best = fmax(best, rewards[i]);
    mean += rewards[i] / d->count;
  }
  for (int i = 0; i < d->count; i++)
    squares += (rewards[i] - mean) / d->count * (rewards[i] - mean);
  const double scale = squares > 0.0 ? r->temperature * sqrt(squares) : 1.0;
  for (int i = 0; i < d->count; i++)
    costs[i] = r->lambda * exp(fmin((best - rewards[i]) / scale, largest_log_cost));
}

/* Fills in features, kernel, costs and parameters of all samples and of the query. */
static fcps_status fill_workspace(const fcps_regression_policy *r, int first, const double *target,
                                  const double *environment, workspace *d, fcps_error *error)
{
  const size_t count = (size_t)d->count;
  const double *rewards = d->count > 0 ? r->samples.rewards + first : NULL;
  if (r->is_factored) {
    const fcps_status status = fcps_rollouts_rescore(&r->samples, r->problem, target, d->rewards, error);
    if (status != FCPS_OK) return status;
    rewards = d->rewards + first;
  }
  compute_costs(r, d, rewards, d->k); /* k first stores the costs */
  for (int i = 0; i < d->count; i++) {
    place_context(r, d, i, fcps_rollouts_target(&r->samples, first + i),
                  fcps_rollouts_environment(&r->samples, first + i));
    fcps_space_to_unit(&r->problem->parameters, fcps_rollouts_parameters(&r->samples, first + i), d->x);
    for (int p = 0; p < d->n; p++)
      d->theta[(size_t)p * count + (size_t)i] = d->x[p] - 0.5;
    for (int j = 0; j <= i; j++)
      d->matrix[(size_t)j * count + (size_t)i] = kernel(r, d, i, j) + (i == j ? d->k[i] : 0.0);
  }
  place_context(r, d, d->count, target, environment);
  for (int i = 0; i < d->count; i++)
    d->k[i] = kernel(r, d, i, d->count);
  return FCPS_OK;
}

/* Replaces k and theta by L^-1 k and L^-1 theta. */
static fcps_status whiten(workspace *d)
{
  const fcps_status status = fcps_chol_factor(d->count, d->matrix, d->count, d->backup, NULL);
  if (status != FCPS_OK) return status;
  fcps_chol_solve_lower(d->count, d->matrix, d->count, 1, d->k, d->count);
  fcps_chol_solve_lower(d->count, d->matrix, d->count, d->n, d->theta, d->count);
  return FCPS_OK;
}

fcps_status fcps_regression_policy_predict(const fcps_regression_policy *regression, int first, const double *target,
                                           const double *environment, double *x, double *spread, fcps_error *error)
{
  workspace d;
  if (!open_workspace(regression, first, &d)) return fcps_error_memory(error);
  fcps_status status = fill_workspace(regression, first, target, environment, &d, error);
  if (status == FCPS_OK && d.count > 0) status = whiten(&d);
  if (status == FCPS_OK) {
    for (int p = 0; p < d.n; p++)
      x[p] = 0.5 + fcps_dot(d.count, d.k, d.theta + (size_t)p * (size_t)d.count);
    *spread = sqrt(fmax(1.0 - fcps_dot(d.count, d.k, d.k), 0.0) + regression->lambda);
  } else if (status == FCPS_ERR_NOT_POSITIVE || status == FCPS_ERR_NOT_FINITE) {
    fcps_error_set(
        error, status, "rollouts",
        "the kernel matrix of the rollouts cannot be factorized; increase lambda, or leave out repeated rollouts");
  }
  free(d.x);
  return status;
}

static void destroy(void *state)
{
  if (state == NULL) return;
  fcps_regression_policy_destroy(state);
  free(state);
}

/* Gives a policy a regression of its own, still without samples. */
static fcps_status attach(fcps_policy *policy, bool is_factored, double width, double lambda, double temperature)
{
  fcps_regression_policy *own = fcps_allocate(1, sizeof *own);
  if (own == NULL) return FCPS_ERR_MEMORY;
  policy->state = own;
  return fcps_regression_policy_create(own, &policy->problem, is_factored, width, lambda, temperature);
}

fcps_status fcps_policy_create_kernel_regression(fcps_policy **policy, const fcps_regression_policy *source, int first,
                                                 fcps_error *error)
{
  fcps_status status = fcps_policy_create(policy, &fcps_policy_kernel_regression, source->problem);
  if (status == FCPS_OK)
    status = attach(*policy, source->is_factored, source->width, source->lambda, source->temperature);
  for (int i = first; i < source->samples.count && status == FCPS_OK; i++) {
    fcps_regression_policy *own = (*policy)->state;
    const fcps_rollout rollout = fcps_rollouts_at(&source->samples, i);
    status = fcps_rollouts_add(&own->samples, &rollout);
  }
  if (status == FCPS_OK) return FCPS_OK;
  fcps_policy_destroy(*policy);
  *policy = NULL;
  return fcps_error_memory(error);
}

static fcps_status query(fcps_policy *policy, const double *target, const double *environment, bool is_given,
                         double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  (void)is_given, (void)prediction; /* this kind predicts no reward */
  double spread, *x = fcps_allocate((size_t)policy->problem.parameters.count, sizeof(double));
  if (x == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_regression_policy_predict(policy->state, 0, target, environment, x, &spread, error);
  if (status == FCPS_OK) fcps_space_from_unit(&policy->problem.parameters, x, parameters);
  free(x);
  return status;
}

static fcps_json *write(const fcps_policy *policy)
{
  const fcps_regression_policy *own = policy->state;
  const double numbers[] = {own->width, own->lambda, own->temperature};
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "factored", fcps_json_from_bool(own->is_factored));
  fcps_json_put(&json, "numbers", fcps_json_from_numbers(3, numbers));
  fcps_json_put(&json, "samples", fcps_rollouts_write(&own->samples));
  return json;
}

static fcps_status read(fcps_policy *policy, const fcps_json *json, fcps_error *error)
{
  bool is_factored = false;
  double numbers[3];
  if (!fcps_json_bool(fcps_json_get(json, "factored"), &is_factored))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "factored",
                          "the saved policy needs true or false here; load another copy");
  if (!fcps_json_numbers(fcps_json_get(json, "numbers"), 3, numbers) || !fcps_rollout_values_usable(3, numbers) ||
      !(numbers[0] > 0.0 && numbers[1] > 0.0 && numbers[2] > 0.0))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "numbers",
                          "the saved policy needs three positive numbers here; load another copy");
  if (is_factored && policy->problem.reward == NULL)
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, "reward",
        "this policy computes rewards from outcomes: give the problem's reward function when loading it");
  if (attach(policy, is_factored, numbers[0], numbers[1], numbers[2]) != FCPS_OK) return fcps_error_memory(error);
  fcps_regression_policy *own = policy->state;
  return fcps_rollouts_read(&own->samples, fcps_json_get(json, "samples"), error);
}

const fcps_policy_ops fcps_policy_kernel_regression = {
    "kernel-regression", query, NULL, write, read, destroy, NULL, NULL};
