/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/problem/limits.c and reach.c. */
#include "base/normal.h"
#include "check.h"
#include "problem/limits.h"
#include "problem/problem.h"
#include "problem/reach.h"

#include <stdio.h>
#include <string.h>

static const fcps_dimension load[] = {{"load", 0, 4, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_dimension speed[] = {{"speed", 0, 10, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_dimension forces[] = {{"left", 0, 0, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL},
                                        {"right", 0, 0, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};

static fcps_problem problem_of(int count, const fcps_limit *limits)
{
  return (fcps_problem){.environment = {1, load},
                        .parameters = {1, speed},
                        .outcome = {2, forces},
                        .limit_count = count,
                        .limits = limits};
}

static double chances_of(const fcps_problem *problem, double at, const double *outcome, const double *deviation,
                         double *chances)
{
  fcps_error error = {0};
  const double fast = 3;
  double all;
  if (fcps_problem_limit_chances(problem, NULL, &at, &fast, outcome, deviation, chances, &all, &error) != FCPS_OK)
    fail_msg("%s", error.message);
  return all;
}

static void chances_are_those_of_a_deviation_that_is_known_badly(void **state)
{
  (void)state;
  const fcps_limit limits[] = {{"left", NULL, "2*load", NULL, 0.95}, {"sum", "left - right", "5", "-5", 0.9}};
  const fcps_problem problem = problem_of(2, limits);
  const double outcome[2] = {3, 1}, deviation[2] = {0.6, 0.8};
  double chances[2];
  const double all = chances_of(&problem, 2, outcome, deviation, chances);
  const double above = fcps_student_cdf(-(5 - 2) / 1.0), below = fcps_student_cdf(-(2 + 5) / 1.0);
  assert_near(chances[0], fcps_student_cdf(1 / 0.6), 1e-12);
  assert_near(chances[1], (1 - above) * (1 - below), 1e-12);
  assert_near(all, chances[0] * chances[1], 1e-12);
  const double happened[2] = {3.9, -2};
  assert_near(chances_of(&problem, 2, happened, NULL, chances), 0, 0);
  assert_near(chances[0], 1, 0);
  assert_near(chances[1], 0, 0);
  assert_near(chances_of(&problem, 2, NULL, NULL, chances), 1, 0);
}

static void the_largest_and_the_absolute_are_exact(void **state)
{
  (void)state;
  const fcps_limit limits[] = {{"most", "max(left, right, 0)", "4", NULL, 0.95},
                               {"size", "abs(left)", "4", NULL, 0.95}};
  const fcps_problem problem = problem_of(2, limits);
  const double outcome[2] = {1, 2}, deviation[2] = {1, 1};
  double chances[2];
  chances_of(&problem, 0, outcome, deviation, chances);
  assert_near(chances[0], fcps_student_cdf(3) * fcps_student_cdf(2), 1e-12);
  assert_near(chances[1], fcps_student_cdf(3) * fcps_student_cdf(5), 1e-12);
}

/* left^3 <= 8 is left <= 2: exact if the chance is 0.95. */
static void a_curved_limit_of_one_number_is_exact_at_its_edge(void **state)
{
  (void)state;
  const fcps_limit limits[] = {{"cube", "left^3", "8", NULL, 0.95}};
  const fcps_problem problem = problem_of(1, limits);
  const double deviation[2] = {0.2, 1}, outcome[2] = {2 - fcps_student_quantile(0.95) * 0.2, 0};
  double chance;
  chances_of(&problem, 0, outcome, deviation, &chance);
  assert_near(chance, 0.95, 1e-9);
}

static void slack_is_counted_from_the_chance_that_is_wanted(void **state)
{
  (void)state;
  const fcps_limit limits[] = {{"left", NULL, "3", NULL, 0.9}};
  const fcps_problem problem = problem_of(1, limits);
  fcps_problem_limits read;
  fcps_error error;
  const double at = 0, fast = 3, deviation[2] = {0.5, 0};
  assert_ok(fcps_problem_limits_read(&read, &problem, &error));
  double before = INFINITY;
  for (double left = 0; left < 1e6; left = left < 6 ? left + 0.5 : 2 * left) {
    const double outcome[2] = {left, 0};
    const fcps_problem_trial trial = {NULL, &at, &fast, outcome, deviation};
    const double slack = fcps_problem_limits_slack(&read, &trial);
    if (left < 4.5) assert_near(slack, (3 - left) / 0.5 - fcps_student_quantile(0.9), 1e-6);
    assert_true(slack < before); /* however far outside */
    before = slack;
  }
  fcps_problem_limits_free(&read);
}

/* How far a step may go after four trials, for a limit with this chance. */
static double find_reach(double chance)
{
  const fcps_limit limits[] = {{"left", NULL, "10", NULL, chance}};
  const fcps_problem problem = problem_of(1, limits);
  fcps_problem_limits read;
  fcps_problem_reach reach;
  fcps_rollouts rollouts;
  fcps_error error;
  const double at = 0;
  assert_ok(fcps_problem_limits_read(&read, &problem, &error));
  fcps_rollouts_init(&rollouts, &problem);
  assert_ok(fcps_problem_reach_create(&reach, &read, &rollouts, NULL, &at));
  const double far = 1;
  assert_true(isinf(fcps_problem_reach_left(&reach, &far))); /* nothing is known */
  fcps_problem_reach_destroy(&reach);
  for (int i = 0; i < 4; i++) { /* left grows by 40 over the cube: 10 is at 0.25 */
    const double v = 0.5 * i, outcome[2] = {4 * v, 0};
    const fcps_rollout rollout = {.environment = &at, .parameters = &v, .outcome = outcome};
    assert_ok(fcps_rollouts_add(&rollouts, &rollout));
  }
  assert_ok(fcps_problem_reach_create(&reach, &read, &rollouts, NULL, &at));
  double most = 0;
  for (double x = 0; x <= 1; x += 0.01)
    if (fcps_problem_reach_left(&reach, &x) >= 0) most = x;
  fcps_problem_reach_destroy(&reach);
  fcps_rollouts_free(&rollouts);
  fcps_problem_limits_free(&read);
  return most;
}

static void the_first_steps_go_only_as_far_as_was_seen(void **state)
{
  (void)state;
  const double most = find_reach(0.95);
  assert_true(most > 0.15 && most <= 0.25);
  assert_true(find_reach(0.99) < most && find_reach(0.99) >= 0.15);
}

static void what_is_no_limit_is_refused(void **state)
{
  (void)state;
  const struct {
    fcps_limit limit;
    const char *words;
  } bad[] = {{{"left", NULL, NULL, NULL, 0.95}, "no level"},
             {{"left", NULL, "1", NULL, 1.0}, "between 0.5 and 1"},
             {{"left", NULL, "2", "3", 0.95}, "at least \"3\" and at most \"2\""},
             {{"left", NULL, "load", "load + 0.1", 0.95}, "nothing is at least"},
             {{"fast", "speed", "1", NULL, 0.95}, "uses no outcome"},
             {{"left", NULL, "speed", NULL, 0.95}, "level uses 'speed'"},
             {{"up", NULL, "1", NULL, 0.95}, "up"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fcps_error error = {0};
    const fcps_problem problem = problem_of(1, &bad[i].limit);
    char field[80];
    snprintf(field, sizeof field, "limits.%s", bad[i].limit.name);
    assert_int_not_equal(fcps_problem_check(&problem, &error), FCPS_OK);
    assert_string_equal(error.field, field);
    assert_non_null(strstr(error.message, bad[i].words));
  }
}

static void a_copy_has_its_own_limits(void **state)
{
  (void)state;
  const fcps_limit limits[] = {{"left", NULL, "1", NULL, 0.95}};
  const double place = 2;
  const fcps_safe_trial safe[] = {{NULL, NULL, &place}};
  fcps_problem problem = problem_of(1, limits), copy;
  problem.safe_count = 1;
  problem.safe = safe;
  assert_ok(fcps_problem_copy(&problem, &copy));
  assert_string_equal(copy.limits[0].name, "left");
  assert_ptr_not_equal(copy.limits[0].name, limits[0].name);
  assert_true(isnan(copy.safe[0].environment[0]));
  assert_near(copy.safe[0].parameters[0], 2, 0);
  fcps_problem_free(&copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chances_are_those_of_a_deviation_that_is_known_badly),
      cmocka_unit_test(the_largest_and_the_absolute_are_exact),
      cmocka_unit_test(a_curved_limit_of_one_number_is_exact_at_its_edge),
      cmocka_unit_test(slack_is_counted_from_the_chance_that_is_wanted),
      cmocka_unit_test(the_first_steps_go_only_as_far_as_was_seen),
      cmocka_unit_test(what_is_no_limit_is_refused),
      cmocka_unit_test(a_copy_has_its_own_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
