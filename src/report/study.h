/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a study: the predicted reward of its policy over the targets, the deviation of this reward, the trials,
 * and the learning curve. */
#ifndef FCPS_REPORT_STUDY_H
#define FCPS_REPORT_STUDY_H

#include <fcps/base.h>

/* Predictions on a grid of targets, with `columns` values of the first dimension and `rows` values of the second. With
 * only one dimension, `rows` is 1. In each array, element row * columns + column belongs to xs[column] and ys[row]. */
typedef struct fcps_study_map {
  const char *title, *subtitle, *x_label, *y_label; /* the subtitle says which values are fixed in the map; may be "" */
  int columns, rows;                                /* 0: there is no map */
  const double *xs, *ys, *rewards, *deviations;
  const double *tops; /* if there is one row: the upper limits of the band; NULL, or NaN in a cell: no limit */
  const bool *marks;  /* true for cells in which a trial may fail; NULL: for no cell */
  int trials;         /* number of trials; their targets and rewards follow, in order (NaN: no reward) */
  const double *trial_xs, *trial_ys, *told;
} fcps_study_map;

/* Draws the figure to each of `count` paths, as .svg or .png by their endings. With two dimensions it has two maps and
 * the learning curve; with one dimension, a curve with a band and the learning curve; without a map, only the learning
 * curve. */
fcps_status fcps_report_study_figure_draw(const fcps_study_map *map, int count, const char *const *paths,
                                          fcps_error *error);

/* The figure of a checked model: told outcomes against expected ones, with 95 % intervals. */

/* One panel: `count` points for one output. Points whose expectation is NaN are not drawn. */
typedef struct fcps_check_panel {
  const char *title, *label; /* the title of the panel; the label of both axes */
  int count;
  const double *told, *expected, *half_widths; /* half_widths: half the widths of the 95 % intervals */
} fcps_check_panel;

/* Draws `count` panels to one file, as .svg or .png by the ending of `path`. Points outside their intervals have
 * another colour. */
fcps_status fcps_report_check_figure_draw(const char *path, const char *title, int count,
                                          const fcps_check_panel *panels, fcps_error *error);

/* -- Slices: the figure of the learnt model, with one panel for each dimension -- */

enum { FCPS_SLICE_WORDS = 64 };

/* An axis. If it has words, these stand at 0, 1, ... on the axis, and lines do not join the points. */
typedef struct fcps_slice_axis {
  char label[128];
  int word_count;
  const char *words[FCPS_SLICE_WORDS];
} fcps_slice_axis;

/* One panel: a line over a dimension, its band, and a second line (NULL: none). */
typedef struct fcps_slice_panel {
  char title[128];
  fcps_slice_axis x, y;
  int count;
  const double *xs, *ys, *half_widths, *averages;
} fcps_slice_panel;

/* Draws `count` panels to one file, as .svg or .png by the ending of `path`. A line without values is not drawn, nor is
 * a panel whose first line has no values. */
fcps_status fcps_report_slices_draw(const char *path, const char *title, int count, const fcps_slice_panel *panels,
                                    fcps_error *error);

#endif
