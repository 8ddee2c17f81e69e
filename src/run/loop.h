/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop, and what it needs of the place where trials happen. */
#ifndef FCPS_RUN_LOOP_H
#define FCPS_RUN_LOOP_H

#include <fcps/run.h>

/* Where trials happen: a built-in task, a program. */
typedef struct fcps_trial_runner {
  /* The context of an episode, counted from 0. */
  fcps_status (*context)(void *self, int64_t episode, double *target, double *environment, fcps_error *error);

  /* One trial. `result` comes empty; what it points to lives until the next call. */
  fcps_status (*run)(void *self, int64_t episode, const fcps_ask *ask, fcps_result *result, fcps_error *error);

  /* OPTIONAL: what a policy earns offline, into `offline`, whose arrays live until the next call. */
  fcps_status (*evaluate)(void *self, fcps_policy *policy, fcps_offline *offline, fcps_error *error);

  bool has_own_contexts; /* the program supplies the contexts, so no learner can choose them */
  bool is_repeatable;    /* a trial that is run again has the same result, so nothing is lost with it */
  void *self;
} fcps_trial_runner;

/* Runs episodes until the study has `options->episodes` of them. */
fcps_status fcps_run_loop(fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                          fcps_error *error);

/* Evaluations are notes of the study: the mean and the episode after which it was measured. */
fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error);
bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean);

#endif
