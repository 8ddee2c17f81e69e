/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of what a model has learnt: lines with bands, a panel for each dimension. */
#ifndef FCPS_REPORT_SLICES_H
#define FCPS_REPORT_SLICES_H

#include <fcps/base.h>

/* One panel: a line over a dimension, its band, and a second line; NULL: none. */
typedef struct fcps_slice_panel {
  char title[128], x_label[128], y_label[128];
  int count;
  const double *xs, *ys, *half_widths, *averages;
} fcps_slice_panel;

/* Draws `count` panels as .svg or .png, by the ending of `path`. */
fcps_status fcps_report_slices_draw(const char *path, const char *title, int count, const fcps_slice_panel *panels,
                                    fcps_error *error);

#endif
