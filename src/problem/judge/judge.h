/* SPDX-License-Identifier: Apache-2.0 */
/* What a reward that is a formula asks of outcomes, read from its steps and not from what trials happened to meet. What is
 * found by trying the formula is public: fcps_problem_judge_reward (course.c). */
#ifndef FCPS_PROBLEM_JUDGE_JUDGE_H
#define FCPS_PROBLEM_JUDGE_JUDGE_H

#include "problem/reward.h"

/* -- What it uses (uses.c) -- */

/* Whether it has the same value whatever happens. */
bool fcps_reward_is_constant(const fcps_reward_formula *reward);

/* Whether it uses a value, counted as in fcps_reward_formula. A product with 0 uses none. */
bool fcps_reward_uses(const fcps_reward_formula *reward, int value);

/* The number of an outcome whose exact value decides something, as in `n == 3` or `hit ? 1 : -1`; -1: there is none. */
int fcps_reward_exact_outcome(const fcps_reward_formula *reward);

/* -- Units that it mixes (units.c) -- */

/* A target and an outcome. `factor` times the outcome is in the unit of the target; NaN: a factor does not do. */
typedef struct fcps_reward_mix {
  const fcps_dimension *target, *outcome;
  double factor;
} fcps_reward_mix;

/* Whether the reward takes numbers in different units for numbers in the same one: `-abs(height - want)` with a height in
 * micrometres and a wish in millimetres. Finds the first target and outcome that are added, subtracted or compared as they
 * are, although their units are of one kind and differ. What is multiplied, or goes through a function, may have been
 * converted, and is left alone. */
bool fcps_reward_find_mix(const fcps_problem *problem, const fcps_reward_formula *reward, fcps_reward_mix *mix);

/* -- Limits in disguise (disguise.c) -- */

/* Whether the reward falls by a step where an outcome passes a level, which is a limit; `line` receives the one to write in
 * the problem file instead. */
bool fcps_reward_find_disguise(const fcps_problem *problem, const fcps_reward_formula *reward, size_t size, char *line);

#endif
