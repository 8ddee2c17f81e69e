/* SPDX-License-Identifier: Apache-2.0 */
/* Multistart: the candidates that are refined, and the results. */
#include "optim/landscapes.h"

#include "base/rng.h"

#include <float.h>

static void multistart_finds_known_maxima(void **state)
{
  (void)state;
  enum { COUNT = 200 };
  static double candidates[COUNT * 6];
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, COUNT * 6, candidates);
  double x[6];
  fcps_optimum optimum;

  landscape two = {.formula = branin};
  fcps_objective objective = objective_of(&two, 2);
  assert_ok(fcps_multistart_maximize(&objective, COUNT, candidates, 3, 50, x, &optimum));
  assert_near(optimum.value, -0.39788735772973816, 1e-7);
  assert_int_equal(optimum.evaluations, two.calls);
  assert_true(optimum.evaluations <= COUNT + 3 * 50);

  landscape six = {.formula = hartmann6};
  objective = objective_of(&six, 6);
  assert_ok(fcps_multistart_maximize(&objective, COUNT, candidates, 5, 100, x, &optimum));
  assert_near(optimum.value, 3.32236801141551, 1e-6);
  assert_true(evaluate(&six, 6, x, NULL) == optimum.value);
  assert_no_nudge_improves(&six, 6, x, optimum.value, 1e-3, 1e-7);
}

/* A landscape that writes down where local searches begin: each asks for a gradient at its start first. */
typedef struct diary {
  int n, starts;
  double last_start[8][2];
  const double *candidates;
  int count;
} diary;

static double downhill_from_the_corner(const double *x)
{
  return -x[0] - 0.5 * x[1];
}

/* Flat gradients: every local search ends where it began. */
static double note_the_start(void *user, int n, const double *x, double *gradient)
{
  diary *d = user;
  for (int i = 0; i < n; i++) {
    gradient[i] = 0;
    d->last_start[d->starts][i] = x[i];
  }
  d->starts++;
  return downhill_from_the_corner(x);
}

static void values_from_the_corner(void *user, int n, int count, const double *points, double *values)
{
  (void)user;
  for (int i = 0; i < count; i++)
    values[i] = points[i * n] == 0.77 ? NAN : downhill_from_the_corner(points + i * n);
}

static void assert_starts(const bool *wraps, int starts, int expected, const int *places)
{
  /* two neighbours at the corner, one across the seam of the first coordinate, two far away, one without a value */
  static const double candidates[6][2] = {{0.3, 0.2}, {0.01, 0.01}, {0.02, 0.02}, {0.99, 0.01}, {0.77, 0}, {0.5, 0.9}};
  diary d = {.n = 2};
  const fcps_objective objective = {
      .n = 2, .value = note_the_start, .batch = values_from_the_corner, .wraps = wraps, .user = &d};
  double x[2];
  fcps_optimum optimum;
  assert_ok(fcps_multistart_maximize(&objective, 6, candidates[0], starts, 10, x, &optimum));
  assert_int_equal(d.starts, expected);
  for (int i = 0; i < expected; i++)
    assert_memory_equal(d.last_start[i], candidates[places[i]], sizeof d.last_start[i]);
  assert_memory_equal(x, candidates[1], sizeof x);
  assert_near(optimum.value, -0.015, 1e-15);
  assert_int_equal(optimum.evaluations, 6 + expected);
}

static void best_candidates_that_are_apart_are_refined(void **state)
{
  (void)state;
  const bool around[2] = {true, false};
  assert_starts(NULL, 1, 1, (int[]){1});
  assert_starts(NULL, 2, 2, (int[]){1, 0});
  assert_starts(NULL, 3, 3, (int[]){1, 0, 5});
  /* 0.95 and 0.995: the one across the seam is far from the corner only if nothing wraps */
  assert_starts(NULL, 4, 4, (int[]){1, 0, 5, 3});
  assert_starts(around, 4, 4, (int[]){1, 0, 5, 4});
}

static void too_few_that_are_apart_are_filled_up_with_the_best(void **state)
{
  (void)state;
  assert_starts(NULL, 6, 6, (int[]){1, 0, 5, 3, 4, 2});
  assert_starts(NULL, 50, 6, (int[]){1, 0, 5, 3, 4, 2});
  const bool around[2] = {true, false};
  assert_starts(around, 5, 5, (int[]){1, 0, 5, 4, 2});
}

static void without_starts_the_best_candidate_is_the_answer(void **state)
{
  (void)state;
  assert_starts(NULL, 0, 0, NULL);
  landscape land = {.formula = branin};
  const fcps_objective objective = objective_of(&land, 2);
  const double candidates[] = {0.1, 0.1, 0.54, 0.15, 0.9, 0.9};
  double x[2];
  fcps_optimum optimum;
  assert_ok(fcps_multistart_maximize(&objective, 3, candidates, 2, 0, x, &optimum));
  assert_true(x[0] == 0.54 && x[1] == 0.15);
  assert_int_equal(land.calls, 3);
}

static void candidates_without_any_value_give_a_point_and_the_worst_value(void **state)
{
  (void)state;
  landscape land = {.formula = bowl, .cliff = 1e-9};
  const fcps_objective objective = objective_of(&land, 2);
  const double candidates[] = {0.1, 0.1, 0.54, 0.15};
  double x[2];
  fcps_optimum optimum;
  assert_ok(fcps_multistart_maximize(&objective, 2, candidates, 2, 10, x, &optimum));
  assert_true(optimum.value == -DBL_MAX);
  assert_true(x[0] == 0.1 && x[1] == 0.1);
}

static void values_without_dimensions(void *user, int n, int count, const double *points, double *values)
{
  (void)user, (void)points;
  assert_int_equal(n, 0);
  for (int i = 0; i < count; i++)
    values[i] = 7;
}

static void single_point_of_no_dimensions_has_its_value(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 0, .batch = values_without_dimensions};
  fcps_optimum optimum = {0};
  assert_ok(fcps_multistart_maximize(&objective, 3, NULL, 2, 10, NULL, &optimum));
  assert_true(optimum.value == 7);
  assert_status(fcps_multistart_maximize(&objective, 0, NULL, 2, 10, NULL, &optimum), FCPS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multistart_finds_known_maxima),
      cmocka_unit_test(best_candidates_that_are_apart_are_refined),
      cmocka_unit_test(too_few_that_are_apart_are_filled_up_with_the_best),
      cmocka_unit_test(without_starts_the_best_candidate_is_the_answer),
      cmocka_unit_test(candidates_without_any_value_give_a_point_and_the_worst_value),
      cmocka_unit_test(single_point_of_no_dimensions_has_its_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
