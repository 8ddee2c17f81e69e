/* SPDX-License-Identifier: Apache-2.0 */
/* All tasks, for the registry in task.c. */
#ifndef FCPS_TASK_TASKS_H
#define FCPS_TASK_TASKS_H

#include "task/task_impl.h"

extern const fcps_task_ops fcps_task_cannon;        /* the paper's toy cannon */
extern const fcps_task_ops fcps_task_cannon_active; /* the same with a context that says whether to shoot */
extern const fcps_task_ops fcps_task_fetch_push;    /* a Fetch arm pushes a block */
extern const fcps_task_ops fcps_task_fetch_slide;   /* a Fetch arm slides a puck */
extern const fcps_task_ops fcps_task_thrower;       /* an arm throws a ball */
extern const fcps_task_ops fcps_task_arm_retarget;  /* a broken arm with a new target */
extern const fcps_task_ops fcps_task_stage;         /* four axes that disturb each other */
extern const fcps_task_ops fcps_task_long_arm;      /* an arm with up to 100 joints */

#endif
