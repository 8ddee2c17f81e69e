/* SPDX-License-Identifier: Apache-2.0 */
/* Hindsight: a rollout that missed its target hit another one, so it also teaches about that one [andrychowicz2017;
 * pinsler2019, Sec. IV-C]. No reward function is needed, only the reward for the achieved target besides the usual
 * reward. */
#ifndef FCPS_PROBLEM_HINDSIGHT_H
#define FCPS_PROBLEM_HINDSIGHT_H

#include <fcps/problem.h>

/* Refuses a problem without hindsight, with FCPS_ERR_UNSUPPORTED and the reason. */
fcps_status fcps_hindsight_check(const fcps_problem *problem, fcps_error *error);

/* Writes to *second the rollout with the achieved target in place of its own, and with the reward for that target:
 * computed where the problem has a reward, else as told. The achieved target is written to `target`, may lie outside
 * its bounds, and *second points to it and to the other arrays of `rollout`. *exists is false where nothing was
 * achieved or the reward is unknown. */
fcps_status fcps_hindsight_rollout(const fcps_problem *problem, const fcps_rollout *rollout, double *target,
                                   fcps_rollout *second, bool *exists, fcps_error *error);

#endif
