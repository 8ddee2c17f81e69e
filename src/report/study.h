/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a study: the predicted reward of its policy over the targets, the deviation of that, the trials, and
 * the learning curve. */
#ifndef FCPS_REPORT_STUDY_H
#define FCPS_REPORT_STUDY_H

#include <fcps/base.h>

/* Predictions on a grid of targets: `columns` values of the first dimension times `rows` values of the second (1 if
 * there is only one dimension). Element row * columns + column of each array belongs to xs[column] and ys[row]. */
typedef struct fcps_study_map {
  const char *title, *subtitle, *x_label, *y_label; /* the subtitle says what the map holds fixed; may be empty */
  int columns, rows;                                /* 0: there is no map */
  const double *xs, *ys, *rewards, *deviations;
  const double *tops; /* for one row: the upper limit of the band; NULL, or NaN in a cell: no limit */
  const bool *marks;  /* cells where a trial may fail; NULL: there are none */
  int trials;         /* the trials in order: their places and rewards (NaN: no reward) */
  const double *trial_xs, *trial_ys, *told;
} fcps_study_map;

/* Draws the figure to each of `count` paths, as .svg or .png by their ending. For two dimensions it has two maps and
 * the learning curve, for one dimension a curve with a band and the learning curve, without a map only the learning
 * curve. */
fcps_status fcps_report_study_figure_draw(const fcps_study_map *map, int count, const char *const *paths,
                                          fcps_error *error);

/* The figure of a checked model: told outcomes against expected ones, with 95 % intervals. */

/* One panel: `count` points of an output. Points whose expectation is NaN are left out. */
typedef struct fcps_check_panel {
  const char *title, *label; /* of the panel, and of both its axes */
  int count;
  const double *told, *expected, *half_widths; /* half_widths: of the 95 % intervals */
} fcps_check_panel;

/* Draws `count` panels as .svg or .png, by the ending of `path`. Points outside their interval have another colour. */
fcps_status fcps_report_check_figure_draw(const char *path, const char *title, int count,
                                          const fcps_check_panel *panels, fcps_error *error);

/* -- Slices: the figure of the learnt model, with one panel for each dimension -- */

enum { FCPS_SLICE_WORDS = 64 };

/* An axis. If it has words, their places are the numbers on the axis, and points are not joined by lines. */
typedef struct fcps_slice_axis {
  char label[128];
  int word_count;
  const char *words[FCPS_SLICE_WORDS];
} fcps_slice_axis;

/* One panel: a line over a dimension, its band, and a second line (NULL: no second line). */
typedef struct fcps_slice_panel {
  char title[128];
  fcps_slice_axis x, y;
  int count;
  const double *xs, *ys, *half_widths, *averages;
} fcps_slice_panel;

/* Draws `count` panels as .svg or .png, by the ending of `path`. Lines without a value are left out, and panels whose
 * first line has no value. */
fcps_status fcps_report_slices_draw(const char *path, const char *title, int count, const fcps_slice_panel *panels,
                                    fcps_error *error);

#endif
