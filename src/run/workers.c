/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are at work at once have a thread each: so a thread talks to its program, ends it and notices that it
 * hangs as if there were only one, and no program waits for another one to end. If workers do not work at once, the
 * caller's own thread does the jobs, the earliest episode first, when it waits for one.
 *
 * Invariants: `lock` guards the state and the order of all jobs; the rest of a job belongs to its worker while the job
 * is given, and otherwise to the loop. The threads block signals, so that the caller's thread gets them. Of the
 * caller's functions, a worker's thread calls only `stop`. */
#include "run/workers.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 50 };

typedef struct worker {
  fcps_workers *all;
  pthread_t thread;
  bool has_thread;
  fcps_job job;
} worker;

struct fcps_workers {
  const fcps_trial_runner *runner;
  int count;
  worker *items;
  double *numbers; /* the numbers of all jobs */
  pthread_mutex_t lock;
  pthread_cond_t given, ended; /* signalled when a job is given or all workers are to leave; and when a job has ended */
  bool has_locks, is_leaving;
  int64_t ended_count;
};

/* -- A job -- */

void fcps_job_set_ask(fcps_job *job, const fcps_problem *p, const fcps_ask *ask)
{
  memcpy(job->target, ask->target, (size_t)p->target.count * sizeof(double));
  memcpy(job->environment, ask->environment, (size_t)p->environment.count * sizeof(double));
  memcpy(job->parameters, ask->parameters, (size_t)p->parameters.count * sizeof(double));
  job->ask = *ask;
  job->ask.target = job->target;
  job->ask.environment = job->environment;
  job->ask.parameters = job->parameters;
  job->ask.client = ""; /* Who runs the trial need not know to whom the ask belongs. */
  job->is_trial = true;
}

static void do_job(const fcps_trial_runner *runner, fcps_job *job)
{
  const double begin = fcps_clock_seconds();
  job->error = (fcps_error){0};
  job->result = (fcps_result){.rollout = {.reward = NAN, .hindsight_reward = NAN}};
  job->status =
      job->is_trial
          ? runner->run(runner->self, job->worker, job->episode, &job->ask, &job->result, &job->error)
          : runner->context(runner->self, job->worker, job->episode, job->target, job->environment, &job->error);
  job->result.client = job->client;
  job->run_seconds = fcps_clock_seconds() - begin;
}

/* -- A thread -- */

static void end_job(fcps_workers *w, fcps_job *job)
{
  job->state = FCPS_JOB_ENDED;
  job->order = w->ended_count++;
}

static void *work(void *argument)
{
  worker *own = argument;
  fcps_workers *w = own->all;
  pthread_mutex_lock(&w->lock);
  while (!w->is_leaving) {
    if (own->job.state != FCPS_JOB_GIVEN) {
      pthread_cond_wait(&w->given, &w->lock);
      continue;
    }
    pthread_mutex_unlock(&w->lock);
    do_job(w->runner, &own->job);
    pthread_mutex_lock(&w->lock);
    end_job(w, &own->job);
    pthread_cond_signal(&w->ended);
  }
  pthread_mutex_unlock(&w->lock);
  w->runner->leave(w->runner->self, own->job.worker);
  return NULL;
}

static bool start_thread(worker *item)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  item->has_thread = pthread_create(&item->thread, NULL, work, item) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return item->has_thread;
}

/* -- All workers -- */

static bool make_locks(fcps_workers *w)
{
  pthread_condattr_t by_clock;
  if (pthread_condattr_init(&by_clock) != 0) return false;
  pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
  const bool has_lock = pthread_mutex_init(&w->lock, NULL) == 0;
  const bool has_given = has_lock && pthread_cond_init(&w->given, NULL) == 0;
  w->has_locks = has_given && pthread_cond_init(&w->ended, &by_clock) == 0;
  if (has_given && !w->has_locks) pthread_cond_destroy(&w->given);
  if (has_lock && !w->has_locks) pthread_mutex_destroy(&w->lock);
  pthread_condattr_destroy(&by_clock);
  return w->has_locks;
}

/* Gives each job its part of the numbers. */
static void place_jobs(fcps_workers *w, const fcps_problem *p)
{
  double *place = w->numbers;
  for (int i = 0; i < w->count; i++) {
    worker *item = &w->items[i];
    item->all = w;
    item->job = (fcps_job){.worker = i,
                           .target = place,
                           .environment = place + p->target.count,
                           .parameters = place + p->target.count + p->environment.count};
    fcps_run_client_name(i, item->job.client);
    place += p->target.count + p->environment.count + p->parameters.count;
  }
}

fcps_status fcps_workers_create(fcps_workers **workers, const fcps_trial_runner *runner, const fcps_problem *problem,
                                fcps_error *error)
{
  const size_t width = (size_t)(problem->target.count + problem->environment.count + problem->parameters.count);
  fcps_workers *w = *workers = fcps_allocate(1, sizeof *w);
  if (w == NULL) return fcps_error_memory(error);
  w->runner = runner;
  w->count = runner->workers;
  w->items = fcps_allocate((size_t)w->count, sizeof *w->items);
  w->numbers = fcps_allocate((size_t)w->count * width, sizeof *w->numbers);
  fcps_status status = w->items != NULL && w->numbers != NULL && make_locks(w) ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) place_jobs(w, problem);
  for (int i = 0; status == FCPS_OK && runner->is_concurrent && i < w->count; i++)
    if (!start_thread(&w->items[i]))
      status = fcps_error_set(error, FCPS_ERR_MEMORY, "parallel",
                              "there are only %d threads for %d trials at once; use fewer", i, w->count);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_workers_destroy(w);
  *workers = NULL;
  return status;
}

void fcps_workers_destroy(fcps_workers *w)
{
  if (w == NULL) return;
  if (w->has_locks) {
    if (w->runner->is_concurrent) w->runner->halt(w->runner->self);
    pthread_mutex_lock(&w->lock);
    w->is_leaving = true;
    pthread_cond_broadcast(&w->given);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->count; i++)
      if (w->items[i].has_thread) pthread_join(w->items[i].thread, NULL);
    pthread_cond_destroy(&w->given);
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->lock);
  }
  for (int i = 0; w->items != NULL && i < w->count; i++)
    free(w->items[i].job.kept);
  free(w->items);
  free(w->numbers);
  free(w);
}

/* -- Giving -- */

static fcps_job_state state_of(fcps_workers *w, const fcps_job *job)
{
  pthread_mutex_lock(&w->lock);
  const fcps_job_state state = job->state;
  pthread_mutex_unlock(&w->lock);
  return state;
}

static int count_jobs(fcps_workers *w, fcps_job_state state)
{
  int count = 0;
  for (int i = 0; i < w->count; i++)
    count += state_of(w, &w->items[i].job) == state;
  return count;
}

fcps_job *fcps_workers_free(fcps_workers *w)
{
  const fcps_trial_runner *r = w->runner;
  for (int i = 0; i < w->count; i++)
    if (state_of(w, &w->items[i].job) == FCPS_JOB_NONE && (r->is_usable == NULL || r->is_usable(r->self, i)))
      return &w->items[i].job;
  return NULL;
}

int fcps_workers_busy_count(fcps_workers *w)
{
  return w->count - count_jobs(w, FCPS_JOB_NONE);
}

bool fcps_workers_have(fcps_workers *w, int64_t ask)
{
  for (int i = 0; i < w->count; i++) {
    const fcps_job *job = &w->items[i].job;
    if (state_of(w, job) != FCPS_JOB_NONE && job->is_trial && job->ask.id == ask) return true;
  }
  return false;
}

void fcps_workers_give(fcps_workers *w, fcps_job *job)
{
  pthread_mutex_lock(&w->lock);
  job->state = FCPS_JOB_GIVEN;
  pthread_cond_broadcast(&w->given);
  pthread_mutex_unlock(&w->lock);
}

void fcps_workers_take_back(fcps_workers *w, fcps_job *job)
{
  free(job->kept);
  job->kept = NULL;
  job->is_kept_tried = false;
  pthread_mutex_lock(&w->lock);
  job->state = FCPS_JOB_NONE;
  pthread_mutex_unlock(&w->lock);
}

/* -- Waiting -- */

fcps_job *fcps_workers_ended(fcps_workers *w, const fcps_job *after)
{
  fcps_job *found = NULL;
  const int64_t order = after != NULL ? after->order : -1;
  pthread_mutex_lock(&w->lock);
  for (int i = 0; i < w->count; i++) {
    fcps_job *job = &w->items[i].job;
    if (job->state == FCPS_JOB_ENDED && job->order > order && (found == NULL || job->order < found->order)) found = job;
  }
  pthread_mutex_unlock(&w->lock);
  return found;
}

static bool can_judge(const fcps_trial_runner *r, fcps_job *job)
{
  return !job->is_trial || r->judge == NULL || r->judge(r->self, job->worker, &job->result, &job->status, &job->error);
}

/* Returns the first job that has ended and can be judged. If `is_all` (no other job will end), returns the first job
 * that has ended. */
static fcps_job *find_judged(fcps_workers *w, bool is_all)
{
  for (fcps_job *job = NULL; (job = fcps_workers_ended(w, job)) != NULL;)
    if (can_judge(w->runner, job)) return job;
  return is_all ? fcps_workers_ended(w, NULL) : NULL;
}

/* If there are no threads, does the earliest job that is given. */
static void do_next(fcps_workers *w)
{
  fcps_job *next = NULL;
  for (int i = 0; i < w->count; i++) {
    fcps_job *job = &w->items[i].job;
    if (job->state == FCPS_JOB_GIVEN && (next == NULL || job->episode < next->episode)) next = job;
  }
  if (next == NULL) return;
  do_job(w->runner, next);
  end_job(w, next);
}

/* Waits for a moment, or until more than `seen` jobs have ended. */
static void wait_for_end(fcps_workers *w, int64_t seen)
{
  const struct timespec limit = fcps_clock_in(WAIT_MS);
  pthread_mutex_lock(&w->lock);
  if (w->ended_count == seen) pthread_cond_timedwait(&w->ended, &w->lock, &limit);
  pthread_mutex_unlock(&w->lock);
}

static int64_t count_ended(fcps_workers *w)
{
  pthread_mutex_lock(&w->lock);
  const int64_t count = w->ended_count;
  pthread_mutex_unlock(&w->lock);
  return count;
}

fcps_job *fcps_workers_next(fcps_workers *w, bool (*stop)(void *user), void *user)
{
  for (;;) {
    const int64_t seen = count_ended(w);
    /* Counted before the search, so that a job that ends meanwhile is not missed. */
    const bool is_all = count_jobs(w, FCPS_JOB_GIVEN) == 0;
    fcps_job *job = find_judged(w, is_all);
    if (job != NULL || is_all) return job;
    if (!w->runner->is_concurrent) {
      do_next(w);
      continue;
    }
    if (stop != NULL && stop(user)) return NULL;
    wait_for_end(w, seen);
  }
}

void fcps_workers_halt(fcps_workers *w)
{
  if (w->runner->is_concurrent) {
    w->runner->halt(w->runner->self);
    while (count_jobs(w, FCPS_JOB_GIVEN) > 0)
      wait_for_end(w, count_ended(w));
    return;
  }
  for (int i = 0; i < w->count; i++) /* These jobs have not begun. */
    if (w->items[i].job.state == FCPS_JOB_GIVEN) w->items[i].job.state = FCPS_JOB_NONE;
}
