/* SPDX-License-Identifier: Apache-2.0 */
/* Climbs along kinks, to tops that are known. */
#include "check.h"
#include "optim/optim.h"
#include <math.h>

/* A ridge along x1 = x0^2, whose top is at (0.6, 0.36). */
static double ridge(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  const double steepness = *(const double *)user, across = x[1] - x[0] * x[0], side = across > 0 ? 1 : -1;
  if (gradient != NULL) {
    gradient[0] = -2 * (x[0] - 0.6) + steepness * side * 2 * x[0];
    gradient[1] = -steepness * side;
  }
  return -(x[0] - 0.6) * (x[0] - 0.6) - steepness * fabs(across);
}

static void a_kink_is_followed_to_the_top(void **state)
{
  (void)state;
  for (double steepness = 1; steepness < 200; steepness *= 10) {
    const fcps_objective objective = {.n = 2, .value = ridge, .user = &steepness};
    double x[2] = {0.1, 0.01};
    fcps_optimum optimum = {.value = ridge(&steepness, 2, x, NULL)};
    assert_ok(fcps_climb_on(&objective, 25, x, &optimum));
    assert_near(x[0], 0.6, 0.03);
    assert_near(optimum.value, ridge(&steepness, 2, x, NULL), 1e-15);
    assert_true(optimum.value > -1e-3);
  }
}

/* The top is a corner: nothing is gained, and nothing lost. */
static double corner(void *user, int n, const double *x, double *gradient)
{
  (void)user;
  double value = 0;
  for (int d = 0; d < n; d++) {
    value -= fabs(x[d] - 0.5);
    if (gradient != NULL) gradient[d] = x[d] > 0.5 ? -1 : 1;
  }
  return value;
}

static void a_corner_is_kept(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 3, .value = corner};
  double x[3] = {0.5, 0.5, 0.5};
  fcps_optimum optimum = {.value = 0};
  assert_ok(fcps_climb_on(&objective, 25, x, &optimum));
  for (int d = 0; d < 3; d++)
    assert_near(x[d], 0.5, 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kink_is_followed_to_the_top),
      cmocka_unit_test(a_corner_is_kept),
  };
  return cmocka_run_group_tests_name("optim/kink", tests, NULL, NULL);
}
