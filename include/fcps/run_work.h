/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: one of many processes, on one machine or on many, that do the trials of one study (fcps/study_lease.h).
 *
 * A worker asks with a lease, runs the program of the problem file as fcps_run_program does, and tells the result.
 * While its programs run, it gives signs of life. A finished result is on disk before it is told, and stays there
 * until the study has acknowledged it: if a worker is killed, the next worker on this machine finds its results. Any
 * worker may begin or end at any time.
 *
 *   fcps_work(study, file, &(fcps_work_options){.trials = 200, .parallel = 4}, &done, &error);
 */
#ifndef FCPS_RUN_WORK_H
#define FCPS_RUN_WORK_H

#include <fcps/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_work_options {
  const char *worker; /* the worker's name, unique among all; NULL: HOST-PROCESS */
  int parallel;       /* programs at once; 0: one */
  /* how long an ask stays the worker's without a sign of life; 0: 60000. It gives four signs in this time */
  int lease_ms;

  /* When the work ends; each of the four may be 0 or NULL, which means never. */
  int64_t trials;                /* the work ends when the study has this many asks, and none of them is under way */
  double budget;                 /* limit of the cost of all trials of the study; 0: no limit */
  double seconds;                /* the duration of this call; trials that are under way are finished */
  fcps_outlook *until_converged; /* see fcps_run_options */

  /* the program and its arguments, run in the present folder; NULL: the program of the file */
  const char *const *command;
  bool trusts_study;    /* without a file: run the program, and read the table of contexts, that the study names */
  bool goes_on_failing; /* like the next four, as in fcps_run_options */
  bool (*stop)(void *user);
  fcps_status (*on_episode)(void *user, const fcps_episode *episode); /* for episodes of this worker only */
  void *user;
  fcps_log log;
} fcps_work_options;

/* Works on a study until one of these ends is reached; `done` (may be NULL) receives the number of results told.
 * With `file` NULL, the worker uses the problem file of which the study was made. Anybody may have written that
 * file, so its program is run only if `trusts_study` is set; `command` may replace it.
 *
 * If the study cannot be reached, the worker waits, with growing pauses that differ between workers. If `stop`
 * returns true, it ends its programs, tells finished results, gives its leases back and returns FCPS_ERR_STOPPED. */
FCPS_API fcps_status fcps_work(fcps_study *study, const fcps_problem_file *file, const fcps_work_options *options,
                               int64_t *done, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
