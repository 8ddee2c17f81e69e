/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: observe a context, ask, run, tell, show. */
#include <fcps/run.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>

/* A run is given up when more than half of at least this many rollouts failed. */
enum { FAILURE_RULE_COUNT = 5 };

/* The run and the episode that is under way. */
typedef struct run_loop {
  fcps_task *task;
  fcps_learner *learner;
  const fcps_problem *problem;
  const fcps_run_options *options;
  fcps_error *error;

  double *target, *environment, *parameters, *outcome; /* one allocation, at `target` */
  int64_t id;
  fcps_result result;
  fcps_episode episode;
  int64_t rollouts, failures; /* of this call */

  double *rewards, *greedy_parameters, *greedy_outcomes; /* of an evaluation; one allocation, at `rewards` */
  bool *present;
} run_loop;

static fcps_status loop_create(run_loop *loop)
{
  const fcps_problem *problem = loop->problem;
  const size_t contexts = (size_t)fcps_task_evaluation(loop->task)->count;
  const size_t targets = (size_t)problem->target.count, environments = (size_t)problem->environment.count;
  const size_t parameters = (size_t)problem->parameters.count, outcomes = (size_t)problem->outcome.count;

  loop->target = fcps_allocate(targets + environments + parameters + outcomes, sizeof *loop->target);
  loop->rewards = fcps_allocate(contexts * (1 + parameters + outcomes), sizeof *loop->rewards);
  loop->present = fcps_allocate(contexts, sizeof *loop->present);
  if (!loop->target || !loop->rewards || !loop->present) return fcps_error_memory(loop->error);

  loop->environment = loop->target + targets;
  loop->parameters = loop->environment + environments;
  loop->outcome = loop->parameters + parameters;
  loop->result.outcome = loop->outcome;
  loop->greedy_parameters = loop->rewards + contexts;
  loop->greedy_outcomes = loop->greedy_parameters + contexts * parameters;
  return FCPS_OK;
}

static void loop_destroy(run_loop *loop)
{
  free(loop->target);
  free(loop->rewards);
  free(loop->present);
}

/* Copies the words for a failure of the learner or the task to the caller. */
static fcps_status fail(run_loop *loop, fcps_status status, const fcps_error *words)
{
  if (loop->error) *loop->error = *words;
  return status;
}

static fcps_status observe_and_ask(run_loop *loop, int64_t index)
{
  loop->episode = (fcps_episode){.episode = index + 1,
                                 .target = loop->target,
                                 .environment = loop->environment,
                                 .parameters = loop->parameters,
                                 .reward = NAN};
  const double start = fcps_clock_seconds();
  if (loop->options->context)
    loop->options->context(loop->options->user, index, loop->target, loop->environment);
  else
    fcps_task_context(loop->task, index, loop->target, loop->environment);

  const fcps_free_dimensions all = {0};
  const fcps_status status =
      fcps_learner_is_active(loop->learner)
          ? fcps_learner_choose(loop->learner, &all, loop->target, loop->environment, loop->parameters, &loop->id)
          : fcps_learner_ask(loop->learner, loop->target, loop->environment, loop->parameters, &loop->id);
  loop->episode.ask_seconds = fcps_clock_seconds() - start;
  return status == FCPS_OK ? FCPS_OK : fail(loop, status, fcps_learner_error(loop->learner));
}

static fcps_status run_and_score(run_loop *loop, int64_t index)
{
  fcps_episode *episode = &loop->episode;
  const double start = fcps_clock_seconds();
  const fcps_status status = fcps_task_run(loop->task, index, loop->environment, loop->parameters, &loop->result);
  episode->run_seconds = fcps_clock_seconds() - start;
  if (status != FCPS_OK) return fail(loop, status, fcps_task_error(loop->task));

  episode->status = loop->result.status;
  episode->outcome = loop->result.present ? loop->outcome : NULL;
  if (episode->status != FCPS_ROLLOUT_OK) return FCPS_OK;
  return fcps_problem_score(loop->problem, 1, loop->target, loop->environment, loop->parameters, loop->outcome,
                            &loop->result.present, &episode->reward, loop->error);
}

static fcps_status tell(run_loop *loop)
{
  const fcps_rollout rollout = {.target = loop->target,
                                .environment = loop->environment,
                                .parameters = loop->parameters,
                                .outcome = loop->episode.outcome,
                                .reward = loop->episode.reward,
                                .hindsight_reward = NAN,
                                .status = loop->episode.status};
  const fcps_status status = fcps_learner_tell(loop->learner, loop->id, &rollout);
  return status == FCPS_OK ? FCPS_OK : fail(loop, status, fcps_learner_error(loop->learner));
}

/* Shows the episode to the caller, and gives up where most rollouts fail. */
static fcps_status show(run_loop *loop)
{
  loop->rollouts++;
  loop->failures += loop->episode.status != FCPS_ROLLOUT_OK;
  if (loop->options->on_episode) {
    const fcps_status status = loop->options->on_episode(loop->options->user, &loop->episode);
    if (status != FCPS_OK) return fcps_error_set(loop->error, status, "", "the caller ended the run after an episode");
  }
  if (loop->rollouts >= FAILURE_RULE_COUNT && 2 * loop->failures > loop->rollouts) {
    return fcps_error_set(loop->error, FCPS_ERR_FAILURE_RATE, "",
                          "%d of %d rollouts failed, the last with \"%s\"; the run was stopped, what was told is kept",
                          (int)loop->failures, (int)loop->rollouts, loop->result.message);
  }
  return FCPS_OK;
}

static fcps_status run_episode(run_loop *loop, int64_t index)
{
  fcps_status status = observe_and_ask(loop, index);
  if (status != FCPS_OK) return status;

  status = run_and_score(loop, index);
  if (status == FCPS_OK) status = tell(loop);
  if (status != FCPS_OK) {
    fcps_learner_forget(loop->learner, loop->id); // nothing of this episode stays
    return status;
  }
  return show(loop);
}

static bool is_evaluation_due(const fcps_run_options *options, int64_t told)
{
  if (options->evaluate_every < 0) return false;
  return told == options->episodes || (options->evaluate_every > 0 && told % options->evaluate_every == 0);
}

static fcps_status evaluate(run_loop *loop, int64_t told)
{
  fcps_policy *policy = NULL;
  fcps_status status = fcps_learner_policy(loop->learner, &policy);
  if (status != FCPS_OK) return fail(loop, status, fcps_learner_error(loop->learner));

  fcps_offline offline = {.episode = told,
                          .count = fcps_task_evaluation(loop->task)->count,
                          .rewards = loop->rewards,
                          .parameters = loop->greedy_parameters,
                          .outcomes = loop->greedy_outcomes,
                          .present = loop->present};
  status = fcps_run_evaluate(loop->task, policy, &offline.mean, loop->rewards, loop->greedy_parameters,
                             loop->greedy_outcomes, loop->present, loop->error);
  fcps_policy_destroy(policy);
  if (status != FCPS_OK || !loop->options->on_offline) return status;

  status = loop->options->on_offline(loop->options->user, &offline);
  if (status == FCPS_OK) return FCPS_OK;
  return fcps_error_set(loop->error, status, "", "the caller ended the run after an evaluation");
}

static fcps_status run_episodes(run_loop *loop)
{
  const fcps_run_options *options = loop->options;
  int64_t told = fcps_learner_rollout_count(loop->learner);
  if (told >= options->episodes) return options->evaluate_every >= 0 ? evaluate(loop, told) : FCPS_OK;

  while (told < options->episodes) {
    if (options->stop && options->stop(options->user)) {
      return fcps_error_set(loop->error, FCPS_ERR_STOPPED, "", "stopped after %lld of %lld episodes", (long long)told,
                            (long long)options->episodes);
    }
    fcps_status status = run_episode(loop, told);
    told = fcps_learner_rollout_count(loop->learner);
    if (status == FCPS_OK && is_evaluation_due(options, told)) status = evaluate(loop, told);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

fcps_status fcps_run(fcps_task *task, fcps_learner *learner, const fcps_run_options *options, fcps_error *error)
{
  run_loop loop = {
      .task = task, .learner = learner, .problem = fcps_task_problem(task), .options = options, .error = error};
  if (options->episodes < 0) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "episodes", "a number of episodes cannot be negative");
  }
  if (!loop.problem->reward) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "reward",
                          "the task has no reward function, and a task's rollout brings no reward; tell the learner "
                          "yourself");
  }
  fcps_status status = loop_create(&loop);
  if (status == FCPS_OK) status = run_episodes(&loop);
  loop_destroy(&loop);
  return status;
}
