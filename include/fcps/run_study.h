/* SPDX-License-Identifier: Apache-2.0 */
/* Driving a study: contexts as its problem file says, trials by its external program, until enough rollouts are stored.
 *
 * Interrupted at any place, by a signal or a power cut, it goes on where it was: the unfinished ask is run again, and the
 * asks that follow are those of a run that never stopped.
 */
#ifndef FCPS_RUN_STUDY_H
#define FCPS_RUN_STUDY_H

#include <fcps/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One finished episode. Pointers live during the call. */
typedef struct fcps_study_episode {
  int64_t episode; /* from 1 */
  const fcps_trial *trial;
  fcps_rollout_status status;
  const double *outcome; /* NULL: absent */
  double reward;         /* NaN where it has none */
  const char *message;   /* why it failed */
} fcps_study_episode;

typedef struct fcps_run_study_options {
  const fcps_problem_file *file; /* says the program and the contexts; NULL: the file that the study was made from */
  int64_t episodes;              /* in all, with those of earlier calls */
  bool is_active;                /* let the learner choose the contexts */
  bool (*stop)(void *user);      /* optional: returning true ends with FCPS_ERR_STOPPED, also during a trial */
  fcps_status (*on_episode)(void *user, const fcps_study_episode *episode); /* optional; another status ends the run */
  void *user;
} fcps_run_study_options;

/* Holds the study and runs episodes. Refuses a file with other dimensions than the study's. Ends with FCPS_ERR_FAILURE_RATE when, of at least five rollouts of this call, more
 * than half failed. */
FCPS_API fcps_status fcps_run_study(fcps_study *study, const fcps_run_study_options *options, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
