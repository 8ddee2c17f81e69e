/* SPDX-License-Identifier: Apache-2.0 */
/* The default learner with untouched settings closes nine tenths of the gap between random parameters and the best ones
 * within fifty rollouts, on problems of many shapes. FCPS_TEST_LONG=1: with more seeds. */
#include "check.h"
#include "learner/problems.h"

#include <fcps/learner.h>

#include <stdlib.h>
#include <string.h>

enum { QUICK_SEEDS = 5, SEEDS = 10, ROLLOUTS = 50, CONTEXTS = 20, RANDOM = 200, CANDIDATES = 3000, STEPS = 2000 };

typedef struct evaluation {
  double targets[CONTEXTS][8], environments[CONTEXTS][8];
  double random, best; /* mean reward of random parameters, and of the best parameters that the simulator finds */
} evaluation;

/* Random search, then ever smaller steps. */
static double best_value(const toy_task *task, fcps_rng *rng, const double *target, const double *environment)
{
  const fcps_space *space = &task->problem.parameters;
  double x[8], best_unit[8] = {0}, parameters[8], best = -INFINITY;
  for (int i = 0; i < CANDIDATES + STEPS; i++) {
    const double width = 0.2 * pow(0.001, (double)(i - CANDIDATES) / STEPS);
    for (int d = 0; d < space->count; d++)
      x[d] = i < CANDIDATES ? fcps_rng_uniform(rng) : fmin(fmax(best_unit[d] + width * fcps_rng_normal(rng), 0), 1);
    fcps_space_from_unit(space, x, parameters);
    const double value = toy_value(task, target, environment, parameters);
    if (value <= best) continue;
    best = value;
    memcpy(best_unit, x, sizeof x);
  }
  return best;
}

static void evaluate_limits(const toy_task *task, evaluation *e)
{
  fcps_rng rng = fcps_rng_stream(77, FCPS_PURPOSE_EVALUATION, 0);
  e->random = e->best = 0;
  for (int i = 0; i < CONTEXTS; i++) {
    toy_context(task, &rng, e->targets[i], e->environments[i]);
    e->best += best_value(task, &rng, e->targets[i], e->environments[i]) / CONTEXTS;
    for (int k = 0; k < RANDOM; k++) {
      double x[8], parameters[8];
      fcps_rng_uniforms(&rng, task->problem.parameters.count, x);
      fcps_space_from_unit(&task->problem.parameters, x, parameters);
      e->random += toy_value(task, e->targets[i], e->environments[i], parameters) / (CONTEXTS * RANDOM);
    }
  }
}

static void learn(const toy_task *task, fcps_learner *learner, uint64_t seed)
{
  for (int episode = 0; episode < ROLLOUTS; episode++) {
    fcps_rng contexts = fcps_rng_stream(seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
    fcps_rng noise = fcps_rng_stream(seed, FCPS_PURPOSE_NOISE, (uint64_t)episode);
    double target[8], environment[8], parameters[8], outcome[8];
    int64_t id;
    toy_context(task, &contexts, target, environment);
    assert_ok(fcps_learner_ask(learner, target, environment, parameters, &id));
    task->simulate(environment, parameters, outcome);
    for (int j = 0; j < task->problem.outcome.count; j++)
      outcome[j] += task->noise * fcps_rng_normal(&noise);
    const fcps_rollout rollout = {
        .target = target, .environment = environment, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
}

static double run(const toy_task *task, const evaluation *e, uint64_t seed)
{
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  fcps_error error;
  double mean = 0, parameters[8];
  assert_ok(fcps_learner_create(&learner, &task->problem, "outcome", NULL, seed, &error));
  learn(task, learner, seed);
  assert_ok(fcps_learner_policy(learner, &policy));
  for (int i = 0; i < CONTEXTS; i++) {
    assert_ok(fcps_policy_query(policy, e->targets[i], e->environments[i], parameters, NULL));
    mean += toy_value(task, e->targets[i], e->environments[i], parameters) / CONTEXTS;
  }
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  return mean;
}

static void closes_nine_tenths_of_the_gap(void **state)
{
  const toy_task *task = *state;
  evaluation e;
  evaluate_limits(task, &e);
  double mean = 0;
  const int seeds = getenv("FCPS_TEST_LONG") != NULL ? SEEDS : QUICK_SEEDS;
  for (int s = 0; s < seeds; s++)
    mean += run(task, &e, (uint64_t)(1001 + s)) / seeds;
  const double closed = (mean - e.random) / (e.best - e.random);
  print_message("%s: random %.3f, learnt %.3f, best %.3f: %.1f %% of the gap\n", task->name, e.random, mean, e.best,
                100 * closed);
  assert_true(closed >= 0.9);
}

int main(void)
{
  struct CMUnitTest tests[TOY_TASKS];
  for (int i = 0; i < TOY_TASKS; i++)
    tests[i] = (struct CMUnitTest){.name = toy_tasks[i].name,
                                   .test_func = closes_nine_tenths_of_the_gap,
                                   .initial_state = (void *)(uintptr_t)(toy_tasks + i)};
  return cmocka_run_group_tests_name("learner/problems", tests, NULL, NULL);
}
