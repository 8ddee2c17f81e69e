/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of the learnt model: one panel for each dimension, with lines and bands. */
#ifndef FCPS_REPORT_SLICES_H
#define FCPS_REPORT_SLICES_H

#include <fcps/base.h>

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
