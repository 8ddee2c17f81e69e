/* SPDX-License-Identifier: Apache-2.0 */
/* What a task must know of earlier trials before a run goes on in another process. */
#ifndef FCPS_TASK_RECALL_H
#define FCPS_TASK_RECALL_H

#include <fcps/lab/task.h>

/* Whether it wants to know anything. */
bool fcps_task_recalls(const fcps_task *task);

/* Tells it the earlier episodes that had an outcome, in the order of their results; none: the run begins. */
void fcps_task_recall(fcps_task *task, int count, const int64_t *episodes);

#endif
