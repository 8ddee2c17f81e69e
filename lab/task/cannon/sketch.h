/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon's picture as data: ground, targets and flights. */
#ifndef FCPS_TASK_CANNON_SKETCH_H
#define FCPS_TASK_CANNON_SKETCH_H

#include "lab/task/cannon/cannon.h"

/* Writes surface.csv, marks.csv and paths.csv (see fcps_task_sketch). */
fcps_status fcps_cannon_sketch(const fcps_cannon *cannon, int count, const double *targets, const double *parameters,
                               const char *directory, fcps_error *error);

#endif
