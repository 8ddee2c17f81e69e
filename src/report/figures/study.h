/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a study: the predicted reward of its policy over the targets, and its deviation. */
#ifndef FCPS_REPORT_FIGURES_STUDY_H
#define FCPS_REPORT_FIGURES_STUDY_H

#include <fcps/base.h>

/* Predictions on a grid of targets: `columns` values of the first dimension times `rows` values of the second (1 where
 * there is only one dimension). Element row * columns + column of each array belongs to xs[column] and ys[row]. */
typedef struct fcps_study_map {
  const char *title, *x_label, *y_label;
  int columns, rows;
  const double *xs, *ys, *rewards, *deviations;
  const bool *marks; /* cells where a trial may go wrong; NULL: none */
} fcps_study_map;

/* Draws the map as .svg or .png, by the ending of `path`: two panels for two dimensions, a curve with a band for
 * one. */
fcps_status fcps_report_study_figure_draw(const char *path, const fcps_study_map *map, fcps_error *error);

#endif
