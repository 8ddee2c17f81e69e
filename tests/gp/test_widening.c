/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/leave_one_out.c: one factorization gives the same predictions as GPs without a row and its
 * neighbours, and a factor is near 1 only if the kernel is right. */
#include "gp/leave_one_out.h"

#include "base/rng.h"
#include "check.h"
#include "gp/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, DIM = 2, NEIGHBOURS = 3 }; /* one of twenty rows around each */
static const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

/* A GP of the first rows of `x`, except those in `without`. */
static fcps_gp *make_gp(double length, const double *x, const bool *without)
{
  fcps_gp *gp = NULL;
  double hyper[FCPS_HYPER_COUNT(DIM)] = {log(length), log(length), 0.0, log(0.05)};
  assert_ok(fcps_gp_create(&gp, DIM, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < ROWS; i++)
    if (!without[i]) assert_ok(fcps_gp_add(gp, x + DIM * i));
  assert_ok(fcps_gp_grow(gp));
  return gp;
}

static double wave(const double *x, double pace)
{
  return sin(pace * x[0]) * cos(pace * x[1]);
}

static void fill(double *x, double *y, double pace)
{
  fcps_rng rng = fcps_rng_stream(21, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, ROWS * DIM, x);
  for (int i = 0; i < ROWS; i++)
    y[i] = wave(x + DIM * i, pace) + 0.05 * fcps_rng_normal(&rng);
}

static double factor_of(const fcps_gp *gp, const double *y)
{
  fcps_gp_outputs outputs = {0};
  double factor;
  assert_ok(fcps_gp_condition(gp, norm, ROWS, 1, y, &outputs));
  assert_ok(fcps_gp_widening(gp, &outputs, &factor));
  fcps_gp_outputs_destroy(&outputs);
  return factor;
}

/* The standardized error at a row of a GP that has neither the row nor the rows nearest to it. */
static double error_without(double length, const double *x, const double *y, int row)
{
  bool without[ROWS] = {false};
  double others[ROWS], mean, variance;
  without[row] = true;
  for (int k = 0; k < NEIGHBOURS; k++) {
    int nearest = -1;
    double least = INFINITY;
    for (int i = 0; i < ROWS; i++) {
      const double distance = hypot(x[DIM * i] - x[DIM * row], x[DIM * i + 1] - x[DIM * row + 1]);
      if (without[i] || !(distance < least)) continue;
      least = distance;
      nearest = i;
    }
    without[nearest] = true;
  }
  fcps_gp *rest = make_gp(length, x, without);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  int count = 0;
  for (int i = 0; i < ROWS; i++)
    if (!without[i]) others[count++] = y[i];
  assert_ok(fcps_gp_condition(rest, norm, count, 1, others, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, rest, 1));
  const fcps_gp_query query = {.count = 1, .points = x + DIM * row, .mean = &mean, .variance = &variance};
  fcps_gp_predict(rest, &outputs, &query, &work);
  const double error = fabs(y[row] - mean) / sqrt(variance + fcps_gp_noise(rest));
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(rest);
  return error;
}

static int ascending(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static void it_is_what_other_gps_say(void **state)
{
  (void)state;
  static const bool none[ROWS] = {false};
  double x[ROWS * DIM], y[ROWS], errors[ROWS];
  fill(x, y, 12.0); /* the function changes faster than the kernel's length says */
  fcps_gp *gp = make_gp(0.5, x, none);
  for (int i = 0; i < ROWS; i++)
    errors[i] = error_without(0.5, x, y, i);
  qsort(errors, ROWS, sizeof *errors, ascending);
  const double factor = factor_of(gp, y), expected = errors[57] / 1.959963984540054;
  assert_true(expected > 1.0);
  assert_near(factor, fmin(expected, 3.0), 1e-6);
  fcps_gp_destroy(gp);
}

static void a_kernel_that_is_right_needs_none(void **state)
{
  (void)state;
  static const bool none[ROWS] = {false};
  double x[ROWS * DIM], y[ROWS];
  fill(x, y, 2.0);
  fcps_gp *right = make_gp(0.8, x, none), *wrong = make_gp(5.0, x, none);
  assert_true(factor_of(right, y) < 1.3);
  assert_true(factor_of(wrong, y) > 2.0);
  fcps_gp_destroy(right);
  fcps_gp_destroy(wrong);
}

static void few_rows_say_nothing(void **state)
{
  (void)state;
  fcps_gp *gp = NULL;
  fcps_gp_outputs outputs = {0};
  const double y[2] = {-50, 50};
  double factor = 0;
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  assert_ok(fcps_gp_add(gp, (double[]){0.1}));
  assert_ok(fcps_gp_add(gp, (double[]){0.2}));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, norm, 2, 1, y, &outputs));
  assert_ok(fcps_gp_widening(gp, &outputs, &factor));
  assert_true(factor == 1.0);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_what_other_gps_say),
      cmocka_unit_test(a_kernel_that_is_right_needs_none),
      cmocka_unit_test(few_rows_say_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
