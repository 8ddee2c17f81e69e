/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: how often what happens lies inside the 95 % intervals that a policy predicts, and what its trials earn. */
#ifndef FCPS_EXPERIMENT_INTERVALS_H
#define FCPS_EXPERIMENT_INTERVALS_H

#include <fcps/lab/run.h>

/* Shares from 0 to 1; NaN where nothing was predicted. */
typedef struct fcps_intervals_kept {
  double outcomes; /* of the outcome dimensions of all evaluation contexts whose trial has an outcome */
  double rewards;  /* of these contexts, as predicted of a trial that ends well */
  double earned;   /* no share: the mean reward of the trials in all contexts, however they end */
} fcps_intervals_kept;

/* Makes a trial with the policy of a study in each of the task's evaluation contexts, and compares what happens with what the
 * policy predicts there. */
fcps_status fcps_intervals_measure(fcps_intervals_kept *kept, fcps_study *study, fcps_task *task, fcps_error *error);

#endif
