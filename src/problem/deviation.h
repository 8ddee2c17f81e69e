/* SPDX-License-Identifier: Apache-2.0 */
/* The deviation of an outcome that was told with it: how exactly each of its numbers was measured, one standard
 * deviation each, in the outcome's own unit. 0 is exact. */
#ifndef FCPS_PROBLEM_DEVIATION_H
#define FCPS_PROBLEM_DEVIATION_H

#include "problem/rollouts.h"

#include <fcps/problem.h>

/* Refuses a deviation that is negative or not a usable number, naming "outcome_sd.NAME", and one of an absent outcome.
 * A rollout without deviations passes. */
fcps_status fcps_rollout_check_deviation(const fcps_problem *problem, const fcps_rollout *rollout, fcps_error *error);

/* The name of the column that has the deviations of an outcome in a table: NAME_sd, or outcome_sd.NAME where a
 * dimension of the problem is called NAME_sd. */
enum { FCPS_DEVIATION_COLUMN_SIZE = FCPS_NAME_MAX + 12 };
void fcps_rollout_deviation_column(const fcps_problem *problem, int outcome, char name[FCPS_DEVIATION_COLUMN_SIZE]);

/* The variance of a rollout's reward for its own target that its deviations cause, by the changes of the reward when
 * one outcome moves by its deviation, up or down:
 *
 *   sum_j ((r(o + s_j e_j) - r(o))^2 + (r(o - s_j e_j) - r(o))^2)/2
 *
 * This is exact for a reward that is linear in the outcome (the delta method), and does not vanish at a kink, where a
 * distance has no slope. A change that has no finite reward counts for nothing. 0 if the rollout has no deviations
 * or the problem no reward function. */
fcps_status fcps_rollouts_reward_variance(const fcps_rollouts *rollouts, const fcps_problem *problem, int index,
                                          double *variance, fcps_error *error);

#endif
