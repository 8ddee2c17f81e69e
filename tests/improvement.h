/* SPDX-License-Identifier: Apache-2.0 */
/* A utility for tests of models: the improvement over a known reward, E max(y - best, 0). */
#ifndef FCPS_TESTS_IMPROVEMENT_H
#define FCPS_TESTS_IMPROVEMENT_H

#include "reward/expected_reward.h"

#include <math.h>
#include <stddef.h>

static inline double improvement_of_reward(const void *best, double reward, double *slope)
{
  const double over = *(const double *)best;
  if (slope != NULL) *slope = reward > over;
  return reward > over ? reward - over : 0.0;
}

static inline double improvement_of_gaussian(const void *best, double mean, double deviation, double *by_mean,
                                             double *by_deviation)
{
  const double z = (mean - *(const double *)best) / deviation;
  const double above = 0.5 * erfc(-z / sqrt(2.0)), density = exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0));
  if (by_mean != NULL) *by_mean = above;
  if (by_deviation != NULL) *by_deviation = density;
  return deviation * (z * above + density);
}

/* Borrows `best`. */
static inline fcps_utility improvement_over(const double *best)
{
  return (fcps_utility){improvement_of_reward, improvement_of_gaussian, best};
}

#endif
