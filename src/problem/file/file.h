/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a problem file after it was read. */
#ifndef FCPS_PROBLEM_FILE_FILE_H
#define FCPS_PROBLEM_FILE_FILE_H

#include <fcps/problem_file.h>

/* The line and column of the value of `learner.KEY` ("name" or a setting), for mistakes that are found only after
 * reading; false if the file does not have that key. (read.c) */
bool fcps_problem_file_learner_position(const fcps_problem_file *file, const char *key, int *line, int *column);

#endif
