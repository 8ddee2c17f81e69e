/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/problem/judge/cost.c. */
#include "check.h"
#include "problem/judge/judge.h"
#include "problem/problem.h"

#include <string.h>

static const char *const words[] = {"soft", "hard"};
static const fcps_choices tyres = {.count = 2, .words = words};
static const fcps_dimension want[] = {{.name = "want", .lower = 0, .upper = 2}};
static const fcps_dimension wind[] = {{.name = "wind", .lower = -1, .upper = 1}};
static const fcps_dimension parameters[] = {
    {.name = "speed", .lower = 1, .upper = 8, .unit = "m"},
    {.name = "size", .lower = 1, .upper = 100, .scale = FCPS_SCALE_LOG, .unit = "mm"},
    {.name = "tyre", .upper = 1, .scale = FCPS_SCALE_INTEGER, .choices = &tyres}};
static const fcps_dimension outcome[] = {{.name = "land"}};

static fcps_problem problem_of(const char *cost)
{
  return (fcps_problem){.target = {1, want},
                        .environment = {1, wind},
                        .parameters = {3, parameters},
                        .outcome = {1, outcome},
                        .cost = cost};
}

static void a_cost_is_that_of_the_formula(void **state)
{
  (void)state;
  const fcps_problem problem = problem_of("1 + 0.1*speed^2 + 2*abs(wind) + (tyre == hard ? 3 : want)");
  const double target = 1.5, environment = -0.5, hard[] = {4, 10, 1}, soft[] = {4, 10, 0};
  double cost;
  fcps_error error = {0};
  if (fcps_problem_check(&problem, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  assert_ok(fcps_problem_cost(&problem, &target, &environment, hard, &cost, &error));
  assert_near(cost, 1 + 1.6 + 1 + 3, 1e-12);
  assert_ok(fcps_problem_cost(&problem, &target, &environment, soft, &cost, &error));
  assert_near(cost, 1 + 1.6 + 1 + 1.5, 1e-12);
  const fcps_problem free_of = problem_of(NULL);
  assert_ok(fcps_problem_cost(&free_of, &target, &environment, soft, &cost, &error));
  assert_true(isnan(cost));
}

static void its_gradient_agrees_with_the_derivatives(void **state)
{
  (void)state;
  const fcps_problem problem = problem_of("1 + 0.1*speed^2*(1 + want) + log(size)");
  const double target = 1.5, environment = 0, x[] = {0.3, 0.6, 0.25}, corner[] = {0, 1, 0.25};
  double gradient[3];
  fcps_error error = {0};
  fcps_cost *cost;
  assert_ok(fcps_cost_create(&cost, &problem, &error));
  fcps_cost_set_context(cost, &target, &environment);
  fcps_cost_gradient(cost, x, gradient);
  assert_near(gradient[0], 0.1 * 2 * (1 + 7 * 0.3) * 2.5 * 7, 1e-6);
  assert_near(gradient[1], log(100.0), 1e-6);
  assert_near(gradient[2], 0, 0);
  fcps_cost_gradient(cost, corner, gradient);
  assert_near(gradient[0], 0.1 * 2 * 1 * 2.5 * 7, 1e-4);
  assert_near(gradient[1], log(100.0), 1e-4);
  fcps_cost_destroy(cost);
}

/* The cost is refused with this status and these words. */
static void assert_refused(const char *cost, fcps_status status, const char *text)
{
  const fcps_problem problem = problem_of(cost);
  fcps_error error = {0};
  assert_int_equal(fcps_problem_check(&problem, &error), status);
  assert_string_equal(error.field, "cost");
  if (strstr(error.message, text) == NULL) fail_msg("%s: no \"%s\" in: %s", cost, text, error.message);
}

static void a_cost_that_is_none_is_refused(void **state)
{
  (void)state;
  assert_refused("1 + land", FCPS_ERR_FORMAT, "'land' is an outcome");
  assert_refused("speed + size", FCPS_ERR_FORMAT, "treats");
  assert_refused("speed - 1", FCPS_ERR_BOUNDS, "is 0 with want=1 wind=0 speed=1 size=1 tyre=soft");
  assert_refused("wind", FCPS_ERR_BOUNDS, "is 0 with");
  assert_refused("1/(8 - speed)", FCPS_ERR_BOUNDS, "is inf with");
  assert_refused("log(speed - 5)", FCPS_ERR_BOUNDS, "is nan with");
  assert_refused("-2", FCPS_ERR_BOUNDS, "above zero");
  assert_refused("1 + ", FCPS_ERR_FORMAT, "ends too early");
  assert_refused("1 + sped", FCPS_ERR_FORMAT, "sped");
}

static void places_that_break_a_constraint_do_not_count(void **state)
{
  (void)state;
  static const char *const constraints[] = {"speed >= 2"};
  fcps_problem problem = problem_of("speed - 1.5");
  problem.constraints = constraints;
  problem.constraint_count = 1;
  fcps_error error = {0};
  assert_ok(fcps_problem_check(&problem, &error));
  const double target = 1, environment = 0, slow[] = {1, 10, 0};
  double cost;
  assert_int_equal(fcps_problem_cost(&problem, &target, &environment, slow, &cost, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "is -0.5 with want=1 wind=0 speed=1 size=10 tyre=soft"));
}

/* b is at its lower bound if it does not apply, in the check as in a trial. */
static void a_parameter_that_does_not_apply_rests(void **state)
{
  (void)state;
  const fcps_dimension cut[] = {{.name = "t", .upper = 1, .scale = FCPS_SCALE_INTEGER, .choices = &tyres},
                                {.name = "b", .lower = 0, .upper = 2, .when = "t == soft"}};
  fcps_problem problem = {.parameters = {2, cut}, .outcome = {1, outcome}, .cost = "t == soft ? 1 + b : 1 - b"};
  double cost, left_out[] = {1, NAN}, wrong[] = {1, 2};
  fcps_error error = {0};
  if (fcps_problem_check(&problem, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  assert_ok(fcps_problem_cost(&problem, NULL, NULL, left_out, &cost, &error));
  assert_near(cost, 1, 0);
  assert_int_equal(fcps_problem_cost(&problem, NULL, NULL, wrong, &cost, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "parameters.b");
  assert_true(isnan(cost));
  problem.cost = "t == soft ? 1 + b : b";
  assert_int_equal(fcps_problem_check(&problem, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "is 0 with t=hard b=0"));
}

static void a_copy_has_its_own_cost(void **state)
{
  (void)state;
  char text[] = "1 + speed";
  const fcps_problem problem = problem_of(text);
  fcps_problem copy;
  assert_ok(fcps_problem_copy(&problem, &copy));
  text[0] = '9';
  assert_string_equal(copy.cost, "1 + speed");
  fcps_problem_free(&copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cost_is_that_of_the_formula),
      cmocka_unit_test(its_gradient_agrees_with_the_derivatives),
      cmocka_unit_test(a_cost_that_is_none_is_refused),
      cmocka_unit_test(places_that_break_a_constraint_do_not_count),
      cmocka_unit_test(a_parameter_that_does_not_apply_rests),
      cmocka_unit_test(a_copy_has_its_own_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
