/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two problem files mean the same problem: for these keys fcps_problem_file_same says it. */
#ifndef FCPS_PROBLEM_FILE_COMPARE_H
#define FCPS_PROBLEM_FILE_COMPARE_H

#include <fcps/problem_file.h>

/* The keys whose meaning a study keeps: the four spaces, achieved, reward and learner; ends with NULL. Not among them
 * are the name, units, and where trials happen (contexts, run). */
extern const char *const fcps_problem_file_kept_keys[];

#endif
