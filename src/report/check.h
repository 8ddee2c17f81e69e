/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a checked model: what was told against what was expected, with 95 % intervals. */
#ifndef FCPS_REPORT_FIGURES_CHECK_H
#define FCPS_REPORT_FIGURES_CHECK_H

#include <fcps/base.h>

/* One panel: `count` points of an output. Points whose expectation is NaN are left out. */
typedef struct fcps_check_panel {
  const char *title, *label; /* of the panel, and of both its axes */
  int count;
  const double *told, *expected, *half_widths; /* half_widths: of the 95 % intervals */
} fcps_check_panel;

/* Draws `count` panels as .svg or .png, by the ending of `path`. Points outside their interval have another colour. */
fcps_status fcps_report_check_figure_draw(const char *path, const char *title, int count,
                                          const fcps_check_panel *panels, fcps_error *error);

#endif
