/* SPDX-License-Identifier: Apache-2.0 */
/* Posterior and gradients of many points at once are those of single points; so are means from separate factors. */
#include "base/rng.h"
#include "check.h"
#include "gp/separable.h"
#include "gp/slopes.h"

#include <string.h>

enum { DIM = 3, ROWS = 60, OUTPUTS = 2, POINTS = 37 };

static fcps_gp *random_gp(int rows, const fcps_kernel *kernel, fcps_rng *rng)
{
  static const double hyper[DIM + 2] = {-0.5, -1.1, 0.2, 0.3, -2.0};
  fcps_gp *gp;
  double x[DIM];
  assert_ok(fcps_gp_create(&gp, DIM, kernel));
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < rows; i++) {
    fcps_rng_uniforms(rng, DIM, x);
    assert_ok(fcps_gp_add(gp, x));
  }
  assert_ok(fcps_gp_grow(gp));
  return gp;
}

/* `pending` of the rows have no output: they count for the variance alone. */
static void compare(int rows, int pending, const fcps_kernel *kernel)
{
  static const fcps_gp_norm norm = {FCPS_MEAN_CENTRED, FCPS_SCALING_SHARED};
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, (uint64_t)rows);
  fcps_gp *gp = random_gp(rows, kernel, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  fcps_gp_slopes slopes = {0};
  double y[ROWS * OUTPUTS], points[POINTS * DIM], mean[POINTS * OUTPUTS], variance[POINTS];
  double mean_gradient[POINTS * OUTPUTS * DIM], variance_gradient[POINTS * DIM];
  fcps_rng_normals(&rng, ROWS * OUTPUTS, y);
  fcps_rng_uniforms(&rng, POINTS * DIM, points);
  assert_ok(fcps_gp_condition(gp, norm, rows - pending, OUTPUTS, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  assert_ok(fcps_gp_slopes_create(&slopes, gp, &outputs, POINTS));
  fcps_gp_slopes_predict(&slopes, POINTS, points, mean, variance, mean_gradient, variance_gradient);
  for (int i = 0; i < POINTS; i++) {
    double m[OUTPUTS], v, dm[OUTPUTS * DIM], dv[DIM];
    fcps_gp_predict_gradient(gp, &outputs, points + i * DIM, &work, m, &v, dm, dv);
    assert_near(variance[i], v, 1e-10);
    for (int o = 0; o < OUTPUTS; o++)
      assert_near(mean[i * OUTPUTS + o], m[o], 1e-10);
    for (int k = 0; k < OUTPUTS * DIM; k++)
      assert_near(mean_gradient[i * OUTPUTS * DIM + k], dm[k], 1e-9);
    for (int d = 0; d < DIM; d++)
      assert_near(variance_gradient[i * DIM + d], dv[d], 1e-9);
  }
  fcps_gp_slopes_destroy(&slopes);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void many_points_are_predicted_as_one_by_one(void **state)
{
  (void)state;
  compare(ROWS, 0, &fcps_kernel_se);
  compare(ROWS, 0, &fcps_kernel_matern52);
  compare(1, 0, &fcps_kernel_se);
}

static void pending_rows_count_for_the_variance_alone(void **state)
{
  (void)state;
  compare(ROWS, 5, &fcps_kernel_matern52);
}

static void without_rows_the_prior_is_flat(void **state)
{
  (void)state;
  compare(0, 0, &fcps_kernel_se);
}

/* the first input as a context, the others as candidates; a column for each output in each context */
static void means_from_separate_factors_are_the_means(void **state)
{
  (void)state;
  static const fcps_gp_norm norm = {FCPS_MEAN_CENTRED, FCPS_SCALING_EACH};
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(ROWS, &fcps_kernel_se, &rng), *other = random_gp(1, &fcps_kernel_matern52, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[ROWS * OUTPUTS], candidates[POINTS * (DIM - 1)];
  enum { CONTEXTS = 3, COLUMNS = CONTEXTS * OUTPUTS };
  static double own[ROWS * POINTS], shared[ROWS * CONTEXTS], weights[ROWS * COLUMNS], mean[POINTS * COLUMNS];
  const double contexts[CONTEXTS] = {0.2, 0.5, 0.8};
  int output[COLUMNS];
  assert_true(fcps_gp_is_separable(gp));
  assert_false(fcps_gp_is_separable(other));
  fcps_rng_normals(&rng, ROWS * OUTPUTS, y);
  fcps_rng_uniforms(&rng, POINTS * (DIM - 1), candidates);
  assert_ok(fcps_gp_condition(gp, norm, ROWS - 3, OUTPUTS, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_separate(gp, 1, DIM - 1, POINTS, candidates, own);
  fcps_gp_separate(gp, 0, 1, CONTEXTS, contexts, shared);
  for (int column = 0; column < COLUMNS; column++) {
    output[column] = column % OUTPUTS;
    fcps_gp_weigh_separated(gp, &outputs, output[column], shared + column / OUTPUTS * ROWS,
                            weights + column * outputs.count);
  }
  fcps_gp_predict_separated(gp, &outputs, COLUMNS, output, weights, POINTS, own, mean);
  for (int i = 0; i < POINTS; i++)
    for (int c = 0; c < CONTEXTS; c++) {
      const double point[DIM] = {contexts[c], candidates[2 * i], candidates[2 * i + 1]};
      double expected[OUTPUTS];
      fcps_gp_predict(gp, &outputs, 1, point, &work, expected, NULL);
      for (int o = 0; o < OUTPUTS; o++)
        assert_near(mean[i * COLUMNS + c * OUTPUTS + o], expected[o], 1e-11);
    }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(other);
  fcps_gp_destroy(gp);
}

/* A factor beyond the cache: points that share their solves have the answers of points alone. */
static void points_of_one_look_are_predicted_as_one_by_one(void **state)
{
  (void)state;
  enum { MANY = 700 };
  static const fcps_gp_norm norm = {FCPS_MEAN_CENTRED, FCPS_SCALING_SHARED};
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(MANY, &fcps_kernel_matern52, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work crowded = {0}, alone = {0};
  double y[MANY * OUTPUTS], points[POINTS * DIM];
  fcps_rng_normals(&rng, MANY * OUTPUTS, y);
  fcps_rng_uniforms(&rng, POINTS * DIM, points);
  assert_ok(fcps_gp_condition(gp, norm, MANY - 5, OUTPUTS, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&crowded, gp, POINTS));
  assert_ok(fcps_gp_work_reserve(&alone, gp, 1));
  assert_int_equal(fcps_gp_prefetch_count(gp, &alone), 1);
  const int crowd = fcps_gp_prefetch_count(gp, &crowded);
  assert_true(crowd > 1);
  for (int with_variances = 0; with_variances < 2; with_variances++)
    for (int i = 0; i < POINTS; i++) {
      double m[2][OUTPUTS], v[2] = {0}, dm[2][OUTPUTS * DIM], dv[2][DIM] = {{0}};
      const double *point = points + i * DIM;
      const int rest = POINTS - i;
      if (i % crowd == 0)
        fcps_gp_prefetch(gp, &outputs, rest < crowd ? rest : crowd, point, with_variances == 1, &crowded);
      fcps_gp_gradient_at(gp, &outputs, i % crowd, point, &crowded, m[0], with_variances ? &v[0] : NULL, dm[0],
                          with_variances ? dv[0] : NULL);
      fcps_gp_predict_gradient(gp, &outputs, point, &alone, m[1], with_variances ? &v[1] : NULL, dm[1],
                               with_variances ? dv[1] : NULL);
      assert_near(v[0], v[1], 1e-10);
      for (int o = 0; o < OUTPUTS; o++)
        assert_near(m[0][o], m[1][o], 1e-10);
      for (int k = 0; k < OUTPUTS * DIM; k++)
        assert_near(dm[0][k], dm[1][k], 1e-9);
      for (int d = 0; d < DIM; d++)
        assert_near(dv[0][d], dv[1][d], 1e-9);
    }
  /* rows that stay in the cache are solved alone: more cost no less */
  fcps_gp_truncate(gp, ROWS);
  assert_int_equal(fcps_gp_prefetch_count(gp, &crowded), 1);
  fcps_gp_work_destroy(&alone);
  fcps_gp_work_destroy(&crowded);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_points_are_predicted_as_one_by_one),
      cmocka_unit_test(pending_rows_count_for_the_variance_alone),
      cmocka_unit_test(without_rows_the_prior_is_flat),
      cmocka_unit_test(means_from_separate_factors_are_the_means),
      cmocka_unit_test(points_of_one_look_are_predicted_as_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
