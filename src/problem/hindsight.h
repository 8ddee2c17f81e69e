/* SPDX-License-Identifier: Apache-2.0 */
/* Hindsight: a rollout that missed its target hit another one, and teaches about that one, too [andrychowicz2017;
 * pinsler2019, Sec. IV-C]. It needs no reward function, only the reward for the achieved target beside the usual
 * one. */
#ifndef FCPS_PROBLEM_HINDSIGHT_H
#define FCPS_PROBLEM_HINDSIGHT_H

#include <fcps/problem.h>

/* Refuses with FCPS_ERR_UNSUPPORTED and the reason a problem whose rollouts have no second reading. */
fcps_status fcps_hindsight_check(const fcps_problem *problem, fcps_error *error);

/* *second := the rollout with the achieved target (written to `target`, which it borrows as it does the other arrays of
 * `rollout`) in place of its own, and the reward for it: computed where the problem has a reward, else as told. The
 * target may lie outside its bounds. *exists is false where nothing was achieved or the reward is unknown. */
fcps_status fcps_hindsight_rollout(const fcps_problem *problem, const fcps_rollout *rollout, double *target,
                                   fcps_rollout *second, bool *exists, fcps_error *error);

#endif
