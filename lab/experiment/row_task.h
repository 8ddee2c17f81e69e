/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a row: the experiment's task, with the row's own settings or with one value of a swept setting. */
#ifndef FCPS_EXPERIMENT_ROW_TASK_H
#define FCPS_EXPERIMENT_ROW_TASK_H

#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/reader.h"

/* Reads `sweep: {setting: targets, values: [0, 1, 2], title: target dimensions}`. Does nothing where `node` is NULL. */
void fcps_experiment_read_sweep(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node);

/* Reads `task_settings: {...}` of a row and creates its task once, as a check. `point` is the index of the swept value,
 * which becomes a part of label and title; negative where nothing is swept. */
void fcps_experiment_read_row_task(fcps_reader *reader, const fcps_experiment *experiment, fcps_row *row,
                                   const fcps_yaml_node *node, int point);

/* The problem of a row's task. */
const fcps_problem *fcps_experiment_row_problem(const fcps_experiment *experiment, const fcps_row *row);

/* Whether two rows have the same learner, the same settings and the same task. */
bool fcps_experiment_rows_agree(const fcps_row *a, const fcps_row *b);

/* The first row with the same task as `row`. Rows with the same task and seed share a world, and so its optimum. */
int fcps_experiment_first_in_world(const fcps_experiment *experiment, int row);

#endif
