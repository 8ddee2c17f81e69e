/* SPDX-License-Identifier: Apache-2.0 */
/* The shrinking search on functions without a gradient. */
#include "check.h"
#include "optim/optim.h"
#include "space/points.h"

static const fcps_shrinking_search_settings settings = {
    .rounds = 4, .keep = 3, .moves = 20, .deviation = 0.1, .shrink = 0.4};

/* A staircase with its top at (0.3, 0.98); the second coordinate is a circle. */
static void stairs(void *user, int n, int count, const double *points, double *values)
{
  (void)user;
  for (int i = 0; i < count; i++) {
    const double dx = points[n * i] - 0.3, gap = fabs(points[n * i + 1] - 0.98), dy = fmin(gap, 1 - gap);
    values[i] = -floor(200 * sqrt(dx * dx + dy * dy));
    if (points[n * i] > 0.9) values[i] = NAN;
    if (points[n * i] < 0 || points[n * i] > 1 || points[n * i + 1] < 0 || points[n * i + 1] > 1) values[i] = 1e9;
  }
}

static void steps_without_a_gradient_are_climbed_inside_the_cube(void **state)
{
  (void)state;
  const bool wraps[] = {false, true};
  double candidates[200], x[2];
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_points_uniform(&rng, 2, 100, candidates);
  const fcps_objective objective = {.n = 2, .batch = stairs, .wraps = wraps};
  fcps_optimum optimum;
  assert_ok(fcps_shrinking_search_maximize(&objective, 100, candidates, &settings, rng, x, &optimum));
  assert_int_equal(optimum.evaluations, 100 + 4 * 60);
  assert_true(optimum.value >= -2);
  assert_near(x[0], 0.3, 0.015);
}

static void equal_streams_give_equal_bits(void **state)
{
  (void)state;
  double candidates[200], x[2], y[2];
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  fcps_points_uniform(&rng, 2, 100, candidates);
  const fcps_objective objective = {.n = 2, .batch = stairs};
  fcps_optimum a, b;
  assert_ok(fcps_shrinking_search_maximize(&objective, 100, candidates, &settings, rng, x, &a));
  assert_ok(fcps_shrinking_search_maximize(&objective, 100, candidates, &settings, rng, y, &b));
  assert_memory_equal(x, y, sizeof x);
}

static void few_candidates_are_enough(void **state)
{
  (void)state;
  double candidate[2] = {0.25, 0.9}, x[2];
  const fcps_objective objective = {.n = 2, .batch = stairs};
  fcps_optimum optimum;
  const fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_shrinking_search_maximize(&objective, 1, candidate, &settings, rng, x, &optimum));
  assert_true(optimum.value > -6);
  assert_status(fcps_shrinking_search_maximize(&objective, 0, candidate, &settings, rng, x, &optimum),
                FCPS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_without_a_gradient_are_climbed_inside_the_cube),
      cmocka_unit_test(equal_streams_give_equal_bits),
      cmocka_unit_test(few_candidates_are_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
