/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: draw (or choose) a context, ask, run, tell. Every command uses it. */
#ifndef FCPS_RUN_H
#define FCPS_RUN_H

#include <fcps/learner.h>
#include <fcps/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One finished episode, as the loop shows it. Pointers live during the call. */
typedef struct fcps_episode {
  int64_t episode;                                           /* from 1 */
  const double *target, *environment, *parameters, *outcome; /* outcome NULL: absent */
  double reward;                                             /* NaN where the rollout failed */
  fcps_rollout_status status;
  double ask_seconds, run_seconds;
} fcps_episode;

/* The mean reward of the greedy policy over the task's evaluation contexts, without noise. */
typedef struct fcps_offline {
  int64_t episode;
  double mean;
  int count;
  const double *rewards;    /* one for each evaluation context */
  const double *parameters; /* rows */
  const double *outcomes;   /* rows */
  const bool *present;
} fcps_offline;

typedef struct fcps_run_options {
  int64_t episodes;
  int64_t evaluate_every; /* 0: only after the last episode; negative: never */
  /* All optional. `stop` is asked between episodes; returning true ends the run with FCPS_ERR_STOPPED. */
  bool (*stop)(void *user);
  fcps_status (*on_episode)(void *user, const fcps_episode *episode);
  fcps_status (*on_offline)(void *user, const fcps_offline *offline);
  void *user;
} fcps_run_options;

/* Runs `options->episodes` episodes of `learner` on `task`, from the learner's own rollout count on, so that a
 * loaded learner continues. */
FCPS_API fcps_status fcps_run(fcps_task *task, fcps_learner *learner, const fcps_run_options *options,
                              fcps_error *error);

/* Evaluates a policy in the task's evaluation contexts. Arrays are the caller's; those other than `rewards` may be
 * NULL. */
FCPS_API fcps_status fcps_run_evaluate(fcps_task *task, fcps_policy *policy, double *mean, double *rewards,
                                       double *parameters, double *outcomes, bool *present, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
