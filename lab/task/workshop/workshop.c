/* SPDX-License-Identifier: Apache-2.0 */
/* Mishaps, contexts and evaluations of the workshop's tasks. */
#include "lab/task/workshop/workshop.h"

#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>

static const fcps_setting_row rows[] = {
    FCPS_INTEGER_ROW("failures", fcps_mishaps, failures, "0", 0, 1000,
                     "trials at the start that fail, whatever their parameters"),
    FCPS_INTEGER_ROW(
        "typo", fcps_mishaps, typo, "0", 0, 1000000,
        "the trial whose first outcome is recorded a hundred times too large (if it has no outcome, the next "
        "trial that has one); 0: no trial"),
    FCPS_INTEGER_ROW("unit", fcps_mishaps, unit, "0", -6, 6,
                     "the first outcome is recorded 10^unit times as large, and the reward takes this into account"),
    {.spec.name = NULL},
};

const fcps_setting_table fcps_mishap_settings = {.size = sizeof(fcps_mishaps), .parts = {{rows, 0}}};

/* -- Mishaps -- */

double fcps_mishaps_unit(const fcps_mishaps *mishaps)
{
  return pow(10.0, mishaps->unit);
}

/* Whether the typo happens in this trial. It happens in the first trial, from the number in the setting on, that has an
 * outcome. */
static bool is_mistyped(fcps_mishaps *mishaps, int64_t episode)
{
  const int64_t trial = episode + 1;
  if (mishaps->typo == 0 || trial < mishaps->typo) return false;
  if (mishaps->mistyped == 0) mishaps->mistyped = trial;
  return mishaps->mistyped == trial;
}

void fcps_mishaps_happen(fcps_mishaps *mishaps, fcps_task *task, int64_t episode, double *outcome,
                         fcps_rollout *rollout)
{
  if (rollout->outcome != NULL) outcome[0] *= fcps_mishaps_unit(mishaps);
  if (episode < 0) return;
  if (episode < mishaps->failures) {
    rollout->status = FCPS_ROLLOUT_FAILED;
    rollout->outcome = NULL;
    snprintf(task->message, sizeof task->message, "the power was off");
  }
  if (rollout->outcome != NULL && is_mistyped(mishaps, episode)) outcome[0] *= 100.0;
}

void fcps_workshop_recall(fcps_task *task, int count, const int64_t *episodes)
{
  fcps_mishaps *mishaps = task->state;
  mishaps->mistyped = 0;
  for (int i = 0; i < count; i++)
    (void)is_mistyped(mishaps, episodes[i]);
}

/* -- Contexts -- */

void fcps_workshop_place_evaluations(fcps_task *task, double *targets, double *environments, double failure_reward)
{
  const fcps_problem *problem = &task->problem;
  const int k = problem->target.count, e = problem->environment.count;
  for (int i = 0; i < FCPS_WORKSHOP_EVALUATIONS; i++) {
    double x[FCPS_SPACE_MAX];
    /* a fixed seed, so all tasks have the same shift of the sequence */
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
    fcps_points_halton(&rng, k + e, i + 1, 1, x);
    fcps_space_from_unit(&problem->target, x, targets + k * i);
    fcps_space_from_unit(&problem->environment, x + k, environments + e * i);
  }
  task->evaluation = (fcps_evaluation){.count = FCPS_WORKSHOP_EVALUATIONS,
                                       .targets = targets,
                                       .environments = environments,
                                       .counts_failures = true,
                                       .failure_reward = failure_reward};
}

double fcps_workshop_optimum(fcps_task *task)
{
  return fcps_task_search_optimum(task, 20000);
}
