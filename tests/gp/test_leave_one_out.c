/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/leave_one_out.c: one factorization gives the same predictions as n GPs, each without one of the rows.
 */
#include "gp/leave_one_out.h"

#include "gp/query.h"
#include "gp/random_gp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 12, DIM = 3, OUTPUTS = 2 };

/* The same GP without a row. The other rows keep their noise. */
static fcps_gp *without_row(const fcps_gp *gp, int row)
{
  fcps_gp *rest = NULL;
  double noise[ROWS], input[DIM];
  int count = 0;
  assert_ok(fcps_gp_create(&rest, gp->dim, gp->kernel));
  fcps_gp_set_hyper(rest, gp->hyper);
  for (int i = 0; i < ROWS; i++) {
    if (i == row) continue;
    for (int d = 0; d < DIM; d++)
      input[d] = gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)i];
    assert_ok(fcps_gp_add(rest, input));
    noise[count++] = gp->noise[i];
  }
  fcps_gp_set_noise(rest, count, noise, 0.0);
  assert_ok(fcps_gp_grow(rest));
  return rest;
}

/* The prediction for a row by a GP that never had it. */
static void predict_by_others(const fcps_gp *gp, fcps_gp_norm norm, int row, const double *y, fcps_left_out *expected)
{
  fcps_gp *rest = without_row(gp, row);
  double others[OUTPUTS * (ROWS - 1)], input[DIM], mean[OUTPUTS], variance;
  for (int o = 0, k = 0; o < OUTPUTS; o++)
    for (int i = 0; i < ROWS; i++)
      if (i != row) others[k++] = y[o * ROWS + i];
  for (int d = 0; d < DIM; d++)
    input[d] = gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)row];
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  assert_ok(fcps_gp_condition(rest, norm, ROWS - 1, OUTPUTS, others, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, rest, 1));
  const fcps_gp_query query = {.count = 1, .points = input, .mean = mean, .variance = &variance};
  fcps_gp_predict(rest, &outputs, &query, &work);
  const double noise = fcps_gp_hyper_noise_variance(gp->dim, gp->hyper) + gp->noise[row];
  for (int o = 0; o < OUTPUTS; o++)
    expected[o] = (fcps_left_out){.mean = mean[o],
                                  .variance = (variance + noise) * outputs.scale[o] * outputs.scale[o],
                                  .scale = outputs.scale[o]};
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(rest);
}

static fcps_gp *make_gp(double *y)
{
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(DIM, ROWS, &fcps_kernel_matern52, &rng);
  double noise[ROWS];
  for (int i = 0; i < ROWS; i++) {
    const double a = gp->inputs[i], b = gp->inputs[gp->capacity + i];
    y[i] = 40 + 7 * sin(4 * a) + b + 0.2 * fcps_rng_normal(&rng);
    y[ROWS + i] = 1e-3 * (a - b * b) + 1e-5 * fcps_rng_normal(&rng);
    noise[i] = i % 3 == 0 ? 0.4 * fcps_rng_uniform(&rng) : 0.0;
  }
  y[5] = 400; /* a wild one */
  fcps_gp_set_noise(gp, ROWS, noise, 0.0);
  assert_ok(fcps_gp_grow(gp));
  return gp;
}

static void check_all_rows(const fcps_gp *gp, fcps_gp_norm norm, const double *y)
{
  fcps_leave_one_out *loo = NULL;
  assert_ok(fcps_leave_one_out_create(&loo, gp, ROWS));
  for (int row = 0; row < ROWS; row++) {
    fcps_left_out found[OUTPUTS], expected[OUTPUTS];
    assert_ok(fcps_leave_one_out_row(loo, norm, row, OUTPUTS, y, found));
    predict_by_others(gp, norm, row, y, expected);
    for (int o = 0; o < OUTPUTS; o++) {
      const double deviation = sqrt(expected[o].variance);
      assert_near(found[o].mean, expected[o].mean, 1e-9 * (fabs(expected[o].mean) + deviation));
      assert_near(found[o].variance, expected[o].variance, 1e-9 * expected[o].variance);
      assert_near(found[o].scale, expected[o].scale, 1e-12 * expected[o].scale);
    }
  }
  fcps_leave_one_out_destroy(loo);
}

static void every_row_is_predicted_as_by_a_gp_that_never_had_it(void **state)
{
  (void)state;
  const double weights[OUTPUTS] = {1, 1000};
  double y[OUTPUTS * ROWS];
  fcps_gp *gp = make_gp(y);
  for (int mean = 0; fcps_gp_mean_name(mean) != NULL; mean++)
    for (int scaling = 0; fcps_gp_scaling_name(scaling) != NULL; scaling++)
      for (int weighed = 0; weighed < 2; weighed++)
        check_all_rows(gp,
                       (fcps_gp_norm){.mean = (fcps_gp_mean)mean,
                                      .scaling = (fcps_gp_scaling)scaling,
                                      .weights = weighed == 1 ? weights : NULL},
                       y);
  fcps_gp_destroy(gp);
}

/* rows after the last one with an output are in the factor, but do not affect the others */
static void pending_rows_change_nothing(void **state)
{
  (void)state;
  double y[OUTPUTS * ROWS];
  const double input[DIM] = {0.4, 0.5, 0.6};
  fcps_gp *gp = make_gp(y);
  assert_ok(fcps_gp_add(gp, input));
  assert_ok(fcps_gp_grow(gp));
  assert_int_equal(gp->factored, ROWS + 1);
  check_all_rows(gp, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, y);
  fcps_gp_destroy(gp);
}

/* the offset and the scale of a wild row's prediction are those of the tame ones */
static void a_wild_output_does_not_widen_its_own_prediction(void **state)
{
  (void)state;
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
  double y[OUTPUTS * ROWS];
  fcps_left_out wild[OUTPUTS], wilder[OUTPUTS];
  fcps_gp *gp = make_gp(y);
  fcps_leave_one_out *loo = NULL;
  assert_ok(fcps_leave_one_out_create(&loo, gp, ROWS));
  assert_ok(fcps_leave_one_out_row(loo, norm, 5, OUTPUTS, y, wild));
  y[5] = 1e12;
  assert_ok(fcps_leave_one_out_row(loo, norm, 5, OUTPUTS, y, wilder));
  assert_near(wild[0].mean, wilder[0].mean, 0);
  assert_near(wild[0].variance, wilder[0].variance, 0);
  assert_near(wild[0].mean, 42, 8);
  assert_true(sqrt(wild[0].variance) < 15);
  fcps_leave_one_out_destroy(loo);
  fcps_gp_destroy(gp);
}

static void the_order_of_rows_aside_changes_nothing(void **state)
{
  (void)state;
  static const int rising[] = {1, 4, 5, 9}, mixed[] = {9, 4, 1, 5, 4}; /* one is named twice */
  double y[OUTPUTS * ROWS];
  fcps_left_out a[OUTPUTS], b[OUTPUTS];
  fcps_gp *gp = make_gp(y);
  fcps_leave_one_out *loo = NULL;
  assert_ok(fcps_leave_one_out_create(&loo, gp, ROWS));
  for (int row = 0; row < ROWS; row++) {
    fcps_gp_norm norm = {.mean = FCPS_MEAN_GLS, .scaling = FCPS_SCALING_EACH, .aside_count = 4, .aside = rising};
    assert_ok(fcps_leave_one_out_row(loo, norm, row, OUTPUTS, y, a));
    norm.aside_count = 5;
    norm.aside = mixed;
    assert_ok(fcps_leave_one_out_row(loo, norm, row, OUTPUTS, y, b));
    assert_memory_equal(a, b, sizeof a);
    double offset[2][OUTPUTS], scale[2][OUTPUTS];
    fcps_gp_normalize(norm, ROWS, OUTPUTS, y, offset[0], scale[0]);
    norm.aside_count = 4;
    norm.aside = rising;
    fcps_gp_normalize(norm, ROWS, OUTPUTS, y, offset[1], scale[1]);
    assert_memory_equal(offset[0], offset[1], sizeof offset[0]);
    assert_memory_equal(scale[0], scale[1], sizeof scale[0]);
  }
  fcps_leave_one_out_destroy(loo);
  fcps_gp_destroy(gp);
}

/* Trials since the last fit are all outside it; there may be hundreds, if a user imports old trials. */
static void many_rows_aside_cost_about_as_much_as_none(void **state)
{
  (void)state;
  enum { MANY = 600 };
  static double y[MANY];
  static int aside[MANY];
  clock_t spent[2];
  fcps_rng rng = fcps_rng_stream(12, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(DIM, MANY, &fcps_kernel_se, &rng);
  fcps_leave_one_out *loo = NULL;
  fcps_left_out left_out;
  for (int i = 0; i < MANY; i++) {
    y[i] = fcps_rng_normal(&rng);
    aside[i] = i;
  }
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_leave_one_out_create(&loo, gp, MANY));
  for (int k = 0; k < 2; k++) {
    const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .aside_count = k * (MANY - 20), .aside = aside};
    const clock_t begin = clock();
    for (int row = 0; row < MANY; row++)
      assert_ok(fcps_leave_one_out_row(loo, norm, row, 1, y, &left_out));
    spent[k] = clock() - begin;
  }
  assert_true((double)spent[1] < 40.0 * (double)spent[0]); /* 5 times; it was 643 when each row was searched for
                                                              among all */
  fcps_leave_one_out_destroy(loo);
  fcps_gp_destroy(gp);
}

static void one_row_or_one_not_in_the_factor_is_refused(void **state)
{
  (void)state;
  double y[OUTPUTS * ROWS];
  fcps_gp *gp = make_gp(y);
  fcps_leave_one_out *loo = NULL;
  assert_int_equal(fcps_leave_one_out_create(&loo, gp, 1), FCPS_ERR_ARGUMENT);
  assert_int_equal(fcps_leave_one_out_create(&loo, gp, ROWS + 1), FCPS_ERR_ARGUMENT);
  assert_null(loo);
  fcps_leave_one_out_destroy(NULL);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_predicted_as_by_a_gp_that_never_had_it),
      cmocka_unit_test(pending_rows_change_nothing),
      cmocka_unit_test(a_wild_output_does_not_widen_its_own_prediction),
      cmocka_unit_test(the_order_of_rows_aside_changes_nothing),
      cmocka_unit_test(many_rows_aside_cost_about_as_much_as_none),
      cmocka_unit_test(one_row_or_one_not_in_the_factor_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
