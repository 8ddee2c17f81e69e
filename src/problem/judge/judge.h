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

/* Whether there are targets, and the same trial is best for all of them: they are not used, or only add, as in
 * `-(outcome - target)`, where an abs is missing. */
bool fcps_reward_has_idle_targets(const fcps_reward_formula *reward);

/* The number of an outcome whose exact value decides something, as in `n == 3` or `hit ? 1 : -1`; -1: there is none. */
int fcps_reward_exact_outcome(const fcps_reward_formula *reward);

/* -- How far it follows an outcome (spans.c) -- */

/* Between which values of an outcome a model should tell differences: as far as the reward follows it, and as far again, or without two
 * sides, as far as from zero. `-min(3, max(0, stress - 1))` follows the stress from 1 to 4: from -2 to 7. A side on
 * which the reward follows it without end is infinite; both are if the reward is no formula, or if outcomes have limits. */
void fcps_problem_find_span(const fcps_problem *problem, int outcome, double *lower, double *upper);

/* No outcome earns more in a context with parameters, by its formula; INFINITY: not known. */
double fcps_problem_find_most(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters);

/* -- Units that it mixes (units.c) -- */

/* Two dimensions. `factor` times `one` is in the unit of the other; NaN: a factor does not do. */
typedef struct fcps_reward_mix {
  const fcps_dimension *one, *other;
  double factor;
  bool are_of_kind; /* such as two lengths; else nobody can convert them */
} fcps_reward_mix;

/* Whether the reward takes numbers in different units for numbers in the same one: `-abs(height - want)` with a height in
 * micrometres and a wish in millimetres. Finds the first two dimensions that are added, subtracted or compared as they
 * are, although their units are of one kind and differ; of a target and something else also units that have nothing in common,
 * while a sum of other things may weigh them. What is multiplied, or goes through a function, may have been converted, and
 * is left alone. */
bool fcps_reward_find_mix(const fcps_problem *problem, const fcps_reward_formula *reward, fcps_reward_mix *mix);

/* -- Limits in disguise (disguise.c) -- */

/* Whether the reward falls by a step where an outcome passes a level, which is a limit; `line` receives the one to write in
 * the problem file instead. */
bool fcps_reward_find_disguise(const fcps_problem *problem, const fcps_reward_formula *reward, size_t size, char *line);

#endif
