/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: many workers on one study, any of which may die at any time.
 *
 * An ask that is leased belongs to one worker for a time, by the clock of the store (that of the database, else of the
 * machine). Signs of life extend the time. An ask whose time has ended is given to the next worker that asks, and a note
 * in the journal says so (LEASE_ENDED). A late result of the first is still taken; if both come, both are kept, and the
 * first counts. Asks without a lease, such as those of a person or of fcps_run, are never given to a worker.
 *
 *   fcps_study_ask_leased(study, &(fcps_lease_request){.worker = "robot-1", .lease_ms = 60000}, &ask, &error);
 *   // do the trial; meanwhile, four times a minute:
 *   fcps_study_renew_leases(study, "robot-1", NULL, 60000, NULL, &error);
 *   fcps_study_tell(study, ask.id, &result, NULL, &error);
 */
#ifndef FCPS_STUDY_LEASE_H
#define FCPS_STUDY_LEASE_H

#include <fcps/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest name of a worker, with the 0 at its end. */
#define FCPS_WORKER_NAME 96

/* The longest name of a session, with the 0 at its end. */
#define FCPS_WORKER_SESSION 40

typedef struct fcps_lease_request {
  const char *worker;  /* who asks, and will tell; not empty, under FCPS_WORKER_NAME bytes */
  const char *session; /* of the process that works under this name: another process that gives the same name is refused
                        * (FCPS_ERR_CONFLICT) until a lease has passed since the last sign of life of NAME or "NAME/..."; NULL:
                        * any process that gives the name is the worker */
  int lease_ms;        /* how long the ask is the worker's without a sign of life; at least 1 */
  int64_t most_asks;   /* no new ask if the study has as many already; 0: no limit */
  double budget;       /* no new ask with which all trials would cost more; 0: no limit */

  /* Fills the context of ask `index` (counted from 0) of the study; called for each try to ask, so that two workers that
   * ask at once get different contexts. NULL: the learner chooses. */
  void (*context)(void *user, int64_t index, double *target, double *environment);
  void *user;
} fcps_lease_request;

/* Gives a worker an ask: one that it already has a lease of, else the oldest whose lease has ended (both `is_repeated`),
 * else a new one. If there is none of them, because of `most_asks` or `budget`, ask->id is 0. Pointers as in fcps_study_ask. */
FCPS_API fcps_status fcps_study_ask_leased(fcps_study *study, const fcps_lease_request *request, fcps_ask *ask,
                                           fcps_error *error);

/* A sign of life: extends all leases of `worker`, and of "worker/...", by `lease_ms` from now. With 0 ms they end now, so
 * that others get the asks at once. Fails with FCPS_ERR_CONFLICT if the name belongs to another `session` (may be NULL).
 * `count` (may be NULL) receives how many leases there are. */
FCPS_API fcps_status fcps_study_renew_leases(fcps_study *study, const char *worker, const char *session, int lease_ms,
                                             int *count, fcps_error *error);

/* A lease of an unfinished ask. */
typedef struct fcps_lease {
  int64_t ask;
  const char *worker;
  int64_t since_ms, until_ms;
  bool has_ended; /* nobody has taken the ask over yet */
} fcps_lease;

/* Reads the leases of unfinished asks, and the time of the store's clock (may be NULL); then lease `index`, counted from 0,
 * whose pointers live until the next call that reads leases. */
FCPS_API fcps_status fcps_study_read_leases(fcps_study *study, int *count, int64_t *time_ms, fcps_error *error);
FCPS_API void fcps_study_lease_at(const fcps_study *study, int index, fcps_lease *lease);

/* Waits until somebody may have stored something since the last call, or the time has passed. */
FCPS_API fcps_status fcps_study_wait(fcps_study *study, int wait_ms, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
