/* SPDX-License-Identifier: Apache-2.0 */
/* A checked model as a figure: a panel for each output. */
#ifndef FCPS_CLI_STUDY_CHECK_FIGURE_H
#define FCPS_CLI_STUDY_CHECK_FIGURE_H

#include <fcps/study_check.h>

/* Draws it as .svg or .png, by the ending of `path`. */
fcps_status cli_check_figure_draw(const fcps_study_check *check, const char *path, fcps_error *error);

#endif
