/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of an experiment, drawn from its saved results alone: the same results give the same SVG. */
#ifndef FCPS_REPORT_FIGURES_EXPERIMENT_FIGURES_H
#define FCPS_REPORT_FIGURES_EXPERIMENT_FIGURES_H

#include "lab/report/read/saved_experiment.h"

/* Reads an experiment's folder and draws there every figure that its summary describes, as NAME.svg and NAME.png:
 * learning curves (mean and a band of one standard deviation), maps of the reward over the target space, or the last
 * rewards of the learners over the values of a setting (mean and standard error). */
fcps_status fcps_report_figures_draw(const char *folder, fcps_error *error);

/* The kinds of figures. Each writes the part of a gnuplot script that follows `set output`. */
fcps_status fcps_curves_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                     fcps_error *error);
fcps_status fcps_maps_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                   fcps_error *error);
fcps_status fcps_sweep_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                    fcps_error *error);

/* Curves for a panel of another figure: their data, and the command that plots them into existing axes. */
fcps_status fcps_curves_data_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                   fcps_error *error);
void fcps_curves_plot_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure);

/* Their sizes in pixels: [width, height]. */
void fcps_curves_figure_size(const fcps_json *figure, int size[2]);
void fcps_maps_figure_size(const fcps_json *figure, int size[2]);
void fcps_sweep_figure_size(const fcps_json *figure, int size[2]);

#endif
