/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon whose indicator is part of the target: the ball always flies, and every trial has a reward for every I. */
#include "check.h"

#include <fcps/lab/task.h>

static fcps_task *make(const char *name, const fcps_setting *settings)
{
  fcps_task *task = NULL;
  fcps_error error;
  assert_ok(fcps_task_create(&task, name, settings, 1004, &error));
  return task;
}

static void the_ball_flies_as_the_cannons(void **state)
{
  (void)state;
  fcps_task *task = make("cannon-objective", NULL), *cannon = make("cannon", NULL);
  const double parameters[3] = {1.0, 0.7, 3.0};
  double a[2], b[2];
  fcps_rollout shot, same;
  assert_ok(fcps_task_run(task, 5, NULL, parameters, a, &shot));
  assert_ok(fcps_task_run(cannon, 5, NULL, parameters, b, &same));
  assert_memory_equal(a, b, sizeof a);
  assert_int_equal(fcps_task_problem(task)->environment.count, 0);
  fcps_task_destroy(task);
  fcps_task_destroy(cannon);
}

static void the_indicator_chooses_between_two_rewards_of_one_trial(void **state)
{
  (void)state;
  fcps_task *task = make("cannon-objective", NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  const double hit[3] = {3, 4, 0.1}, rest[3] = {3, 4, 0.1000001}, parameters[3] = {2, 1, 2}, outcome[2] = {0, 0};
  const bool present = true, absent = false;
  double reward;
  assert_ok(problem->reward(problem->user, 1, hit, NULL, parameters, outcome, &present, &reward));
  assert_near(reward, -5 - 0.05 * 4, 1e-12);
  assert_ok(problem->reward(problem->user, 1, rest, NULL, parameters, outcome, &present, &reward));
  assert_near(reward, -3, 1e-12);
  assert_ok(problem->reward(problem->user, 1, hit, NULL, parameters, outcome, &absent, &reward));
  assert_true(isnan(reward)); /* a shot that nobody saw */
  fcps_task_destroy(task);
}

/* The contexts of cannon-active, where the indicator is an environment. */
static void contexts_are_those_of_the_other_reading(void **state)
{
  (void)state;
  fcps_task *task = make("cannon-objective", NULL), *other = make("cannon-active", NULL);
  for (int i = 0; i < 50; i++) {
    double a[3], b[2], indicator;
    fcps_task_context(task, i, a, NULL);
    fcps_task_context(other, i, b, &indicator);
    assert_memory_equal(a, b, sizeof b);
    assert_true(a[2] == indicator);
  }
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  assert_int_equal(contexts->count, 64);
  for (int i = 0; i < contexts->count; i++)
    assert_near(contexts->targets[3 * i + 2], 0.05, 0);
  fcps_task_destroy(task);
  fcps_task_destroy(other);
}

static void the_best_policy_is_the_cannons_or_does_as_little_as_possible(void **state)
{
  (void)state;
  const fcps_setting resting[] = {{"evaluation_indicator", "0.5"}, {NULL, NULL}},
                     coarse[] = {{"grid", "8"}, {NULL, NULL}};
  fcps_task *task = make("cannon-objective", NULL), *rest = make("cannon-objective", resting),
            *cannon = make("cannon", coarse);
  assert_near(fcps_task_optimum(task), fcps_task_optimum(cannon), 0);
  assert_near(fcps_task_optimum(rest), -sqrt(0.01 * 0.01 + 0.1 * 0.1), 1e-12);
  fcps_task_destroy(task);
  fcps_task_destroy(rest);
  fcps_task_destroy(cannon);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ball_flies_as_the_cannons),
      cmocka_unit_test(the_indicator_chooses_between_two_rewards_of_one_trial),
      cmocka_unit_test(contexts_are_those_of_the_other_reading),
      cmocka_unit_test(the_best_policy_is_the_cannons_or_does_as_little_as_possible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
