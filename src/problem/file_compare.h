/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two problem files mean the same problem. */
#ifndef FCPS_PROBLEM_FILE_COMPARE_H
#define FCPS_PROBLEM_FILE_COMPARE_H

#include <fcps/problem_file.h>

/* The keys whose meaning a study keeps: the four spaces, achieved, reward and learner; ends with NULL. Not among them
 * are the name, units, and where trials happen (contexts, run). */
extern const char *const fcps_problem_file_kept_keys[];

/* Whether one of these keys has the same meaning in both files. White space, comments and the order of settings do not
 * matter. */
bool fcps_problem_file_same(const char *key, const fcps_problem_file *file, const fcps_problem_file *other);

#endif
