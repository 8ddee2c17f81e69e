/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a reward takes numbers in different units for numbers in the same one: `-abs(height - want)` with a height in
 * micrometres and a wish in millimetres. */
#ifndef FCPS_PROBLEM_REWARD_UNITS_H
#define FCPS_PROBLEM_REWARD_UNITS_H

#include "problem/reward.h"

/* A target and an outcome. `factor` times the outcome is in the unit of the target; NaN: a factor does not do. */
typedef struct fcps_reward_mix {
  const fcps_dimension *target, *outcome;
  double factor;
} fcps_reward_mix;

/* Finds the first target and outcome that are added, subtracted or compared as they are, although their units are of one
 * kind and differ. What is multiplied, or goes through a function, may have been converted, and is left alone. */
bool fcps_reward_find_mix(const fcps_problem *problem, const fcps_reward_formula *reward, fcps_reward_mix *mix);

#endif
