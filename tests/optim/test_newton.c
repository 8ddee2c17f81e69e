/* SPDX-License-Identifier: Apache-2.0 */
/* Many maximizations side by side: each ends where it would end alone, within its budget and the cube. */
#include "check.h"
#include "optim/optim.h"

#include <string.h>

enum { MOST = 40 };

/* What the tests climb: a formula of one point with gradient and curvature (-Hessian), and a count of its calls. */
typedef struct hill {
  double (*formula)(const double *x, double *gradient, double *curvature);
  int calls[MOST], largest_batch;
} hill;

static void evaluate(void *user, int count, const int *which, const double *points, double *values, double *gradients,
                     double *curvatures)
{
  hill *h = user;
  if (count > h->largest_batch) h->largest_batch = count;
  for (int i = 0; i < count; i++) {
    for (int d = 0; d < 2; d++)
      assert_true(points[2 * i + d] >= 0.0 && points[2 * i + d] <= 1.0);
    h->calls[which[i]]++;
    values[i] = h->formula(points + 2 * i, gradients + 2 * i, curvatures + 4 * i);
  }
}

static fcps_newton_objective objective_of(hill *h, int searches, int group)
{
  return (fcps_newton_objective){.n = 2, .searches = searches, .group = group, .evaluate = evaluate, .user = h};
}

/* -(x - 0.3)^2 - 5 (x - y)^2 with the top beyond the face y = 1 when moved up by `lift`. */
static double lift;
static double bowl(const double *x, double *gradient, double *curvature)
{
  const double a = x[0] - 0.3, b = x[1] - x[0] - lift;
  gradient[0] = -2 * a + 10 * b;
  gradient[1] = -10 * b;
  curvature[0] = 12;
  curvature[1] = curvature[2] = -10;
  curvature[3] = 10;
  return -a * a - 5 * b * b;
}

/* Rosenbrock's valley on [-1, 1.5]^2: the maximum 0 is at (1, 1), which is 0.8 in the cube. */
static double valley(const double *u, double *gradient, double *curvature)
{
  const double x = 2.5 * u[0] - 1, y = 2.5 * u[1] - 1, a = y - x * x, b = 1 - x;
  gradient[0] = 2.5 * (400 * x * a + 2 * b);
  gradient[1] = -2.5 * 200 * a;
  curvature[0] = 6.25 * (1200 * x * x - 400 * y + 2);
  curvature[1] = curvature[2] = -6.25 * 400 * x;
  curvature[3] = 6.25 * 200;
  return -100 * a * a - b * b;
}

static double cosines(const double *x, double *gradient, double *curvature)
{
  const double turn = 2 * 3.14159265358979323846;
  for (int d = 0; d < 2; d++) {
    gradient[d] = -turn * sin(turn * (x[d] - 0.02));
    curvature[3 * d] = turn * turn * cos(turn * (x[d] - 0.02));
  }
  curvature[1] = curvature[2] = 0;
  return cos(turn * (x[0] - 0.02)) + cos(turn * (x[1] - 0.02));
}

static double cliff(const double *x, double *gradient, double *curvature)
{
  const double value = bowl(x, gradient, curvature);
  return x[0] < 0.35 ? NAN : value;
}

static void a_bowl_is_climbed_in_a_few_steps_also_along_a_face(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    hill h = {.formula = bowl};
    const fcps_newton_objective objective = objective_of(&h, 1, 1);
    double x[2] = {0.9, 0.15}, value;
    lift = k == 0 ? 0 : 2;
    assert_ok(fcps_newton_maximize(&objective, 40, 1e-12, x, &value));
    /* with y = 1 the best x follows from -2 (x - 0.3) + 10 (1 - x - 2) = 0, below the cube */
    assert_near(x[0], k == 0 ? 0.3 : 0.0, 1e-6);
    assert_near(x[1], k == 0 ? 0.3 : 1.0, 1e-6);
    assert_true(h.calls[0] <= 20);
  }
  lift = 0;
}

static void searches_from_everywhere_reach_the_end_of_the_valley(void **state)
{
  (void)state;
  hill h = {.formula = valley};
  const fcps_newton_objective objective = objective_of(&h, MOST, 1);
  double x[2 * MOST], values[MOST];
  for (int i = 0; i < MOST; i++) {
    x[2 * i] = fmod(0.37 * i, 1);
    x[2 * i + 1] = fmod(0.61 * i, 1);
  }
  assert_ok(fcps_newton_maximize(&objective, 100, 1e-12, x, values));
  assert_int_equal(h.largest_batch, MOST);
  for (int i = 0; i < MOST; i++) {
    assert_near(values[i], 0, 1e-9);
    assert_near(x[2 * i], 0.8, 1e-4);
    assert_true(h.calls[i] <= 100);
  }
}

static void a_search_does_not_depend_on_its_neighbours(void **state)
{
  (void)state;
  double together[6] = {0.1, 0.9, 0.5, 0.2, 0.95, 0.4}, alone[2] = {0.5, 0.2}, values[3], value;
  hill h = {.formula = valley};
  const fcps_newton_objective three = objective_of(&h, 3, 1), one = objective_of(&h, 1, 1);
  assert_ok(fcps_newton_maximize(&three, 9, 1e-12, together, values));
  assert_ok(fcps_newton_maximize(&one, 9, 1e-12, alone, &value));
  assert_memory_equal(together + 2, alone, sizeof alone);
  assert_true(values[1] == value);
}

static void a_circle_has_no_seam(void **state)
{
  (void)state;
  static const bool wraps[2] = {true, false};
  hill h = {.formula = cosines};
  fcps_newton_objective objective = objective_of(&h, 1, 1);
  objective.wraps = wraps;
  double x[2] = {0.9, 0.2}, value;
  assert_ok(fcps_newton_maximize(&objective, 50, 1e-12, x, &value));
  assert_near(value, 2, 1e-9);
  assert_near(x[0], 0.02, 1e-5);
}

static void no_result_is_worse_than_its_start(void **state)
{
  (void)state;
  hill h = {.formula = cliff};
  const fcps_newton_objective objective = objective_of(&h, 2, 1);
  double x[4] = {0.9, 0.1, 0.2, 0.2}, values[2], unused[6];
  const double start = cliff(x, unused, unused + 2);
  assert_ok(fcps_newton_maximize(&objective, 60, 1e-12, x, values));
  assert_true(values[0] > start && x[0] >= 0.35); /* the top is over the cliff */
  assert_true(x[2] == 0.2 && values[1] < -1e300); /* nothing to climb from */
  assert_int_equal(h.calls[1], 1);
}

/* three searches in one valley: two of them have far to go and leave it to the first */
static void of_a_group_those_that_fall_behind_give_up(void **state)
{
  (void)state;
  double grouped[6] = {0.75, 0.75, 0.1, 0.1, 0.11, 0.1}, values[3];
  hill h = {.formula = valley};
  const fcps_newton_objective objective = objective_of(&h, 3, 3);
  assert_ok(fcps_newton_maximize(&objective, 100, 1e-12, grouped, values));
  const double best = fmax(values[0], fmax(values[1], values[2]));
  assert_near(best, 0, 1e-9);
  assert_true(h.calls[1] + h.calls[2] < h.calls[0] + 20);
  assert_true(values[1] < -1e-3 || values[2] < -1e-3);
}

static double grain(const double *x, double *gradient, double *curvature)
{
  const double value = 1e-9 * valley(x, gradient, curvature);
  for (int i = 0; i < 4; i++) {
    if (i < 2) gradient[i] *= 1e-9;
    curvature[i] *= 1e-9;
  }
  return value;
}

/* the same hill in other units, with a tolerance that the whole of it lies within */
static void small_values_are_climbed_where_their_unit_is_told(void **state)
{
  (void)state;
  for (int told = 0; told < 2; told++) {
    double x[2] = {0.1, 0.1}, value;
    const double value_scale = 1e-9;
    hill h = {.formula = grain};
    fcps_newton_objective objective = objective_of(&h, 1, 1);
    objective.value_scales = told ? &value_scale : NULL;
    assert_ok(fcps_newton_maximize(&objective, 100, 1e-5, x, &value));
    assert_int_equal(told, fabs(x[0] - 0.8) < 1e-3);
  }
}

static void a_budget_below_one_is_refused(void **state)
{
  (void)state;
  hill h = {.formula = bowl};
  const fcps_newton_objective objective = objective_of(&h, 1, 1);
  double x[2] = {0.5, 0.5}, value;
  assert_status(fcps_newton_maximize(&objective, 0, 1e-7, x, &value), FCPS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bowl_is_climbed_in_a_few_steps_also_along_a_face),
      cmocka_unit_test(searches_from_everywhere_reach_the_end_of_the_valley),
      cmocka_unit_test(a_search_does_not_depend_on_its_neighbours),
      cmocka_unit_test(a_circle_has_no_seam),
      cmocka_unit_test(no_result_is_worse_than_its_start),
      cmocka_unit_test(of_a_group_those_that_fall_behind_give_up),
      cmocka_unit_test(small_values_are_climbed_where_their_unit_is_told),
      cmocka_unit_test(a_budget_below_one_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
