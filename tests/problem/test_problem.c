/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/problem/problem.c. */
#include "check.h"
#include "problem/problem.h"
#include "toy.h"

#include <string.h>

static void a_good_problem_is_accepted_and_copied(void **state)
{
  (void)state;
  fcps_error error;
  fcps_problem problem = toy_problem(), copy;
  assert_ok(fcps_problem_check(&problem, &error));
  assert_ok(fcps_problem_copy(&problem, &copy));
  assert_null(fcps_problem_differing_space(&problem, &copy));
  assert_ptr_not_equal(copy.target.dims, problem.target.dims);
  copy.target.count = 1;
  assert_string_equal(fcps_problem_differing_space(&problem, &copy), "target");
  copy.target.count = 2;
  fcps_problem_free(&copy);
}

static void a_problem_without_parameters_is_refused(void **state)
{
  (void)state;
  fcps_error error;
  fcps_problem problem = toy_problem();
  problem.parameters.count = 0;
  assert_status(fcps_problem_check(&problem, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "parameters");
  assert_status(fcps_problem_check(NULL, &error), FCPS_ERR_ARGUMENT);
}

static void a_name_used_twice_is_refused(void **state)
{
  (void)state;
  fcps_error error;
  fcps_problem problem = toy_problem();
  const fcps_dimension clash[] = {{"x", 0, 1, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
  problem.environment = (fcps_space){1, clash};
  assert_status(fcps_problem_check(&problem, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "x");
  assert_non_null(strstr(error.message, "environment"));
}

static fcps_status failing_reward(void *user, int count, const double *target, const double *environments,
                                  const double *parameters, const double *outcomes, const bool *present,
                                  double *rewards)
{
  (void)count, (void)target, (void)environments, (void)parameters, (void)outcomes, (void)present;
  rewards[0] = 0;
  return *(fcps_status *)user;
}

static void a_failing_reward_is_reported_with_its_status(void **state)
{
  (void)state;
  fcps_error error;
  fcps_status given = FCPS_ERR_IO;
  fcps_problem problem = toy_problem();
  problem.reward = failing_reward;
  problem.user = &given;
  const double numbers[2] = {0};
  const bool present = true;
  double reward;
  assert_status(fcps_problem_score(&problem, 1, numbers, numbers, numbers, numbers, &present, &reward, &error),
                FCPS_ERR_CALLBACK);
  assert_string_equal(error.field, "reward");
  assert_non_null(strstr(error.message, fcps_status_text(FCPS_ERR_IO)));
}

static void values_that_are_not_finite_or_absurd_are_not_usable(void **state)
{
  (void)state;
  const double good[] = {0.0, -0.0, 5e-324, 1e10 + 1, -1e99}, bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1.7e308};
  assert_true(fcps_rollout_values_usable(5, good));
  for (int i = 0; i < 5; i++)
    assert_false(fcps_rollout_values_usable(1, bad + i));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_good_problem_is_accepted_and_copied),
      cmocka_unit_test(a_problem_without_parameters_is_refused),
      cmocka_unit_test(a_name_used_twice_is_refused),
      cmocka_unit_test(a_failing_reward_is_reported_with_its_status),
      cmocka_unit_test(values_that_are_not_finite_or_absurd_are_not_usable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
