/* SPDX-License-Identifier: Apache-2.0 */
/* The linear-Gaussian policy: its computations and its saved form. The text has every bit of weights and factor, and
 * numbers that are not finite are refused when it is read. */
#include "policy/fitted.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "problem/problem.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

const char *fcps_features_name(int index)
{
  static const char *const names[] = {[FCPS_FEATURES_LINEAR] = "linear", [FCPS_FEATURES_SQUARED] = "squared"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

fcps_status fcps_linear_gaussian_create(fcps_linear_gaussian *policy, const fcps_problem *problem, bool is_squared,
                                        double deviation)
{
  const fcps_space *spaces[] = {&problem->environment, &problem->target};
  *policy =
      (fcps_linear_gaussian){.problem = problem, .is_squared = is_squared, .parameters = problem->parameters.count};
  if (fcps_embedding_create(&policy->context, 2, spaces, true) != FCPS_OK) return FCPS_ERR_MEMORY;
  const int d = policy->context.width;
  policy->features = 1 + d + (is_squared ? d * (d + 1) / 2 : 0);
  const size_t features = (size_t)policy->features, n = (size_t)policy->parameters;
  policy->weights = fcps_allocate(features * n, sizeof(double));
  policy->factor = fcps_allocate(n * n, sizeof(double));
  if (policy->weights == NULL || policy->factor == NULL) {
    fcps_linear_gaussian_destroy(policy);
    return FCPS_ERR_MEMORY;
  }
  for (size_t i = 0; i < n; i++) {
    policy->weights[i * features] = 0.5;
    policy->factor[i * n + i] = deviation;
  }
  return FCPS_OK;
}

void fcps_linear_gaussian_destroy(fcps_linear_gaussian *policy)
{
  fcps_embedding_destroy(&policy->context);
  free(policy->weights);
  free(policy->factor);
  *policy = (fcps_linear_gaussian){0};
}

/* Scales coordinates to [-1,1]: u becomes 2u - 1; of an angle, the embedding has half the cosine and half the sine,
 * which are doubled. */
static void scale_to_symmetric(const fcps_embedding *embedding, double *x)
{
  for (int i = 0, k = 0; i < embedding->count; i++) {
    const bool is_circle = embedding->turns[i] != 0.0;
    x[k] = 2.0 * x[k] - (is_circle ? 0.0 : 1.0);
    if (is_circle) x[k + 1] *= 2.0;
    k += is_circle ? 2 : 1;
  }
}

fcps_status fcps_linear_gaussian_features(const fcps_linear_gaussian *policy, const double *target,
                                          const double *environment, double *features)
{
  const fcps_problem *problem = policy->problem;
  double *unit = fcps_allocate((size_t)policy->context.count, sizeof(double));
  if (unit == NULL) return FCPS_ERR_MEMORY;
  fcps_space_to_unit(&problem->environment, environment, unit);
  fcps_space_to_unit(&problem->target, target, unit + problem->environment.count);
  double *x = features + 1;
  features[0] = 1.0;
  fcps_embed(&policy->context, unit, x);
  scale_to_symmetric(&policy->context, x);
  const int d = policy->context.width;
  double *product = x + d;
  for (int i = 0; i < d && policy->is_squared; i++)
    for (int j = i; j < d; j++)
      *product++ = x[i] * x[j];
  free(unit);
  return FCPS_OK;
}

void fcps_linear_gaussian_mean(const fcps_linear_gaussian *policy, const double *features, double *x)
{
  for (int i = 0; i < policy->parameters; i++) {
    const double *w = policy->weights + (size_t)i * (size_t)policy->features;
    x[i] = 0.0;
    for (int f = 0; f < policy->features; f++)
      x[i] += w[f] * features[f];
  }
}

/* Draws around the mean. The draw is not clipped; fcps_space_from_unit does that later. */
static void draw(const fcps_linear_gaussian *policy, const double *features, fcps_rng rng, double *x)
{
  const size_t n = (size_t)policy->parameters;
  fcps_linear_gaussian_mean(policy, features, x);
  for (size_t j = 0; j < n; j++) {
    const double z = fcps_rng_normal(&rng);
    for (size_t i = j; i < n; i++)
      x[i] += policy->factor[j * n + i] * z;
  }
}

fcps_status fcps_linear_gaussian_act(const fcps_linear_gaussian *policy, const double *target,
                                     const double *environment, const fcps_rng *rng, double *parameters)
{
  double *features = fcps_allocate((size_t)(policy->features + policy->parameters), sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  double *x = features + policy->features;
  const fcps_status status = fcps_linear_gaussian_features(policy, target, environment, features);
  if (status == FCPS_OK) {
    if (rng != NULL)
      draw(policy, features, *rng, x);
    else
      fcps_linear_gaussian_mean(policy, features, x);
    fcps_space_from_unit(&policy->problem->parameters, x, parameters);
  }
  free(features);
  return status;
}

static void destroy(void *state)
{
  if (state == NULL) return;
  fcps_linear_gaussian_destroy(state);
  free(state);
}

/* Gives a policy a linear-Gaussian state of its own, with its first values. */
static fcps_status attach(fcps_policy *policy, bool is_squared)
{
  fcps_linear_gaussian *own = fcps_allocate(1, sizeof *own);
  if (own == NULL) return FCPS_ERR_MEMORY;
  policy->state = own;
  return fcps_linear_gaussian_create(own, &policy->problem, is_squared, 1.0);
}

fcps_status fcps_policy_create_linear_gaussian(fcps_policy **policy, const fcps_linear_gaussian *source,
                                               fcps_error *error)
{
  fcps_status status = fcps_policy_create(policy, &fcps_policy_linear_gaussian, source->problem);
  if (status == FCPS_OK) status = attach(*policy, source->is_squared);
  if (status != FCPS_OK) {
    fcps_policy_destroy(*policy);
    *policy = NULL;
    return fcps_error_memory(error);
  }
  fcps_linear_gaussian *own = (*policy)->state;
  const size_t features = (size_t)source->features, n = (size_t)source->parameters;
  memcpy(own->weights, source->weights, features * n * sizeof(double));
  memcpy(own->factor, source->factor, n * n * sizeof(double));
  return FCPS_OK;
}

static fcps_status query(fcps_policy *policy, const double *target, const double *environment, bool is_given,
                         double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  (void)is_given, (void)prediction; /* this kind predicts no reward */
  const fcps_status status = fcps_linear_gaussian_act(policy->state, target, environment, NULL, parameters);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

static fcps_json *write(const fcps_policy *policy)
{
  const fcps_linear_gaussian *own = policy->state;
  const int n = own->parameters;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "squared", fcps_json_from_bool(own->is_squared));
  fcps_json_put(&json, "weights", fcps_json_from_numbers(own->features * n, own->weights));
  fcps_json_put(&json, "factor", fcps_json_from_numbers(n * n, own->factor));
  return json;
}

static fcps_status read(fcps_policy *policy, const fcps_json *json, fcps_error *error)
{
  bool is_squared = false;
  if (!fcps_json_bool(fcps_json_get(json, "squared"), &is_squared))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "squared",
                          "the saved policy needs true or false here; load another copy");
  if (attach(policy, is_squared) != FCPS_OK) return fcps_error_memory(error);
  fcps_linear_gaussian *own = policy->state;
  const int n = own->parameters, weights = own->features * n;
  if (!fcps_json_numbers(fcps_json_get(json, "weights"), weights, own->weights) ||
      !fcps_rollout_values_usable(weights, own->weights))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "weights",
                          "the saved policy needs %d finite numbers here; load another copy", weights);
  if (!fcps_json_numbers(fcps_json_get(json, "factor"), n * n, own->factor) ||
      !fcps_rollout_values_usable(n * n, own->factor))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "factor",
                          "the saved policy needs %d finite numbers here; load another copy", n * n);
  return FCPS_OK;
}

const fcps_policy_ops fcps_policy_linear_gaussian = {"linear-gaussian", query, NULL, write, read, destroy, NULL, NULL};
