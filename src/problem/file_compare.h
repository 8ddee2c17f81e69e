/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two problem files say the same. */
#ifndef FCPS_PROBLEM_FILE_COMPARE_H
#define FCPS_PROBLEM_FILE_COMPARE_H

#include <fcps/problem_file.h>

/* The keys whose meaning a study keeps: the four spaces, achieved, reward and learner; ends with NULL. Not among them
 * are the name, units, and where trials happen (contexts, run). */
extern const char *const fcps_problem_file_kept_keys[];

/* Whether the files mean the same by one of these keys; white space, comments and order of settings do not matter. */
bool fcps_problem_file_same(const char *key, const fcps_problem_file *file, const fcps_problem_file *other);

#endif
