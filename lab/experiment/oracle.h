/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of an experiment whose file says `oracle`: the mean rewards of doing nothing, of random parameters, and of
 * the best parameters that a search finds. They are computed once per experiment, and kept as levels.json beside its
 * results. */
#ifndef FCPS_LAB_EXPERIMENT_ORACLE_H
#define FCPS_LAB_EXPERIMENT_ORACLE_H

#include "lab/experiment/experiment_impl.h"

#include <fcps/lab/task.h>

/* Reads the levels, or computes and keeps them. All are NaN if the experiment's file does not ask for levels, and in a
 * quick run. */
fcps_status fcps_oracle_levels_find(const fcps_experiment *experiment, const char *directory,
                                    fcps_oracle_levels *levels, fcps_error *error);

/* Writes the `fcps oracle` command that prints the same levels. Returns `text`. */
char *fcps_oracle_levels_command(const fcps_experiment *experiment, size_t size, char *text);

/* Trials with random parameters in the evaluation contexts of a task, without noise. They are the same for every
 * learner, and belong to no run. */

typedef struct fcps_random_trial {
  const double *target, *environment;
  double *x; /* the parameters in the unit cube */
  double *parameters, *outcome;
  double reward; /* NaN if the trial has no reward */
} fcps_random_trial;

/* Calls `visit` for each trial; a status other than FCPS_OK ends the call. */
fcps_status fcps_random_trials_visit(fcps_task *task, fcps_status (*visit)(void *user, const fcps_random_trial *trial),
                                     void *user);

/* -- The mean reward of random parameters: losses are measured as shares of the gap to it -- */

/* The mean reward of uniformly random parameters over the task's evaluation contexts, the same for every learner. NaN
 * if it is unknown. */
double fcps_random_level(fcps_task *task);

#endif
