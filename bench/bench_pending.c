/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an ask while many others have no result: N results are stored, W asks are pending, each of another worker
 * in a context of its own. The first ask fits the model; it is left out. */
#include "measure.h"

#include <fcps/study.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESULTS = 1000, WORKERS = 64, REPEATS = 5, MOST_RATIO = 3 };

static const char throw_yaml[] = "target: {x: [-8, 8], y: [-8, 8]}\n"
                                 "environment: {wind: [-1, 1]}\n"
                                 "parameters: {turn: {range: [0, 360], period: 360}, speed: [1, 10]}\n"
                                 "outcome: [land_x, land_y]\n"
                                 "achieved: {x: land_x, y: land_y}\n"
                                 "reward: -distance - 0.01*speed^2\n"
                                 "learner: {name: outcome}\n";

/* A number in [lower, upper]; the sequence is the same in each run. */
static double between(double lower, double upper)
{
  static uint64_t state = 1004;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return lower + (upper - lower) * (double)(state >> 11) / 9007199254740992.0;
}

static void tell_throw(fcps_study *study)
{
  const double target[] = {between(-8, 8), between(-8, 8)}, wind = between(-1, 1);
  const double parameters[] = {between(0, 360), between(1, 10)};
  const double angle = parameters[0] * acos(-1.0) / 180, reach = parameters[1] * parameters[1] / 9.81;
  const double outcome[] = {reach * cos(angle) + wind + between(-0.05, 0.05),
                            reach * sin(angle) + between(-0.05, 0.05)};
  const fcps_result result = {.rollout = {.target = target,
                                          .environment = &wind,
                                          .parameters = parameters,
                                          .outcome = outcome,
                                          .reward = NAN,
                                          .hindsight_reward = NAN},
                              .client = "bench"};
  measure_require(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL), "tell");
}

/* Processor seconds of an ask that stays pending. */
static double ask_pending(fcps_study *study, int number)
{
  char worker[24];
  const double target[] = {between(-8, 8), between(-8, 8)}, wind = between(-1, 1);
  fcps_ask ask;
  snprintf(worker, sizeof worker, "worker-%d", number);
  const double start = measure_seconds();
  measure_require(fcps_study_ask(study, worker, target, &wind, &ask, NULL), "ask");
  return measure_seconds() - start;
}

int main(void)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 1004};
  double few[REPEATS], many[REPEATS];
  measure_begin("pending",
                "one ask with N results while others are under way: with up to 5 pending, and with 64 and more");
  measure_require(fcps_study_create(&study, NULL, &setup, NULL, NULL), "study");
  for (int i = 0; i < RESULTS; i++)
    tell_throw(study);
  int number = 0;
  ask_pending(study, number++);
  for (int i = 0; i < REPEATS; i++)
    few[i] = ask_pending(study, number++);
  while (number < WORKERS)
    ask_pending(study, number++);
  for (int i = 0; i < REPEATS; i++)
    many[i] = ask_pending(study, number++);
  const double alone = measure_summarize(REPEATS, few).median, crowded = measure_summarize(REPEATS, many).median;
  measure_row("outcome", (measure_value[]){{"N", RESULTS},
                                           {"few pending, s", alone},
                                           {"64 pending, s", crowded},
                                           {"ratio", crowded / alone},
                                           {NULL, 0}});
  fcps_study_close(study);
  if (crowded <= MOST_RATIO * alone) return 0;
  printf("an ask with %d pending takes more than %d times that with few\n", WORKERS, MOST_RATIO);
  return 1;
}
