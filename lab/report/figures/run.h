/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of one run, drawn from its result files alone. */
#ifndef FCPS_REPORT_FIGURES_RUN_H
#define FCPS_REPORT_FIGURES_RUN_H

#include <fcps/base.h>

/* Reads the result files in `directory` and draws figure.svg and figure.png there: the reward of the policy over the
 * target space (where that has two dimensions), and the learning curve. */
fcps_status fcps_report_run_figure_draw(const char *directory, fcps_error *error);

#endif
