/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon with an indicator: when the ball flies, and the reward if it does not. */
#include "folder.h"

#include <fcps/lab/task.h>

static fcps_task *make(const char *name, const fcps_setting *settings)
{
  fcps_task *task = NULL;
  fcps_error error;
  assert_ok(fcps_task_create(&task, name, settings, 1004, &error));
  return task;
}

static void the_ball_flies_as_the_cannons_up_to_the_limit_and_not_beyond(void **state)
{
  (void)state;
  fcps_task *active = make("cannon-active", NULL), *cannon = make("cannon", NULL);
  const double parameters[3] = {1.0, 0.7, 3.0}, shoot = 0.1, rest = 0.1000001;
  double a[2], b[2];
  fcps_rollout shot, same;
  assert_ok(fcps_task_run(active, 5, &shoot, parameters, a, &shot));
  assert_ok(fcps_task_run(cannon, 5, NULL, parameters, b, &same));
  assert_non_null(shot.outcome);
  assert_memory_equal(a, b, sizeof a);
  assert_ok(fcps_task_run(active, 5, &rest, parameters, a, &shot));
  assert_null(shot.outcome);
  assert_int_equal(shot.status, FCPS_ROLLOUT_OK);
  fcps_task_destroy(active);
  fcps_task_destroy(cannon);
}

static void the_reward_is_the_cannons_or_the_size_of_the_parameters(void **state)
{
  (void)state;
  fcps_task *task = make("cannon-active", NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  const double target[2] = {3, 4}, environments[3] = {0.05, 0.5, 0.02};
  const double parameters[9] = {1, 0.5, 2, 2, 1, 2, 1, 1, 1}, outcomes[6] = {0, 0, 0, 0, 0, 0};
  const bool present[3] = {true, false, false};
  double rewards[3];
  assert_ok(problem->reward(problem->user, 3, target, environments, parameters, outcomes, present, rewards));
  assert_near(rewards[0], -5 - 0.05 * 4, 1e-12);
  assert_near(rewards[1], -3, 1e-12);
  assert_true(isnan(rewards[2])); /* a shot that nobody saw */
  assert_int_equal(problem->environment.count, 1);
  fcps_task_destroy(task);
}

static void contexts_have_the_cannons_targets_and_one_in_ten_shoots(void **state)
{
  (void)state;
  fcps_task *active = make("cannon-active", NULL), *cannon = make("cannon", NULL);
  int shots = 0;
  for (int i = 0; i < 2000; i++) {
    double a[2], b[2], indicator = -1;
    fcps_task_context(active, i, a, &indicator);
    fcps_task_context(cannon, i, b, NULL);
    assert_memory_equal(a, b, sizeof a);
    assert_true(indicator >= 0 && indicator <= 1);
    shots += indicator <= 0.1;
  }
  assert_true(shots > 150 && shots < 250);
  fcps_task_destroy(active);
  fcps_task_destroy(cannon);
}

static void the_evaluation_is_an_eight_by_eight_grid_of_shots(void **state)
{
  (void)state;
  const fcps_setting resting[] = {{"evaluation_indicator", "0.55"}, {"grid", "3"}, {NULL, NULL}};
  fcps_task *task = make("cannon-active", NULL), *rest = make("cannon-active", resting);
  const fcps_evaluation *evaluation = fcps_task_evaluation(task);
  assert_int_equal(evaluation->count, 64);
  assert_int_equal(evaluation->columns, 8);
  for (int i = 0; i < 64; i++)
    assert_near(evaluation->environments[i], 0.05, 0);
  assert_near(evaluation->targets[0], -11, 1e-12);
  assert_near(fcps_task_evaluation(rest)->environments[8], 0.55, 0);
  assert_near(fcps_task_optimum(rest), -sqrt(0.01 * 0.01 + 0.1 * 0.1), 1e-12);
  fcps_task_destroy(task);
  fcps_task_destroy(rest);
}

static void the_rule_of_shooting_can_be_told(void **state)
{
  (void)state;
  const fcps_setting known[] = {{"presence", "known"}, {NULL, NULL}};
  fcps_task *silent = make("cannon-active", NULL), *task = make("cannon-active", known);
  assert_true(fcps_task_problem(silent)->presence == NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  const double indicators[] = {0.0, 0.1, 0.1001, 1.0};
  bool present[4];
  assert_ok(problem->presence(problem->user, 4, indicators, NULL, present));
  assert_true(present[0] && present[1] && !present[2] && !present[3]);
  fcps_task_destroy(silent);
  fcps_task_destroy(task);
}

static void contexts_may_be_shots_alone(void **state)
{
  (void)state;
  const fcps_setting shots[] = {{"indicators", "shots"}, {NULL, NULL}};
  fcps_task *some = make("cannon-active", NULL), *all = make("cannon-active", shots);
  for (int i = 0; i < 200; i++) {
    double a[2], b[2], here, there;
    fcps_task_context(some, i, a, &here);
    fcps_task_context(all, i, b, &there);
    assert_memory_equal(a, b, sizeof a);
    assert_near(there, 0.1 * here, 1e-15);
  }
  fcps_task_destroy(some);
  fcps_task_destroy(all);
}

static void its_picture_is_the_cannons_with_the_shots_alone(void **state)
{
  (void)state;
  static const char *const files[] = {"surface.csv", "marks.csv", "paths.csv"};
  const double targets[6] = {5, 5, -3, 1, 2, -8}, flying[4] = {5, 5, 2, -8}, indicators[3] = {0.05, 0.5, 0.1};
  const double shots[9] = {0.8, 0.7, 4, 0.3, 0.2, 1, 5, 1, 3}, flying_shots[6] = {0.8, 0.7, 4, 5, 1, 3};
  fcps_task *active = make("cannon-active", NULL), *cannon = make("cannon", NULL);
  for (int best = 0; best < 2; best++) {
    const test_folder here = folder_create(), there = folder_create();
    assert_ok(fcps_task_sketch(active, 3, targets, indicators, best ? NULL : shots, here.path));
    assert_ok(fcps_task_sketch(cannon, 2, flying, NULL, best ? NULL : flying_shots, there.path));
    for (int i = 0; i < 3; i++) {
      char *ours = file_text(folder_file(&here, files[i])), *expected = file_text(folder_file(&there, files[i]));
      assert_string_equal(ours, expected);
      free(ours);
      free(expected);
    }
    folder_remove(&here);
    folder_remove(&there);
  }
  assert_status(fcps_task_sketch(active, 3, targets, indicators, NULL, "/nowhere"), FCPS_ERR_IO);
  assert_true(fcps_task_error(active)->message[0] != '\0');
  fcps_task_destroy(active);
  fcps_task_destroy(cannon);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ball_flies_as_the_cannons_up_to_the_limit_and_not_beyond),
      cmocka_unit_test(the_reward_is_the_cannons_or_the_size_of_the_parameters),
      cmocka_unit_test(contexts_may_be_shots_alone),
      cmocka_unit_test(contexts_have_the_cannons_targets_and_one_in_ten_shoots),
      cmocka_unit_test(the_rule_of_shooting_can_be_told),
      cmocka_unit_test(the_evaluation_is_an_eight_by_eight_grid_of_shots),
      cmocka_unit_test(its_picture_is_the_cannons_with_the_shots_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
