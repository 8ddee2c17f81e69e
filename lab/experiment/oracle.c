/* SPDX-License-Identifier: Apache-2.0 */
/* Doing nothing is known to tasks that have it. Random parameters are those of the learner of that name. The best is the
 * task's own optimum, or what its search finds in the number of rollouts that its setting `oracle_rollouts` gives. */
#include "base/error.h"
#include "base/memory.h"

#include <fcps/lab/experiment.h>
#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>

static fcps_status score(const fcps_problem *problem, const double *target, const double *environment,
                         const double *parameters, const double *outcome, double *sum)
{
  double reward = NAN;
  const bool present = true;
  const fcps_status status =
      problem->reward(problem->user, 1, target, environment, parameters, outcome, &present, &reward);
  *sum += reward;
  return status;
}

/* Doing nothing in one context. */
static fcps_status be_idle(fcps_task *task, const double *target, const double *environment, double *room, double *mean)
{
  const fcps_problem *problem = fcps_task_problem(task);
  double *parameters = room, *outcome = room + problem->parameters.count;
  *mean = NAN;
  if (!fcps_task_idle(task, environment, outcome)) return FCPS_OK;
  *mean = 0;
  return score(problem, target, environment, parameters, outcome, mean);
}

/* Random parameters in one context; rollouts without an outcome do not count. */
static fcps_status try_random(fcps_task *task, fcps_learner *learner, const double *target, const double *environment,
                              double *room, double *mean)
{
  const fcps_problem *problem = fcps_task_problem(task);
  double *parameters = room, *outcome = room + problem->parameters.count, sum = 0;
  int count = 0;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < FCPS_ORACLE_RANDOM_ROLLOUTS && status == FCPS_OK; i++) {
    fcps_rollout rollout;
    int64_t id;
    status = fcps_learner_ask(learner, target, environment, parameters, &id);
    if (status == FCPS_OK) status = fcps_learner_forget(learner, id);
    if (status == FCPS_OK) status = fcps_task_run(task, -1, environment, parameters, outcome, &rollout);
    if (status != FCPS_OK || rollout.outcome == NULL) continue;
    status = score(problem, target, environment, parameters, outcome, &sum);
    count++;
  }
  *mean = sum / count;
  return status;
}

static fcps_status compare(fcps_task *task, fcps_learner *learner, double *room, fcps_oracle_levels *levels)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  fcps_status status = FCPS_OK;
  for (int c = 0; c < contexts->count && status == FCPS_OK; c++) {
    const double *target = contexts->targets + c * problem->target.count;
    const double *environment =
        contexts->environments != NULL ? contexts->environments + c * problem->environment.count : NULL;
    double idle = NAN, random = NAN;
    status = be_idle(task, target, environment, room, &idle);
    if (status == FCPS_OK) status = try_random(task, learner, target, environment, room, &random);
    levels->idle += idle / contexts->count;
    levels->random += random / contexts->count;
  }
  return status;
}

fcps_status fcps_oracle_measure(fcps_task *task, uint64_t seed, fcps_oracle_levels *levels, fcps_error *error)
{
  if (task == NULL) return fcps_error_null(error, "task");
  if (levels == NULL) return fcps_error_null(error, "levels");
  const fcps_problem *problem = fcps_task_problem(task);
  double *room = fcps_allocate((size_t)(problem->parameters.count + problem->outcome.count), sizeof *room);
  fcps_learner *learner = NULL;
  *levels = (fcps_oracle_levels){.best = fcps_task_optimum(task)};
  fcps_status status =
      room != NULL ? fcps_learner_create(&learner, problem, "random", NULL, seed, error) : fcps_error_memory(error);
  if (status == FCPS_OK && (status = compare(task, learner, room, levels)) != FCPS_OK)
    fcps_error_set(error, status, "task", "the rollouts for comparison failed");
  fcps_learner_destroy(learner);
  free(room);
  return status;
}
