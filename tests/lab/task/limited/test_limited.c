/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which something must not happen. Published optima are from the literature. */
#include "check.h"

#include <fcps/lab/lab.h>

#include <math.h>
#include <stdbool.h>

static fcps_task *task_of(const char *world, const char *keep)
{
  fcps_task *task;
  fcps_error error;
  const fcps_setting settings[] = {{"world", world}, {"keep", keep}, {NULL, NULL}};
  if (fcps_task_create(&task, "limited", settings, 1, &error) != FCPS_OK) fail_msg("%s: %s", world, error.message);
  return task;
}

/* A trial without noise. */
static bool breaks(fcps_task *task, const double *parameters, double *outcome)
{
  const double middle[2] = {0.5, 0.5};
  fcps_rollout rollout;
  assert_ok(fcps_task_run(task, -1, middle, parameters, outcome, &rollout));
  rollout.target = rollout.environment = middle;
  rollout.parameters = parameters;
  return fcps_task_breaks(task, &rollout);
}

static void safe_parameters_keep_the_limits(void **state)
{
  (void)state;
  static const char *const worlds[] = {"throw", "process", "hartmann", "pendulum", "vessel", "beam", "reducer"};
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    fcps_task *task = task_of(worlds[i], "limits");
    const fcps_problem *problem = fcps_task_problem(task);
    double outcome[FCPS_SPACE_MAX];
    assert_true(problem->limit_count > 0 && problem->safe_count == 1);
    assert_true(fcps_task_breaks(task, NULL));
    assert_false(breaks(task, problem->safe[0].parameters, outcome));
    fcps_task_destroy(task);
    task = task_of(worlds[i], "nothing");
    assert_int_equal(fcps_task_problem(task)->limit_count, 0);
    fcps_task_destroy(task);
  }
}

/* The parameters published as best just keep the limits, and earn the published reward. */
static void published_optima_are_found_again(void **state)
{
  (void)state;
  static const struct {
    const char *world;
    double parameters[7], value, beyond[7];
  } best[] = {
      {"vessel", {0.8125, 0.4375, 42.0984, 176.6380}, 6059.75, {0.75, 0.4375, 42.0984, 176.6380}},
      {"beam", {0.20573, 3.47049, 9.03662, 0.20574}, 1.7249, {0.20573, 3.3, 9.03662, 0.20574}},
      {"reducer", {3.5, 0.7, 17, 7.3, 7.8, 3.350215, 5.286684}, 2996.35, {3.5, 0.7, 17, 7.3, 7.8, 3.34, 5.2866}}};
  for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
    fcps_task *task = task_of(best[i].world, "limits");
    double outcome[FCPS_SPACE_MAX];
    assert_false(breaks(task, best[i].parameters, outcome));
    assert_near(outcome[0], best[i].value, 3e-4);
    assert_true(breaks(task, best[i].beyond, outcome));
    fcps_task_destroy(task);
  }
  fcps_task *task = task_of("hartmann", "limits");
  const double top[] = {0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573};
  double height;
  assert_false(breaks(task, top, &height));
  assert_near(height, 3.32237, 1e-5);
  fcps_task_destroy(task);
}

static void a_broken_limit_costs_the_penalty(void **state)
{
  (void)state;
  const double target = 2, high[] = {8, 1.4}, low[] = {3, 0.5};
  const bool present = true;
  fcps_task *task = task_of("throw", "penalty");
  const fcps_problem *problem = fcps_task_problem(task);
  double outcome[2], reward;
  assert_true(breaks(task, high, outcome));
  assert_ok(problem->reward(problem->user, 1, &target, NULL, high, outcome, &present, &reward));
  assert_near(reward, -50, 0);
  assert_false(breaks(task, low, outcome));
  assert_ok(problem->reward(problem->user, 1, &target, NULL, low, outcome, &present, &reward));
  assert_near(reward, -fabs(9 * sin(1.0) / 9.81 - 2), 1e-12);
  fcps_task_destroy(task);
}

static void shares_that_are_not_one_break_a_mixture(void **state)
{
  (void)state;
  const double good[] = {0.2, 0.3, 0.5}, bad[] = {0.2, 0.3, 0.4};
  double outcome;
  fcps_task *task = task_of("mixture", "limits");
  assert_false(breaks(task, good, &outcome));
  assert_true(breaks(task, bad, &outcome));
  fcps_task_destroy(task);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(safe_parameters_keep_the_limits), cmocka_unit_test(published_optima_are_found_again),
      cmocka_unit_test(a_broken_limit_costs_the_penalty), cmocka_unit_test(shares_that_are_not_one_break_a_mixture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
