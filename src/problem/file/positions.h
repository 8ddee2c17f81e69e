/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and columns in a problem file, for mistakes that are found only after reading it. */
#ifndef FCPS_PROBLEM_FILE_POSITIONS_H
#define FCPS_PROBLEM_FILE_POSITIONS_H

#include <fcps/problem_file.h>

/* The position of the value of `learner.KEY` ("name" or a setting); false where the file does not have it. */
bool fcps_problem_file_learner_position(const fcps_problem_file *file, const char *key, int *line, int *column);

#endif
