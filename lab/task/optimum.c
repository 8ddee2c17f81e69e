/* SPDX-License-Identifier: Apache-2.0 */
/* The best reward, by brute force. For each context of the evaluation, two fifths of the rollouts are random; the
 * others are normal steps around the best so far, whose deviation shrinks from a fifth to a thousandth of the range. */
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/task_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  fcps_task *task;
  const double *target, *environment;
  double *x, *parameters, *outcome; /* of the candidate */
  double *best;                     /* in the unit cube */
  double best_reward;
} search;

static void propose(search *s, fcps_rng *rng, int trial, int rollouts)
{
  const int n = s->task->problem.parameters.count, random = 2 * rollouts / 5;
  if (trial < random) {
    fcps_rng_uniforms(rng, n, s->x);
    return;
  }
  const double progress = (double)(trial - random) / (rollouts - random), step = 0.2 * pow(0.005, progress);
  for (int i = 0; i < n; i++)
    s->x[i] = fmin(1, fmax(0, s->best[i] + step * fcps_rng_normal(rng)));
}

static fcps_status try_candidate(search *s)
{
  const fcps_problem *problem = &s->task->problem;
  fcps_rollout rollout = {.outcome = NULL};
  fcps_space_from_unit(&problem->parameters, s->x, s->parameters);
  fcps_status status = s->task->ops->run(s->task, -1, s->environment, s->parameters, s->outcome, &rollout);
  if (status != FCPS_OK || rollout.status != FCPS_ROLLOUT_OK) return status;
  const bool is_present = rollout.outcome != NULL;
  double reward;
  status =
      problem->reward(problem->user, 1, s->target, s->environment, s->parameters, s->outcome, &is_present, &reward);
  if (status == FCPS_OK && reward > s->best_reward) {
    s->best_reward = reward;
    memcpy(s->best, s->x, (size_t)problem->parameters.count * sizeof *s->best);
  }
  return status;
}

double fcps_task_search_optimum(fcps_task *task, int rollouts)
{
  if (rollouts <= 0) return NAN;
  const fcps_problem *problem = &task->problem;
  const size_t n = (size_t)problem->parameters.count;
  double *room = fcps_allocate(3 * n + (size_t)problem->outcome.count, sizeof *room);
  if (room == NULL) return NAN;
  search s = {.task = task, .x = room, .parameters = room + n, .best = room + 2 * n, .outcome = room + 3 * n};

  double sum = 0;
  for (int c = 0; c < task->evaluation.count; c++) {
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_SEARCH, (uint64_t)c);
    s.target = task->evaluation.targets + c * problem->target.count;
    s.environment = task->evaluation.environments + c * problem->environment.count;
    s.best_reward = -INFINITY;
    for (int trial = 0; trial < rollouts && !isnan(sum); trial++) {
      propose(&s, &rng, trial, rollouts);
      if (try_candidate(&s) != FCPS_OK) sum = NAN;
    }
    sum += s.best_reward;
  }
  free(room);
  return sum / task->evaluation.count;
}
