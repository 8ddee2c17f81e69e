/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: many workers on one study, any of which may die at any time.
 *
 * A leased ask belongs to one worker for a time. The clock is that of the database, else of the machine. Signs of life
 * extend the time. After its end the next worker that asks gets the ask, and a note in the journal says so
 * (LEASE_ENDED). A late result of the first worker is still accepted; if both workers tell a result, both are kept, and
 * the first one counts. A worker never gets an ask without a lease, such as that of a person or of fcps_run.
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
  const char *worker; /* the name of the worker, which will also tell; not empty, under FCPS_WORKER_NAME bytes */
  /* identifies the process behind the name. A second process with this name is refused (FCPS_ERR_CONFLICT), until a
   * lease has passed since the last sign of life of NAME or "NAME/...". NULL: any process with the name is the
   * worker */
  const char *session;
  int lease_ms;      /* how long the ask stays the worker's without a sign of life; at least 1 */
  int64_t most_asks; /* no new ask if the study has this many; 0: no limit */
  double budget;     /* limit of the cost of all trials: no new ask that would exceed it; 0: no limit */

  /* Fills in the context of ask number `index` (from 0) of the study. NULL: the learner chooses the context. The
   * function is called for each try to ask, so that two workers that ask at once get different contexts */
  void (*context)(void *user, int64_t index, double *target, double *environment);
  void *user;
} fcps_lease_request;

/* Gives a worker an ask: the one that it has leased; else the oldest one whose lease has ended (both with
 * `is_repeated`); else a new one. If `most_asks` or `budget` prevents a new ask, ask->id is 0. Pointers live as in
 * fcps_study_ask. */
FCPS_API fcps_status fcps_study_ask_leased(fcps_study *study, const fcps_lease_request *request, fcps_ask *ask,
                                           fcps_error *error);

/* Gives a sign of life: extends all leases of `worker`, and of "worker/...", to `lease_ms` from now. With 0 ms they
 * end now, so that other workers get the asks at once. Fails with FCPS_ERR_CONFLICT if the name belongs to another
 * `session` (may be NULL). `count` (may be NULL) receives the number of leases. */
FCPS_API fcps_status fcps_study_renew_leases(fcps_study *study, const char *worker, const char *session, int lease_ms,
                                             int *count, fcps_error *error);

/* A lease of an unfinished ask. */
typedef struct fcps_lease {
  int64_t ask;
  const char *worker;
  int64_t since_ms, until_ms;
  bool has_ended; /* and no worker has taken the ask over yet */
} fcps_lease;

/* The first function reads the leases of unfinished asks, and the time of the store's clock (may be NULL). The
 * second returns lease `index`, counted from 0, whose pointers live until the next call that reads leases. */
FCPS_API fcps_status fcps_study_read_leases(fcps_study *study, int *count, int64_t *time_ms, fcps_error *error);
FCPS_API void fcps_study_lease_at(const fcps_study *study, int index, fcps_lease *lease);

/* Waits until another process may have stored something since the last call, or until the time has passed. */
FCPS_API fcps_status fcps_study_wait(fcps_study *study, int wait_ms, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
