/* SPDX-License-Identifier: Apache-2.0 */
/* Trials with random parameters in the evaluation contexts of a task, without noise: the same for every learner, and
 * part of no run. */
#ifndef FCPS_EXPERIMENT_RANDOM_TRIALS_H
#define FCPS_EXPERIMENT_RANDOM_TRIALS_H

#include <fcps/lab/task.h>

typedef struct fcps_random_trial {
  const double *target, *environment;
  double *x; /* the parameters in the unit cube */
  double *parameters, *outcome;
  double reward; /* NaN where it has none */
} fcps_random_trial;

/* Calls `visit` for each of them; a status other than FCPS_OK ends the call. */
fcps_status fcps_random_trials_visit(fcps_task *task, fcps_status (*visit)(void *user, const fcps_random_trial *trial),
                                     void *user);

#endif
