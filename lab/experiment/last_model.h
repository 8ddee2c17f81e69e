/* SPDX-License-Identifier: Apache-2.0 */
/* What the model behind the last policy of a run is worth. */
#ifndef FCPS_LAB_EXPERIMENT_LAST_MODEL_H
#define FCPS_LAB_EXPERIMENT_LAST_MODEL_H

#include <fcps/lab/run.h>
#include <fcps/lab/task.h>
#include <fcps/study.h>

typedef struct fcps_last_model {
  double accuracy; /* minus the root mean squared error of its rewards of random trials, which it has not seen */
  double locked;   /* 1 if its fit is locked onto the contexts, else 0 */
  double ignored;  /* the share of the parameters that its fit ignores */
} fcps_last_model;

/* All are NaN if the learner has no model of rewards. */
fcps_status fcps_last_model_measure(fcps_study *study, fcps_task *task, fcps_last_model *found, fcps_error *error);

/* Calibration: how often what happens lies inside the 95 % intervals that a policy predicts, and what its trials earn. */

/* Shares from 0 to 1; NaN if nothing was predicted. */
typedef struct fcps_intervals_kept {
  double outcomes; /* of the outcome dimensions of all evaluation contexts whose trial has an outcome */
  double rewards;  /* of these contexts, as predicted of a trial that ends well */
  double earned;   /* no share: the mean reward of the trials in all contexts, however they end */
} fcps_intervals_kept;

/* Makes a trial with the policy of a study in each of the task's evaluation contexts, and compares what happens with what the
 * policy predicts there. */
fcps_status fcps_intervals_measure(fcps_intervals_kept *kept, fcps_study *study, fcps_task *task, fcps_error *error);

#endif
