/* SPDX-License-Identifier: Apache-2.0 */
/* The broken arm: its kinematics, its stuck joint and its change of target. */
#include "check.h"

#include <fcps/lab/task.h>

static fcps_task *make(const char *period)
{
  fcps_task *task = NULL;
  fcps_error error;
  const fcps_setting settings[] = {{"period", period}, {"switch", "3"}, {NULL, NULL}};
  assert_ok(fcps_task_create(&task, "arm-retarget", settings, 1, &error));
  return task;
}

static void tip_of(fcps_task *task, const double *joints, double *tip)
{
  fcps_rollout result;
  assert_ok(fcps_task_run(task, 0, NULL, joints, tip, &result));
  assert_non_null(result.outcome);
}

/* Stretched out, folded by half a turn after the third link, and with a quarter turn at the base. */
static void the_tip_is_where_six_links_end(void **state)
{
  (void)state;
  const double pi = 3.14159265358979323846;
  const double joints[3][6] = {{0}, {0, 0, 0, pi, 0, 0}, {pi / 2, 0, 0, 0, 0, 0}};
  const double expected[3][2] = {{6, 0}, {0, 0}, {0, 6}};
  fcps_task *task = make("on");
  for (int i = 0; i < 3; i++) {
    double tip[2];
    tip_of(task, joints[i], tip);
    assert_near(tip[0], expected[i][0], 1e-12);
    assert_near(tip[1], expected[i][1], 1e-12);
  }
  fcps_task_destroy(task);
}

static void the_second_joint_is_stuck(void **state)
{
  (void)state;
  const double joints[2][6] = {{0.3, 0.0, 1, 2, 3, 4}, {0.3, 2.5, 1, 2, 3, 4}};
  double tip[2][2];
  fcps_task *task = make("on");
  tip_of(task, joints[0], tip[0]);
  tip_of(task, joints[1], tip[1]);
  assert_memory_equal(tip[0], tip[1], sizeof tip[0]);
  fcps_task_destroy(task);
}

static void the_target_changes_after_the_switch_and_the_period_is_a_setting(void **state)
{
  (void)state;
  fcps_task *task = make("on"), *plain = make("off");
  double target[2];
  fcps_task_context(task, 2, target, NULL);
  assert_true(target[0] == 1.0 && target[1] == 1.0);
  fcps_task_context(task, 3, target, NULL);
  assert_true(target[0] == 1.5 && target[1] == 1.0);
  assert_int_equal(fcps_task_evaluation(task)->count, 2);
  assert_true(fcps_task_problem(task)->parameters.dims[5].period > 6.28);
  assert_true(fcps_task_problem(plain)->parameters.dims[5].period == 0);
  fcps_task_destroy(task);
  fcps_task_destroy(plain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tip_is_where_six_links_end),
      cmocka_unit_test(the_second_joint_is_stuck),
      cmocka_unit_test(the_target_changes_after_the_switch_and_the_period_is_a_setting),
  };
  return cmocka_run_group_tests_name("task/arm", tests, NULL, NULL);
}
