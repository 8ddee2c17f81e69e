/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between a handle and the callbacks that its caller gave: reward, gradient, achieved, presence, log.
 *
 * A handle (learner, policy, study) owns one fcps_callbacks and works with a problem and a log whose functions go through
 * it. They keep two promises:
 *   - the handle knows when one of its callbacks runs. A function that works on the handle begins with
 *     fcps_callbacks_begin and refuses to be called from there with FCPS_ERR_BUSY, because its memory is in use;
 *   - once a callback has failed, no callback of the problem is called again until the next such beginning.
 * A study's learner stands on the study's problem, so both know. A policy lives on its own: it takes the functions as
 * they were given (fcps_callbacks_unguard). */
#ifndef FCPS_PROBLEM_CALLBACKS_H
#define FCPS_PROBLEM_CALLBACKS_H

#include <fcps/problem.h>

typedef enum fcps_callback_kind {
  FCPS_CALLBACK_REWARD,
  FCPS_CALLBACK_GRADIENT,
  FCPS_CALLBACK_ACHIEVED,
  FCPS_CALLBACK_PRESENCE
} fcps_callback_kind;

typedef struct fcps_callbacks {
  /* as the user gave them */
  fcps_reward_fn *reward;
  fcps_reward_gradient_fn *gradient;
  fcps_achieved_fn *achieved;
  fcps_presence_fn *presence;
  void *user;
  fcps_log log;

  bool is_inside;            /* a callback runs */
  bool is_held;              /* a handle that is made from this one may run callbacks */
  fcps_status failure;       /* the status of the first callback that failed since the last beginning */
  fcps_callback_kind failed; /* which callback failed */
} fcps_callbacks;

/* Lets the functions of `problem` go through `callbacks`, which must outlive it. */
void fcps_callbacks_guard(fcps_callbacks *callbacks, fcps_problem *problem);

/* The problem with the functions as the user gave them, without its guards. */
void fcps_callbacks_unguard(fcps_problem *problem);

/* A log that goes through `callbacks` to `log`. */
fcps_log fcps_callbacks_guard_log(fcps_callbacks *callbacks, fcps_log log);

/* Returns FCPS_ERR_BUSY if it is called from inside a callback of the handle. The error uses the handle's name
 * ("learner"). */
fcps_status fcps_callbacks_check(const fcps_callbacks *callbacks, const char *handle, fcps_error *error);

/* Begins a call on the handle: makes the same check, and forgets earlier failures. */
fcps_status fcps_callbacks_begin(fcps_callbacks *callbacks, const char *handle, fcps_error *error);

/* Sets FCPS_ERR_CALLBACK for a callback of `problem` that returned `status`. The message names the callback that failed
 * first, or `kind` if none is recorded. */
fcps_status fcps_callbacks_fail(const fcps_problem *problem, fcps_callback_kind kind, fcps_status status,
                                fcps_error *error);

#endif
