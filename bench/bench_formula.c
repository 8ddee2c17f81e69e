/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a formula as reward: the time for the parameters of 1,000 new targets of the cannon from N shots, and for
 * an ask, with other rewards than the distance; also with a third outcome.
 *
 *   retarget s   processor seconds for all targets: the median
 *   ask ms       processor time of an ask: the median
 *   ratio        time of retargeting divided by that with `-distance` in the same run
 */
#include "measure.h"
#include "problem/reward.h"
#include "shots.h"

#include <stdlib.h>

enum { TARGETS = 1000, REPEATS = 3, ASKS = 9 };

static const struct reward {
  const char *name, *text;
} rewards[] = {{"distance", "-distance"},
               {"absolute", "-abs(land_x-x)-abs(land_y-y)-0.01*speed"},
               {"squares", "-(land_x-x)^2-(land_y-y)^2-0.01*speed"},
               {"largest", "-max(abs(land_x-x),abs(land_y-y))"},
               {"largest, price", "-max(abs(land_x-x),abs(land_y-y))-0.1*speed"},
               {"by hand", "-sqrt((land_x-x)^2+(land_y-y)^2)"},
               {"mixed", "-(land_x-x)^2-abs(land_y-y)"},
               {"product", "-abs(land_x*land_y-x)"},
               {"condition", "land_x > x ? -1 : -abs(land_y-y)"}},
  of_three[] = {{"three: distance", "-distance"},
                {"three: absolute", "-abs(land_x-x)-abs(land_y-y)-abs(power-1)"},
                {"three: two largest", "-max(abs(land_x-x),abs(land_y-y))-abs(power-1)"},
                {"three: by hand", "-sqrt((land_x-x)^2+(land_y-y)^2+(power-1)^2)"},
                {"three: largest", "-max(abs(land_x-x),abs(land_y-y),abs(power-1))"}};

/* Tells a shot, with a third outcome if the problem has one. */
static void tell(fcps_task *task, const fcps_problem *problem, fcps_learner *learner, int episode, int64_t id,
                 const double *parameters)
{
  double target[2], outcome[3];
  fcps_rollout result;
  if (problem->outcome.count == 2) {
    shots_tell(task, learner, episode, id, parameters);
    return;
  }
  fcps_task_context(task, episode, target, NULL);
  measure_require(fcps_task_run(task, episode, NULL, parameters, outcome, &result), "run");
  outcome[2] = 0.1 * parameters[1] * parameters[2];
  const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = outcome};
  measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
}

/* Creates a learner of the cannon with another reward that knows `count` random shots. */
static fcps_learner *learn(fcps_task *task, const fcps_problem *problem, int count)
{
  fcps_learner *learner;
  fcps_error error;
  double parameters[3];
  measure_require(fcps_learner_create(&learner, problem, "outcome", NULL, 1, &error), "learner");
  for (int e = 0; e < count; e++) {
    shots_parameters(&problem->parameters, e, parameters);
    tell(task, problem, learner, e, FCPS_NOT_ASKED, parameters);
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

static measure_summary time_asks(fcps_task *task, const fcps_problem *problem, fcps_learner *learner, int first)
{
  double seconds[ASKS], target[2], parameters[3];
  for (int i = 0; i < ASKS; i++) {
    int64_t id;
    fcps_task_context(task, first + i, target, NULL);
    const double start = measure_seconds();
    measure_require(fcps_learner_ask(learner, target, NULL, parameters, &id), "ask");
    seconds[i] = measure_seconds() - start;
    tell(task, problem, learner, first + i, id, parameters);
  }
  return measure_summarize(ASKS, seconds);
}

/* Measures one reward of two or three outcomes; returns the seconds of the retargeting. */
static double measure_reward(fcps_task *task, const struct reward *reward, int outcomes, int n, double distance)
{
  static const char *const achieved[] = {"land_x", "land_y"};
  fcps_problem problem = *fcps_task_problem(task);
  const fcps_dimension dims[] = {problem.outcome.dims[0], problem.outcome.dims[1], {.name = "power"}};
  fcps_reward *formula;
  fcps_error error;
  problem.gradient = NULL;
  problem.presence = NULL;
  problem.outcome.count = outcomes;
  problem.outcome.dims = dims;
  measure_require(fcps_reward_create(&formula, &problem, reward->text, achieved, &error), reward->name);
  fcps_learner *learner = learn(task, &problem, n);
  const measure_summary retargeting = time_retargeting(task, learner), asks = time_asks(task, &problem, learner, n);
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

static void measure_all(fcps_task *task, int count, const struct reward *all, int outcomes, int n)
{
  double distance = 0.0;
  for (int r = 0; r < count; r++) {
    const double seconds = measure_reward(task, &all[r], outcomes, n, distance);
    if (r == 0) distance = seconds;
  }
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
    measure_all(task, (int)(sizeof rewards / sizeof *rewards), rewards, 2, sizes[s]);
    measure_all(task, (int)(sizeof of_three / sizeof *of_three), of_three, 3, sizes[s]);
  }
  fcps_task_destroy(task);
  return 0;
}
