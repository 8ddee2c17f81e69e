/* SPDX-License-Identifier: Apache-2.0 */
/* L-BFGS-B: known maxima inside and on bounds, circles, values that are not finite, and silence. */
#include "optim/landscapes.h"

#include "base/rng.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static double from(landscape *land, int n, int budget, double tolerance, double *x)
{
  const fcps_objective objective = objective_of(land, n);
  fcps_optimum optimum;
  const int before = land->calls;
  const double start = land->formula(land, n, x, NULL);
  assert_ok(fcps_lbfgsb_maximize(&objective, budget, tolerance, x, &optimum));
  assert_int_equal(optimum.evaluations, land->calls - before);
  assert_true(optimum.evaluations <= budget);
  assert_true(!(optimum.value < start));
  return optimum.value;
}

static void rosenbrock_is_climbed_to_its_top(void **state)
{
  (void)state;
  for (int n = 2; n <= 20; n += 6) {
    landscape land = {.formula = rosenbrock, .lower = -2, .upper = 1.7};
    double x[20];
    for (int i = 0; i < n; i++)
      x[i] = i % 2 ? 0.8 : 0.2;
    assert_near(from(&land, n, 1000, 1e-12, x), 0, 1e-9);
    for (int i = 0; i < n; i++)
      assert_near(x[i], 3 / 3.7, 1e-4);
  }
}

/* SLSQP finds the same values; from there projected second-order conditions can be checked by nudging. */
static void rosenbrock_below_0_8_ends_on_the_bound(void **state)
{
  (void)state;
  const int sizes[] = {6, 10, 20};
  const double best[] = {-2.048495491, -6.001016395, -15.89998513};
  for (int k = 0; k < 3; k++) {
    fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
    for (int trial = 0; trial < 5; trial++) {
      landscape land = {.formula = rosenbrock, .lower = -2, .upper = 0.8};
      double x[20];
      for (int i = 0; i < sizes[k]; i++)
        x[i] = 0.75 + 0.25 * fcps_rng_uniform(&rng); /* right of 0: a lower hill is on the left */
      const double value = from(&land, sizes[k], 1000, 1e-12, x);
      assert_near(value, best[k], 1e-8);
      assert_true(x[0] == 1);
      assert_no_nudge_improves(&land, sizes[k], x, value, 1e-4, 1e-12);
    }
  }
}

/* A bowl with a centre inside or outside the cube, and a start inside. Returns the number of dimensions. */
static int random_bowl(fcps_rng *rng, landscape *land, double *start)
{
  *land = (landscape){.formula = bowl};
  const int n = 1 + (int)fcps_rng_below(rng, 10);
  for (int i = 0; i < n; i++) {
    land->centre[i] = 2 * fcps_rng_uniform(rng) - 0.5;
    land->weight[i] = pow(10, 4 * fcps_rng_uniform(rng) - 1);
    start[i] = fcps_rng_uniform(rng);
  }
  return n;
}

static void maximum_of_a_bowl_is_its_clipped_centre(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int trial = 0; trial < 300; trial++) {
    landscape land;
    double x[10];
    const int n = random_bowl(&rng, &land, x);
    from(&land, n, 500, 1e-14, x);
    for (int i = 0; i < n; i++)
      assert_near(x[i], fmin(fmax(land.centre[i], 0), 1), 1e-4);
  }
}

/* -(x - 1)^2 - (y - 1)^2 - x y / 2 with y <= 1/2 (in a box of its own): the bound holds y, so 2 (x - 1) = -y/2. */
static double coupled(void *user, int n, const double *x, double *gradient)
{
  (void)user, (void)n;
  if (gradient != NULL) {
    gradient[0] = -2 * (x[0] - 1) - x[1] / 2;
    gradient[1] = -2 * (x[1] - 1) - x[0] / 2;
  }
  return -(x[0] - 1) * (x[0] - 1) - (x[1] - 1) * (x[1] - 1) - x[0] * x[1] / 2;
}

static void box_of_any_size_holds_the_search(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 2, .value = coupled};
  const double lower[2] = {-50, -300}, upper[2] = {40, 0.5};
  double x[2] = {-49, -299};
  fcps_optimum optimum;
  assert_ok(fcps_lbfgsb_maximize_box(&objective, lower, upper, 200, 1e-12, x, &optimum));
  assert_near(x[0], 0.875, 1e-6);
  assert_true(x[1] == 0.5);

  /* a start outside is clipped; a side without length stays */
  const double corner[2] = {0.25, 0.5};
  x[0] = 1e9;
  x[1] = -1e9;
  assert_ok(fcps_lbfgsb_maximize_box(&objective, corner, (double[2]){0.25, 9}, 200, 1e-12, x, &optimum));
  assert_true(x[0] == 0.25);
  assert_near(x[1], 1 - 0.25 / 4, 1e-6);
}

static void search_goes_round_a_circle(void **state)
{
  (void)state;
  const bool both[2] = {true, true}, none[2] = {false, false};
  landscape land = {.formula = waves, .centre = {0.05, 0.93}, .weight = {1, 0.3}};
  fcps_objective objective = objective_of(&land, 2);
  fcps_optimum optimum;

  /* across the seam is the short way up */
  double x[2] = {0.8, 0.2};
  objective.wraps = both;
  assert_ok(fcps_lbfgsb_maximize(&objective, 200, 1e-10, x, &optimum));
  assert_near(optimum.value, 1.3, 1e-9);
  assert_near(x[0], 0.05, 1e-5);
  assert_near(x[1], 0.93, 1e-5);

  /* the same without going round ends at the faces */
  double y[2] = {0.8, 0.2};
  objective.wraps = none;
  assert_ok(fcps_lbfgsb_maximize(&objective, 200, 1e-10, y, &optimum));
  assert_true(y[0] == 1 && y[1] == 0);
}

static void search_goes_round_from_every_start(void **state)
{
  (void)state;
  const bool wraps[3] = {true, false, true};
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  for (int trial = 0; trial < 200; trial++) {
    landscape land = {.formula = waves, .weight = {1, 0, 0.2}};
    double x[3];
    fcps_rng_uniforms(&rng, 3, land.centre);
    fcps_rng_uniforms(&rng, 3, x);
    fcps_objective objective = objective_of(&land, 3);
    objective.wraps = wraps;
    fcps_optimum optimum;
    assert_ok(fcps_lbfgsb_maximize(&objective, 300, 1e-10, x, &optimum));
    assert_near(optimum.value, 1.2, 1e-8);
    for (int i = 0; i < 3; i++)
      assert_true(x[i] >= 0 && x[i] <= 1);
  }
}

static void steps_into_a_region_without_values_are_shortened(void **state)
{
  (void)state;
  /* the maximum inside is found as if there were no cliff beside it */
  for (int s = 0; s < 10; s++) {
    landscape land = {.formula = bowl, .centre = {0.55, 0.3}, .weight = {1, 20}, .cliff = 0.6};
    double x[2] = {0.05 + 0.06 * s, 0.9};
    from(&land, 2, 200, 1e-9, x);
    assert_near(x[0], 0.55, 1e-6);
    assert_near(x[1], 0.3, 1e-6);
  }
  /* a cliff before the top is approached, never passed */
  landscape land = {.formula = bowl, .centre = {0.9}, .weight = {1}, .cliff = 0.6};
  double x[1] = {0.1};
  from(&land, 1, 200, 1e-9, x);
  assert_true(x[0] <= 0.6);
  assert_near(x[0], 0.6, 1e-3);
}

static void start_without_a_value_is_returned(void **state)
{
  (void)state;
  landscape land = {.formula = bowl, .centre = {0.3, 0.3}, .weight = {1, 1}, .cliff = 0.6};
  const fcps_objective objective = objective_of(&land, 2);
  double x[2] = {0.7, 0.2};
  fcps_optimum optimum;
  assert_ok(fcps_lbfgsb_maximize(&objective, 100, 1e-7, x, &optimum));
  assert_true(x[0] == 0.7 && x[1] == 0.2);
  assert_true(optimum.value == -DBL_MAX && optimum.evaluations == 1);
}

static double value_without_slope(void *user, int n, const double *x, double *gradient)
{
  (void)user;
  for (int i = 0; i < n; i++)
    gradient[i] = x[i] < 0.5 ? 1 : INFINITY;
  return x[0];
}

static void finite_value_counts_where_the_gradient_is_not(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 1, .value = value_without_slope};
  double x[1] = {0.75};
  fcps_optimum optimum;
  assert_ok(fcps_lbfgsb_maximize(&objective, 100, 1e-7, x, &optimum));
  assert_true(optimum.value == 0.75 && x[0] == 0.75);
  x[0] = 0.25;
  assert_ok(fcps_lbfgsb_maximize(&objective, 100, 1e-7, x, &optimum));
  assert_true(optimum.value >= 0.5 && x[0] == optimum.value);
}

/* Gradients that point down: nothing can be won, and nothing may be lost. */
static double misleading(void *user, int n, const double *x, double *gradient)
{
  const double value = bowl(user, n, x, gradient);
  for (int i = 0; i < n; i++)
    gradient[i] = -gradient[i];
  return value;
}

static void result_is_never_worse_than_the_start(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  for (int trial = 0; trial < 100; trial++) {
    landscape land = {.formula = misleading, .weight = {1, 3, 0.1, 7}};
    double x[4], gradient[4];
    fcps_rng_uniforms(&rng, 4, land.centre);
    fcps_rng_uniforms(&rng, 4, x);
    const double start = misleading(&land, 4, x, gradient);
    const fcps_objective objective = objective_of(&land, 4);
    fcps_optimum optimum;
    assert_ok(fcps_lbfgsb_maximize(&objective, 50, 1e-7, x, &optimum));
    assert_true(optimum.value >= start);
    assert_near(misleading(&land, 4, x, gradient), optimum.value, 0);
  }
}

static void any_budget_is_kept(void **state)
{
  (void)state;
  for (int budget = 1; budget < 40; budget++) {
    landscape land = {.formula = rosenbrock, .lower = -2, .upper = 1.7};
    double x[4] = {0.1, 0.9, 0.4, 0.6};
    from(&land, 4, budget, 1e-12, x);
  }
  landscape land = {.formula = bowl};
  const fcps_objective objective = objective_of(&land, 2);
  double x[2] = {0.5, 0.5};
  fcps_optimum optimum;
  assert_status(fcps_lbfgsb_maximize(&objective, 0, 1e-7, x, &optimum), FCPS_ERR_ARGUMENT);
  assert_status(fcps_lbfgsb_maximize_box(&objective, x, x, 0, 1e-7, x, &optimum), FCPS_ERR_ARGUMENT);
}

/* The landscape of several searches, and the number of its evaluations. */
typedef struct shared_landscape {
  landscape land;
  int rounds, most;
} shared_landscape;

static void evaluate_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  shared_landscape *c = user;
  c->rounds++;
  c->most = count > c->most ? count : c->most;
  for (int i = 0; i < count; i++)
    values[i] = evaluate(&c->land, n, points + i * n, gradients + i * n);
}

static void searches_side_by_side_end_where_each_ends_alone(void **state)
{
  (void)state;
  enum { SEARCHES = 7, N = 3, BUDGET = 30 };
  static const bool wraps[N] = {true, false, true};
  /* hills, circles and, for some starts, no value at all */
  shared_landscape c = {.land = {.formula = waves, .centre = {0.1, 0.4, 0.9}, .weight = {1, 2, 0.5}, .cliff = 0.9}};
  const fcps_objective alone = {.n = N, .value = evaluate, .wraps = wraps, .user = &c.land};
  const fcps_objective together = {.n = N, .slopes = evaluate_slopes, .wraps = wraps, .user = &c};
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  double x[SEARCHES * N], expected[SEARCHES * N];
  fcps_optimum optima[SEARCHES], optimum;
  fcps_rng_uniforms(&rng, SEARCHES * N, x);
  x[N] = 0.95;
  memcpy(expected, x, sizeof x);
  assert_ok(fcps_lbfgsb_maximize_all(&together, SEARCHES, BUDGET, 1e-9, x, optima));
  int longest = 0;
  for (int s = 0; s < SEARCHES; s++) {
    assert_ok(fcps_lbfgsb_maximize(&alone, BUDGET, 1e-9, expected + s * N, &optimum));
    assert_int_equal(optima[s].evaluations, optimum.evaluations);
    assert_true(optima[s].value == optimum.value);
    longest = optimum.evaluations > longest ? optimum.evaluations : longest;
  }
  assert_memory_equal(x, expected, sizeof x);
  /* everyone's values were asked for at once */
  assert_int_equal(c.most, SEARCHES);
  assert_int_equal(c.rounds, longest);
  assert_int_equal(optima[1].evaluations, 1);
  assert_status(fcps_lbfgsb_maximize_all(&together, 0, BUDGET, 1e-9, x, optima), FCPS_ERR_ARGUMENT);
}

static void single_point_of_no_dimensions_has_its_value(void **state)
{
  (void)state;
  landscape land = {.formula = waves};
  const fcps_objective objective = objective_of(&land, 0);
  fcps_optimum optimum = {.value = -1};
  assert_ok(fcps_lbfgsb_maximize(&objective, 10, 1e-7, NULL, &optimum));
  assert_true(optimum.value == 0 && optimum.evaluations == 1);
  assert_ok(fcps_lbfgsb_maximize_box(&objective, NULL, NULL, 10, 1e-7, NULL, &optimum));
  assert_true(optimum.value == 0 && optimum.evaluations == 1);
}

/* Searches to the last bit: the Fortran routine then meets useless directions, and would print a message. */
static void search_to_the_last_bit(void)
{
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  for (int trial = 0; trial < 1000; trial++) {
    landscape land;
    double x[10];
    const fcps_objective objective = objective_of(&land, random_bowl(&rng, &land, x));
    fcps_optimum optimum;
    fcps_lbfgsb_maximize(&objective, 300, 0, x, &optimum);
  }
}

static void search_prints_nothing(void **state)
{
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    /* a Fortran run-time library would write its buffers at the exit */
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    search_to_the_last_bit();
    exit(0);
  }
  close(ends[1]);
  char text[256] = "";
  const ssize_t size = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (size > 0) fail_msg("the search printed: %s", text);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rosenbrock_is_climbed_to_its_top),
      cmocka_unit_test(rosenbrock_below_0_8_ends_on_the_bound),
      cmocka_unit_test(maximum_of_a_bowl_is_its_clipped_centre),
      cmocka_unit_test(box_of_any_size_holds_the_search),
      cmocka_unit_test(search_goes_round_a_circle),
      cmocka_unit_test(search_goes_round_from_every_start),
      cmocka_unit_test(steps_into_a_region_without_values_are_shortened),
      cmocka_unit_test(start_without_a_value_is_returned),
      cmocka_unit_test(finite_value_counts_where_the_gradient_is_not),
      cmocka_unit_test(result_is_never_worse_than_the_start),
      cmocka_unit_test(any_budget_is_kept),
      cmocka_unit_test(searches_side_by_side_end_where_each_ends_alone),
      cmocka_unit_test(single_point_of_no_dimensions_has_its_value),
      cmocka_unit_test(search_prints_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
