/* SPDX-License-Identifier: Apache-2.0 */
/* A problem file that was edited after its study was made. */
#ifndef FCPS_RUN_EDITED_FILE_H
#define FCPS_RUN_EDITED_FILE_H

#include <fcps/study.h>

/* Refuses a file that says neither what the study was made with nor what it was amended to: it would be ignored. The
 * error names the key or the dimension, and what can be done. */
fcps_status fcps_run_check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error);

#endif
