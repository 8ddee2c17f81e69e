/* SPDX-License-Identifier: Apache-2.0 */
/* How the trials of a run end: whether it may go on, and what its user must hear if nothing comes of it. */
#ifndef FCPS_RUN_ENDINGS_H
#define FCPS_RUN_ENDINGS_H

#include <fcps/run.h>

typedef struct fcps_run_endings {
  int64_t trials, failures; /* of this call */
  int64_t earlier;          /* results of earlier calls that ended well */
  int64_t unmeasured;       /* of them: with an outcome that is not finite */
  int64_t unusable;         /* with an outcome, but without a usable value; of earlier calls, if they have no other */
  bool has_usable;          /* a trial of this call has a usable value */
  bool has_complained;      /* that nothing ever ends well */
  bool goes_on;             /* whatever the trials come to; set after the beginning */
} fcps_run_endings;

/* Before the first trial: refuses with FCPS_ERR_NO_REWARD to do trials for a reward that none of the stored results
 * has. */
fcps_status fcps_run_endings_begin(fcps_run_endings *endings, const fcps_study *study, fcps_error *error);

/* After each trial: FCPS_ERR_FAILURE_RATE if most fail, FCPS_ERR_NO_REWARD if nothing can be used. Warns once if
 * no trial has ended well. */
fcps_status fcps_run_endings_add(fcps_run_endings *endings, const fcps_study *study, const fcps_stored_result *stored,
                                 const fcps_log *log, fcps_error *error);

/* After the last trial: FCPS_ERR_NO_REWARD if not one of the study has a usable reward. If all trials of a call
 * failed, its caller says so. */
fcps_status fcps_run_endings_finish(fcps_run_endings *endings, const fcps_study *study, const fcps_log *log,
                                    fcps_error *error);

/* The end of a call all of whose trials failed: FCPS_ERR_FAILURE_RATE, unless as many have ended well before. */
fcps_status fcps_run_endings_all_failed(const fcps_study *study, int64_t failures, fcps_error *error);

#endif
