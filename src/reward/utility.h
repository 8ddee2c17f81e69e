/* SPDX-License-Identifier: Apache-2.0 */
/* A utility: what a reward is worth to whoever chooses a trial, as the improvement over a reward that is known.
 *
 * An acquisition defines its utility and asks a posterior for the expectation (fcps_posterior_expect). How the
 * expectation is taken is up to the posterior: where the reward is Gaussian it is the closed form `of_gaussian`;
 * where the outcome is Gaussian and its reward known it is the sum of `of_reward` over the nodes of a quadrature.
 * Both must be the same function: of_gaussian(mean, s) = E of_reward(y) for y ~ N(mean, s^2).
 *
 * The probabilities that a trial has an outcome and does not fail enter in two ways: where the reward is Gaussian,
 * mean and deviation are weighed before the utility is taken of them; where the outcome is Gaussian, the utility is
 * multiplied by both, so that a trial that fails or has no outcome is worth nothing. A utility must therefore not be
 * negative. */
#ifndef FCPS_REWARD_UTILITY_H
#define FCPS_REWARD_UTILITY_H

typedef struct fcps_utility {
  /* What a reward is worth; *slope (may be NULL) is the derivative. */
  double (*of_reward)(const void *user, double reward, double *slope);

  /* What a reward ~ N(mean, deviation^2) is worth in expectation, with the derivatives (may be NULL together). */
  double (*of_gaussian)(const void *user, double mean, double deviation, double *by_mean, double *by_deviation);

  const void *user;
} fcps_utility;

#endif
