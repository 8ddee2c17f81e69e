/* SPDX-License-Identifier: Apache-2.0 */
/* The time of `fcps retarget` without its files: parameters for 1,000 new contexts from N stored rollouts, with the fit
 * of the policy. The promise is one second at N = 500 on one core. */
#include "measure.h"

#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONTEXTS = 1000, REPEATS = 3 };
static const double promise_ms = 1000.0;

/* %s: the learner */
static const char throw_yaml[] = "target: {x: [-8, 8], y: [-8, 8]}\n"
                                 "environment: {wind: [-1, 1]}\n"
                                 "parameters: {turn: {range: [0, 6.283185307], period: 6.283185307}, speed: [1, 10]}\n"
                                 "outcome: [land_x, land_y]\n"
                                 "achieved: {x: land_x, y: land_y}\n"
                                 "reward: -distance - 0.01*speed^2\n"
                                 "learner: {name: %s}\n";

/* A low-discrepancy number in [lower, upper): contexts and throws are spread evenly. */
static double spread_number(int64_t index, double step, double lower, double upper)
{
  return lower + (upper - lower) * fmod((double)(index + 1) * step, 1.0);
}

static void context(int64_t i, double *target, double *wind)
{
  target[0] = spread_number(i, 0.7548776662466927, -8, 8);
  target[1] = spread_number(i, 0.5698402909980532, -8, 8);
  *wind = spread_number(i, 0.8191725133961645, -1, 1);
}

static fcps_study *study_with(const char *learner, int rollouts)
{
  char text[sizeof throw_yaml + 32];
  snprintf(text, sizeof text, throw_yaml, learner);
  const fcps_study_setup setup = {.text = text, .text_name = "throw.yaml", .seed = 1};
  fcps_study *study = NULL;
  measure_require(fcps_study_create(&study, NULL, &setup, NULL, NULL), "study");
  for (int i = 0; i < rollouts; i++) {
    double target[2], wind;
    context(i, target, &wind);
    const double throw[2] = {spread_number(i, 0.6710436067037893, 0, 6.283185307),
                             spread_number(i, 0.5497004779019703, 1, 10)};
    const double range = throw[1] * throw[1] / 9.81;
    const double landing[2] = {range * cos(throw[0]) + 0.14 * wind * throw[1], range * sin(throw[0])};
    const fcps_result result = {.rollout.outcome = landing,
                                .rollout.target = target,
                                .rollout.environment = &wind,
                                .rollout.parameters = throw};
    measure_require(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL), "tell");
  }
  return study;
}

static double retarget_seconds(fcps_study *study)
{
  static double targets[2 * CONTEXTS], winds[CONTEXTS], parameters[2 * CONTEXTS], rewards[CONTEXTS],
      deviations[CONTEXTS];
  for (int i = 0; i < CONTEXTS; i++)
    context(100000 + i, targets + 2 * i, winds + i);
  fcps_policy *policy = NULL;
  const double start = measure_seconds();
  measure_require(fcps_study_policy(study, &policy, NULL), "policy");
  measure_require(fcps_policy_query_batch(policy, CONTEXTS, targets, winds, parameters, rewards, deviations), "query");
  const double seconds = measure_seconds() - start;
  fcps_policy_destroy(policy);
  return seconds;
}

static void measure(const char *learner, int rollouts)
{
  double seconds[REPEATS];
  fcps_study *study = study_with(learner, rollouts);
  for (int r = 0; r < REPEATS; r++)
    seconds[r] = retarget_seconds(study);
  fcps_study_close(study);
  const measure_summary summary = measure_summarize(REPEATS, seconds);
  measure_row(learner, (const measure_value[]){{"N", rollouts},
                                               {"ms", 1e3 * summary.median},
                                               {"spread ms", 1e3 * summary.spread},
                                               {"promise ms", rollouts == 500 ? promise_ms : NAN},
                                               {NULL, 0}});
}

int main(void)
{
  static const int sizes[] = {100, 500, 1000};
  measure_begin("study-retarget", "milliseconds for 1,000 new contexts from N rollouts, without a trial");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    measure("bo-fcps", sizes[s]);
    measure("outcome", sizes[s]);
  }
  return 0;
}
