/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of cost-regularized kernel regression [kober2012]: parameters of old rollouts, smoothed over contexts;
 * rollouts that cost more count less. With M = (K + lambda C)^-1, K the kernel of contexts and C the costs,
 *
 *   mean(s) = k(s)' M Theta,     spread(s)^2 = 1 + lambda - k(s)' M k(s),
 *
 * around the middle of the box. The cost of a reward is c = exp((R_best - R)/(temperature deviation of rewards)): the
 * inverse of an exponentiated reward. Factored: the costs are those of the rewards for the target of the query, and the
 * kernel compares environments alone.
 */
#ifndef FCPS_POLICY_KERNEL_REGRESSION_H
#define FCPS_POLICY_KERNEL_REGRESSION_H

#include "policy/policy_impl.h"

typedef struct fcps_regression_policy {
  const fcps_problem *problem; /* borrowed */
  bool is_factored;
  double width, lambda, temperature;
  fcps_embedding context; /* of the environment, and of the target unless factored */
  fcps_rollouts samples;
} fcps_regression_policy;

fcps_status fcps_regression_policy_create(fcps_regression_policy *regression, const fcps_problem *problem,
                                          bool is_factored, double width, double lambda, double temperature);
void fcps_regression_policy_destroy(fcps_regression_policy *regression);

/* The mean (unit cube, not clipped) and the spread, for the samples from row `first` on. */
fcps_status fcps_regression_policy_predict(const fcps_regression_policy *regression, int first, const double *target,
                                           const double *environment, double *x, double *spread, fcps_error *error);

/* The policy that acts by the mean of the samples from row `first` on, which it copies. */
fcps_status fcps_policy_create_kernel_regression(fcps_policy **policy, const fcps_regression_policy *source, int first,
                                                 fcps_error *error);

#endif
