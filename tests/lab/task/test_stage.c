/* SPDX-License-Identifier: Apache-2.0 */
/* The stage: the reward does not depend on the number of targets, and every context can be reached. */
#include "check.h"

#include <fcps/lab/task.h>

#include <stdio.h>
#include <string.h>

enum { AXES = 4 };

static fcps_task *make(int targets, uint64_t seed)
{
  char text[16];
  snprintf(text, sizeof text, "%d", targets);
  const fcps_setting settings[] = {{"targets", text}, {NULL, NULL}};
  fcps_task *task = NULL;
  fcps_error error;
  assert_ok(fcps_task_create(&task, "stage", settings, seed, &error));
  assert_int_equal(fcps_task_problem(task)->target.count, targets);
  assert_int_equal(fcps_task_problem(task)->environment.count, AXES - targets);
  return task;
}

static double reward_of(fcps_task *task, int64_t episode, const double *context, const double *parameters)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const double *target = context, *environment = context + problem->target.count;
  double outcome[AXES], reward;
  fcps_rollout result;
  assert_ok(fcps_task_run(task, episode, environment, parameters, outcome, &result));
  assert_non_null(result.outcome);
  assert_ok(problem->reward(problem->user, 1, target, environment, parameters, outcome, &(bool){true}, &reward));
  return reward;
}

/* Contexts, noise and rewards do not depend on which dimensions are targets; only the knowledge about them does. */
static void the_reward_is_the_same_for_every_share(void **state)
{
  (void)state;
  fcps_task *none = make(0, 5);
  for (int targets = 1; targets <= AXES; targets++) {
    fcps_task *task = make(targets, 5);
    for (int i = 0; i < 20; i++) {
      double wanted[AXES], context[AXES];
      const double parameters[AXES] = {0.1 * i - 1, 0.9 - 0.05 * i, 0.3, sin(i)};
      fcps_task_context(none, i, wanted, wanted);
      fcps_task_context(task, i, context, context + targets);
      assert_memory_equal(context, wanted, sizeof wanted);
      assert_near(reward_of(task, i, context, parameters), reward_of(none, i, wanted, parameters), 1e-14);
    }
    fcps_task_destroy(task);
  }
  fcps_task_destroy(none);
}

/* a = c - (h(a) - a) converges, because the crosstalk shrinks distances. */
static void every_context_can_be_met(void **state)
{
  (void)state;
  fcps_task *task = make(AXES, 6);
  const fcps_evaluation *evaluation = fcps_task_evaluation(task);
  assert_int_equal(evaluation->count, 40);
  for (int i = 0; i < evaluation->count; i++) {
    const double *context = evaluation->targets + AXES * i;
    double parameters[AXES] = {0}, position[AXES];
    fcps_rollout result;
    for (int step = 0; step < 500; step++) {
      assert_ok(fcps_task_run(task, -1, NULL, parameters, position, &result));
      for (int j = 0; j < AXES; j++)
        parameters[j] += context[j] - position[j];
    }
    assert_near(reward_of(task, -1, context, parameters), 0, 1e-9);
  }
  assert_near(fcps_task_optimum(task), 0, 0);
  fcps_task_destroy(task);
}

static void another_seed_is_another_stage(void **state)
{
  (void)state;
  fcps_task *one = make(2, 5), *other = make(2, 6);
  const double context[AXES] = {0.1, 0.2, 0.3, 0.4}, parameters[AXES] = {0.4, -0.3, 0.2, -0.1};
  assert_true(fabs(reward_of(one, -1, context, parameters) - reward_of(other, -1, context, parameters)) > 1e-3);
  assert_true(reward_of(one, 0, context, parameters) != reward_of(one, -1, context, parameters)); /* noise */
  fcps_task_destroy(one);
  fcps_task_destroy(other);
}

static void the_gradient_agrees_with_differences(void **state)
{
  (void)state;
  fcps_task *task = make(2, 5);
  const fcps_problem *p = fcps_task_problem(task);
  const double target[2] = {0.1, -0.2}, environment[2] = {0.3, 0.4}, parameters[AXES] = {0}, step = 1e-6;
  double outcome[AXES] = {0.5, 0.1, -0.3, 0.2}, slope[AXES], none[AXES];
  const bool present = true;
  assert_ok(p->gradient(p->user, 1, target, environment, parameters, outcome, slope, none));
  for (int j = 0; j < AXES; j++) {
    double up, down;
    outcome[j] += step;
    assert_ok(p->reward(p->user, 1, target, environment, parameters, outcome, &present, &up));
    outcome[j] -= 2 * step;
    assert_ok(p->reward(p->user, 1, target, environment, parameters, outcome, &present, &down));
    outcome[j] += step;
    assert_near(slope[j], (up - down) / (2 * step), 1e-8);
    assert_near(none[j], 0, 0);
  }
  fcps_task_destroy(task);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_reward_is_the_same_for_every_share),
      cmocka_unit_test(every_context_can_be_met),
      cmocka_unit_test(another_seed_is_another_stage),
      cmocka_unit_test(the_gradient_agrees_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
