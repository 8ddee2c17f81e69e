/* SPDX-License-Identifier: Apache-2.0 */
/* DIRECT-L alone, and followed by L-BFGS-B, on functions whose maxima are known. */
#include "optim/landscapes.h"

#include <float.h>

typedef struct known {
  landscape land;
  int n, direct_budget;
  double best;             /* the maximum */
  double direct_tolerance; /* how near to it DIRECT comes in its budget */
} known;

static const known table[] = {
    {{.formula = branin}, 2, 300, -0.39788735772973816, 1e-4},
    {{.formula = hartmann6}, 6, 1000, 3.32236801141551, 1e-3},
    {{.formula = rosenbrock, .lower = -2, .upper = 1.7}, 2, 300, 0, 2e-3},
    {{.formula = rosenbrock, .lower = -2, .upper = 1.7}, 4, 300, 0, 2e-2},
    {{.formula = rosenbrock, .lower = -2, .upper = 1.7}, 6, 1000, 0, 6e-2},
    {{.formula = bowl, .centre = {0.3, -0.4, 1.2}, .weight = {1, 2, 3}}, 3, 300, -0.44, 2e-2},
};
enum { KNOWN = sizeof table / sizeof *table };

static void direct_finds_known_maxima_within_its_budget(void **state)
{
  (void)state;
  for (int k = 0; k < KNOWN; k++) {
    landscape land = table[k].land;
    const fcps_objective objective = objective_of(&land, table[k].n);
    double x[16];
    fcps_optimum optimum;
    assert_ok(fcps_direct_maximize(&objective, table[k].direct_budget, x, &optimum));
    assert_near(optimum.value, table[k].best, table[k].direct_tolerance);
    assert_true(optimum.value <= table[k].best + 1e-12);
    assert_int_equal(optimum.evaluations, table[k].direct_budget);
    assert_int_equal(optimum.evaluations, land.calls);
    assert_true(evaluate(&land, table[k].n, x, NULL) == optimum.value);
  }
}

static void pair_reaches_known_maxima_precisely(void **state)
{
  (void)state;
  for (int k = 0; k < KNOWN; k++) {
    landscape land = table[k].land;
    const int n = table[k].n;
    const fcps_objective objective = objective_of(&land, n);
    double x[16];
    fcps_optimum optimum;
    assert_ok(fcps_direct_lbfgsb_maximize(&objective, table[k].direct_budget, 100, x, &optimum));
    assert_near(optimum.value, table[k].best, 1e-6);
    assert_int_equal(optimum.evaluations, land.calls);
    assert_true(optimum.evaluations <= table[k].direct_budget + 100);
    assert_true(evaluate(&land, n, x, NULL) == optimum.value);
    assert_no_nudge_improves(&land, n, x, optimum.value, 1e-3, 1e-6);
  }
}

static void pair_without_a_local_budget_is_direct(void **state)
{
  (void)state;
  landscape land = {.formula = hartmann6};
  const fcps_objective objective = objective_of(&land, 6);
  double x[6], y[6];
  fcps_optimum a, b;
  assert_ok(fcps_direct_maximize(&objective, 77, x, &a));
  assert_ok(fcps_direct_lbfgsb_maximize(&objective, 77, 0, y, &b));
  assert_memory_equal(x, y, sizeof x);
  assert_true(a.value == b.value && a.evaluations == b.evaluations);
}

static void direct_keeps_to_any_budget(void **state)
{
  (void)state;
  for (int n = 1; n <= 10; n++) {
    for (int budget = 1; budget < 60; budget += 7) {
      landscape land = {.formula = bowl, .centre = {0.9, 0.1}, .weight = {1, 1}};
      const fcps_objective objective = objective_of(&land, n);
      double x[10];
      fcps_optimum optimum;
      assert_ok(fcps_direct_maximize(&objective, budget, x, &optimum));
      assert_int_equal(land.calls, budget);
    }
  }
}

static void direct_finds_the_maximum_beside_a_region_without_values(void **state)
{
  (void)state;
  landscape land = {.formula = rosenbrock, .lower = -2, .upper = 1.7, .cliff = 0.9};
  const fcps_objective objective = objective_of(&land, 2);
  double x[2];
  fcps_optimum optimum;
  assert_ok(fcps_direct_maximize(&objective, 300, x, &optimum));
  assert_near(optimum.value, 0, 2e-3);
  assert_ok(fcps_direct_lbfgsb_maximize(&objective, 300, 100, x, &optimum));
  assert_near(optimum.value, 0, 1e-8);
}

static double no_value(void *user, int n, const double *x, double *gradient)
{
  (void)x;
  for (int i = 0; gradient != NULL && i < n; i++)
    gradient[i] = NAN;
  return *(double *)user;
}

static void objective_without_any_value_gives_a_point_and_the_worst_value(void **state)
{
  (void)state;
  double values[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    const fcps_objective objective = {.n = 3, .value = no_value, .user = &values[k]};
    double x[3] = {-1, -1, -1};
    fcps_optimum optimum;
    assert_ok(fcps_direct_lbfgsb_maximize(&objective, 50, 50, x, &optimum));
    assert_true(optimum.value == -DBL_MAX);
    for (int i = 0; i < 3; i++)
      assert_true(x[i] >= 0 && x[i] <= 1);
  }
}

static double seven(void *user, int n, const double *x, double *gradient)
{
  (void)user, (void)x, (void)gradient;
  assert_int_equal(n, 0);
  return 7;
}

static void single_point_of_no_dimensions_has_its_value(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 0, .value = seven};
  fcps_optimum optimum = {0};
  assert_ok(fcps_direct_maximize(&objective, 10, NULL, &optimum));
  assert_true(optimum.value == 7 && optimum.evaluations == 1);
  assert_ok(fcps_direct_lbfgsb_maximize(&objective, 10, 10, NULL, &optimum));
  assert_true(optimum.value == 7 && optimum.evaluations == 1);
}

static void budget_below_one_is_refused_and_changes_nothing(void **state)
{
  (void)state;
  landscape land = {.formula = branin};
  const fcps_objective objective = objective_of(&land, 2);
  double x[2] = {0.25, 0.75};
  fcps_optimum optimum = {.value = 5};
  assert_status(fcps_direct_maximize(&objective, 0, x, &optimum), FCPS_ERR_ARGUMENT);
  assert_status(fcps_direct_lbfgsb_maximize(&objective, -1, 10, x, &optimum), FCPS_ERR_ARGUMENT);
  assert_true(x[0] == 0.25 && x[1] == 0.75 && optimum.value == 5 && land.calls == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(direct_finds_known_maxima_within_its_budget),
      cmocka_unit_test(pair_reaches_known_maxima_precisely),
      cmocka_unit_test(pair_without_a_local_budget_is_direct),
      cmocka_unit_test(direct_keeps_to_any_budget),
      cmocka_unit_test(direct_finds_the_maximum_beside_a_region_without_values),
      cmocka_unit_test(objective_without_any_value_gives_a_point_and_the_worst_value),
      cmocka_unit_test(single_point_of_no_dimensions_has_its_value),
      cmocka_unit_test(budget_below_one_is_refused_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
