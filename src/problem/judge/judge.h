/* SPDX-License-Identifier: Apache-2.0 */
/* What a reward formula asks of outcomes, read from its steps, not from the trials that happened. Facts that are found
 * by trying the formula are public: fcps_problem_judge_reward (course.c). */
#ifndef FCPS_PROBLEM_JUDGE_JUDGE_H
#define FCPS_PROBLEM_JUDGE_JUDGE_H

#include "problem/reward.h"

#include <fcps/problem.h>

/* -- What it uses (uses.c) -- */

/* Whether the reward has the same value whatever happens. */
bool fcps_reward_is_constant(const fcps_reward_formula *reward);

/* Whether the reward uses a value, numbered as in fcps_reward_formula. A product with 0 uses no value. */
bool fcps_reward_uses(const fcps_reward_formula *reward, int value);

/* Whether the same trial is best for all targets, although the problem has targets: the formula does not use them, or
 * only adds them, as in `-(outcome - target)`, in which an abs is missing. */
bool fcps_reward_has_idle_targets(const fcps_reward_formula *reward);

/* The index of an outcome whose exact value decides something, as in `n == 3` or `hit ? 1 : -1`; -1: there is no such
 * outcome. */
int fcps_reward_exact_outcome(const fcps_reward_formula *reward);

/* -- How far it follows an outcome (course.c) -- */

/* The range in which a model should tell values of an outcome apart: the part that the reward follows, and as much
 * again on each side; a part with one end is extended by its distance from zero. `-min(3, max(0, stress - 1))` follows
 * the stress from 1 to 4: the range is -2 to 7. A side on which the reward follows the outcome without end is infinite.
 * Both sides are if the reward is not a formula, or if outcomes have limits. */
void fcps_problem_find_span(const fcps_problem *problem, int outcome, double *lower, double *upper);

/* The most that any outcome can earn in a context with these parameters, by the formula; INFINITY: unknown. */
double fcps_problem_find_most(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters);

/* -- Units that it mixes (uses.c) -- */

/* Two dimensions that are mixed. `factor` times `one` is in the unit of the other; NaN: no factor converts them. */
typedef struct fcps_reward_mix {
  const fcps_dimension *one, *other;
  double factor;
  bool are_of_kind; /* both units are of one kind, such as lengths; units of different kinds cannot be converted */
} fcps_reward_mix;

/* Whether the reward adds, subtracts or compares numbers in different units, as `-abs(height - want)` does with a
 * height in micrometres and a wish in millimetres. Finds the first two such dimensions. A number that is
 * multiplied or goes through a function may have been converted or weighed, so it is left alone; functions that keep
 * the unit, such as abs, are looked through. */
bool fcps_reward_find_mix(const fcps_problem *problem, const fcps_reward_formula *reward, fcps_reward_mix *mix);

/* -- Limits in disguise (uses.c) -- */

/* Whether the reward falls by a step at a level of an outcome: that is a limit. `line` receives its line for the
 * problem file. */
bool fcps_reward_find_disguise(const fcps_problem *problem, const fcps_reward_formula *reward, size_t size, char *line);

/* -- The cost of a trial: a positive number, known before it, from a formula over parameters and context (cost.c) -- */

typedef struct fcps_cost fcps_cost; /* for use by one thread at a time */

/* Reads the cost formula of a problem, which stays borrowed. *cost is NULL if the problem has no cost. An error in the
 * formula has the field "cost" and its column. */
fcps_status fcps_cost_create(fcps_cost **cost, const fcps_problem *problem, fcps_error *error);
void fcps_cost_destroy(fcps_cost *cost);

/* Sets the context of the next calls. */
void fcps_cost_set_context(fcps_cost *cost, const double *target, const double *environment);

/* Returns the cost of a trial with these parameters; NaN if the formula's value is not usable. */
double fcps_cost_of(fcps_cost *cost, const double *parameters);

/* Returns the cost at a point of the unit cube; NaN as above. */
double fcps_cost_at(fcps_cost *cost, const double *x);

/* The same, after the parameters that do not apply at the point were set to their lower bounds. (Points of a search
 * need not be changed: these parameters are at their lower bounds already.) */
double fcps_cost_at_rest(fcps_cost *cost, const double *x);

/* Computes the gradient of the cost in the unit cube by central differences. */
void fcps_cost_gradient(fcps_cost *cost, const double *x, double *gradient);

#endif
