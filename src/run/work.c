/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker (fcps/run_work.h): ask with a lease, run, keep, tell. The study is behind a table of functions
 * (work.h).
 *
 * The loop of a run is another one: a run owns its study, shows its earlier episodes and counts its own, while a worker
 * is one of many, and all that it must know is in the study. Both loops use the same code for programs and their
 * threads (workers.h), for results that wait in files (kept.h), and for judging how trials end (endings.c).
 *
 * Invariants: an ask is run only under a lease; a finished result is on disk before it is told, and removed after the
 * study has acknowledged it; when the loop ends, it gives its leases back, unless the study cannot be reached. The
 * loop's own thread gives signs of life while it waits for programs. So no ask may take longer than a lease; an ask
 * takes seconds, and a lease lasts minutes. */
#include "run/work.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "run/kept.h"
#include "run/loop.h"
#include "run/workers.h"
#include "study/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { LEASE_MS = 60000, BEATS_A_LEASE = 4, IDLE_MS = 500, CONVERGENCE_EVERY = 10 };

/* The first and the longest pause between two tries to reach a study, in seconds. */
static const double first_pause = 0.05, longest_pause = 30.0;

/* Half of the pause, in seconds, while another worker has this name: fcps_work_back_off doubles it. */
static const double half_name_pause = 0.25;

typedef struct work_loop {
  const fcps_work_place *place;
  fcps_study *study; /* the study, for its problem */
  const fcps_trial_runner *runner;
  const fcps_run_options *options; /* the options under the guard of the study */
  const fcps_work_options *work;
  char name[FCPS_WORKER_NAME - 12]; /* name of this process; its programs are NAME/1, NAME/2, ... */
  /* a random text, by which the study knows this process from another one of the same name */
  char session[2 * 8 + 1];
  int lease_ms;
  fcps_error *error;
  fcps_workers *workers;
  fcps_run_endings endings;
  int64_t done;
  double deadline, next_beat; /* times of the monotonic clock; a deadline of 0 means none */
  bool is_ending;             /* there are no further asks */
  bool has_stopped;           /* the caller wanted the work to stop */
  bool is_dry;                /* as far as is known, the study wants no further asks */
  bool has_warned;            /* the user was warned that the study cannot be reached */
  fcps_error verdict;         /* why the work ends, if a trial has shown a reason */
} work_loop;

static bool is_stopped(const work_loop *loop)
{
  return loop->options->stop != NULL && loop->options->stop(loop->options->user);
}

/* -- Signs of life -- */

static void beat(work_loop *loop)
{
  const double now = fcps_clock_seconds();
  if (now < loop->next_beat) return;
  loop->next_beat = now + loop->lease_ms / 1000.0 / BEATS_A_LEASE;
  if (loop->workers != NULL && fcps_workers_busy_count(loop->workers) > 0)
    loop->place->renew(loop->place->self, loop->name, loop->session, loop->lease_ms,
                       NULL); /* A failure does no harm, because the next sign of life may succeed. */
}

/* Gives a sign of life if it is time for one, and returns whether to stop. It is called about twenty times a second
 * while programs run. */
static bool beat_and_stop(void *user)
{
  work_loop *loop = user;
  if (loop->deadline > 0 && fcps_clock_seconds() >= loop->deadline) loop->is_ending = true;
  beat(loop);
  return is_stopped(loop);
}

/* -- A study that cannot be reached -- */

/* Returns a random number in [0.5, 1). Workers that have lost the same server must not come back all at once. */
static double jitter(void)
{
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) bits = (uint32_t)getpid() * 2654435761u;
  return 0.5 + bits / 8589934592.0;
}

bool fcps_work_back_off(bool (*stop)(void *user), void *user, double *pause)
{
  *pause = *pause < first_pause ? first_pause : *pause * 2 < longest_pause ? *pause * 2 : longest_pause;
  const double until = fcps_clock_seconds() + *pause * jitter();
  while (fcps_clock_seconds() < until && (stop == NULL || !stop(user)))
    fcps_clock_pause(20);
  return stop == NULL || !stop(user);
}

/* Whether to repeat a call that failed because the study was in use or its server away; waits first. */
static bool must_repeat(work_loop *loop, fcps_status *status, double *pause)
{
  if (*status != FCPS_ERR_LOCKED) return false;
  if (*pause > 1 && !loop->has_warned)
    fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_STUDY_LOCKED", "waiting for the study: %s",
                 loop->error->message);
  loop->has_warned |= *pause > 1;
  if (fcps_work_back_off(loop->options->stop, loop->options->user, pause)) return true;
  *status = fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped while the study could not be used");
  return false;
}

/* Waits, and returns whether to try the same name again. The name of a killed worker becomes free when its lease ends;
 * the name of a living worker does not become free. */
static bool is_succeeded(work_loop *loop, fcps_status *status, double until)
{
  double pause = half_name_pause;
  if (*status != FCPS_ERR_CONFLICT || loop->done > 0 || fcps_clock_seconds() > until) return false;
  if (!loop->has_warned)
    fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_NAME_TAKEN",
                 "%s. If it was killed, its lease ends within %g s, and this worker takes over", loop->error->message,
                 loop->lease_ms / 1000.0);
  loop->has_warned = true;
  if (fcps_work_back_off(loop->options->stop, loop->options->user, &pause)) return true;
  *status = fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped while another worker had this name");
  return false;
}

/* -- The beginning of a trial -- */

/* What a context is drawn from. */
typedef struct drawing {
  work_loop *loop;
  fcps_job *job;
  fcps_status status;
} drawing;

/* Draws a context. If a program has observed the context, the job has it already. */
static void draw_context(void *user, int64_t index, double *target, double *environment)
{
  drawing *d = user;
  const fcps_trial_runner *runner = d->loop->runner;
  const fcps_problem *p = fcps_study_problem(d->loop->study);
  if (!runner->has_own_contexts) {
    d->status = runner->context(runner->self, d->job->worker, index, target, environment, d->loop->error);
    return;
  }
  memcpy(target, d->job->target, (size_t)p->target.count * sizeof *target);
  memcpy(environment, d->job->environment, (size_t)p->environment.count * sizeof *environment);
}

static fcps_status ask_study(work_loop *loop, fcps_job *job, fcps_ask *ask)
{
  drawing d = {loop, job, FCPS_OK};
  const bool is_chosen = fcps_run_learner_chooses(loop->study) && !loop->runner->has_own_contexts;
  const fcps_lease_request request = {.worker = job->client,
                                      .session = loop->session,
                                      .lease_ms = loop->lease_ms,
                                      .most_asks = loop->work->trials,
                                      .budget = loop->work->budget,
                                      .context = is_chosen ? NULL : draw_context,
                                      .user = &d};
  const double taken_until = fcps_clock_seconds() + 1.25 * loop->lease_ms / 1000.0;
  double pause = 0;
  fcps_status status;
  do {
    status = loop->place->ask(loop->place->self, &request, loop->runner->has_own_contexts, ask, loop->error);
  } while (must_repeat(loop, &status, &pause) || is_succeeded(loop, &status, taken_until));
  loop->has_warned = false;
  return status == FCPS_OK ? d.status : status;
}

/* Asks, and gives the trial to the worker. */
static fcps_status ask_and_run(work_loop *loop, fcps_job *job)
{
  fcps_ask ask;
  const fcps_status status = ask_study(loop, job, &ask);
  loop->is_dry = status == FCPS_OK && ask.id == 0;
  if (status != FCPS_OK || loop->is_dry) return status;
  fcps_job_set_ask(job, fcps_study_problem(loop->study), &ask);
  job->episode = ask.id - 1;
  job->ask_seconds = fcps_clock_seconds() - job->begin;
  fcps_workers_give(loop->workers, job);
  return FCPS_OK;
}

/* Gives a free worker a job. If its program observes contexts, that is the first job. */
static fcps_status begin_trial(work_loop *loop, fcps_job *job)
{
  snprintf(job->client, sizeof job->client, "%s/%d", loop->name, job->worker + 1);
  job->begin = fcps_clock_seconds();
  if (!loop->runner->has_own_contexts) return ask_and_run(loop, job);
  job->episode = loop->place->count_asks(loop->place->self);
  if (loop->work->trials > 0 && job->episode >= loop->work->trials) return ask_and_run(loop, job);
  job->is_trial = false;
  fcps_workers_give(loop->workers, job);
  return FCPS_OK;
}

static fcps_status employ(work_loop *loop)
{
  fcps_status status = FCPS_OK;
  fcps_job *job = NULL;
  loop->is_dry = false;
  while (status == FCPS_OK && !loop->is_ending && !loop->is_dry && !is_stopped(loop) &&
         (job = fcps_workers_free(loop->workers)) != NULL) {
    beat(loop);
    status = begin_trial(loop, job);
  }
  return status;
}

/* -- The end of a trial -- */

/* Puts a result into a file before it is told, so that a kill loses nothing. */
static void keep_result(work_loop *loop, fcps_job *job)
{
  char path[FCPS_RUN_KEPT_PATH];
  fcps_error why = {0};
  const fcps_status status = fcps_run_keep_asked(loop->study, &job->ask, &job->result, path, &why);
  if (status == FCPS_OK) job->kept = fcps_copy_text(path);
  if (status != FCPS_OK && status != FCPS_ERR_UNSUPPORTED)
    fcps_log_say(
        &loop->options->log, FCPS_LOG_WARNING, "W_RESULT_NOT_KEPT",
        "the result of ask %lld could not be saved to disk as a precaution (%s). It is told all the same; if this "
        "worker is killed before, the result is lost.",
        (long long)job->ask.id, why.message);
}

/* Tells a result again and again until it is acknowledged. If it contradicts another result, the study stores both, and
 * the work goes on. */
static fcps_status tell(work_loop *loop, fcps_job *job, fcps_stored_result *stored)
{
  keep_result(loop, job);
  const fcps_run_patience patience = {.is_kept = job->kept == NULL,
                                      .is_persistent = true,
                                      .stop = loop->work->stop,
                                      .user = loop->work->user,
                                      .log = loop->work->log};
  double pause = 0;
  fcps_status status;
  do {
    status = loop->place->tell(loop->place->self, &job->ask, &job->result, &patience, stored, loop->error);
  } while (must_repeat(loop, &status, &pause));
  loop->has_warned = false;
  if ((status == FCPS_OK || status == FCPS_ERR_CONFLICT) && job->kept != NULL) unlink(job->kept);
  if (status == FCPS_ERR_STOPPED && job->kept != NULL)
    fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_RESULT_WAITS",
                 "the result of ask %lld is kept in %s; the next worker on this machine tells it",
                 (long long)job->ask.id, job->kept);
  if (status != FCPS_ERR_CONFLICT) return status;
  fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_LATE_RESULT", "%s", loop->error->message);
  return FCPS_OK;
}

static fcps_status show(work_loop *loop, const fcps_episode *episode)
{
  if (loop->options->on_episode == NULL) return FCPS_OK;
  const fcps_status status = loop->options->on_episode(loop->options->user, episode);
  return status == FCPS_OK ? FCPS_OK
                           : fcps_error_set(loop->error, status, "", "the caller ended the work after a trial");
}

static fcps_status finish_trial(work_loop *loop, fcps_job *job)
{
  fcps_episode episode = {.episode = job->ask.id, .ask_seconds = job->ask_seconds, .run_seconds = job->run_seconds};
  fcps_status status = tell(loop, job, &episode.stored);
  if (status != FCPS_OK) return status;
  episode.done = ++loop->done;
  if (episode.stored.ask == 0) return FCPS_OK;
  status = show(loop, &episode);
  if (status != FCPS_OK) return status;
  return fcps_run_endings_add(&loop->endings, loop->study, &episode.stored, &loop->options->log, loop->error);
}

/* Ends the work for a reason that a trial has shown, after the other trials have finished. */
static fcps_status let_others_finish(work_loop *loop, fcps_status status)
{
  if (status != FCPS_ERR_PROGRAM && status != FCPS_ERR_FAILURE_RATE && status != FCPS_ERR_NO_REWARD) return status;
  if (loop->verdict.status == FCPS_OK) loop->verdict = *loop->error;
  loop->verdict.status = status;
  loop->is_ending = true;
  return FCPS_OK;
}

static fcps_status follow(work_loop *loop, fcps_job *job)
{
  fcps_status status = job->status;
  if (status != FCPS_OK) *loop->error = job->error;
  if (status == FCPS_OK && !job->is_trial && !loop->is_ending) {
    status = ask_and_run(loop, job);
    if (status == FCPS_OK && !loop->is_dry) return FCPS_OK;
  } else if (status == FCPS_OK && job->is_trial) {
    status = finish_trial(loop, job);
  }
  fcps_workers_take_back(loop->workers, job);
  return let_others_finish(loop, status);
}

/* -- When it ends -- */

static fcps_status check_convergence(work_loop *loop)
{
  fcps_outlook *outlook = loop->work->until_converged;
  if (outlook == NULL || loop->is_ending || loop->done == 0 || loop->done % CONVERGENCE_EVERY != 0) return FCPS_OK;
  double pause = 0;
  fcps_status status;
  do {
    status = loop->place->look_ahead(loop->place->self, outlook, loop->error);
  } while (must_repeat(loop, &status, &pause));
  loop->is_ending |= status == FCPS_OK && outlook->is_converged;
  return status;
}

/* Waits if all asks are given out, because an idle worker may have to take over one of them. */
static fcps_status wait_for_others(work_loop *loop, bool *is_over)
{
  fcps_status status = loop->place->wait(loop->place->self, IDLE_MS, is_over, loop->error);
  double pause = 0;
  if (must_repeat(loop, &status, &pause)) status = FCPS_OK;
  return status;
}

static fcps_status stop_work(work_loop *loop)
{
  loop->has_stopped = true;
  return fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped after %lld trials", (long long)loop->done);
}

static fcps_status work_on(work_loop *loop)
{
  fcps_status status = fcps_run_endings_begin(&loop->endings, loop->study, loop->error);
  loop->endings.goes_on = loop->work->goes_on_failing;
  for (bool is_over = false; status == FCPS_OK && !is_over;) {
    if (is_stopped(loop)) return stop_work(loop);
    status = employ(loop);
    if (status != FCPS_OK) break;
    fcps_job *job = fcps_workers_next(loop->workers, beat_and_stop, loop);
    if (job != NULL)
      status = follow(loop, job);
    else if (fcps_workers_busy_count(loop->workers) > 0)
      status = stop_work(loop);
    else if (loop->is_ending || !loop->is_dry)
      is_over = true;
    else
      status = wait_for_others(loop, &is_over);
    if (status == FCPS_OK && job != NULL) status = check_convergence(loop);
    if (loop->deadline > 0 && fcps_clock_seconds() >= loop->deadline) loop->is_ending = true;
  }
  return status;
}

/* Ends the trials that are under way, tells the results of finished trials, and gives the other asks back. */
static void clear_up(work_loop *loop)
{
  const fcps_error first = *loop->error;
  fcps_job *job = NULL;
  fcps_workers_halt(loop->workers);
  while ((job = fcps_workers_next(loop->workers, NULL, NULL)) != NULL) {
    fcps_stored_result stored;
    if (job->is_trial && job->status == FCPS_OK && tell(loop, job, &stored) == FCPS_OK) loop->done++;
    fcps_workers_take_back(loop->workers, job);
  }
  *loop->error = first;
  if (loop->has_stopped) stop_work(loop); /* Trials that ended meanwhile are counted in the message. */
}

/* -- Beginning -- */

static void name_worker(work_loop *loop)
{
  char host[64] = "worker";
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
    bits = (uint64_t)getpid() << 32 ^ (uint64_t)(fcps_clock_seconds() * 1e6);
  snprintf(loop->session, sizeof loop->session, "%016llx", (unsigned long long)bits);
  if (loop->work->worker != NULL) {
    snprintf(loop->name, sizeof loop->name, "%s", loop->work->worker);
    return;
  }
  gethostname(host, sizeof host - 1);
  snprintf(loop->name, sizeof loop->name, "%s-%ld", host, (long)getpid());
}

static fcps_status run_loop(void *user, fcps_study *study, const fcps_trial_runner *runner,
                            const fcps_run_options *options, fcps_error *error)
{
  work_loop *loop = user;
  const fcps_run_patience patience = {
      .is_persistent = true, .stop = options->stop, .user = options->user, .log = options->log};
  loop->study = study;
  loop->runner = runner;
  loop->options = options;
  loop->error = error;
  if (loop->work->seconds > 0) loop->deadline = fcps_clock_seconds() + loop->work->seconds;
  if (loop->place->set_idle != NULL) loop->place->set_idle(loop->place->self, beat_and_stop, loop);
  fcps_status status = loop->place->tell_kept(loop->place->self, &patience, error);
  if (status == FCPS_OK) status = fcps_workers_create(&loop->workers, runner, fcps_study_problem(study), error);
  if (status != FCPS_OK) return status;
  status = work_on(loop);
  if (status != FCPS_OK) clear_up(loop);
  /* If this call fails, the leases end by themselves. */
  loop->place->renew(loop->place->self, loop->name, loop->session, 0, NULL);
  fcps_workers_destroy(loop->workers);
  if (status == FCPS_OK && loop->verdict.status != FCPS_OK) {
    *error = loop->verdict;
    status = loop->verdict.status;
  }
  return status;
}

static fcps_status check_options(const fcps_work_options *options, fcps_error *error)
{
  if (options->trials < 0 || options->seconds < 0 || options->lease_ms < 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT,
                          options->trials < 0    ? "trials"
                          : options->seconds < 0 ? "seconds"
                                                 : "lease_ms",
                          "cannot be negative");
  if (options->worker == NULL) return FCPS_OK;
  const size_t length = strlen(options->worker), most = FCPS_WORKER_NAME - 16;
  if (length > 0 && length <= most && strchr(options->worker, '/') == NULL) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "worker", "the name of a worker has 1 to %d bytes, and no slash",
                        (int)most);
}

fcps_status fcps_work_at(const fcps_work_place *place, fcps_study *study, const fcps_problem_file *file,
                         const fcps_work_options *options, int64_t *done, fcps_error *error)
{
  fcps_error unwanted = {0};
  if (error == NULL) error = &unwanted;
  fcps_status status = check_options(options, error);
  if (status != FCPS_OK) return status;
  work_loop loop = {.place = place, .work = options, .lease_ms = options->lease_ms > 0 ? options->lease_ms : LEASE_MS};
  name_worker(&loop);
  const fcps_run_options run = {.stop = options->stop,
                                .on_episode = options->on_episode,
                                .user = options->user,
                                .parallel = options->parallel,
                                .log = options->log};
  const fcps_program_loop shared = {.run = run_loop,
                                    .user = &loop,
                                    .is_shared = true,
                                    .command = options->command,
                                    .has_contexts = place->draws_contexts,
                                    .trusts_study = options->trusts_study};
  status = fcps_program_run_loop(study, file, &run, &shared, error);
  if (done != NULL) *done = loop.done;
  return status;
}

/* -- The place of a study in a store: each call is one of the study's own -- */

static fcps_status store_ask(void *self, const fcps_lease_request *request, bool is_observed, fcps_ask *asked,
                             fcps_error *error)
{
  (void)is_observed; /* The caller draws every context that is not observed. */
  return fcps_study_ask_leased(self, request, asked, error);
}

static fcps_status store_renew(void *self, const char *worker, const char *session, int lease_ms, fcps_error *error)
{
  return fcps_study_renew_leases(self, worker, session, lease_ms, NULL, error);
}

static fcps_status store_tell(void *self, const fcps_ask *asked, const fcps_result *result,
                              const fcps_run_patience *patience, fcps_stored_result *stored, fcps_error *error)
{
  const fcps_status status = fcps_run_tell(self, asked->id, result, patience, NULL, error);
  *stored = (fcps_stored_result){.ask = 0};
  if (status == FCPS_OK || status == FCPS_ERR_CONFLICT) (void)fcps_study_result_of(self, asked->id, stored);
  return status;
}

static fcps_status store_tell_kept(void *self, const fcps_run_patience *patience, fcps_error *error)
{
  return fcps_run_tell_kept(self, patience, NULL, error);
}

static int64_t store_count_asks(void *self)
{
  return fcps_study_ask_count(self);
}

static fcps_status store_wait(void *self, int wait_ms, bool *is_over, fcps_error *error)
{
  int count = 0;
  const fcps_status status = fcps_study_read_leases(self, &count, NULL, error);
  *is_over = status == FCPS_OK && count == 0;
  return status == FCPS_OK && !*is_over ? fcps_study_wait(self, wait_ms, error) : status;
}

static fcps_status store_look_ahead(void *self, fcps_outlook *outlook, fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_status status = fcps_study_policy(self, &policy, error);
  if (status == FCPS_OK) status = fcps_study_outlook(self, policy, outlook, NULL, NULL, error);
  fcps_policy_destroy(policy);
  return status;
}

fcps_status fcps_work(fcps_study *study, const fcps_problem_file *file, const fcps_work_options *options, int64_t *done,
                      fcps_error *error)
{
  if (done != NULL) *done = 0;
  if (study == NULL) return fcps_error_null(error, "study");
  if (options == NULL) return fcps_error_null(error, "options");
  fcps_error who = {0};
  if (fcps_study_is_held(study, &who))
    return fcps_error_set(error, FCPS_ERR_LOCKED, "", FCPS_WORK_BESIDE_RUN, who.message);
  const fcps_work_place place = {.self = study,
                                 .ask = store_ask,
                                 .renew = store_renew,
                                 .tell = store_tell,
                                 .tell_kept = store_tell_kept,
                                 .count_asks = store_count_asks,
                                 .wait = store_wait,
                                 .look_ahead = store_look_ahead};
  return fcps_work_at(&place, study, file, options, done, error);
}
