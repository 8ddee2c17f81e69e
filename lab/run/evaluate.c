/* SPDX-License-Identifier: Apache-2.0 */
/* Offline evaluation: the greedy policy in the task's own contexts, without noise. */
#include <fcps/lab/run.h>

#include "base/error.h"
#include "problem/problem.h"

#include <math.h>

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
