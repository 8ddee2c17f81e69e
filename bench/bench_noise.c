/* SPDX-License-Identifier: Apache-2.0 */
/* The gain from telling how exact each result is, and the cost of repeated trials.
 *
 *   bench_noise [LEARNER [FIRST LAST [TRIALS]]]      outcome, seeds 1001 to 1006, 60 trials
 *
 * The tasks run without their own noise. Each outcome then gets Gaussian noise whose deviation differs from trial to
 * trial: one in three trials is measured roughly (60 % of the outcome's spread), the others well (1 %). The spread is
 * that of 100 trials with random parameters. The table has rewards of the policy, without noise, in 50 of the task's
 * evaluation contexts, and the standard error of their mean over seeds:
 *
 *   told       with the deviations
 *   silent     with the same noise, but without the deviations
 *   thrice     every ask is tried three times at once, with the deviations, so there are a third as many asks
 *   merged     as thrice, but told as one result: the weighted mean with its deviation
 *   exact      without noise, for comparison
 */
#include "measure.h"

#include <fcps/lab/task.h>
#include <fcps/learner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32, PROBES = 100, CONTEXTS = 50 };
typedef enum mode { TOLD, SILENT, THRICE, MERGED, EXACT, MODES } mode;
static const char *const mode_names[MODES] = {"told", "silent", "thrice", "merged", "exact"};
static const char *const tasks[] = {"reactor", "dosing", "reach", "cannon"};

/* The standard deviation of each outcome over random trials. */
static void find_spread(fcps_task *task, uint64_t seed, double *spread)
{
  const fcps_problem *p = fcps_task_problem(task);
  double sum[MOST] = {0}, squares[MOST] = {0}, target[MOST], environment[MOST], parameters[MOST], outcome[MOST];
  int seen = 0;
  for (int i = 0; i < PROBES; i++) {
    fcps_rollout rollout;
    fcps_task_context(task, i, target, environment);
    for (int d = 0; d < p->parameters.count; d++) {
      const fcps_dimension *dim = p->parameters.dims + d;
      const double u = measure_uniform_at(seed, (uint64_t)(1000000 + i * MOST + d));
      parameters[d] = dim->scale == FCPS_SCALE_LOG ? dim->lower * pow(dim->upper / dim->lower, u)
                                                   : dim->lower + u * (dim->upper - dim->lower);
      if (dim->scale == FCPS_SCALE_INTEGER) parameters[d] = round(parameters[d]);
    }
    measure_require(fcps_task_run(task, -1, environment, parameters, outcome, &rollout), "probe");
    if (rollout.outcome == NULL) continue;
    seen++;
    for (int o = 0; o < p->outcome.count; o++) {
      sum[o] += outcome[o];
      squares[o] += outcome[o] * outcome[o];
    }
  }
  for (int o = 0; o < p->outcome.count; o++)
    spread[o] = sqrt(fmax(0, squares[o] / seen - sum[o] / seen * (sum[o] / seen)));
}

/* One run of a learner on a task. */
typedef struct experiment {
  fcps_task *task;
  fcps_learner *learner;
  mode how;
  uint64_t seed;
  double spread[MOST], target[MOST], environment[MOST], parameters[MOST]; /* of the present ask */
} experiment;

/* Runs the present ask with noise number `trial`. Outcome and deviations go into the caller's arrays. */
static fcps_rollout run_trial(const experiment *e, int trial, double *outcome, double *deviation)
{
  const int q = fcps_task_problem(e->task)->outcome.count;
  const double share = e->how == EXACT ? 0.0 : trial % 3 == 0 ? 0.6 : 0.01;
  fcps_rollout rollout;
  measure_require(fcps_task_run(e->task, -1, e->environment, e->parameters, outcome, &rollout), "run");
  for (int o = 0; o < q; o++) {
    deviation[o] = share * e->spread[o];
    if (rollout.outcome != NULL) outcome[o] += deviation[o] * measure_normal_at(e->seed, (uint64_t)(trial * MOST + o));
  }
  rollout.target = e->target;
  rollout.environment = e->environment;
  rollout.parameters = e->parameters;
  const bool is_told = rollout.outcome != NULL && e->how != SILENT && e->how != EXACT;
  if (is_told) rollout.outcome_deviation = deviation;
  return rollout;
}

/* Makes three trials of an ask and tells them one by one, or as their weighted mean. */
static void repeat(const experiment *e, int64_t id, int trial)
{
  const int q = fcps_task_problem(e->task)->outcome.count;
  double outcome[3][MOST], deviation[3][MOST];
  fcps_rollout rollout = {0};
  for (int k = 0; k < 3; k++) {
    rollout = run_trial(e, trial + k, outcome[k], deviation[k]);
    if (e->how == THRICE)
      measure_require(fcps_learner_tell(e->learner, k == 0 ? id : FCPS_NOT_ASKED, &rollout), "tell");
  }
  if (e->how == THRICE) return;
  for (int o = 0; o < q; o++) {
    double weight = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
      weight += 1 / (deviation[k][o] * deviation[k][o]);
      sum += outcome[k][o] / (deviation[k][o] * deviation[k][o]);
    }
    outcome[2][o] = sum / weight;
    deviation[2][o] = sqrt(1 / weight);
  }
  measure_require(fcps_learner_tell(e->learner, id, &rollout), "tell");
}

/* Mean reward of the policy without noise, in contexts spread over those of the task's evaluation. */
static double evaluate(experiment *e, fcps_policy *policy)
{
  const fcps_problem *p = fcps_task_problem(e->task);
  const fcps_evaluation *contexts = fcps_task_evaluation(e->task);
  double sum = 0;
  for (int i = 0; i < CONTEXTS; i++) {
    const size_t row = (size_t)i * (size_t)contexts->count / CONTEXTS;
    const double *target = contexts->targets + row * (size_t)p->target.count;
    const double *environment = contexts->environments + row * (size_t)p->environment.count;
    double outcome[MOST], reward = NAN;
    fcps_rollout rollout;
    measure_require(fcps_policy_query(policy, target, environment, e->parameters, NULL), "query");
    measure_require(fcps_task_run(e->task, -1, environment, e->parameters, outcome, &rollout), "run");
    const bool is_present = rollout.outcome != NULL;
    measure_require(p->reward(p->user, 1, target, environment, e->parameters, outcome, &is_present, &reward), "reward");
    sum += rollout.status == FCPS_ROLLOUT_OK ? reward : contexts->failure_reward;
  }
  return sum / CONTEXTS;
}

static double run(const char *name, const char *learner, mode how, uint64_t seed, int trials)
{
  experiment e = {.how = how, .seed = seed};
  fcps_policy *policy = NULL;
  measure_require(fcps_task_create(&e.task, name, NULL, seed, NULL), name);
  measure_require(fcps_learner_create(&e.learner, fcps_task_problem(e.task), learner, NULL, seed, NULL), "learner");
  find_spread(e.task, seed, e.spread);
  const int times = how == THRICE || how == MERGED ? 3 : 1;
  for (int trial = 0; trial < trials; trial += times) {
    int64_t id;
    fcps_task_context(e.task, trial / times, e.target, e.environment);
    measure_require(fcps_learner_ask(e.learner, e.target, e.environment, e.parameters, &id), "ask");
    if (times > 1) {
      repeat(&e, id, trial);
    } else {
      double outcome[MOST], deviation[MOST];
      const fcps_rollout rollout = run_trial(&e, trial, outcome, deviation);
      measure_require(fcps_learner_tell(e.learner, id, &rollout), "tell");
    }
  }
  measure_require(fcps_learner_policy(e.learner, &policy), "policy");
  const double reward = evaluate(&e, policy);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(e.learner);
  fcps_task_destroy(e.task);
  return reward;
}

int main(int argc, char **argv)
{
  const char *learner = argc > 1 ? argv[1] : "outcome";
  const int first = argc > 3 ? atoi(argv[2]) : 1001, last = argc > 3 ? atoi(argv[3]) : 1006;
  const int trials = argc > 4 ? atoi(argv[4]) : 60, count = last - first + 1;
  printf("%s, %d trials, seeds %d to %d\n", learner, trials, first, last);
  for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++)
    for (int how = 0; how < MODES; how++) {
      double sum = 0, squares = 0;
      for (int seed = first; seed <= last; seed++) {
        const double reward = run(tasks[t], learner, (mode)how, (uint64_t)seed, trials);
        sum += reward;
        squares += reward * reward;
      }
      const double mean = sum / count, variance = fmax(0, squares / count - mean * mean);
      printf("%-8s %-7s %9.4f +- %.4f\n", tasks[t], mode_names[how], mean, sqrt(variance / count));
      fflush(stdout);
    }
  return 0;
}
