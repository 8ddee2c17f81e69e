/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of the model behind the last policy of a run. */
#ifndef FCPS_LAB_EXPERIMENT_LAST_MODEL_H
#define FCPS_LAB_EXPERIMENT_LAST_MODEL_H

#include <fcps/lab/run.h>
#include <fcps/lab/task.h>
#include <fcps/study.h>

typedef struct fcps_last_model {
  double accuracy; /* minus the root mean squared error of predicted rewards for random trials */
  double locked;   /* 1 if the fit ignores all parameters but not the context, else 0; see last_model.c */
  double ignored;  /* the share of the parameters that the fit ignores */
} fcps_last_model;

/* Measures the model. All numbers are NaN if the learner has no model of rewards. */
fcps_status fcps_last_model_measure(fcps_study *study, fcps_task *task, fcps_last_model *found, fcps_error *error);

/* Calibration of a policy: how often results are inside the 95 % intervals that it predicts, and the rewards of its
 * trials. */

/* Shares from 0 to 1; NaN if nothing was predicted. */
typedef struct fcps_intervals_kept {
  /* the share of the outcomes that are inside, over all dimensions and all contexts whose trial has an outcome */
  double outcomes;
  /* the share of the rewards that are inside, over the same contexts, as predicted for a trial that succeeds */
  double rewards;
  double earned; /* not a share: the mean reward of the trials in all contexts, failed trials included */
} fcps_intervals_kept;

/* Makes a trial with the policy of a study in each of the task's evaluation contexts, and compares the results with the
 * policy's predictions. */
fcps_status fcps_intervals_measure(fcps_intervals_kept *kept, fcps_study *study, fcps_task *task, fcps_error *error);

#endif
