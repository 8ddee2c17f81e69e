/* SPDX-License-Identifier: Apache-2.0 */
/* Offline evaluation: the greedy policy in the task's own contexts, without noise. */
#include <fcps/run.h>

#include "base/error.h"
#include "format/json.h"
#include "problem/problem.h"
#include "run/loop.h"

#include <math.h>
#include <string.h>

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

  /* what the policy would do everywhere, in one batch */
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

/* -- Notes -- */

/* Evaluations as notes of the study, {"episode": 20, "mean": -3.25}: a run that goes on knows what it has evaluated. */

static const char code[] = "EVALUATION";

/* Whether a note is the evaluation after this episode. */
static bool read_note(const char *text, int64_t episode, double *mean)
{
  fcps_json *json = NULL;
  int64_t noted = 0;
  const bool is_it = fcps_json_read(&json, text, strlen(text), code, NULL) == FCPS_OK &&
                     fcps_json_integer(fcps_json_get(json, "episode"), &noted) && noted == episode &&
                     fcps_json_number(fcps_json_get(json, "mean"), mean);
  fcps_json_destroy(json);
  return is_it;
}

bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean)
{
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++)
    if (strcmp(event->code, code) == 0 && read_note(event->text, episode, mean)) return true;
  return false;
}

fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "episode", fcps_json_from_integer(episode));
  fcps_json_put(&json, "mean", fcps_json_from_number(mean));
  char *text = fcps_json_finish(json);
  const fcps_status status = text != NULL ? fcps_study_note(study, code, text, error) : fcps_error_memory(error);
  fcps_free(text);
  return status;
}
