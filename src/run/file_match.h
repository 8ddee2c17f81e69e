/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a problem file still matches its study, and the words for each way in which it does not. */
#ifndef FCPS_RUN_FILE_MATCH_H
#define FCPS_RUN_FILE_MATCH_H

#include <fcps/study.h>

/* Refuses a file that says neither what the study was made with nor what it was amended to: it would be ignored. The
 * error names the key or the dimension, and what can be done. */
fcps_status fcps_run_check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error);

/* Warns where the study goes on with something else than the file says: with other units or another name
 * (W_WORDS_DIFFER), and, of a file that the caller has given, with other bounds (W_BOUNDS_DIFFER) or another reward
 * (W_REWARD_DIFFERS). Both have the same dimensions. */
void fcps_run_warn_of_file(const fcps_study *study, const fcps_problem_file *file, bool is_given, const fcps_log *log);

#endif
