/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a study: its map, its trials and its learning curve, from the study alone. */
#ifndef FCPS_CLI_SUPPORT_STUDY_FIGURE_H
#define FCPS_CLI_SUPPORT_STUDY_FIGURE_H

#include <fcps/study.h>

/* Draws the figure into each path, .svg or .png. Without a policy that predicts rewards (`policy` may be NULL), or where
 * there is nothing to map over, it is the learning curve alone. */
fcps_status cli_study_figure_draw(fcps_study *study, fcps_policy *policy, int count, const char *const *paths,
                                  fcps_error *error);

#endif
