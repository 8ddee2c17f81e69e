/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/problem/constraints.c and of the files of feasible sets. */
#include "check.h"
#include "problem/feasible.h"
#include "problem/problem.h"
#include "space/space.h"

#include <stdio.h>
#include <string.h>

static const fcps_dimension sides[] = {{"a", 0, 1, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL},
                                       {"b", 0, 2, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL},
                                       {"c", 1, 100, 0, FCPS_SCALE_LOG, NULL, 0, NULL, NULL},
                                       {"k", 0, 10, 0, FCPS_SCALE_INTEGER, NULL, 0, NULL, NULL},
                                       {"l", 0, 10, 0, FCPS_SCALE_INTEGER, NULL, 0, NULL, NULL},
                                       {"s", 0, 1, 0, FCPS_SCALE_LINEAR, NULL, 0.05, NULL, NULL}};
static const fcps_dimension load[] = {{"load", 0, 4, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_dimension land[] = {{"land", 0, 0, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};

enum { MOST = 4 };

/* The first of the sides, with these constraints. */
static fcps_problem problem_of(int parameters, const char *const *constraints)
{
  int count = 0;
  while (count < MOST && constraints[count] != NULL)
    count++;
  return (fcps_problem){.environment = {1, load},
                        .parameters = {parameters, sides},
                        .outcome = {1, land},
                        .constraint_count = count,
                        .constraints = constraints};
}

static fcps_feasible *set_of(const fcps_problem *problem, double at)
{
  fcps_error error = {0};
  fcps_feasible *set = NULL;
  if (fcps_feasible_create(&set, problem, NULL, &at, &error) != FCPS_OK) fail_msg("%s", error.message);
  return set;
}

static void assert_inside(const fcps_problem *problem, double at, const double *x)
{
  double values[6];
  int broken;
  fcps_error error;
  fcps_space_from_unit(&problem->parameters, x, values);
  assert_ok(fcps_problem_find_broken(problem, NULL, &at, values, &broken, &error));
  if (broken >= 0) fail_msg("\"%s\" is broken", problem->constraints[broken]);
}

static void a_sum_is_exact_and_the_nearest_point_that_of_geometry(void **state)
{
  (void)state;
  const fcps_problem problem = problem_of(2, (const char *const[]){"a + b == 1.5", NULL});
  fcps_feasible *set = set_of(&problem, 0);
  const double x[2] = {0.9, 0.1};
  double nearest[2];
  assert_true(fcps_feasible_project(set, NULL, x, nearest));
  /* in the cube the normal is (1, 2): a + 2 b' = 1.5 */
  const double along = (1.5 - 0.9 - 0.2) / 5;
  assert_near(nearest[0], 0.9 + along, 1e-12);
  assert_near(nearest[1], 0.1 + 2 * along, 1e-12);
  assert_near(nearest[0] + 2 * nearest[1], 1.5, 1e-14);
  fcps_feasible_destroy(set);
}

static void a_gradient_is_pulled_along_the_edge(void **state)
{
  (void)state;
  const fcps_problem problem = problem_of(2, (const char *const[]){"a + b <= 1", NULL});
  fcps_feasible *set = set_of(&problem, 0);
  const double outside[2] = {0.9, 0.3};
  double nearest[2], moved[2], gradient[2] = {0.3, -0.7};
  assert_true(fcps_feasible_project(set, NULL, outside, nearest));
  fcps_feasible_pull(set, NULL, outside, nearest, gradient);
  for (int d = 0; d < 2; d++) { /* that of 0.3 x0 - 0.7 x1 at the nearest point, by differences */
    double values[2];
    for (int side = 0; side < 2; side++) {
      double x[2] = {outside[0], outside[1]};
      x[d] += side == 0 ? -1e-6 : 1e-6;
      assert_true(fcps_feasible_project(set, NULL, x, moved));
      values[side] = 0.3 * moved[0] - 0.7 * moved[1];
    }
    assert_near(gradient[d], (values[1] - values[0]) / 2e-6, 1e-6);
  }
  const double inside[2] = {0.2, 0.2};
  double free_gradient[2] = {0.3, -0.7};
  assert_true(fcps_feasible_project(set, NULL, inside, nearest));
  assert_memory_equal(nearest, inside, sizeof nearest);
  fcps_feasible_pull(set, NULL, inside, nearest, free_gradient);
  assert_near(free_gradient[0], 0.3, 1e-15);
  assert_near(free_gradient[1], -0.7, 1e-15);
  fcps_feasible_destroy(set);
}

static void curved_constraints_of_a_context_are_kept_everywhere(void **state)
{
  (void)state;
  const fcps_problem problem =
      problem_of(3, (const char *const[]){"a^2 + b^2 >= 0.5 + 0.1*load", "c*b <= 20", "sin(3*a) == 0.2*b", NULL});
  for (double at = 0; at <= 4; at += 2) {
    fcps_feasible *set = set_of(&problem, at);
    fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
    double points[100 * 3];
    fcps_rng_uniforms(&rng, 300, points);
    fcps_feasible_fill(set, &rng, false, 100, points);
    for (int i = 0; i < 100; i++)
      assert_inside(&problem, at, points + 3 * i);
    fcps_feasible_destroy(set);
  }
}

static void random_points_fill_a_mixture_evenly(void **state)
{
  (void)state;
  enum { COUNT = 3000 };
  const fcps_problem problem = problem_of(2, (const char *const[]){"a + b <= 1", NULL});
  fcps_feasible *set = set_of(&problem, 0);
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  double points[COUNT][2], mean = 0;
  for (int i = 0; i < COUNT; i++)
    points[i][0] = points[i][1] = 0.99;
  fcps_feasible_fill(set, &rng, true, COUNT, points[0]);
  for (int i = 0; i < COUNT; i++) {
    assert_inside(&problem, 0, points[i]);
    mean += points[i][0] / COUNT;
  }
  assert_near(mean, 1.0 / 3, 0.03); /* of a triangle */
  fcps_feasible_destroy(set);
}

static void steps_are_kept_with_the_constraints(void **state)
{
  (void)state;
  const fcps_problem problem =
      problem_of(6, (const char *const[]){"k + 2*l == 13", "a + s == 0.7", "k >= 3", "b + a <= 1.2"});
  fcps_feasible *set = set_of(&problem, 0);
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 50; i++) {
    double x[6], values[6];
    fcps_rng_uniforms(&rng, 6, x);
    assert_true(fcps_feasible_settle(set, x));
    fcps_space_from_unit(&problem.parameters, x, values);
    assert_near(values[3] + 2 * values[4], 13, 0);
    assert_near(values[0] + values[5], 0.7, 1e-12);
    assert_true(values[3] >= 3 && values[0] + values[1] <= 1.2 + 1e-9);
    assert_int_equal(fcps_space_find_off_step(&problem.parameters, values, 0), -1);
  }
  fcps_feasible_destroy(set);
}

/* Whole numbers: 17*13 + 23*34 = 1003 is none of them, 17*2 + 23*42 = 1000 neither; all are counted. */
static void an_equation_of_whole_numbers_is_solved_or_refused(void **state)
{
  (void)state;
  static const fcps_dimension dims[] = {{.name = "k", .lower = 0, .upper = 200, .scale = FCPS_SCALE_INTEGER},
                                        {.name = "l", .lower = 0, .upper = 200, .scale = FCPS_SCALE_INTEGER}};
  for (int sum = 980; sum < 1020; sum++) {
    char text[40];
    const char *const texts[] = {text};
    snprintf(text, sizeof text, "17*k + 23*l == %d", sum);
    const fcps_problem problem = {.parameters = {2, dims}, .constraint_count = 1, .constraints = texts};
    bool exists = false;
    for (int k = 0; k <= 200; k++)
      exists = exists || (sum >= 17 * k && (sum - 17 * k) % 23 == 0);
    fcps_error error = {0};
    assert_int_equal(fcps_problem_check(&problem, &error), exists ? FCPS_OK : FCPS_ERR_BOUNDS);
    if (!exists) assert_null(strstr(error.message, "found")); /* it is sure */
  }
}

static void a_set_that_is_empty_in_every_context_is_refused_before_the_first_ask(void **state)
{
  (void)state;
  fcps_error error = {0};
  static const fcps_dimension heat = {.name = "heat", .lower = 0, .upper = 1};
  static const fcps_dimension a = {.name = "a", .lower = 0, .upper = 1};
  fcps_problem problem = {.environment = {1, &heat},
                          .parameters = {1, &a},
                          .constraint_count = 2,
                          .constraints = (const char *const[]){"a >= 1.5 + heat", "a <= 2"}};
  assert_status(fcps_problem_check(&problem, &error), FCPS_ERR_BOUNDS);
  problem.constraints = (const char *const[]){"a >= 0.5 + heat", "a <= 2"};
  assert_status(fcps_problem_check(&problem, &error), FCPS_OK); /* some contexts have parameters */
}

static void two_that_contradict_each_other_are_named(void **state)
{
  (void)state;
  fcps_error error;
  const fcps_problem problem = problem_of(2, (const char *const[]){"a <= 0.5", "a + b >= 2.2", "b <= 1.1", NULL});
  assert_status(fcps_problem_check(&problem, &error), FCPS_ERR_BOUNDS);
  assert_string_equal(error.field, "constraints");
  assert_non_null(strstr(error.message, "\"a + b >= 2.2\" and \"b <= 1.1\""));
  const fcps_problem alone = problem_of(2, (const char *const[]){"a + b >= 3.2", NULL});
  assert_status(fcps_problem_check(&alone, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "keep \"a + b >= 3.2\""));
  const fcps_problem odd = problem_of(5, (const char *const[]){"2*k + 2*l == 13", NULL});
  assert_status(fcps_problem_check(&odd, &error), FCPS_ERR_BOUNDS);
}

static void what_is_no_constraint_is_refused_at_its_place(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
    int column;
  } bad[] = {{"a + b", "expected a comparison", 1},        {"a != 1", "expected a comparison", 1},
             {"a + land <= 1", "'land' is an outcome", 0}, {"load <= 1", "uses no parameter", 0},
             {"0 <= a <= 1", "result of a comparison", 1}, {"a + d <= 1", "d", 5}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fcps_error error = {0};
    const fcps_problem problem = problem_of(2, (const char *const[]){"a <= 1", bad[i].text, NULL});
    assert_int_not_equal(fcps_problem_check(&problem, &error), FCPS_OK);
    assert_string_equal(error.field, "constraints.2");
    assert_non_null(strstr(error.message, bad[i].words));
    if (bad[i].column > 0) assert_int_equal(error.column, bad[i].column);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sum_is_exact_and_the_nearest_point_that_of_geometry),
      cmocka_unit_test(a_gradient_is_pulled_along_the_edge),
      cmocka_unit_test(curved_constraints_of_a_context_are_kept_everywhere),
      cmocka_unit_test(random_points_fill_a_mixture_evenly),
      cmocka_unit_test(steps_are_kept_with_the_constraints),
      cmocka_unit_test(an_equation_of_whole_numbers_is_solved_or_refused),
      cmocka_unit_test(a_set_that_is_empty_in_every_context_is_refused_before_the_first_ask),
      cmocka_unit_test(two_that_contradict_each_other_are_named),
      cmocka_unit_test(what_is_no_constraint_is_refused_at_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
