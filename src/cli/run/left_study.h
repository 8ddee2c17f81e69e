/* SPDX-License-Identifier: Apache-2.0 */
/* A study that a renamed problem file has left behind. */
#ifndef FCPS_CLI_RUN_LEFT_STUDY_H
#define FCPS_CLI_RUN_LEFT_STUDY_H

#include <fcps/fcps.h>

/* Warns (W_OTHER_STUDY), before a new study is made beside the file `path`, where a study of the same problem lies there
 * whose own file is gone. */
void cli_run_warn_of_left_study(const char *path, const fcps_problem_file *file);

#endif
