/* SPDX-License-Identifier: Apache-2.0 */
/* What the model behind the last policy of a run is worth. */
#ifndef FCPS_EXPERIMENT_LAST_MODEL_H
#define FCPS_EXPERIMENT_LAST_MODEL_H

#include <fcps/lab/task.h>
#include <fcps/study.h>

typedef struct fcps_last_model {
  double accuracy; /* minus the root mean squared error of its rewards of random trials, which it has not seen */
  double locked;   /* 1 where its fit is locked onto the contexts, else 0 */
  double ignored;  /* the share of the parameters that its fit ignores */
} fcps_last_model;

/* All are NaN where the learner has no model of rewards. */
fcps_status fcps_last_model_measure(fcps_study *study, fcps_task *task, fcps_last_model *found, fcps_error *error);

#endif
