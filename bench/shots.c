/* SPDX-License-Identifier: Apache-2.0 */
/* The shots come from a small generator of their own, so that the data of a benchmark do not depend on the library that
 * is measured. */
#include "shots.h"

#include "measure.h"

/* A simple generator is good enough for shots. */
void shots_parameters(const fcps_space *space, int64_t episode, double *parameters)
{
  uint64_t bits = (uint64_t)(episode + 1) * 0x9E3779B97F4A7C15u;
  for (int d = 0; d < space->count; d++) {
    bits ^= bits >> 29;
    bits *= 0xBF58476D1CE4E5B9u;
    bits ^= bits >> 32;
    const double u = (double)(bits >> 11) * 0x1p-53;
    parameters[d] = space->dims[d].lower + u * (space->dims[d].upper - space->dims[d].lower);
  }
}

void shots_tell(fcps_task *task, fcps_learner *learner, int64_t episode, int64_t id, const double *parameters)
{
  double target[2], outcome[2];
  fcps_rollout result;
  fcps_task_context(task, episode, target, NULL);
  measure_require(fcps_task_run(task, episode, NULL, parameters, outcome, &result), "run");
  const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = outcome};
  measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
}

fcps_learner *shots_learner(fcps_task *task, const char *name, const fcps_setting *settings, int count)
{
  fcps_learner *learner;
  fcps_error error;
  double parameters[3];
  measure_require(fcps_learner_create(&learner, fcps_task_problem(task), name, settings, 1, &error), name);
  for (int e = 0; e < count; e++) {
    shots_parameters(&fcps_task_problem(task)->parameters, e, parameters);
    shots_tell(task, learner, e, FCPS_NOT_ASKED, parameters);
  }
  return learner;
}

double shots_ask(fcps_task *task, fcps_learner *learner, int64_t episode)
{
  double target[2], parameters[3];
  int64_t id;
  fcps_task_context(task, episode, target, NULL);
  const double start = measure_seconds();
  measure_require(fcps_learner_ask(learner, target, NULL, parameters, &id), "ask");
  const double seconds = measure_seconds() - start;
  shots_tell(task, learner, episode, id, parameters);
  return seconds;
}
