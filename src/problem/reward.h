/* SPDX-License-Identifier: Apache-2.0 */
/* The reward and the achieved target of a problem as formulas over the names of its dimensions.
 *
 * Besides the dimensions, the reward may use
 *   present    1, or 0 if the outcome is absent; the outcome and `distance` then have no value, and a formula that
 *              uses one of them without `present` is NaN
 *   distance   where every target has an achieved formula: the Euclidean distance between target and achieved target,
 *              the short way round where a target is periodic
 */
#ifndef FCPS_PROBLEM_REWARD_H
#define FCPS_PROBLEM_REWARD_H

#include "problem/formula/formula.h"

#include <fcps/problem.h>

typedef struct fcps_reward fcps_reward; /* belongs to one thread at a time */

/* Compiles the formulas for the spaces of `problem`, which must outlive the reward, and sets the problem's reward,
 * achieved, is_distance and user. If `reward` is NULL, rewards are told. `achieved` is NULL, or has a formula over
 * environment and outcome for each target dimension. A mistake is reported with the field "reward" or "achieved.NAME"
 * and the column in the formula, counted from 1. */
fcps_status fcps_reward_create(fcps_reward **handle, fcps_problem *problem, const char *reward,
                               const char *const *achieved, fcps_error *error);
void fcps_reward_destroy(fcps_reward *handle);

/* Writes why a rollout has no usable reward under `formula`, the formula of the reward (see fcps_formula_blame);
 * empty if the reward is usable. Returns `words`. */
char *fcps_reward_blame(fcps_reward *handle, const char *formula, const fcps_rollout *rollout, size_t size,
                        char *words);

/* The reward as steps, and the first index of each space among its values. `distance` is replaced by its terms. Without
 * an outcome (`present` is 0) the values of the outcome are NaN. */
typedef struct fcps_reward_formula {
  fcps_formula formula;
  int environment, outcome, target, parameters, present, count;
  const char *text;   /* the formula as it was given, to which the places of steps refer */
  bool needs_outcome; /* without an outcome the reward is NaN, whatever the steps say */
} fcps_reward_formula;

/* Returns the formula of a problem, even if its callbacks have guards. NULL if the reward is a callback, or if rewards
 * are told. */
const fcps_reward_formula *fcps_reward_formula_of(const fcps_problem *problem);

#endif
