/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: observe a context, ask, run, tell, show.
 *
 * Several trials may be under way at once (workers.h). Everything else happens here, one step after another: a result
 * is stored, and then the free worker gets its next ask. So the asks depend only on the order of the results. A run of
 * one trial at a time is the same loop with one worker.
 *
 * The study knows how far the run has come. So a run that was ended by a signal, a crash or a power cut can go on where
 * it was: the unfinished asks are run again, and the later asks are those of a run that never stopped. One call runs
 * each ask once. If a trial shows that the run must end, the other trials are finished first. If the caller stops the
 * run, the other trials are ended, and the results of finished trials are stored. */
#include "run/loop.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "problem/problem.h"
#include "run/kept.h"
#include "run/workers.h"
#include "study/inside.h"

#include <string.h>
#include <unistd.h>

/* After this many episodes, convergence is checked again. */
enum { CONVERGENCE_EVERY = 10 };

typedef struct run_loop {
  fcps_study *study;
  const fcps_trial_runner *runner;
  const fcps_run_options *options;
  fcps_error *error;
  fcps_run_patience patience;
  fcps_workers *workers;
  const fcps_job *telling; /* the job whose result is being stored now */
  bool is_active;          /* the learner chooses contexts */
  int64_t earlier;         /* the number of episodes of earlier calls */
  int64_t asked, done;     /* episodes with an ask; of these, those that have a result or were given up */
  /* episodes that have begun: also those without an ask, whose context is still being observed */
  int64_t begun;
  fcps_run_endings endings;
  bool is_ending;     /* there are no further asks, and the run ends when all workers are free */
  bool has_stopped;   /* the caller wanted the run to stop */
  bool has_refused;   /* the study refused a result, so no other result is told */
  bool has_left;      /* the caller has ended the run, so it is shown nothing more */
  fcps_error verdict; /* why the run ends, if a trial has shown a reason */
} run_loop;

bool fcps_run_learner_chooses(const fcps_study *study)
{
  const fcps_learner_info *info;
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++)
    if (strcmp(info->name, fcps_study_learner(study)) == 0) return info->is_active;
  return false;
}

static bool is_stopped(const run_loop *loop)
{
  return loop->options->stop != NULL && loop->options->stop(loop->options->user);
}

/* -- Results that wait -- */

/* Puts the result of a trial into a file, and warns that it waits there. */
static fcps_status keep_result(run_loop *loop, fcps_job *job, fcps_error *error)
{
  char path[FCPS_RUN_KEPT_PATH];
  const fcps_status status = fcps_run_keep(loop->study, job->ask.id, &job->result, path, error);
  if (status != FCPS_OK) return status;
  /* If memory ran out, the file is not removed, and the next run tells it once more, which is harmless. */
  job->kept = fcps_copy_text(path);
  fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_RESULT_WAITS", "the result of ask %lld is kept in %s.",
               (long long)job->ask.id, path);
  return FCPS_OK;
}

/* While a call waits for the study, keeps new results in files, so that they are not lost if the process ends. Returns
 * whether to stop. */
static bool keep_and_stop(void *user)
{
  run_loop *loop = user;
  for (fcps_job *job = NULL; loop->patience.is_kept && (job = fcps_workers_ended(loop->workers, job)) != NULL;) {
    if (job == loop->telling || !job->is_trial || job->status != FCPS_OK || job->is_kept_tried) continue;
    job->is_kept_tried = true;
    keep_result(loop, job, NULL);
  }
  return is_stopped(loop);
}

/* -- A study that others use -- */

/* Whether to repeat a call because another process has locked the study; waits first. Returns false, and sets *status,
 * if the caller wants to stop. */
static bool must_repeat(const run_loop *loop, fcps_status *status, double *pause)
{
  if (*status != FCPS_ERR_LOCKED) return false;
  if (*pause == 0)
    fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_STUDY_LOCKED", "waiting until another process releases %s.",
                 fcps_study_url(loop->study));
  if (fcps_run_pause(&loop->patience, pause)) return true;
  *status = fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped while another process used the study");
  return false;
}

static fcps_status ask_study(run_loop *loop, const fcps_job *job, const char *client, fcps_ask *ask)
{
  fcps_status status;
  double pause = 0;
  do {
    status = loop->is_active
                 ? fcps_study_choose(loop->study, client, NULL, job->target, job->environment, ask, loop->error)
                 : fcps_study_ask(loop->study, client, job->target, job->environment, ask, loop->error);
  } while (must_repeat(loop, &status, &pause));
  return status;
}

static fcps_status make_policy(run_loop *loop, fcps_policy **policy)
{
  fcps_status status;
  double pause = 0;
  do {
    status = fcps_study_policy(loop->study, policy, loop->error);
  } while (must_repeat(loop, &status, &pause));
  return status;
}

static fcps_status note_offline(run_loop *loop, int64_t done, double mean)
{
  fcps_status status;
  double pause = 0;
  do {
    status = fcps_run_note_offline(loop->study, done, mean, loop->error);
  } while (must_repeat(loop, &status, &pause));
  return status;
}

/* -- The beginning of an episode -- */

/* Finds an unfinished ask for this worker: its own, or one of a worker that this run does not have. `client` receives
 * the owner of the ask. If there is no such ask, it receives this worker. */
static bool find_unfinished(run_loop *loop, const fcps_job *job, char client[FCPS_RUN_CLIENT_SIZE])
{
  int whose = -1;
  for (int i = 0; i < fcps_study_ask_count(loop->study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(loop->study, i, &ask);
    if (ask.state != FCPS_ASK_PENDING) continue;
    const int asker = fcps_run_client_worker(ask.client);
    const bool is_its = asker == job->worker || asker >= loop->runner->workers;
    if (!is_its || fcps_workers_have(loop->workers, ask.id)) continue;
    if (whose < 0 || asker == job->worker) whose = asker;
  }
  fcps_run_client_name(whose >= 0 ? whose : job->worker, client);
  return whose >= 0;
}

/* Ends the run as after its last episode, because another trial would exceed the budget. */
static fcps_status end_with_budget(run_loop *loop, fcps_job *job)
{
  fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_BUDGET",
               "the run ends, because another trial would exceed the budget: %s", loop->error->message);
  *loop->error = (fcps_error){0};
  loop->is_ending = true;
  fcps_workers_take_back(loop->workers, job);
  return FCPS_OK;
}

/* Asks for the context of the job, and gives the trial to the worker. */
static fcps_status ask_and_run(run_loop *loop, fcps_job *job, const char *client)
{
  fcps_ask ask;
  const fcps_status status = ask_study(loop, job, client, &ask);
  if (status != FCPS_OK && fcps_study_is_spent(loop->study)) return end_with_budget(loop, job);
  if (status != FCPS_OK) return status;
  fcps_job_set_ask(job, fcps_study_problem(loop->study), &ask);
  job->episode = ask.is_repeated ? fcps_run_asked_episode(loop->study, ask.id) : loop->asked++;
  job->ask_seconds = fcps_clock_seconds() - job->begin;
  fcps_workers_give(loop->workers, job);
  return FCPS_OK;
}

/* Draws the context of an episode. If no parameters keep the constraints in that context, draws another one. Its random
 * number depends only on the episode. */
static fcps_status draw_context(run_loop *loop, fcps_job *job, int64_t index)
{
  const fcps_problem *problem = fcps_study_problem(loop->study);
  const fcps_run_options *options = loop->options;
  fcps_status status = FCPS_OK;
  for (int64_t i = 0; i < FCPS_CONTEXT_REDRAWS && status == FCPS_OK; i++) {
    const int64_t draw = index + i * FCPS_CONTEXT_REDRAW_STRIDE;
    if (options->context != NULL)
      options->context(options->user, draw, job->target, job->environment);
    else
      status = loop->runner->context(loop->runner->self, job->worker, draw, job->target, job->environment, loop->error);
    if (status != FCPS_OK || fcps_problem_has_parameters(problem, job->target, job->environment)) break;
    if (i == 0)
      fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_NO_PARAMETERS",
                   "no parameters keep the constraints in the context of episode %lld: it gets another context",
                   (long long)index + 1);
  }
  return status;
}

/* Gives a free worker its next trial. If there is an unfinished ask, the trial has its context. */
static fcps_status begin_episode(run_loop *loop, fcps_job *job)
{
  const fcps_run_options *options = loop->options;
  char client[FCPS_RUN_CLIENT_SIZE];
  fcps_status status = FCPS_OK;
  /* Another process may have amended the learner. */
  loop->is_active = fcps_run_learner_chooses(loop->study) && !loop->runner->has_own_contexts;
  job->begin = fcps_clock_seconds();
  if (find_unfinished(loop, job, client)) return ask_and_run(loop, job, client);
  const int64_t index = loop->begun++;
  if (options->context != NULL) {
    status = draw_context(loop, job, index);
  } else if (loop->runner->has_own_contexts) { /* The program may need time to observe a context. */
    job->is_trial = false;
    job->episode = index;
    fcps_workers_give(loop->workers, job);
    return FCPS_OK;
  } else if (!loop->is_active) {
    status = draw_context(loop, job, index);
  }
  return status == FCPS_OK ? ask_and_run(loop, job, client) : status;
}

static fcps_status stop_run(run_loop *loop)
{
  loop->has_stopped = true;
  return fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped after %lld of %lld episodes", (long long)loop->done,
                        (long long)loop->options->episodes);
}

/* Gives a trial to every free worker, as long as there are episodes left. */
static fcps_status employ(run_loop *loop)
{
  fcps_status status = FCPS_OK;
  fcps_job *job = NULL;
  while (status == FCPS_OK && !loop->is_ending &&
         loop->done + fcps_workers_busy_count(loop->workers) < loop->options->episodes &&
         (job = fcps_workers_free(loop->workers)) != NULL)
    status = is_stopped(loop) ? stop_run(loop) : begin_episode(loop, job);
  return status;
}

/* -- The end of an episode -- */

/* Shows an episode to the caller. */
static fcps_status show(run_loop *loop, const fcps_episode *episode)
{
  if (loop->options->on_episode == NULL || loop->has_left) return FCPS_OK;
  const fcps_status status = loop->options->on_episode(loop->options->user, episode);
  if (status == FCPS_OK) return FCPS_OK;
  loop->has_left = true;
  return fcps_error_set(loop->error, status, "", "the caller ended the run after an episode");
}

/* Stores the result of a trial. If this fails, the result is put into a file, unless it is in one already. */
static fcps_status tell(run_loop *loop, fcps_job *job)
{
  fcps_run_patience patience = loop->patience;
  patience.is_kept = patience.is_kept && job->kept == NULL;
  loop->telling = job;
  const fcps_status status = fcps_run_tell(loop->study, job->ask.id, &job->result, &patience, NULL, loop->error);
  loop->telling = NULL;
  loop->has_refused = status != FCPS_OK && status != FCPS_ERR_CONFLICT;
  if (!loop->has_refused && job->kept != NULL) unlink(job->kept);
  return status;
}

static fcps_status finish_episode(run_loop *loop, fcps_job *job)
{
  fcps_status status = tell(loop, job);
  fcps_episode episode = {.episode = job->episode + 1,
                          .done = ++loop->done,
                          .ask_seconds = job->ask_seconds,
                          .run_seconds = job->run_seconds};
  if (status != FCPS_OK || !fcps_study_result_of(loop->study, job->ask.id, &episode.stored)) return status;
  status = show(loop, &episode);
  return status != FCPS_OK
             ? status
             : fcps_run_endings_add(&loop->endings, loop->study, &episode.stored, &loop->options->log, loop->error);
}

/* Whether a status ends the run because of what its trials have shown. Their results are stored nevertheless. */
static bool is_judgement(fcps_status status)
{
  return status == FCPS_ERR_FAILURE_RATE || status == FCPS_ERR_NO_REWARD;
}

/* After a failure that a trial has shown, ends the run as soon as the other trials have finished. */
static fcps_status let_others_finish(run_loop *loop, fcps_status status)
{
  if (status != FCPS_ERR_PROGRAM && !is_judgement(status)) return status;
  if (loop->verdict.status == FCPS_OK) loop->verdict = *loop->error;
  /* If there is no message, only the status is known. */
  if (loop->verdict.status == FCPS_OK) loop->verdict.status = status;
  loop->is_ending = true;
  return FCPS_OK;
}

/* Continues after a job has ended: asks for the context that was observed, or ends the episode of a trial. */
static fcps_status follow(run_loop *loop, fcps_job *job)
{
  fcps_status status = job->status;
  if (status != FCPS_OK) *loop->error = job->error;
  if (status == FCPS_OK && !job->is_trial && !loop->is_ending) return ask_and_run(loop, job, job->client);
  if (status == FCPS_OK && job->is_trial) status = finish_episode(loop, job);
  fcps_workers_take_back(loop->workers, job);
  return let_others_finish(loop, status);
}

/* Waits for the next result and stores it. If the run is ending, waits for any job. */
static fcps_status await_result(run_loop *loop)
{
  const int64_t before = loop->done;
  fcps_status status = FCPS_OK;
  do {
    fcps_job *job = fcps_workers_next(loop->workers, loop->options->stop, loop->options->user);
    if (job == NULL) return fcps_workers_busy_count(loop->workers) > 0 ? stop_run(loop) : FCPS_OK;
    status = follow(loop, job);
  } while (status == FCPS_OK && loop->done == before && loop->verdict.status == FCPS_OK);
  return status;
}

/* -- Evaluation -- */

static bool is_evaluation_due(const run_loop *loop, int64_t done, bool is_last)
{
  const int64_t every = loop->options->evaluate_every;
  if (loop->runner->evaluate == NULL || every < 0) return false;
  return is_last || (every > 0 && done > 0 && done % every == 0);
}

static fcps_status show_offline(run_loop *loop, const fcps_offline *offline)
{
  if (loop->options->on_offline == NULL) return FCPS_OK;
  const fcps_status status = loop->options->on_offline(loop->options->user, offline);
  if (status == FCPS_OK) return FCPS_OK;
  return fcps_error_set(loop->error, status, "", "the caller ended the run after an evaluation");
}

static fcps_status evaluate(run_loop *loop, int64_t done)
{
  fcps_policy *policy = NULL;
  fcps_offline offline = {.episode = done};
  fcps_status status = make_policy(loop, &policy);
  if (status == FCPS_OK) status = loop->runner->evaluate(loop->runner->self, policy, &offline, loop->error);
  fcps_policy_destroy(policy);
  /* A run that goes on repeats the last evaluation of the earlier call. If that was noted, it is not noted again. */
  double noted;
  const bool is_noted = done == loop->earlier && fcps_run_find_offline(loop->study, done, &noted);
  if (status == FCPS_OK && !is_noted) status = note_offline(loop, done, offline.mean);
  return status == FCPS_OK ? show_offline(loop, &offline) : status;
}

/* -- All episodes -- */

/* Shows the caller the episodes of earlier calls, from the study. */
static fcps_status show_earlier(run_loop *loop)
{
  int64_t count = 0;
  fcps_run_earlier *list = fcps_run_earlier_list(loop->study, &count);
  fcps_status status = list != NULL ? FCPS_OK : fcps_error_memory(loop->error);
  for (int64_t i = 0; status == FCPS_OK && i < count; i++) {
    fcps_episode episode = {.episode = list[i].episode + 1, .done = i + 1, .is_earlier = true};
    if (!fcps_study_result_of(loop->study, list[i].ask, &episode.stored)) continue; /* The ask was given up. */
    status = show(loop, &episode);

    fcps_offline offline = {.episode = episode.done, .is_earlier = true};
    if (status == FCPS_OK && episode.done < loop->earlier && is_evaluation_due(loop, episode.done, false) &&
        fcps_run_find_offline(loop->study, episode.done, &offline.mean))
      status = show_offline(loop, &offline);
  }
  fcps_free(list);
  return status;
}

/* If the caller wants it, ends the run when further trials are worth little. */
static fcps_status check_convergence(run_loop *loop)
{
  fcps_outlook *outlook = loop->options->until_converged;
  if (outlook == NULL || loop->is_ending || loop->done == 0 || loop->done % CONVERGENCE_EVERY != 0) return FCPS_OK;
  fcps_policy *policy = NULL;
  fcps_status status = make_policy(loop, &policy);
  if (status == FCPS_OK) status = fcps_study_outlook(loop->study, policy, outlook, NULL, NULL, loop->error);
  fcps_policy_destroy(policy);
  loop->is_ending = status == FCPS_OK && outlook->is_converged;
  return status;
}

/* Before the first trial: refuses a learner whose policy predicts no rewards, if convergence is to end the run. */
static fcps_status check_outlook(run_loop *loop)
{
  if (loop->options->until_converged == NULL) return FCPS_OK;
  fcps_policy *policy = NULL;
  fcps_status status = make_policy(loop, &policy);
  if (status == FCPS_OK && !fcps_policy_predicts_reward(policy))
    status = fcps_error_set(loop->error, FCPS_ERR_UNSUPPORTED, "until_converged",
                            "learner %s predicts no reward, so convergence cannot be detected; give only a number of "
                            "episodes, or use a learner with a model, such as outcome or bo-cps",
                            fcps_study_learner(loop->study));
  fcps_policy_destroy(policy);
  return status;
}

static bool is_over(const run_loop *loop)
{
  return fcps_workers_busy_count(loop->workers) == 0 && (loop->is_ending || loop->done >= loop->options->episodes);
}

/* Does what is due between two results: checks convergence, and evaluates the policy. */
static fcps_status review(run_loop *loop)
{
  if (loop->verdict.status != FCPS_OK) return FCPS_OK;
  const fcps_status status = check_convergence(loop);
  return status == FCPS_OK && is_evaluation_due(loop, loop->done, is_over(loop)) ? evaluate(loop, loop->done) : status;
}

/* Stores the result of a trial that ended before the run did. If that fails, keeps the result in a file. */
static void save_result(run_loop *loop, fcps_job *job)
{
  const fcps_error first = *loop->error;
  fcps_status status = FCPS_OK;
  if (!loop->has_refused)
    status = finish_episode(loop, job);
  else if (loop->patience.is_kept && job->kept == NULL)
    status = keep_result(loop, job, loop->error);
  if (status != FCPS_OK && !is_judgement(status))
    fcps_log_say(&loop->options->log, FCPS_LOG_WARNING, "W_RESULT_NOT_STORED", "ask %lld: %s", (long long)job->ask.id,
                 loop->error->message);
  *loop->error = first;
}

/* Ends the jobs that are under way when the run ends early. Results of finished trials are not lost. */
static void clear_up(run_loop *loop)
{
  fcps_job *job = NULL;
  fcps_workers_halt(loop->workers);
  while ((job = fcps_workers_next(loop->workers, NULL, NULL)) != NULL) {
    if (job->is_trial && job->status == FCPS_OK) save_result(loop, job);
    fcps_workers_take_back(loop->workers, job);
  }
  /* Tells the caller that the run stopped, after trials that ended meanwhile were counted. */
  if (loop->has_stopped) stop_run(loop);
}

static fcps_status run_episodes(run_loop *loop)
{
  int64_t unfinished;
  loop->begun = loop->asked = fcps_run_asked_count(loop->study, &unfinished);
  loop->earlier = loop->done = loop->asked - unfinished;
  fcps_status status = check_outlook(loop);
  if (status == FCPS_OK) status = show_earlier(loop);
  if (status == FCPS_OK && loop->done < loop->options->episodes)
    status = fcps_run_endings_begin(&loop->endings, loop->study, loop->error);
  loop->endings.goes_on = loop->options->goes_on_failing;
  while (status == FCPS_OK && (status = review(loop)) == FCPS_OK && !is_over(loop)) {
    status = employ(loop);
    if (status == FCPS_OK) status = await_result(loop);
  }
  if (status != FCPS_OK) clear_up(loop);
  if (status == FCPS_OK && loop->verdict.status != FCPS_OK) *loop->error = loop->verdict;
  return status != FCPS_OK ? status : loop->verdict.status;
}

int fcps_run_worker_count(const fcps_run_options *options)
{
  return options->parallel > 1 ? options->parallel : 1;
}

fcps_status fcps_run_check_parallel(const fcps_run_options *options, fcps_error *error)
{
  if (options->parallel >= 0 && options->parallel <= FCPS_RUN_MOST_PARALLEL) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "parallel", "%d trials at once: give a number from 1 to %d",
                        options->parallel, FCPS_RUN_MOST_PARALLEL);
}

fcps_status fcps_run_loop(fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                          fcps_error *error)
{
  if (options->episodes < 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "episodes", "a number of episodes cannot be negative");
  fcps_run_patience patience = {.is_kept = !runner->is_repeatable,
                                .is_persistent = !runner->is_repeatable,
                                .stop = options->stop,
                                .user = options->user,
                                .log = options->log};
  fcps_error unwanted = {0};
  if (error == NULL) error = &unwanted;
  fcps_status status = fcps_study_hold(study, error);
  if (status == FCPS_OK) status = fcps_study_refresh(study, error);
  if (status == FCPS_OK) status = fcps_run_tell_kept(study, &patience, NULL, error);
  if (status != FCPS_OK) return status;

  run_loop loop = {.study = study, .runner = runner, .options = options, .error = error, .patience = patience};
  loop.patience.stop = keep_and_stop;
  loop.patience.user = &loop;
  status = fcps_study_set_budget(study, options->budget, error);
  if (status == FCPS_OK) status = fcps_workers_create(&loop.workers, runner, fcps_study_problem(study), error);
  if (status == FCPS_OK) status = run_episodes(&loop);
  (void)fcps_study_set_budget(study, 0.0, NULL);
  if (status == FCPS_OK) status = fcps_run_endings_finish(&loop.endings, study, &options->log, error);
  fcps_workers_destroy(loop.workers);
  return status;
}
