/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/gp.c and predict.c. */
#include "base/rng.h"
#include "check.h"
#include "gp/gp.h"

#include <stdlib.h>
#include <string.h>

static const fcps_gp_norm plain = {FCPS_MEAN_ZERO, FCPS_SCALING_NONE};

/* A GP with `rows` random rows in the unit cube and mixed hyper-parameters. */
static fcps_gp *random_gp(int dim, int rows, const fcps_kernel *kernel, fcps_rng *rng)
{
  fcps_gp *gp;
  double hyper[16], x[16];
  assert_ok(fcps_gp_create(&gp, dim, kernel));
  for (int d = 0; d < dim; d++)
    hyper[d] = log(0.3 + fcps_rng_uniform(rng));
  hyper[dim] = log(1.3);
  hyper[dim + 1] = log(0.1);
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < rows; i++) {
    fcps_rng_uniforms(rng, dim, x);
    assert_ok(fcps_gp_add(gp, x));
  }
  return gp;
}

/* For one observation the posterior is scalar:
 *   mean = k y/(f + s),  variance = f - k^2/(f + s),   f the signal and s the noise variance.
 * All constants differ and none is 0 or 1, so no wrong formula agrees by accident. */
static void one_observation_matches_the_closed_form(void **state)
{
  (void)state;
  const double f = 2.5, s = 0.3, length = 0.7, x1[2] = {0.2, -1.4}, y1 = -3.1, x[2] = {0.5, -0.9};
  const double k = f * exp(-(0.3 * 0.3 + 0.5 * 0.5) / (2 * length * length));
  const double hyper[] = {log(length), log(length), 0.5 * log(f), 0.5 * log(s)};
  fcps_gp *gp;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double mean, variance;
  assert_ok(fcps_gp_create(&gp, 2, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, hyper);
  assert_ok(fcps_gp_add(gp, x1));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, plain, 1, 1, &y1, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 4));
  fcps_gp_predict(gp, &outputs, 1, x, &work, &mean, &variance);
  assert_near(mean, k * y1 / (f + s), 1e-12);
  assert_near(variance, f - k * k / (f + s), 1e-12);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void without_rows_the_posterior_is_the_prior(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(3, 0, &fcps_kernel_matern52, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  const double x[3] = {0.1, 0.2, 0.3};
  double mean, variance, y = 0;
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, plain, 0, 1, &y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, 1, x, &work, &mean, &variance);
  assert_near(mean, 0.0, 1e-15);
  assert_near(variance, 1.69, 1e-12);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

/* gradients of mean and variance, dimensions 1 to 10, all kernels, 100 points each */
static void gradients_match_finite_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (int dim = 1; dim <= 10; dim++) {
      enum { ROWS = 12, POINTS = 100 };
      fcps_gp *gp = random_gp(dim, ROWS, fcps_kernel_at(k), &rng);
      fcps_gp_outputs outputs = {0};
      fcps_gp_work work = {0};
      double y[2 * ROWS];
      fcps_rng_normals(&rng, 2 * ROWS, y);
      assert_ok(fcps_gp_grow(gp));
      assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){FCPS_MEAN_CENTRED, FCPS_SCALING_EACH}, ROWS, 2, y, &outputs));
      assert_ok(fcps_gp_work_reserve(&work, gp, 2));
      for (int trial = 0; trial < POINTS; trial++) {
        double x[10], mean[2], variance, dmean[20], dvariance[10];
        fcps_rng_uniforms(&rng, dim, x);
        fcps_gp_predict_gradient(gp, &outputs, x, &work, mean, &variance, dmean, dvariance);
        for (int d = 0; d < dim; d++) {
          const double step = 1e-5;
          double points[20], m[4], v[2];
          memcpy(points, x, (size_t)dim * sizeof(double));
          memcpy(points + dim, x, (size_t)dim * sizeof(double));
          points[d] += step;
          points[dim + d] -= step;
          fcps_gp_predict(gp, &outputs, 2, points, &work, m, v);
          assert_near(dmean[d], (m[0] - m[2]) / (2 * step), 2e-6);
          assert_near(dmean[dim + d], (m[1] - m[3]) / (2 * step), 2e-6);
          assert_near(dvariance[d], (v[0] - v[1]) / (2 * step), 2e-6);
        }
      }
      fcps_gp_work_destroy(&work);
      fcps_gp_outputs_destroy(&outputs);
      fcps_gp_destroy(gp);
    }
}

static void a_grown_factor_equals_a_fresh_one(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  enum { ROWS = 60 };
  fcps_gp *gp = random_gp(4, ROWS, &fcps_kernel_matern32, &rng), *copy;
  assert_ok(fcps_gp_copy(gp, &copy));
  assert_ok(fcps_gp_factorize(gp, 20));
  assert_ok(fcps_gp_grow(gp));
  assert_int_equal(gp->base, 20);
  assert_ok(fcps_gp_factorize(copy, ROWS));
  for (int j = 0; j < ROWS; j++)
    for (int i = j; i < ROWS; i++)
      assert_near(gp->factor[j * gp->capacity + i], copy->factor[j * copy->capacity + i], 1e-10);
  fcps_gp_destroy(copy);
  fcps_gp_destroy(gp);
}

/* the same rows, base and hyper-parameters give the same bits: what resuming relies on */
static void a_factor_rebuilt_from_base_has_the_same_bits(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  enum { ROWS = 70, BASE = 33 };
  fcps_gp *grown = random_gp(3, BASE, &fcps_kernel_se, &rng), *rebuilt;
  assert_ok(fcps_gp_factorize(grown, BASE));
  for (int i = BASE; i < ROWS; i++) { /* one row, one growth at a time, through several capacities */
    double x[3];
    fcps_rng_uniforms(&rng, 3, x);
    assert_ok(fcps_gp_add(grown, x));
    assert_ok(fcps_gp_grow(grown));
  }
  assert_ok(fcps_gp_copy(grown, &rebuilt));
  fcps_gp_set_hyper(rebuilt, grown->hyper);
  assert_ok(fcps_gp_factorize(rebuilt, BASE));
  assert_ok(fcps_gp_grow(rebuilt));
  for (int j = 0; j < ROWS; j++)
    for (int i = j; i < ROWS; i++)
      assert_true(grown->factor[j * grown->capacity + i] == rebuilt->factor[j * rebuilt->capacity + i]);
  fcps_gp_destroy(rebuilt);
  fcps_gp_destroy(grown);
}

static void pending_rows_reduce_the_variance_and_leave_the_mean(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(2, 8, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[8], x[2] = {0.31, 0.77}, before, after, mean_before, mean_after;
  fcps_rng_normals(&rng, 8, y);
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, plain, 8, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, 1, x, &work, &mean_before, &before);
  assert_ok(fcps_gp_add(gp, x));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, 1, x, &work, &mean_after, &after);
  assert_near(mean_after, mean_before, 1e-12);
  assert_near(after, before - before * before / (before + 0.01), 1e-10); /* conditioning on one noisy value */
  fcps_gp_truncate(gp, 8);
  fcps_gp_predict(gp, &outputs, 1, x, &work, &mean_after, &after);
  assert_true(after == before);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void identical_rows_are_survived(void **state)
{
  (void)state;
  const double x[2] = {0.4, 0.6}, hyper[] = {log(1e-8), log(1e8), log(1e6), log(1e-12)};
  for (int rows = 1; rows <= 300; rows += 13) {
    fcps_gp *gp;
    fcps_gp_outputs outputs = {0};
    fcps_gp_work work = {0};
    double mean, variance, *y = calloc((size_t)rows, sizeof *y);
    assert_ok(fcps_gp_create(&gp, 2, &fcps_kernel_se));
    fcps_gp_set_hyper(gp, hyper);
    for (int i = 0; i < rows; i++)
      assert_ok(fcps_gp_add(gp, x));
    assert_ok(fcps_gp_grow(gp));
    assert_ok(fcps_gp_condition(gp, plain, rows, 1, y, &outputs));
    assert_ok(fcps_gp_work_reserve(&work, gp, 1));
    fcps_gp_predict(gp, &outputs, 1, x, &work, &mean, &variance);
    assert_true(isfinite(mean) && variance >= 0);
    free(y);
    fcps_gp_work_destroy(&work);
    fcps_gp_outputs_destroy(&outputs);
    fcps_gp_destroy(gp);
  }
}

/* y = 7 + noise far from every row: the GLS mean is what the posterior returns to */
static void the_gls_mean_weighs_rows_by_their_information(void **state)
{
  (void)state;
  const double hyper[] = {log(0.5), 0.0, log(0.1)};
  const double x[] = {0.0, 0.01, 1.0}, y[] = {2.0, 2.0, 8.0}, far[] = {50.0};
  fcps_gp *gp;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double mean;
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < 3; i++)
    assert_ok(fcps_gp_add(gp, x + i));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){FCPS_MEAN_GLS, FCPS_SCALING_NONE}, 3, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, 1, far, &work, &mean, NULL);
  /* two rows at one place count nearly as one: between (2+2+8)/3 = 4 and (2+8)/2 = 5, nearer to 5 */
  assert_true(mean > 4.9 && mean < 5.0);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void constant_outputs_are_predicted_as_they_are(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(2, 5, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  const double y[5] = {-4, -4, -4, -4, -4}, x[2] = {0.5, 0.5};
  double mean;
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){FCPS_MEAN_CENTRED, FCPS_SCALING_EACH}, 5, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, 1, x, &work, &mean, NULL);
  assert_near(mean, -4.0, 1e-12);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

/* sample moments of joint draws against the posterior, within four standard errors */
static void joint_draws_have_the_posterior_moments(void **state)
{
  (void)state;
  enum { POINTS = 4, DRAWS = 20000 };
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(2, 6, &fcps_kernel_matern52, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[6], x[2 * POINTS], mean[POINTS], scratch[256], covariance[POINTS * POINTS];
  double *normals = malloc(sizeof(double) * POINTS * DRAWS), *draws = malloc(sizeof(double) * POINTS * DRAWS);
  fcps_rng_normals(&rng, 6, y);
  fcps_rng_uniforms(&rng, 2 * POINTS, x);
  fcps_rng_normals(&rng, POINTS * DRAWS, normals);
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){FCPS_MEAN_CENTRED, FCPS_SCALING_EACH}, 6, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, POINTS));
  fcps_gp_predict(gp, &outputs, POINTS, x, &work, mean, NULL);
  fcps_gp_covariance(gp, POINTS, x, POINTS, x, scratch, covariance);
  assert_ok(fcps_gp_draw(gp, &outputs, 0, POINTS, x, DRAWS, normals, draws));
  const double scale2 = outputs.scale[0] * outputs.scale[0];
  for (int a = 0; a < POINTS; a++) {
    double sum = 0;
    for (int s = 0; s < DRAWS; s++)
      sum += draws[s * POINTS + a];
    assert_near(sum / DRAWS, mean[a], 4 * sqrt(scale2 * covariance[a * POINTS + a] / DRAWS));
    for (int b = 0; b < POINTS; b++) {
      double product = 0;
      for (int s = 0; s < DRAWS; s++)
        product += (draws[s * POINTS + a] - mean[a]) * (draws[s * POINTS + b] - mean[b]);
      const double spread = scale2 * sqrt(covariance[a * POINTS + a] * covariance[b * POINTS + b]);
      assert_near(product / DRAWS, scale2 * covariance[b * POINTS + a], 4 * spread * sqrt(2.0 / DRAWS));
    }
  }
  free(normals);
  free(draws);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

/* with one row the bound is the variance; with more it is above, and near where a row is */
static void bounds_of_the_variance_hold(void **state)
{
  (void)state;
  enum { POINTS = 200, DIM = 3 };
  for (int rows = 0; rows <= 40; rows += rows < 2 ? 1 : 19) {
    fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, (uint64_t)rows);
    fcps_gp *gp = random_gp(DIM, rows, &fcps_kernel_se, &rng);
    fcps_gp_outputs outputs = {0};
    fcps_gp_work work = {0};
    double y[40], points[POINTS * DIM], mean[POINTS], exact[POINTS], mean_again[POINTS], bound[POINTS];
    fcps_rng_uniforms(&rng, 40, y);
    fcps_rng_uniforms(&rng, POINTS * DIM, points);
    assert_ok(fcps_gp_grow(gp));
    assert_ok(fcps_gp_condition(gp, plain, rows, 1, y, &outputs));
    assert_ok(fcps_gp_work_reserve(&work, gp, 64));
    fcps_gp_predict(gp, &outputs, POINTS, points, &work, mean, exact);
    fcps_gp_predict_bound(gp, &outputs, POINTS, points, &work, mean_again, bound);
    for (int i = 0; i < POINTS; i++) {
      assert_near(mean_again[i], mean[i], 1e-12);
      if (rows < 2) assert_near(bound[i], exact[i], 1e-12);
      assert_true(bound[i] >= exact[i] - 1e-12 && bound[i] <= 1.69 + 1e-12);
      if (rows >= 2) assert_true(bound[i] < 1.69 - 1e-6);
    }
    fcps_gp_work_destroy(&work);
    fcps_gp_outputs_destroy(&outputs);
    fcps_gp_destroy(gp);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_observation_matches_the_closed_form),
      cmocka_unit_test(without_rows_the_posterior_is_the_prior),
      cmocka_unit_test(gradients_match_finite_differences),
      cmocka_unit_test(a_grown_factor_equals_a_fresh_one),
      cmocka_unit_test(a_factor_rebuilt_from_base_has_the_same_bits),
      cmocka_unit_test(pending_rows_reduce_the_variance_and_leave_the_mean),
      cmocka_unit_test(identical_rows_are_survived),
      cmocka_unit_test(the_gls_mean_weighs_rows_by_their_information),
      cmocka_unit_test(constant_outputs_are_predicted_as_they_are),
      cmocka_unit_test(joint_draws_have_the_posterior_moments),
      cmocka_unit_test(bounds_of_the_variance_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
