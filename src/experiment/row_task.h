/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a row: the experiment's, with settings of the row's own, or with one value of a swept setting. */
#ifndef FCPS_EXPERIMENT_ROW_TASK_H
#define FCPS_EXPERIMENT_ROW_TASK_H

#include "experiment/experiment_impl.h"
#include "experiment/reader.h"

/* Reads `sweep: {setting: targets, values: [0, 1, 2], title: target dimensions}`. Nothing where `node` is NULL. */
void fcps_experiment_read_sweep(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node);

/* Reads `task_settings: {...}` of a row's map and creates its task once, to see that it can be. `point` is the index of
 * the swept value, which goes into label and title; negative where nothing is swept. */
void fcps_experiment_read_row_task(fcps_reader *reader, const fcps_experiment *experiment, fcps_row *row,
                                   const fcps_yaml_node *node, int point);

/* The problem of one row, whose task may have settings of its own. */
const fcps_problem *fcps_experiment_row_problem(const fcps_experiment *experiment, const fcps_row *row);

/* The first row with the task of `row`: rows with one task and one seed share a world, and what is best in it. */
int fcps_experiment_first_in_world(const fcps_experiment *experiment, int row);

#endif
