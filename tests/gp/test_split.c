/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/split.c: breaks are found, and data without a break stay whole. */
#include "base/rng.h"
#include "check.h"
#include "gp/split.h"
#include "usual_prior.h"

#include <stdlib.h>

static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);

enum { ROWS = 40, DIM = 3 };

/* Rows whose output is a smooth wave, with a break at 0.3 of input 1 if `breaks`. */
static fcps_gp *make_rows(bool breaks, double *y)
{
  fcps_gp *gp = NULL;
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_create(&gp, DIM, &fcps_kernel_se));
  for (int i = 0; i < ROWS; i++) {
    double x[DIM];
    fcps_rng_uniforms(&rng, DIM, x);
    assert_ok(fcps_gp_add(gp, x));
    const double wave = sin(4 * x[0]) + x[2];
    y[i] = breaks && x[1] < 0.3 ? 3 * cos(9 * x[2]) - 4 : wave;
    y[i] += 0.02 * fcps_rng_normal(&rng);
    y[ROWS + i] = breaks && x[1] < 0.3 ? 5 * x[0] : wave; /* a second output with the same break */
  }
  return gp;
}

static void a_break_is_found_where_it_is(void **state)
{
  (void)state;
  const bool may_split[DIM] = {true, true, true};
  double y[2 * ROWS];
  fcps_gp *gp = make_rows(true, y);
  for (int outputs = 1; outputs <= 2; outputs++) {
    fcps_split split;
    assert_ok(fcps_gp_split_find(gp, &(fcps_gp_data){.rows = ROWS, .outputs = outputs, .y = y, .prior = &prior},
                                 may_split, 15, &split));
    assert_int_equal(split.input, 1);
    assert_near(split.threshold, 0.3, 0.06);
    assert_true(split.gain > 0);
  }
  fcps_gp_destroy(gp);
}

static void a_smooth_function_stays_whole(void **state)
{
  (void)state;
  const bool may_split[DIM] = {true, true, true};
  double y[2 * ROWS];
  fcps_gp *gp = make_rows(false, y);
  fcps_split split;
  assert_ok(fcps_gp_split_find(gp, &(fcps_gp_data){.rows = ROWS, .outputs = 1, .y = y, .prior = &prior}, may_split, 15,
                               &split));
  assert_true(split.gain < 0);
  fcps_gp_destroy(gp);
}

static void only_allowed_inputs_are_split(void **state)
{
  (void)state;
  const bool others[DIM] = {true, false, true}, none[DIM] = {false, false, false};
  double y[2 * ROWS];
  fcps_gp *gp = make_rows(true, y);
  fcps_split split;
  assert_ok(
      fcps_gp_split_find(gp, &(fcps_gp_data){.rows = ROWS, .outputs = 1, .y = y, .prior = &prior}, others, 15, &split));
  assert_int_not_equal(split.input, 1);
  assert_ok(
      fcps_gp_split_find(gp, &(fcps_gp_data){.rows = ROWS, .outputs = 1, .y = y, .prior = &prior}, none, 15, &split));
  assert_int_equal(split.input, -1);
  fcps_gp_destroy(gp);
}

static void one_row_that_differs_can_be_a_side(void **state)
{
  (void)state;
  const bool may_split[1] = {true};
  fcps_gp *gp = NULL;
  double y[10];
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  for (int i = 0; i < 10; i++) {
    const double x = (i + 0.5) / 10;
    assert_ok(fcps_gp_add(gp, &x));
    y[i] = i == 0 ? -20 : -1 - 0.01 * i;
  }
  fcps_split split;
  assert_ok(fcps_gp_split_find(gp, &(fcps_gp_data){.rows = 10, .outputs = 1, .y = y, .prior = &prior}, may_split, 15,
                               &split));
  assert_int_equal(split.input, 0);
  assert_near(split.threshold, 0.1, 1e-12);
  assert_true(split.gain > 0);
  fcps_gp_destroy(gp);
}

static void equal_inputs_and_equal_outputs_are_no_reason(void **state)
{
  (void)state;
  const bool may_split[1] = {true};
  fcps_gp *gp = NULL;
  double y[6] = {1, 1, 1, 1, 1, 1};
  const double x = 0.5;
  fcps_split split;
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_matern32));
  for (int i = 0; i < 6; i++)
    assert_ok(fcps_gp_add(gp, &x));
  assert_ok(
      fcps_gp_split_find(gp, &(fcps_gp_data){.rows = 6, .outputs = 1, .y = y, .prior = &prior}, may_split, 15, &split));
  assert_int_equal(split.input, -1); /* no gap */
  assert_ok(
      fcps_gp_split_find(gp, &(fcps_gp_data){.rows = 1, .outputs = 1, .y = y, .prior = &prior}, may_split, 15, &split));
  assert_int_equal(split.input, -1);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_break_is_found_where_it_is),
      cmocka_unit_test(a_smooth_function_stays_whole),
      cmocka_unit_test(only_allowed_inputs_are_split),
      cmocka_unit_test(one_row_that_differs_can_be_a_side),
      cmocka_unit_test(equal_inputs_and_equal_outputs_are_no_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
