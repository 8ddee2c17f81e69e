/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: one of many processes, on one machine or on many, that do the trials of one study (fcps/study_lease.h).
 *
 * It asks with a lease, runs the program of the problem file as fcps_run_program does, and tells. While its programs run it
 * gives signs of life. A finished result is on disk before it is told, and stays there until the study has acknowledged it:
 * the next worker of this machine finds what a killed one has left. Any worker may begin or end at any time.
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
  const char *worker; /* its name, unique among all; NULL: HOST-PROCESS */
  int parallel;       /* programs at once; 0: one */
  int lease_ms;       /* how long an ask is its without a sign of life; 0: 60000. Signs come four times as often */

  /* When it ends; each may be 0 or NULL: never. */
  int64_t trials;                /* when the study has asked for so many in all, and none of them is under way */
  double budget;                 /* before the trial with which all trials would cost more */
  double seconds;                /* of this call; what is under way is finished */
  fcps_outlook *until_converged; /* see fcps_run_options */

  const char *const *command; /* the program and its arguments, run in the present folder; NULL: that of the file */
  bool trusts_study;    /* without a file, run the program that the study names, and read the table that it names */
  bool goes_on_failing; /* see fcps_run_options; so are the next four */
  bool (*stop)(void *user);
  fcps_status (*on_episode)(void *user, const fcps_episode *episode); /* only those of this worker */
  void *user;
  fcps_log log;
} fcps_work_options;

/* Works on a study until it ends as above; `done` (may be NULL) counts the results that were told. `file` NULL: the problem
 * file that the study was made from; because anybody may have written it, its program is run only with `trusts_study`, and
 * `command` may stand in for it. If the study cannot be reached it waits, with growing pauses that differ between
 * workers. Stopped, it ends its programs, tells what is finished and gives its leases back; then FCPS_ERR_STOPPED. */
FCPS_API fcps_status fcps_work(fcps_study *study, const fcps_problem_file *file, const fcps_work_options *options,
                               int64_t *done, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
