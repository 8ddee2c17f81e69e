/* SPDX-License-Identifier: Apache-2.0 */
/* A problem file that differs from its study only in words. */
#ifndef FCPS_RUN_OTHER_WORDS_H
#define FCPS_RUN_OTHER_WORDS_H

#include <fcps/study.h>

/* Warns where the file has other units than the study, or another name. Both have the same dimensions. */
void fcps_run_warn_of_words(const fcps_study *study, const fcps_problem_file *file, const fcps_log *log);

#endif
