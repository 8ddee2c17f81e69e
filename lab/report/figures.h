/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of an experiment, drawn only from its saved results: the same results give the same SVG. */
#ifndef FCPS_LAB_REPORT_FIGURES_H
#define FCPS_LAB_REPORT_FIGURES_H

#include "lab/report/saved.h"

#include <fcps/base.h>

/* Reads an experiment's folder, and draws there every figure that its summary describes, as NAME.svg and NAME.png. A
 * figure shows learning curves (mean and a band of one standard deviation), maps of the reward over the target space,
 * or the learners' last rewards over the values of a setting (mean and standard error). */
fcps_status fcps_report_figures_draw(const char *folder, fcps_error *error);

/* Learning curves: writes the part of a gnuplot script that follows `set output`. */
fcps_status fcps_curves_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                     fcps_error *error);

/* The same curves for a panel of another figure: their data, and the command that plots them into existing
 * axes. */
fcps_status fcps_curves_data_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                   fcps_error *error);
void fcps_curves_plot_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure);

/* The size of the figure in pixels: [width, height]. */
void fcps_curves_figure_size(const fcps_json *figure, int size[2]);

/* Figures that several experiments share. Each experiment has a panel: a picture of its task above its learning
 * curves. */

/* The name of the picture in an experiment's folder. A panel without a picture has only curves. */
#define FCPS_PANEL_PICTURE "task.png"

/* Draws every shared figure of the experiments in a folder of results, as DIRECTORY/NAME.svg and .png. */
fcps_status fcps_panels_figures_draw(const char *directory, fcps_error *error);

/* fcps_panels_figure_of returns the name of the shared figure that has a panel of this experiment, or NULL.
 * fcps_panels_figure_begins says whether the experiment is the first of its shared figure. */
const char *fcps_panels_figure_of(const fcps_saved_experiment *saved);
bool fcps_panels_figure_begins(const fcps_saved_experiments *all, size_t index);

/* The picture of a task's trials, drawn from the files that fcps_task_sketch writes. */

/* Reads surface.csv, marks.csv and paths.csv (fcps_task_sketch) in `directory` and draws them to `path`, which ends
 * with .svg or .png. */
fcps_status fcps_sketch_figure_draw(const char *directory, const char *path, fcps_error *error);

/* The figure of one run, drawn only from its result files. */

/* Reads the result files in `directory` and draws figure.svg and figure.png there: the reward of the policy over the
 * target space (if that has two dimensions), and the learning curve. */
fcps_status fcps_report_run_figure_draw(const char *directory, fcps_error *error);

#endif
