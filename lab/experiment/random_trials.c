/* SPDX-License-Identifier: Apache-2.0 */
/* A policy that draws its parameters is evaluated as any other: what has no outcome or fails counts as the task says. */
#include "lab/experiment/random_trials.h"

#include "base/memory.h"
#include "base/rng.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 50 };

static fcps_status earn(fcps_task *task, fcps_random_trial *t)
{
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  fcps_rollout rollout;
  t->reward = NAN;
  const fcps_status status = fcps_task_run(task, -1, t->environment, t->parameters, t->outcome, &rollout);
  if (status != FCPS_OK) return status;
  if (rollout.status != FCPS_ROLLOUT_OK) {
    if (contexts->counts_failures) t->reward = contexts->failure_reward;
    return FCPS_OK;
  }
  const bool is_present = rollout.outcome != NULL;
  return fcps_problem_score(fcps_task_problem(task), 1, t->target, t->environment, t->parameters, t->outcome,
                            &is_present, &t->reward, NULL);
}

fcps_status fcps_random_trials_visit(fcps_task *task, fcps_status (*visit)(void *user, const fcps_random_trial *trial),
                                     void *user)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  const size_t n = (size_t)problem->parameters.count;
  double *room = fcps_allocate(2 * n + (size_t)problem->outcome.count, sizeof(double));
  fcps_random_trial t = {.x = room, .parameters = room + n, .outcome = room + 2 * n};
  fcps_status status = room != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < contexts->count && status == FCPS_OK; i++) {
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EXPLORE, (uint64_t)i);
    t.target = contexts->targets + (size_t)i * (size_t)problem->target.count;
    t.environment = contexts->environments + (size_t)i * (size_t)problem->environment.count;
    for (int draw = 0; draw < DRAWS && status == FCPS_OK; draw++) {
      fcps_rng_uniforms(&rng, (int)n, t.x);
      fcps_space_from_unit(&problem->parameters, t.x, t.parameters);
      status = earn(task, &t);
      if (status == FCPS_OK) status = visit(user, &t);
    }
  }
  free(room);
  return status;
}
