/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: observe a context, ask, run, tell, show.
 *
 * It stands on a study, which knows how far it came; so a loop that was ended by a signal, a crash or a power cut
 * goes on where it was: the unfinished ask is run again, and the asks that follow are those of a run that never
 * stopped.
 */
#include "run/loop.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/endings.h"
#include "run/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char client[] = FCPS_RUN_CLIENT;

/* Convergence is checked every so many episodes. */
enum { CONVERGENCE_EVERY = 10 };

typedef struct run_loop {
  fcps_study *study;
  const fcps_trial_runner *runner;
  const fcps_run_options *options;
  fcps_error *error;
  fcps_run_patience patience;
  bool is_active; /* the learner chooses contexts */
  double *target, *environment;
  int64_t earlier; /* episodes of earlier calls */
  fcps_run_endings endings;
} run_loop;

static bool learner_is_active(const fcps_study *study)
{
  const fcps_learner_info *info;
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++)
    if (strcmp(info->name, fcps_study_learner(study)) == 0) return info->is_active;
  return false;
}

/* Episodes that were asked for, and whether the last of them is unfinished. */
static int64_t count_asked(const fcps_study *study, bool *is_unfinished)
{
  int64_t count = 0;
  *is_unfinished = false;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    if (strcmp(ask.client, client) != 0) continue;
    count++;
    *is_unfinished = ask.state == FCPS_ASK_PENDING;
  }
  return count;
}

/* -- A study that others use -- */

/* Whether a call that found the study locked by others is to be made again; not where the caller wants to stop. */
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

static fcps_status ask_study(run_loop *loop, fcps_ask *ask)
{
  fcps_status status;
  double pause = 0;
  do {
    status = loop->is_active
                 ? fcps_study_choose(loop->study, client, NULL, loop->target, loop->environment, ask, loop->error)
                 : fcps_study_ask(loop->study, client, loop->target, loop->environment, ask, loop->error);
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

/* -- One episode -- */

static fcps_status observe_and_ask(run_loop *loop, int64_t index, bool is_unfinished, fcps_ask *ask)
{
  const fcps_run_options *options = loop->options;
  fcps_status status = FCPS_OK;
  loop->is_active = learner_is_active(loop->study) && !loop->runner->has_own_contexts; /* others may amend it */
  /* an unfinished ask brings its own context */
  if (!is_unfinished && options->context != NULL)
    options->context(options->user, index, loop->target, loop->environment);
  else if (!is_unfinished && !loop->is_active)
    status = loop->runner->context(loop->runner->self, index, loop->target, loop->environment, loop->error);
  return status == FCPS_OK ? ask_study(loop, ask) : status;
}

/* Shows an episode to the caller. */
static fcps_status show(run_loop *loop, const fcps_episode *episode)
{
  if (loop->options->on_episode == NULL) return FCPS_OK;
  const fcps_status status = loop->options->on_episode(loop->options->user, episode);
  if (status == FCPS_OK) return FCPS_OK;
  return fcps_error_set(loop->error, status, "", "the caller ended the run after an episode");
}

static fcps_status run_episode(run_loop *loop, int64_t index, bool is_unfinished)
{
  fcps_ask ask;
  const double start = fcps_clock_seconds();
  fcps_status status = observe_and_ask(loop, index, is_unfinished, &ask);
  if (status != FCPS_OK) return status;

  const double asked = fcps_clock_seconds();
  fcps_result result = {.rollout = {.reward = NAN, .hindsight_reward = NAN}};
  status = loop->runner->run(loop->runner->self, index, &ask, &result, loop->error);
  const double ran = fcps_clock_seconds();
  result.client = client;
  if (status == FCPS_OK) status = fcps_run_tell(loop->study, ask.id, &result, &loop->patience, NULL, loop->error);
  fcps_episode episode = {.episode = index + 1, .ask_seconds = asked - start, .run_seconds = ran - asked};
  if (status != FCPS_OK || !fcps_study_result_of(loop->study, ask.id, &episode.stored)) return status;
  status = show(loop, &episode);
  return status != FCPS_OK
             ? status
             : fcps_run_endings_add(&loop->endings, loop->study, &episode.stored, &loop->options->log, loop->error);
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
  /* a run that goes on evaluates once more where it had stopped */
  double noted;
  const bool is_noted = done == loop->earlier && fcps_run_find_offline(loop->study, done, &noted);
  if (status == FCPS_OK && !is_noted) status = note_offline(loop, done, offline.mean);
  return status == FCPS_OK ? show_offline(loop, &offline) : status;
}

/* -- All episodes -- */

/* What an earlier call has done is shown again, from the study. */
static fcps_status show_earlier(run_loop *loop)
{
  int64_t number = 0;
  fcps_status status = FCPS_OK;
  for (int i = 0; status == FCPS_OK && number < loop->earlier; i++) {
    fcps_ask ask;
    fcps_study_ask_at(loop->study, i, &ask);
    if (strcmp(ask.client, client) != 0) continue;
    fcps_episode episode = {.episode = ++number, .is_earlier = true};
    if (!fcps_study_result_of(loop->study, ask.id, &episode.stored)) continue; /* it was given up */
    status = show(loop, &episode);

    fcps_offline offline = {.episode = number, .is_earlier = true};
    if (status == FCPS_OK && number < loop->earlier && is_evaluation_due(loop, number, false) &&
        fcps_run_find_offline(loop->study, number, &offline.mean))
      status = show_offline(loop, &offline);
  }
  return status;
}

/* Whether further trials are worth little, where that was asked. */
static fcps_status check_convergence(run_loop *loop, int64_t done, bool *is_enough)
{
  fcps_outlook *outlook = loop->options->until_converged;
  if (outlook == NULL || done == 0 || done % CONVERGENCE_EVERY != 0) return FCPS_OK;
  fcps_policy *policy = NULL;
  fcps_status status = make_policy(loop, &policy);
  if (status == FCPS_OK) status = fcps_study_outlook(loop->study, policy, outlook, NULL, NULL, loop->error);
  fcps_policy_destroy(policy);
  *is_enough = status == FCPS_OK && outlook->is_converged;
  return status;
}

/* Ending a run by convergence needs a policy that predicts rewards. This is checked before the first trial. */
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

static fcps_status run_episodes(run_loop *loop)
{
  const fcps_run_options *options = loop->options;
  bool is_unfinished, is_enough = false;
  int64_t done = count_asked(loop->study, &is_unfinished);
  loop->earlier = done -= is_unfinished;
  fcps_status status = check_outlook(loop);
  if (status == FCPS_OK) status = show_earlier(loop);
  if (status == FCPS_OK && done < options->episodes)
    status = fcps_run_endings_begin(&loop->endings, loop->study, loop->error);
  loop->endings.goes_on = options->goes_on_failing;
  for (;; done++, is_unfinished = false) {
    if (status == FCPS_OK) status = check_convergence(loop, done, &is_enough);
    const bool is_last = is_enough || done >= options->episodes;
    if (status == FCPS_OK && is_evaluation_due(loop, done, is_last)) status = evaluate(loop, done);
    if (status != FCPS_OK || is_last) return status;
    if (options->stop != NULL && options->stop(options->user)) {
      return fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped after %lld of %lld episodes", (long long)done,
                            (long long)options->episodes);
    }
    status = run_episode(loop, done, is_unfinished);
  }
}

fcps_status fcps_run_loop(fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                          fcps_error *error)
{
  if (options->episodes < 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "episodes", "a number of episodes cannot be negative");
  const fcps_run_patience patience = {.is_kept = !runner->is_repeatable,
                                      .is_persistent = !runner->is_repeatable,
                                      .stop = options->stop,
                                      .user = options->user,
                                      .log = options->log};
  fcps_status status = fcps_study_hold(study, error);
  if (status == FCPS_OK) status = fcps_study_refresh(study, error);
  if (status == FCPS_OK) status = fcps_run_tell_kept(study, &patience, NULL, error);
  if (status != FCPS_OK) return status;

  const fcps_problem *problem = fcps_study_problem(study);
  run_loop loop = {.study = study,
                   .runner = runner,
                   .options = options,
                   .error = error,
                   .patience = patience,
                   .target = fcps_allocate((size_t)problem->target.count, sizeof(double)),
                   .environment = fcps_allocate((size_t)problem->environment.count, sizeof(double))};
  status = loop.target != NULL && loop.environment != NULL ? run_episodes(&loop) : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_run_endings_finish(&loop.endings, study, &options->log, error);
  free(loop.target);
  free(loop.environment);
  return status;
}
