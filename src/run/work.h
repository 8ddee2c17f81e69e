/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker, and the study it works on: in a store (work.c) or behind a server (src/door/work.c). The loop
 * uses the study only through this table. */
#ifndef FCPS_RUN_WORK_LOOP_H
#define FCPS_RUN_WORK_LOOP_H

#include <fcps/run_work.h>
#include <fcps/study_lease.h>

/* Refuses a worker while a run has the study, because a run counts and judges all trials as its own. The error names
 * the run. */
#define FCPS_WORK_BESIDE_RUN "a worker does not begin beside a run, which owns its study: %.300s"

/* The study from which a worker gets asks, and to which it tells results. If the study is in use or cannot be
 * reached, a call fails with FCPS_ERR_LOCKED, and the loop repeats it later. */
typedef struct fcps_work_place {
  void *self;

  /* fcps_study_ask_leased. `is_observed`: the context of the request was observed, and no other may be taken. */
  fcps_status (*ask)(void *self, const fcps_lease_request *request, bool is_observed, fcps_ask *ask, fcps_error *error);

  /* fcps_study_renew_leases */
  fcps_status (*renew)(void *self, const char *worker, const char *session, int lease_ms, fcps_error *error);

  /* Tells a result until it is stored, or fails as above; `stored` is what came of it, without an ask if that is unknown.
   * FCPS_ERR_CONFLICT: it is kept as evidence beside another result. */
  fcps_status (*tell)(void *self, const fcps_ask *ask, const fcps_result *result, const fcps_run_patience *patience,
                      fcps_stored_result *stored, fcps_error *error);

  /* Tells the results that wait on disk. */
  fcps_status (*tell_kept)(void *self, const fcps_run_patience *patience, fcps_error *error);

  /* How many asks there are, as far as is known. */
  int64_t (*count_asks)(void *self);

  /* After an ask that there was not: whether nothing is under way any more; else waits for a while. */
  fcps_status (*wait)(void *self, int wait_ms, bool *is_over, fcps_error *error);

  /* fcps_study_outlook */
  fcps_status (*look_ahead)(void *self, fcps_outlook *outlook, fcps_error *error);

  bool draws_contexts; /* if no program observes them; else the loop draws them, from the problem file */

  /* What a call does about twenty times a second while it waits for an answer: gives signs of life, and says whether to
   * stop. NULL: no call waits. The loop sets both. */
  void (*set_idle)(void *self, bool (*idle)(void *user), void *user);
} fcps_work_place;

/* Does the work of fcps_work with this table. `study` describes the problem, and its folder is the place for results
 * that wait on disk. */
fcps_status fcps_work_at(const fcps_work_place *place, fcps_study *study, const fcps_problem_file *file,
                         const fcps_work_options *options, int64_t *done, fcps_error *error);

/* Waits before the next try to reach the study. The pauses grow and differ between workers. Returns false if the
 * caller wants to stop. */
bool fcps_work_back_off(bool (*stop)(void *user), void *user, double *pause);

#endif
