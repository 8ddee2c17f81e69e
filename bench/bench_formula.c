/* SPDX-License-Identifier: Apache-2.0 */
/* What a formula as reward costs: parameters for 1,000 new targets of the cannon from N shots, and an ask, with other
 * rewards than the distance.
 *
 *   retarget s   processor seconds for all targets: the median
 *   ask ms       processor time of an ask: the median
 *   ratio        of the retargeting to that with `-distance`, in the same run
 */
#include "measure.h"
#include "problem/reward.h"
#include "shots.h"

#include <stdlib.h>

enum { TARGETS = 1000, REPEATS = 5, ASKS = 9 };

static const struct reward {
  const char *name, *text;
} rewards[] = {{"distance", "-distance"},
               {"absolute", "-abs(land_x-x)-abs(land_y-y)-0.01*speed"},
               {"squares", "-(land_x-x)^2-(land_y-y)^2-0.01*speed"},
               {"largest", "-max(abs(land_x-x),abs(land_y-y))-0.01*speed"}};

/* A learner of the cannon with another reward, which knows `count` random shots. */
static fcps_learner *learn(fcps_task *task, const fcps_problem *problem, int count)
{
  fcps_learner *learner;
  fcps_error error;
  double parameters[3];
  measure_require(fcps_learner_create(&learner, problem, "outcome", NULL, 1, &error), "learner");
  for (int e = 0; e < count; e++) {
    shots_parameters(&problem->parameters, e, parameters);
    shots_tell(task, learner, e, FCPS_NOT_ASKED, parameters);
  }
  return learner;
}

static measure_summary time_retargeting(fcps_task *task, fcps_learner *learner)
{
  double *targets = malloc(5 * TARGETS * sizeof *targets), seconds[REPEATS];
  fcps_policy *policy;
  measure_require(targets != NULL ? FCPS_OK : FCPS_ERR_MEMORY, "targets");
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  for (int i = 0; i < TARGETS; i++)
    fcps_task_context(task, 1000000 + i, targets + 2 * i, NULL);
  for (int r = 0; r < REPEATS; r++) {
    const double start = measure_seconds();
    measure_require(fcps_policy_query_batch(policy, TARGETS, targets, NULL, targets + 2 * TARGETS, NULL, NULL),
                    "query");
    seconds[r] = measure_seconds() - start;
  }
  fcps_policy_destroy(policy);
  free(targets);
  return measure_summarize(REPEATS, seconds);
}

static measure_summary time_asks(fcps_task *task, fcps_learner *learner, int first)
{
  double seconds[ASKS];
  for (int i = 0; i < ASKS; i++)
    seconds[i] = shots_ask(task, learner, first + i);
  return measure_summarize(ASKS, seconds);
}

/* Measures one reward; returns the seconds of the retargeting. */
static double measure_reward(fcps_task *task, const struct reward *reward, int n, double distance)
{
  static const char *const achieved[] = {"land_x", "land_y"};
  fcps_problem problem = *fcps_task_problem(task);
  fcps_reward *formula;
  fcps_error error;
  problem.gradient = NULL;
  problem.presence = NULL;
  measure_require(fcps_reward_create(&formula, &problem, reward->text, achieved, &error), reward->name);
  fcps_learner *learner = learn(task, &problem, n);
  const measure_summary retargeting = time_retargeting(task, learner), asks = time_asks(task, learner, n);
  measure_row(reward->name, (const measure_value[]){{"N", n},
                                                    {"retarget s", retargeting.median},
                                                    {"spread s", retargeting.spread},
                                                    {"ratio", distance > 0 ? retargeting.median / distance : 1.0},
                                                    {"ask ms", 1e3 * asks.median},
                                                    {NULL, 0}});
  fcps_learner_destroy(learner);
  fcps_reward_destroy(formula);
  return retargeting.median;
}

int main(void)
{
  static const int sizes[] = {60, 500};
  fcps_task *task;
  fcps_error error;
  measure_begin("formula",
                "parameters for 1,000 new targets and asks, with other rewards than the distance, from N rollouts");
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    double distance = 0.0;
    for (size_t r = 0; r < sizeof rewards / sizeof *rewards; r++) {
      const double seconds = measure_reward(task, &rewards[r], sizes[s], distance);
      if (r == 0) distance = seconds;
    }
  }
  fcps_task_destroy(task);
  return 0;
}
