/* SPDX-License-Identifier: Apache-2.0 */
/* Searches with some coordinates on levels, against functions whose best points are known. */
#include "check.h"
#include "optim/optim.h"

#include <math.h>
#include <string.h>

/* Coordinate 1 has five levels, as the integers 1 to 5. */
static const double levels[] = {0, 5};

static double integer_of(double value_scale)
{
  return 1 + floor(value_scale * 5);
}

/* -(0.2 n p - wanted)^2 with n = 0.5 + 5 x[1]: at a middle an integer. The best of all points are a whole curve. */
static double product(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  const double wanted = *(const double *)user, whole = 0.5 + 5 * x[1], miss = 0.2 * whole * x[0] - wanted;
  if (gradient != NULL) {
    gradient[0] = -2 * miss * 0.2 * whole;
    gradient[1] = -2 * miss * 0.2 * 5 * x[0];
  }
  return -miss * miss;
}

static void products(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  for (int i = 0; i < count; i++)
    values[i] = product(user, n, points + i * n, gradients + i * n);
}

static void the_rest_climbs_again_after_rounding(void **state)
{
  (void)state;
  for (int k = 0; k < 20; k++) {
    double wanted = 0.05 + 0.04 * k, x[2] = {0.3, 0.05 * k};
    for (int with_slopes = 0; with_slopes < 2; with_slopes++) {
      const fcps_objective objective = {
          .n = 2, .value = product, .slopes = with_slopes ? products : NULL, .levels = levels, .user = &wanted};
      fcps_optimum optimum = {0};
      assert_ok(
          fcps_lbfgsb_maximize(&(fcps_objective){.n = 2, .value = product, .user = &wanted}, 50, 1e-7, x, &optimum));
      assert_ok(fcps_levels_settle(&objective, 50, x, &optimum));
      assert_near(0.2 * integer_of(x[1]) * x[0], wanted, 1e-3);
      assert_near(x[1], (integer_of(x[1]) - 0.5) / 5, 1e-15); /* held, not only near */
      assert_near(optimum.value, product(&wanted, 2, x, NULL), 0);
    }
  }
}

/* Two whole numbers along a ridge: one step of either alone leads down, a step of both up. */
static double diagonal(void *user, int n, const double *x, double *gradient)
{
  (void)user;
  for (int d = 0; d < n && gradient != NULL; d++)
    gradient[d] = 0;
  return x[0] + x[1] - 4 * fabs(x[0] - x[1]);
}

static void two_steps_are_taken_at_once(void **state)
{
  (void)state;
  const double whole[] = {10, 10};
  const fcps_objective objective = {.n = 2, .value = diagonal, .levels = whole};
  double x[2] = {0.15, 0.15};
  fcps_optimum optimum = {.value = 0.3};
  assert_ok(fcps_climb_on(&objective, 25, x, &optimum));
  assert_near(x[0], 0.95, 1e-15);
  assert_near(x[1], 0.95, 1e-15);
  assert_near(optimum.value, 1.9, 1e-12);
}

/* The nearest level is not the best: what is beside it is 0.3 above, for the rest has bounds. */
static double corner(void *user, int n, const double *x, double *gradient)
{
  (void)user, (void)n;
  const double bonus = x[1] > 0.6 ? 0.3 : 0.0;
  if (gradient != NULL) gradient[0] = -2 * (x[0] - 0.25), gradient[1] = 0;
  return bonus - (x[0] - 0.25) * (x[0] - 0.25);
}

static void levels_beside_the_nearest_are_tried(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 2, .value = corner, .levels = levels};
  fcps_optimum optimum = {0};
  double x[2] = {0.9, 0.55};
  assert_ok(fcps_levels_settle(&objective, 50, x, &optimum));
  assert_near(x[0], 0.25, 1e-6);
  assert_near(x[1], 0.7, 1e-15);
  assert_near(optimum.value, 0.3, 1e-9);
}

static void options_stay_in_the_cube_or_go_round(void **state)
{
  (void)state;
  const bool turns[] = {false, true};
  const double low[] = {0.42, 0.02};
  double options[6];
  assert_int_equal(fcps_levels_options(2, levels), 3);
  assert_int_equal(fcps_levels_options(2, NULL), 0);
  fcps_levels_lay(2, levels, NULL, low, options);
  const double flat[] = {0.42, 0.1, 0.42, 0.1, 0.42, 0.3};
  fcps_levels_lay(2, levels, turns, low, options);
  const double round_it[] = {0.42, 0.1, 0.42, 0.9, 0.42, 0.3};
  for (int i = 0; i < 6; i++)
    assert_near(options[i], round_it[i], 1e-15);
  fcps_levels_lay(2, levels, NULL, low, options);
  for (int i = 0; i < 6; i++)
    assert_near(options[i], flat[i], 1e-15);
  double ends[] = {0, 0, 1, 1};
  fcps_levels_snap(2, levels, 2, ends);
  const double snapped[] = {0, 0.1, 1, 0.9};
  for (int i = 0; i < 4; i++)
    assert_near(ends[i], snapped[i], 1e-15);
}

static void without_levels_nothing_happens(void **state)
{
  (void)state;
  double x[2] = {0.123, 0.456};
  fcps_optimum optimum = {.value = 7, .evaluations = 3};
  assert_ok(fcps_levels_settle(&(fcps_objective){.n = 2, .value = corner}, 50, x, &optimum));
  assert_true(x[0] == 0.123 && x[1] == 0.456 && optimum.value == 7 && optimum.evaluations == 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rest_climbs_again_after_rounding), cmocka_unit_test(levels_beside_the_nearest_are_tried),
      cmocka_unit_test(two_steps_are_taken_at_once),          cmocka_unit_test(options_stay_in_the_cube_or_go_round),
      cmocka_unit_test(without_levels_nothing_happens),
  };
  return cmocka_run_group_tests_name("optim/levels", tests, NULL, NULL);
}
