/* SPDX-License-Identifier: Apache-2.0 */
/* What random parameters earn: the far end of what a mishap can cost. */
#ifndef FCPS_EXPERIMENT_RANDOM_LEVEL_H
#define FCPS_EXPERIMENT_RANDOM_LEVEL_H

#include <fcps/lab/task.h>

/* The mean reward of uniformly random parameters over the task's evaluation contexts, the same for every learner. NaN
 * where it cannot be found. */
double fcps_random_level(fcps_task *task);

#endif
