/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks that exist, for the registry in task.c. */
#ifndef FCPS_TASK_TASKS_H
#define FCPS_TASK_TASKS_H

#include "task/task_impl.h"

extern const fcps_task_ops fcps_task_cannon;        /* the paper's toy cannon */
extern const fcps_task_ops fcps_task_cannon_active; /* the same, told whether to shoot */
extern const fcps_task_ops fcps_task_fetch_push;    /* a Fetch arm pushes a block */
extern const fcps_task_ops fcps_task_fetch_slide;   /* a Fetch arm slides a puck */
extern const fcps_task_ops fcps_task_thrower;       /* an arm throws a ball */
extern const fcps_task_ops fcps_task_arm_retarget;  /* a broken arm, sent to new places */
extern const fcps_task_ops fcps_task_stage;         /* four axes that disturb each other */
extern const fcps_task_ops fcps_task_long_arm;      /* as many joints as one likes */

#endif
