/* SPDX-License-Identifier: Apache-2.0 */
/* The learning curve of a study: rewards in the order in which they were told, and their running mean. */
#ifndef FCPS_REPORT_FIGURES_LEARNING_H
#define FCPS_REPORT_FIGURES_LEARNING_H

#include <fcps/base.h>

/* Draws `count` rewards as points and the mean of the last `span` as a line; `predicted`, unless NaN, as a level. As
 * .svg or .png, by the ending of `path`. */
fcps_status fcps_report_learning_figure_draw(const char *path, int count, const double *rewards, int span,
                                             double predicted, fcps_error *error);

#endif
