/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a task's trials, drawn from the files that fcps_task_sketch writes. */
#ifndef FCPS_REPORT_FIGURES_SKETCH_H
#define FCPS_REPORT_FIGURES_SKETCH_H

#include <fcps/base.h>

/* Reads surface.csv, marks.csv and paths.csv (fcps_task_sketch) in `directory` and draws them to `path`, which ends
 * with .svg or .png. */
fcps_status fcps_sketch_figure_draw(const char *directory, const char *path, fcps_error *error);

#endif
