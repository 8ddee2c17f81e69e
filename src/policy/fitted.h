/* SPDX-License-Identifier: Apache-2.0 */
/* Policies that learners without a model fit to their samples: linear-Gaussian policies and kernel regression.
 *
 * The linear-Gaussian policy: theta | s ~ N(W' phi(s), L L') in the unit cube of the parameters, clipped to it.
 *
 * phi(s) has 1, the context's coordinates x (scaled to [-1,1]; angles as cosine and sine), and, if `is_squared`, all
 * products x_i x_j [pinsler2019, Sec. V-A: "squared context features"].
 */
#ifndef FCPS_POLICY_FITTED_H
#define FCPS_POLICY_FITTED_H

#include "policy/policy_impl.h"

/* phi(s) without and with the products. */
typedef enum fcps_features { FCPS_FEATURES_LINEAR, FCPS_FEATURES_SQUARED } fcps_features;

/* Returns the name of a kind of features, NULL past the last one. */
const char *fcps_features_name(int index);

typedef struct fcps_linear_gaussian {
  const fcps_problem *problem; /* borrowed */
  bool is_squared;
  fcps_embedding context; /* the embedding of environment and target */
  int features, parameters;
  double *weights; /* W: features x parameters, column-major */
  double *factor;  /* L: parameters x parameters, column-major, lower */
} fcps_linear_gaussian;

/* Creates a policy whose mean is the middle of the box in every context, with the given deviation (of the unit cube)
 * in each parameter. */
fcps_status fcps_linear_gaussian_create(fcps_linear_gaussian *policy, const fcps_problem *problem, bool is_squared,
                                        double deviation);
void fcps_linear_gaussian_destroy(fcps_linear_gaussian *policy);

/* Computes phi(s). Fails only with FCPS_ERR_MEMORY. */
fcps_status fcps_linear_gaussian_features(const fcps_linear_gaussian *policy, const double *target,
                                          const double *environment, double *features);

/* Computes the mean W' phi, not clipped. */
void fcps_linear_gaussian_mean(const fcps_linear_gaussian *policy, const double *features, double *x);

/* Chooses parameters in a context, in their own units: a draw by `rng`, or the mean if `rng` is NULL. Fails only with
 * FCPS_ERR_MEMORY. */
fcps_status fcps_linear_gaussian_act(const fcps_linear_gaussian *policy, const double *target,
                                     const double *environment, const fcps_rng *rng, double *parameters);

/* Makes a policy that chooses the mean. It copies weights and factor. */
fcps_status fcps_policy_create_linear_gaussian(fcps_policy **policy, const fcps_linear_gaussian *source,
                                               fcps_error *error);

/* -- Kernel regression -- */

/* The policy of cost-regularized kernel regression [kober2012] smooths the parameters of old rollouts over contexts;
 * rollouts with a high cost count less. With M = (K + lambda C)^-1, K the kernel of contexts and C the costs,
 *
 *   mean(s) = k(s)' M Theta,     spread(s)^2 = 1 + lambda - k(s)' M k(s),
 *
 * around the middle of the box. The cost of a reward is c = exp((R_best - R)/(temperature * deviation of the rewards)).
 * If factored, the costs follow from the rewards for the target of the query, and the kernel compares environments
 * alone.
 */

typedef struct fcps_regression_policy {
  const fcps_problem *problem; /* borrowed */
  bool is_factored;
  double width, lambda, temperature;
  fcps_embedding context; /* the embedding of the environment and, unless factored, of the target */
  fcps_rollouts samples;
} fcps_regression_policy;

fcps_status fcps_regression_policy_create(fcps_regression_policy *regression, const fcps_problem *problem,
                                          bool is_factored, double width, double lambda, double temperature);
void fcps_regression_policy_destroy(fcps_regression_policy *regression);

/* Predicts the mean (unit cube, not clipped) and the spread from the samples from row `first` on. */
fcps_status fcps_regression_policy_predict(const fcps_regression_policy *regression, int first, const double *target,
                                           const double *environment, double *x, double *spread, fcps_error *error);

/* Makes a policy that chooses the mean of the samples from row `first` on, which it copies. */
fcps_status fcps_policy_create_kernel_regression(fcps_policy **policy, const fcps_regression_policy *source, int first,
                                                 fcps_error *error);

#endif
