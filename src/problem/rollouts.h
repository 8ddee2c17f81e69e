/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of rollouts, and scoring all of them again for another target: the core of context factorization
 * [pinsler2019, Eq. 4]. An outcome does not depend on the target, so the new rewards are exact. */
#ifndef FCPS_PROBLEM_ROLLOUTS_H
#define FCPS_PROBLEM_ROLLOUTS_H

#include <fcps/problem.h>

/* The word in tables for a rollout that ran and has no outcome. */
#define FCPS_ROLLOUT_ABSENT "no outcome"

/* Rollouts as rows. fcps_rollouts_init sets the widths and zeroes the rest. */
typedef struct fcps_rollouts {
  int target_width, environment_width, parameters_width, outcome_width;
  int count;
  size_t capacity;
  double *targets, *environments, *parameters;
  double *outcomes;   /* zeros if the outcome is absent */
  double *deviations; /* deviations of the outcomes; NaN if unknown */
  bool *present;
  double *rewards;   /* for the rollout's own target; NaN if unknown */
  double *hindsight; /* rewards for the achieved target, if rewards are told; NaN if unknown */
  fcps_rollout_status *status;
  bool *confirmed;
} fcps_rollouts;

void fcps_rollouts_init(fcps_rollouts *rollouts, const fcps_problem *problem);
void fcps_rollouts_free(fcps_rollouts *rollouts);
fcps_status fcps_rollouts_copy(const fcps_rollouts *rollouts, fcps_rollouts *copy);

/* Adds a copy of a rollout. After a failure nothing has changed. */
fcps_status fcps_rollouts_add(fcps_rollouts *rollouts, const fcps_rollout *rollout);

/* Returns row i as a rollout. Its pointers are valid until the next change. */
fcps_rollout fcps_rollouts_at(const fcps_rollouts *rollouts, int index);

const double *fcps_rollouts_target(const fcps_rollouts *rollouts, int index);
const double *fcps_rollouts_environment(const fcps_rollouts *rollouts, int index);
const double *fcps_rollouts_parameters(const fcps_rollouts *rollouts, int index);
const double *fcps_rollouts_outcome(const fcps_rollouts *rollouts, int index);
const double *fcps_rollouts_deviation(const fcps_rollouts *rollouts, int index); /* NULL if unknown */

/* Whether two rollouts have the same environment and the same parameters, so that they repeat each other. */
bool fcps_rollouts_same_place(const fcps_rollouts *rollouts, int a, int b);

/* Whether row i is this trial: the same target, environment and parameters, bit for bit. */
bool fcps_rollouts_is_trial(const fcps_rollouts *rollouts, int index, const fcps_rollout *rollout);

/* The rewards that all rollouts would have earned for `target`. A reward that is not finite is replaced by the worst
 * finite one (0 if there is none), so that one bad row never stops an ask. */
fcps_status fcps_rollouts_rescore(const fcps_rollouts *rollouts, const fcps_problem *problem, const double *target,
                                  double *rewards, fcps_error *error);

/* The same, but with `environment` in place of the rollouts' environments (NULL: their own): what outcomes that were
 * seen elsewhere would earn in this context. If no reward is finite, all are NaN. */
fcps_status fcps_rollouts_rescore_in(const fcps_rollouts *rollouts, const fcps_problem *problem, const double *target,
                                     const double *environment, double *rewards, fcps_error *error);

/* -- Hindsight -- */

/* A rollout that missed its target hit another one, so it also teaches about that one [andrychowicz2017; pinsler2019, Sec.
 * IV-C]. No reward function is needed, only the reward for the achieved target besides the usual one. */

/* Refuses a problem without hindsight, with FCPS_ERR_UNSUPPORTED and the reason. */
fcps_status fcps_hindsight_check(const fcps_problem *problem, fcps_error *error);

/* Writes to *second the rollout with the achieved target in place of its own, and with the reward for that target:
 * computed if the problem has a reward, otherwise as told. `target` receives the achieved target, which may lie outside
 * its bounds; *second points to it and to the other arrays of `rollout`. *exists is false if nothing was achieved or
 * the reward is unknown. */
fcps_status fcps_hindsight_rollout(const fcps_problem *problem, const fcps_rollout *rollout, double *target,
                                   fcps_rollout *second, bool *exists, fcps_error *error);

/* -- Deviations --
 *
 * The deviation that is told with an outcome says how exactly each of its numbers was measured: one standard deviation
 * for each, in the outcome's own unit. 0 means that the number is exact. */

/* Refuses a deviation that is negative or not a usable number; the error names "outcome_sd.NAME". Also refuses
 * deviations of an absent outcome. A rollout without deviations is accepted. */
fcps_status fcps_rollout_check_deviation(const fcps_problem *problem, const fcps_rollout *rollout, fcps_error *error);

/* Writes the name of the column that has the deviations of an outcome in a table: NAME_sd, or outcome_sd.NAME if a
 * dimension of the problem has the name NAME_sd. */
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
