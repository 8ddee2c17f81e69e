/* SPDX-License-Identifier: Apache-2.0 */
/* A problem file whose bounds are not those that its study was amended to. */
#ifndef FCPS_RUN_OTHER_BOUNDS_H
#define FCPS_RUN_OTHER_BOUNDS_H

#include <fcps/study.h>

/* Warns (W_BOUNDS_DIFFER) of each dimension whose bounds in the file are others than in the study, which keeps its own.
 * Both have the same dimensions. */
void fcps_run_warn_of_bounds(const fcps_study *study, const fcps_problem_file *file, const fcps_log *log);

#endif
