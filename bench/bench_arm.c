/* SPDX-License-Identifier: Apache-2.0 */
/* The retargeting example of limbo [cully2018] on the same arm: six joints, one of them stuck. Counts the rollouts
 * until the tip is within 0.1 of the first target, then the additional rollouts until it is within 0.1 of the second. A
 * rollout for the first target also counts for the second if it reached that.
 *
 * limbo's figures come from 25 runs of its published example, which chooses its own seeds: 10 random rollouts, then at
 * most 100 per target, with the kinematics of the intact arm as prior mean. Our learner has no prior knowledge of the
 * arm; its limit is the same.
 */
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

#include <math.h>
#include <stdlib.h>

enum { SEEDS = 30, CAP_FIRST = 110, CAP_SECOND = 100, MOST = CAP_FIRST + CAP_SECOND };

typedef struct run {
  int rollouts[2];
  bool reached[2];
  double seconds;
} run;

static bool is_near(const double *tip, const double *target)
{
  return hypot(tip[0] - target[0], tip[1] - target[1]) < 0.1;
}

/* Asks, runs and tells until the tip is near the target or the limit of rollouts is reached. */
static void reach(fcps_task *task, fcps_learner *learner, int part, const double *target, double tips[MOST][2],
                  int *made, run *r)
{
  for (int i = 0; i < *made; i++)
    r->reached[part] |= is_near(tips[i], target);
  for (int cap = part == 0 ? CAP_FIRST : CAP_SECOND; !r->reached[part] && r->rollouts[part] < cap; (*made)++) {
    double parameters[6];
    int64_t id;
    fcps_rollout result;
    const double start = measure_seconds();
    measure_require(fcps_learner_ask(learner, target, NULL, parameters, &id), "ask");
    r->seconds += measure_seconds() - start;
    measure_require(fcps_task_run(task, *made, NULL, parameters, tips[*made], &result), "run");
    const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = tips[*made]};
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
    r->reached[part] = is_near(tips[*made], target);
    r->rollouts[part]++;
  }
}

static run both_targets(const char *name, uint64_t seed)
{
  fcps_task *task;
  fcps_learner *learner;
  fcps_error error;
  double tips[MOST][2];
  run r = {0};
  int made = 0;
  measure_require(fcps_task_create(&task, "arm-retarget", NULL, seed, &error), "arm-retarget");
  measure_require(fcps_learner_create(&learner, fcps_task_problem(task), name, NULL, seed, &error), name);
  for (int part = 0; part < 2; part++)
    reach(task, learner, part, fcps_task_evaluation(task)->targets + 2 * part, tips, &made, &r);
  fcps_learner_destroy(learner);
  fcps_task_destroy(task);
  return r;
}

static double median_of(int count, const double *values)
{
  double sorted[SEEDS];
  for (int i = 0; i < count; i++)
    sorted[i] = values[i];
  return measure_summarize(count, sorted).median;
}

static void print(const char *label, double runs, double first, double second, double both, double median_first,
                  double median_second, double seconds)
{
  measure_row(label, (const measure_value[]){{"runs", runs},
                                             {"first reached", first},
                                             {"second reached", second},
                                             {"both reached", both},
                                             {"first rollouts", median_first},
                                             {"second more", median_second},
                                             {"seconds", seconds},
                                             {NULL, 0}});
}

static void measure(const char *name)
{
  double first[SEEDS], second[SEEDS], seconds[SEEDS];
  int reached[2] = {0}, both = 0;
  for (int s = 0; s < SEEDS; s++) {
    const run r = both_targets(name, (uint64_t)(s + 1));
    first[s] = r.rollouts[0];
    second[s] = r.rollouts[1];
    seconds[s] = r.seconds;
    reached[0] += r.reached[0];
    reached[1] += r.reached[1];
    both += r.reached[0] && r.reached[1];
  }
  print(name, SEEDS, reached[0], reached[1], both, median_of(SEEDS, first), median_of(SEEDS, second),
        median_of(SEEDS, seconds));
}

int main(void)
{
  measure_begin("arm-retarget",
                "a broken arm, two targets: runs that reached them, median rollouts (cap counted), seconds");
  measure("outcome");
  measure("bo-fcps");
  print("limbo's code, as recorded", 25, 18, 19, 15, 39, 48, 3.0);
  return 0;
}
