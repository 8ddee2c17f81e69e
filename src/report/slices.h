/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of what a model has learnt: lines with bands, a panel for each dimension. */
#ifndef FCPS_REPORT_SLICES_H
#define FCPS_REPORT_SLICES_H

#include <fcps/base.h>

enum { FCPS_SLICE_WORDS = 64 };

/* An axis; if it has words, its numbers are their places, and points stand alone. */
typedef struct fcps_slice_axis {
  char label[128];
  int word_count;
  const char *words[FCPS_SLICE_WORDS];
} fcps_slice_axis;

/* One panel: a line over a dimension, its band, and a second line; NULL: none. */
typedef struct fcps_slice_panel {
  char title[128];
  fcps_slice_axis x, y;
  int count;
  const double *xs, *ys, *half_widths, *averages;
} fcps_slice_panel;

/* Draws `count` panels as .svg or .png, by the ending of `path`. */
fcps_status fcps_report_slices_draw(const char *path, const char *title, int count, const fcps_slice_panel *panels,
                                    fcps_error *error);

#endif
