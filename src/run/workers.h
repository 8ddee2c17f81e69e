/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of a run. Each can have one job: the loop fills it in, gives it, and takes it back when it has ended.
 *
 * The loop is the only caller, and no job of a worker touches the study. So one thread stores everything, in the order
 * in which it takes the jobs back.
 *
 * A single program, and tasks, need no thread and have none. */
#ifndef FCPS_RUN_WORKERS_H
#define FCPS_RUN_WORKERS_H

#include "run/loop.h"

#include <fcps/study_lease.h>

typedef enum fcps_job_state {
  FCPS_JOB_NONE,  /* the worker is free */
  FCPS_JOB_GIVEN, /* the job waits for its worker, or is under way */
  FCPS_JOB_ENDED  /* the job has ended and waits to be taken back */
} fcps_job_state;

/* A job: to observe a context, or to run the trial of an ask. */
typedef struct fcps_job {
  int worker;                    /* the worker's index, from 0 */
  char client[FCPS_WORKER_NAME]; /* the client's name of the worker, who tells the result */
  bool is_trial;
  int64_t episode;                           /* the episode, from 0 */
  double *target, *environment, *parameters; /* memory for the context, and for a copy of the ask's numbers */
  fcps_ask ask;                              /* the ask of a trial; it points to these numbers */
  double begin, ask_seconds, run_seconds;

  /* How the job ended: */
  fcps_status status;
  fcps_error error;
  fcps_result result;
  char *kept;         /* the file in which the result waits to be stored; NULL: it waits in no file */
  bool is_kept_tried; /* it was tried to put the result into a file */

  fcps_job_state state; /* only the workers use this; others call the functions below */
  int64_t order;        /* the job's place in the order in which jobs ended */
} fcps_job;

typedef struct fcps_workers fcps_workers;

/* Starts the workers. `runner` and `problem` must live longer than the workers. */
fcps_status fcps_workers_create(fcps_workers **workers, const fcps_trial_runner *runner, const fcps_problem *problem,
                                fcps_error *error);

/* Ends the jobs that are under way, and all workers. */
void fcps_workers_destroy(fcps_workers *workers);

/* Returns the job of the first worker that is free and may be used; NULL if there is none. */
fcps_job *fcps_workers_free(fcps_workers *workers);

/* The first function returns how many workers are not free; the second, whether one of them has this ask. */
int fcps_workers_busy_count(fcps_workers *workers);
bool fcps_workers_have(fcps_workers *workers, int64_t ask);

/* Copies an ask into a job. */
void fcps_job_set_ask(fcps_job *job, const fcps_problem *problem, const fcps_ask *ask);

/* Lets a worker do the job. */
void fcps_workers_give(fcps_workers *workers, fcps_job *job);

/* Waits for the next job that has ended and can be judged. The job belongs to the caller until fcps_workers_take_back.
 * Returns NULL if no job is under way, or if `stop` returns true. `stop` is called about twenty times a second; it may
 * be NULL. */
fcps_job *fcps_workers_next(fcps_workers *workers, bool (*stop)(void *user), void *user);

/* Returns the jobs that have ended, one after the other, in the order in which they ended: the one after `after`, or
 * the first if `after` is NULL. NULL after the last. */
fcps_job *fcps_workers_ended(fcps_workers *workers, const fcps_job *after);

/* Makes the worker of an ended job free. */
void fcps_workers_take_back(fcps_workers *workers, fcps_job *job);

/* Ends all jobs that are under way, and returns when they have ended. Jobs that had finished before keep their
 * results. */
void fcps_workers_halt(fcps_workers *workers);

#endif
