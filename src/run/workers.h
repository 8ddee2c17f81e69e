/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of a run: each has a place for one job, which the loop fills, and takes back when the job has ended.
 *
 * The loop is the only caller, and no job of a worker touches the study. So everything that is stored is stored by one
 * thread, in the order in which it takes the jobs back.
 *
 * One program at a time, and tasks, need no thread and have none.
 */
#ifndef FCPS_RUN_WORKERS_H
#define FCPS_RUN_WORKERS_H

#include "run/loop.h"

#include <fcps/study_lease.h>

typedef enum fcps_job_state {
  FCPS_JOB_NONE,  /* the worker is free */
  FCPS_JOB_GIVEN, /* waits for its worker, or is under way */
  FCPS_JOB_ENDED  /* waits to be taken back */
} fcps_job_state;

/* To observe a context, or to run the trial of an ask. */
typedef struct fcps_job {
  int worker;                    /* from 0 */
  char client[FCPS_WORKER_NAME]; /* of the worker, who tells the result */
  bool is_trial;
  int64_t episode;                           /* from 0 */
  double *target, *environment, *parameters; /* room for the context, and a copy of what was asked */
  fcps_ask ask;                              /* of a trial; its numbers are these */
  double begin, ask_seconds, run_seconds;

  /* what came of it */
  fcps_status status;
  fcps_error error;
  fcps_result result;
  char *kept;         /* the file in which the result waits to be stored; NULL: none */
  bool is_kept_tried; /* to put it there */

  fcps_job_state state; /* of the workers: others use the functions below */
  int64_t order;        /* in which jobs have ended */
} fcps_job;

typedef struct fcps_workers fcps_workers;

/* Starts the workers; `runner` and `problem` must outlive them. */
fcps_status fcps_workers_create(fcps_workers **workers, const fcps_trial_runner *runner, const fcps_problem *problem,
                                fcps_error *error);

/* Ends what is under way, and all workers. */
void fcps_workers_destroy(fcps_workers *workers);

/* The job of a free worker that may be used, the first; NULL: there is none. */
fcps_job *fcps_workers_free(fcps_workers *workers);

/* Workers that are not free, and whether one of them has this ask. */
int fcps_workers_busy_count(fcps_workers *workers);
bool fcps_workers_have(fcps_workers *workers, int64_t ask);

/* Copies an ask into a job. */
void fcps_job_set_ask(fcps_job *job, const fcps_problem *problem, const fcps_ask *ask);

/* Lets a worker do its job. */
void fcps_workers_give(fcps_workers *workers, fcps_job *job);

/* Waits for the next job that has ended and can be judged. The job belongs to the caller until
 * fcps_workers_take_back. NULL if nothing is under way, or if `stop` returns true. `stop` is called about twenty
 * times a second; it may be NULL. */
fcps_job *fcps_workers_next(fcps_workers *workers, bool (*stop)(void *user), void *user);

/* The jobs that have ended, in that order: the first after `after`, which may be NULL; NULL past the last. */
fcps_job *fcps_workers_ended(fcps_workers *workers, const fcps_job *after);

/* Makes the worker of an ended job free. */
void fcps_workers_take_back(fcps_workers *workers, fcps_job *job);

/* Ends all jobs that are under way, and returns when they have ended. Jobs that had finished before keep their
 * results. */
void fcps_workers_halt(fcps_workers *workers);

#endif
