/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker, and the study for which it works: in a store (work.c) or behind a server (src/door/work.c). The
 * loop uses the study only through this table. */
#ifndef FCPS_RUN_WORK_LOOP_H
#define FCPS_RUN_WORK_LOOP_H

#include <fcps/run_work.h>
#include <fcps/study_lease.h>

/* The error of a worker while a run has the study: a run takes all trials for its own. The error names the run. */
#define FCPS_WORK_BESIDE_RUN "a worker does not begin beside a run, which owns its study: %.300s"

/* The study from which a worker gets asks, and to which it tells results. If the study is in use or cannot be
 * reached, a call fails with FCPS_ERR_LOCKED, and the loop repeats it later. */
typedef struct fcps_work_place {
  void *self;

  /* As fcps_study_ask_leased. `is_observed` says that the context of the request was observed, so the ask must be for
   * that context. */
  fcps_status (*ask)(void *self, const fcps_lease_request *request, bool is_observed, fcps_ask *ask, fcps_error *error);

  /* As fcps_study_renew_leases. */
  fcps_status (*renew)(void *self, const char *worker, const char *session, int lease_ms, fcps_error *error);

  /* Tells a result until it is stored, or fails as described above. *stored receives the stored result, with no ask if
   * that is unknown. FCPS_ERR_CONFLICT: it contradicts another result, and was stored but does not count. */
  fcps_status (*tell)(void *self, const fcps_ask *ask, const fcps_result *result, const fcps_run_patience *patience,
                      fcps_stored_result *stored, fcps_error *error);

  /* Tells the results that wait in files. */
  fcps_status (*tell_kept)(void *self, const fcps_run_patience *patience, fcps_error *error);

  /* Returns the number of asks, as far as it is known. */
  int64_t (*count_asks)(void *self);

  /* Called if there was no ask to give. *is_over says whether no trial is under way any more; if some are, waits for a
   * while. */
  fcps_status (*wait)(void *self, int wait_ms, bool *is_over, fcps_error *error);

  /* As fcps_study_outlook. */
  fcps_status (*look_ahead)(void *self, fcps_outlook *outlook, fcps_error *error);

  /* whether the table draws contexts that no program observes; if not, the loop draws them as the problem file says */
  bool draws_contexts;

  /* Sets a function that a call runs about twenty times a second while it waits for an answer. The function gives signs
   * of life, and returns whether to stop. NULL: no call waits. The loop sets both arguments. */
  void (*set_idle)(void *self, bool (*idle)(void *user), void *user);
} fcps_work_place;

/* Does the work of fcps_work with this table. `study` has the problem. Its folder is where results wait in files. */
fcps_status fcps_work_at(const fcps_work_place *place, fcps_study *study, const fcps_problem_file *file,
                         const fcps_work_options *options, int64_t *done, fcps_error *error);

/* Waits before the next try to reach the study. The pauses grow and differ between workers. Returns false if the
 * caller wants to stop. */
bool fcps_work_back_off(bool (*stop)(void *user), void *user, double *pause);

#endif
