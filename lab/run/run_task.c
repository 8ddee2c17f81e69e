/* SPDX-License-Identifier: Apache-2.0 */
/* The run loop's functions for a built-in task. They draw contexts, run trials and evaluate policies. */
#include "base/error.h"
#include "base/memory.h"
#include "format/json.h"
#include "lab/task/task_impl.h"
#include "problem/problem.h"
#include "run/loop.h"

#include <fcps/lab/run.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task_runner {
  fcps_task *task;
  double *outcome;
  /* arrays for an evaluation, in one allocation that starts at `rewards` */
  double *rewards, *parameters, *outcomes, *predictions;
  bool *present;
} task_runner;

static fcps_status draw_context(void *self, int worker, int64_t episode, double *target, double *environment,
                                fcps_error *error)
{
  (void)worker;
  (void)error;
  const task_runner *runner = self;
  fcps_task_context(runner->task, episode, target, environment);
  return FCPS_OK;
}

static fcps_status run_trial(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                             fcps_error *error)
{
  (void)worker;
  task_runner *runner = self;
  fcps_rollout *rollout = &result->rollout;
  const fcps_status status =
      fcps_task_run(runner->task, episode, ask->environment, ask->parameters, runner->outcome, rollout);
  if (status != FCPS_OK) {
    if (error != NULL) *error = *fcps_task_error(runner->task);
    return status;
  }
  rollout->environment = rollout->parameters = NULL; /* NULL: the trial was done as asked */
  result->message = fcps_task_message(runner->task);
  return FCPS_OK;
}

static fcps_status evaluate(void *self, fcps_policy *policy, fcps_offline *offline, fcps_error *error)
{
  task_runner *runner = self;
  offline->count = fcps_task_evaluation(runner->task)->count;
  offline->rewards = runner->rewards;
  offline->parameters = runner->parameters;
  offline->outcomes = runner->outcomes;
  offline->present = runner->present;
  offline->predictions = runner->predictions;
  const fcps_evaluation_rows rows = {.rewards = runner->rewards,
                                     .parameters = runner->parameters,
                                     .outcomes = runner->outcomes,
                                     .present = runner->present,
                                     .predictions = runner->predictions};
  return fcps_run_evaluate(runner->task, policy, &rows, &offline->mean, error);
}

static bool allocate(task_runner *runner)
{
  const fcps_problem *problem = fcps_task_problem(runner->task);
  const size_t contexts = (size_t)fcps_task_evaluation(runner->task)->count;
  const size_t parameters = (size_t)problem->parameters.count, outcomes = (size_t)problem->outcome.count;
  runner->outcome = fcps_allocate(outcomes, sizeof *runner->outcome);
  runner->rewards = fcps_allocate(contexts * (2 + parameters + outcomes), sizeof *runner->rewards);
  runner->present = fcps_allocate(contexts, sizeof *runner->present);
  if (runner->outcome == NULL || runner->rewards == NULL || runner->present == NULL) return false;
  runner->parameters = runner->rewards + contexts;
  runner->outcomes = runner->parameters + contexts * parameters;
  runner->predictions = runner->outcomes + contexts * outcomes;
  return true;
}

/* Whether an ask ever had a result with an outcome; one that was corrected or retracted later also counts. */
static bool had_outcome(const fcps_study *study, int64_t ask)
{
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (stored.ask == ask && stored.result.rollout.outcome != NULL) return true;
  }
  return false;
}

/* Tells the task which trials were done earlier, because a run that is continued must end like one that never
 * stopped. */
static fcps_status recall_earlier(const fcps_study *study, fcps_task *task, fcps_error *error)
{
  if (!fcps_task_recalls(task)) return FCPS_OK;
  int64_t earlier = 0;
  fcps_run_earlier *list = fcps_run_earlier_list(study, &earlier);
  int64_t *episodes = list != NULL ? fcps_allocate((size_t)earlier, sizeof *episodes) : NULL;
  int count = 0;
  for (int64_t i = 0; episodes != NULL && i < earlier; i++)
    if (had_outcome(study, list[i].ask)) episodes[count++] = list[i].episode;
  if (episodes != NULL) fcps_task_recall(task, count, episodes);
  const fcps_status status = episodes != NULL ? FCPS_OK : fcps_error_memory(error);
  free(episodes);
  fcps_free(list);
  return status;
}

fcps_status fcps_run(fcps_study *study, fcps_task *task, const fcps_run_options *options, fcps_error *error)
{
  if (study == NULL) return fcps_error_null(error, "study");
  if (task == NULL) return fcps_error_null(error, "task");
  if (options == NULL) return fcps_error_null(error, "options");
  if (fcps_task_problem(task)->reward == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "reward",
                          "the task has no reward function, and its rollouts have no reward of their own; ask the "
                          "study, and tell it the rewards, yourself");
  const char *differing = fcps_problem_differing_space(fcps_study_problem(study), fcps_task_problem(task));
  if (differing != NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, differing,
                          "this space of the study differs from the task's; run a study with the task that it was "
                          "made for");

  fcps_run_guard guard;
  const fcps_run_options guarded = fcps_run_guard_options(&guard, study, options);
  task_runner self = {.task = task};
  const fcps_trial_runner runner = {.context = draw_context,
                                    .run = run_trial,
                                    .evaluate = evaluate,
                                    .is_repeatable = true,
                                    .workers = fcps_run_worker_count(options),
                                    .self = &self};
  fcps_status status = fcps_run_check_parallel(options, error);
  if (status == FCPS_OK && !allocate(&self)) status = fcps_error_memory(error);
  if (status == FCPS_OK) status = recall_earlier(study, task, error);
  if (status == FCPS_OK) status = fcps_run_loop(study, &runner, &guarded, error);
  free(self.outcome);
  free(self.rewards);
  free(self.present);
  return status;
}

/* -- The study of a task -- */

/* A study of a built-in task stores its origin, a text from which the task is created at each opening. */

char *fcps_run_origin(const char *task, const fcps_setting *settings, uint64_t seed)
{
  if (task == NULL) return NULL;
  char seed_text[32];
  snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed); /* as text, because a JSON number cannot hold every seed */
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "task", fcps_json_from_text(task));
  fcps_json_put(&json, "task_settings", fcps_json_from_settings(settings));
  fcps_json_put(&json, "seed", fcps_json_from_text(seed_text));
  return fcps_json_finish(json);
}

static fcps_status make_task(const fcps_json *json, fcps_task **task, fcps_error *error)
{
  const char *name = fcps_json_text(fcps_json_get(json, "task")), *seed = fcps_json_text(fcps_json_get(json, "seed"));
  char *end = NULL;
  const uint64_t number = seed != NULL ? strtoull(seed, &end, 10) : 0;
  if (name == NULL || seed == NULL || end == seed || *end)
    return fcps_error_set(
        error, FCPS_ERR_DAMAGED, "origin",
        "the study's origin does not name a built-in task and its seed; open the study with the program that made it");
  fcps_setting *settings = fcps_json_settings(fcps_json_get(json, "task_settings"));
  const fcps_status status =
      settings != NULL ? fcps_task_create(task, name, settings, number, error) : fcps_error_memory(error);
  free(settings);
  return status;
}

static fcps_status make(const char *origin, void **owner, const fcps_problem **problem, fcps_error *error)
{
  fcps_json *json = NULL;
  fcps_task *task = NULL;
  fcps_status status = fcps_json_read(&json, origin, strlen(origin), "origin", error);
  if (status == FCPS_OK) status = make_task(json, &task, error);
  fcps_json_destroy(json);
  if (status != FCPS_OK) return status;
  *owner = task;
  *problem = fcps_task_problem(task);
  return FCPS_OK;
}

static void destroy(void *owner)
{
  fcps_task_destroy(owner);
}

static const char *name(const void *owner)
{
  return fcps_task_name(owner);
}

const fcps_study_maker *fcps_run_maker(void)
{
  static const fcps_study_maker maker = {make, destroy, name};
  return &maker;
}

fcps_task *fcps_run_task(const fcps_study *study)
{
  return fcps_study_origin(study) != NULL ? fcps_study_owner(study) : NULL;
}

/* -- Evaluation -- */

/* Offline evaluation: the greedy policy in the task's own contexts, without noise. */

static const double *row(const double *rows, int index, int width)
{
  return rows != NULL ? rows + (size_t)index * (size_t)width : NULL;
}

static fcps_status check(const fcps_evaluation_rows *rows, fcps_error *error)
{
  if (rows == NULL) return fcps_error_null(error, "rows");
  if (rows->rewards == NULL) return fcps_error_null(error, "rewards");
  if (rows->parameters == NULL) return fcps_error_null(error, "parameters");
  if (rows->outcomes == NULL) return fcps_error_null(error, "outcomes");
  return rows->present != NULL ? FCPS_OK : fcps_error_null(error, "present");
}

fcps_status fcps_run_evaluate(fcps_task *task, fcps_policy *policy, const fcps_evaluation_rows *rows, double *mean,
                              fcps_error *error)
{
  if (task == NULL) return fcps_error_null(error, "task");
  if (policy == NULL) return fcps_error_null(error, "policy");
  if (mean == NULL) return fcps_error_null(error, "mean");
  fcps_status status = check(rows, error);
  if (status != FCPS_OK) return status;
  double *rewards = rows->rewards;
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);

  /* the policy answers all contexts in one batch, which is faster */
  status = fcps_policy_query_batch(policy, contexts->count, contexts->targets, contexts->environments, rows->parameters,
                                   rows->predictions, NULL);
  if (status != FCPS_OK) {
    if (error != NULL) *error = *fcps_policy_error(policy);
    return status;
  }

  double sum = 0.0;
  int scored = 0;
  for (int i = 0; i < contexts->count; i++) {
    const double *target = row(contexts->targets, i, problem->target.count);
    const double *environment = row(contexts->environments, i, problem->environment.count);
    const double *chosen = row(rows->parameters, i, problem->parameters.count);
    double *outcome = rows->outcomes + (size_t)i * (size_t)problem->outcome.count;
    fcps_rollout rollout;

    status = fcps_task_run(task, -1, environment, chosen, outcome, &rollout);
    if (status != FCPS_OK) {
      if (error != NULL) *error = *fcps_task_error(task);
      return status;
    }
    rows->present[i] = rollout.outcome != NULL;
    rewards[i] = NAN;
    if (rollout.status == FCPS_ROLLOUT_OK) {
      status =
          fcps_problem_score(problem, 1, target, environment, chosen, outcome, &rows->present[i], rewards + i, error);
      if (status != FCPS_OK) return status;
    } else if (contexts->counts_failures) {
      rewards[i] = contexts->failure_reward;
    }
    if (!isnan(rewards[i])) sum += rewards[i], scored++;
  }
  *mean = scored > 0 ? sum / scored : NAN;
  return FCPS_OK;
}
