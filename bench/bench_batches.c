/* SPDX-License-Identifier: Apache-2.0 */
/* Trials in batches: 150 shots of the cannon, asked for and told in batches, each shot at its own target. Rows with
 * `initial` make single shots after a design with as many shots as a batch. A learner that has no results for the first
 * batch cannot do better than that afterwards, unless its shots teach more. No claim uses these seeds. */
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

#include <math.h>
#include <string.h>

enum { EPISODES = 150, FIRST_SEED = 1000, SEEDS = 24, LARGEST = 8 };

/* A learner and its way of asking: a row of the table. */
typedef struct arm {
  const char *label, *learner;
  fcps_setting settings[2];
  int batch;
} arm;

/* Cumulative rewards are printed after these numbers of shots. */
enum { FIRST = 8, MIDDLE = 50 };
typedef struct learning {
  double first, middle, last;
} learning;

/* One shot that waits for its result. */
typedef struct shot {
  double target[2], parameters[3];
  int64_t id;
} shot;

static void ask(fcps_learner *learner, const fcps_task *task, int episode, shot *s)
{
  fcps_task_context(task, episode, s->target, NULL);
  measure_require(fcps_learner_ask(learner, s->target, NULL, s->parameters, &s->id), "ask");
}

static double shoot_and_tell(fcps_learner *learner, fcps_task *task, int episode, const shot *s)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const bool is_present = true;
  double outcome[2], reward;
  fcps_rollout rollout;
  measure_require(fcps_task_run(task, episode, NULL, s->parameters, outcome, &rollout), "shot");
  rollout.target = s->target;
  measure_require(fcps_learner_tell(learner, s->id, &rollout), "tell");
  measure_require(problem->reward(problem->user, 1, s->target, NULL, s->parameters, outcome, &is_present, &reward),
                  "reward");
  return reward;
}

static learning learn(const arm *a, uint64_t seed)
{
  fcps_task *task;
  fcps_learner *learner;
  fcps_error error;
  measure_require(fcps_task_create(&task, "cannon", NULL, seed, &error), "cannon");
  measure_require(fcps_learner_create(&learner, fcps_task_problem(task), a->learner, a->settings, seed, &error),
                  a->learner);
  learning result = {0};
  double sum = 0;
  for (int start = 0; start < EPISODES; start += a->batch) {
    const int count = EPISODES - start < a->batch ? EPISODES - start : a->batch;
    shot shots[LARGEST];
    for (int i = 0; i < count; i++)
      ask(learner, task, start + i, shots + i);
    for (int i = 0; i < count; i++) {
      sum += shoot_and_tell(learner, task, start + i, shots + i);
      if (start + i + 1 == FIRST) result.first = sum;
      if (start + i + 1 == MIDDLE) result.middle = sum;
    }
  }
  result.last = sum;
  fcps_learner_destroy(learner);
  fcps_task_destroy(task);
  return result;
}

/* Prints the mean over seeds as a row, with the loss compared with `single` (NULL in the first row) and its standard
 * error. */
static void report(const arm *a, const learning *runs, const learning *single)
{
  learning mean = {0};
  double reference = 0, squares = 0;
  for (int i = 0; i < SEEDS; i++) {
    mean.first += runs[i].first / SEEDS;
    mean.middle += runs[i].middle / SEEDS;
    mean.last += runs[i].last / SEEDS;
    reference += single[i].last / SEEDS;
  }
  for (int i = 0; i < SEEDS; i++)
    squares += pow(runs[i].last - single[i].last - mean.last + reference, 2.0);
  measure_row(a->label, (const measure_value[]){{"at 8", mean.first},
                                                {"at 50", mean.middle},
                                                {"at 150", mean.last},
                                                {"lost %", 100 * (mean.last - reference) / reference + 0.0},
                                                {"error %", -100 * sqrt(squares / (SEEDS - 1) / SEEDS) / reference},
                                                {NULL, 0}});
}

int main(void)
{
  static const arm arms[] = {{"outcome, one at a time", "outcome", {{NULL, NULL}}, 1},
                             {"outcome, 4 at once", "outcome", {{NULL, NULL}}, 4},
                             {"outcome, 8 at once", "outcome", {{NULL, NULL}}, 8},
                             {"outcome, initial=4", "outcome", {{"initial", "4"}}, 1},
                             {"outcome, initial=8", "outcome", {{"initial", "8"}}, 1},
                             {"bo-fcps, one at a time", "bo-fcps", {{NULL, NULL}}, 1},
                             {"bo-fcps, 4 at once", "bo-fcps", {{NULL, NULL}}, 4},
                             {"bo-fcps, 8 at once", "bo-fcps", {{NULL, NULL}}, 8}};
  learning single[SEEDS], runs[SEEDS];
  measure_begin("batches", "150 shots of the cannon in batches, 24 seeds: mean cumulative reward, and what is lost "
                           "against one at a time");
  for (size_t r = 0; r < sizeof arms / sizeof *arms; r++) {
    const bool is_reference = r == 0 || strcmp(arms[r].learner, arms[r - 1].learner) != 0;
    for (int i = 0; i < SEEDS; i++) {
      runs[i] = learn(arms + r, (uint64_t)(FIRST_SEED + i));
      if (is_reference) single[i] = runs[i];
    }
    report(arms + r, runs, single);
  }
  return 0;
}
