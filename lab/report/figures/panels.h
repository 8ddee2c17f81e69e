/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several experiments share. Each experiment has a panel: a picture of its task above its learning
 * curves. */
#ifndef FCPS_REPORT_FIGURES_PANELS_H
#define FCPS_REPORT_FIGURES_PANELS_H

#include "lab/report/read/saved_experiments.h"

/* The name of the picture in an experiment's folder. A panel without a picture has only curves. */
#define FCPS_PANEL_PICTURE "task.png"

/* Draws every shared figure of the experiments in a folder of results, as DIRECTORY/NAME.svg and .png. */
fcps_status fcps_panels_figures_draw(const char *directory, fcps_error *error);

/* The shared figure with a panel of an experiment, or NULL; and whether this experiment is the first of the figure. */
const char *fcps_panels_figure_of(const fcps_saved_experiment *saved);
bool fcps_panels_figure_begins(const fcps_saved_experiments *all, size_t index);

#endif
