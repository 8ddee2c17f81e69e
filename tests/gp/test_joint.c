/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/query.c: covariances of sets of points, and draws. */

#include "gp/kernels/covariance.h"
#include "gp/query.h"
#include "gp/random_gp.h"

#include <stdlib.h>

/* sample moments of joint draws against the posterior, within four standard errors */
static void joint_draws_have_the_posterior_moments(void **state)
{
  (void)state;
  enum { POINTS = 4, DRAWS = 20000 };
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(2, 6, &fcps_kernel_matern52, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[6], x[2 * POINTS], mean[POINTS], whitened[6 * POINTS], covariance[POINTS * POINTS];
  double *normals = malloc(sizeof(double) * POINTS * DRAWS), *draws = malloc(sizeof(double) * POINTS * DRAWS);
  fcps_rng_normals(&rng, 6, y);
  fcps_rng_uniforms(&rng, 2 * POINTS, x);
  fcps_rng_normals(&rng, POINTS * DRAWS, normals);
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, 6, 1, y,
                              &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 0));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = POINTS, .points = x, .mean = mean, .whitened = whitened},
                  &work);
  const fcps_gp_points set = {POINTS, x, whitened};
  fcps_gp_covariance_between(gp, set, set, covariance);
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

/* Prior covariance of two points less va' vb, where v solves L v = k by plain substitution. */
static double posterior_covariance(const fcps_gp *gp, const double *a, const double *b)
{
  double v[2][16], prior;
  const double *points[2] = {a, b};
  for (int p = 0; p < 2; p++)
    for (int i = 0; i < gp->factored; i++) {
      double row[8];
      for (int d = 0; d < gp->dim; d++)
        row[d] = gp->inputs[d * gp->capacity + i];
      fcps_gp_prior_covariances(gp, 1, row, 1, points[p], &v[p][i]);
      for (int j = 0; j < i; j++)
        v[p][i] -= gp->factor[j * gp->capacity + i] * v[p][j];
      v[p][i] /= gp->factor[i * gp->capacity + i];
    }
  fcps_gp_prior_covariances(gp, 1, a, 1, b, &prior);
  for (int i = 0; i < gp->factored; i++)
    prior -= v[0][i] * v[1][i];
  return prior;
}

/* between two sets, and within one (its lower triangle, with jitter), from no rows to some */
static void covariances_of_sets_are_those_of_their_points(void **state)
{
  (void)state;
  enum { M = 5, N = 3, DIM = 2 };
  for (int rows = 0; rows <= 12; rows += 6) {
    fcps_rng rng = fcps_rng_stream(13, FCPS_PURPOSE_TEST, (uint64_t)rows);
    fcps_gp *gp = random_gp(DIM, rows, &fcps_kernel_matern32, &rng);
    fcps_gp_work work = {0};
    double a[M * DIM], b[N * DIM], va[12 * M], vb[12 * N], between[M * N], within[M * M];
    fcps_rng_uniforms(&rng, M * DIM, a);
    fcps_rng_uniforms(&rng, N * DIM, b);
    assert_ok(fcps_gp_grow(gp));
    assert_ok(fcps_gp_work_reserve(&work, gp, 0));
    fcps_gp_predict(gp, NULL, &(fcps_gp_query){.count = M, .points = a, .whitened = va}, &work);
    fcps_gp_predict(gp, NULL, &(fcps_gp_query){.count = N, .points = b, .whitened = vb}, &work);
    fcps_gp_covariance_between(gp, (fcps_gp_points){M, a, va}, (fcps_gp_points){N, b, vb}, between);
    fcps_gp_covariance_within(gp, (fcps_gp_points){M, a, va}, 0.1, within);
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < N; j++)
        assert_near(between[j * M + i], posterior_covariance(gp, a + i * DIM, b + j * DIM), 1e-12);
      for (int j = 0; j <= i; j++)
        assert_near(within[j * M + i], posterior_covariance(gp, a + i * DIM, a + j * DIM) + (i == j ? 0.169 : 0.0),
                    1e-12);
    }
    fcps_gp_work_destroy(&work);
    fcps_gp_destroy(gp);
  }
}

/* v' beta, while some rows are pending */
static void means_follow_from_whitened_covariances(void **state)
{
  (void)state;
  enum { ROWS = 9, PENDING = 2, KNOWN = ROWS - PENDING, POINTS = 5, OUTPUTS = 2, DIM = 3 };
  fcps_rng rng = fcps_rng_stream(14, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(DIM, ROWS, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[KNOWN * OUTPUTS], x[POINTS * DIM], mean[POINTS * OUTPUTS], whitened[ROWS * POINTS], beta[KNOWN * OUTPUTS];
  fcps_rng_normals(&rng, KNOWN * OUTPUTS, y);
  fcps_rng_uniforms(&rng, POINTS * DIM, x);
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, KNOWN,
                              OUTPUTS, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, POINTS));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = POINTS, .points = x, .mean = mean}, &work);
  fcps_gp_predict(gp, NULL, &(fcps_gp_query){.count = POINTS, .points = x, .whitened = whitened}, &work);
  fcps_gp_whitened_weights(gp, &outputs, beta);
  for (int i = 0; i < POINTS; i++)
    for (int o = 0; o < OUTPUTS; o++) {
      double sum = 0.0;
      for (int r = 0; r < KNOWN; r++)
        sum += whitened[i * ROWS + r] * beta[o * KNOWN + r];
      assert_near(outputs.offset[o] + outputs.scale[o] * sum, mean[i * OUTPUTS + o], 1e-11);
    }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_draws_have_the_posterior_moments),
      cmocka_unit_test(covariances_of_sets_are_those_of_their_points),
      cmocka_unit_test(means_follow_from_whitened_covariances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
