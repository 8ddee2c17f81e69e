/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are noisier than others: in the belief, in its growth, in bounds, and in the evidence. */
#include "base/rng.h"
#include "check.h"
#include "gp/likelihood.h"

#include <string.h>

enum { ROWS = 9, DIM = 2 };
static const double hyper[] = {-0.9, -0.4, 0.2, -2.0};
static const fcps_gp_norm plain = {FCPS_MEAN_ZERO, FCPS_SCALING_NONE};

static fcps_gp *make_gp(int rows, double *y, double *noise)
{
  fcps_gp *gp = NULL;
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_create(&gp, DIM, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < rows; i++) {
    double input[DIM];
    fcps_rng_uniforms(&rng, DIM, input);
    assert_ok(fcps_gp_add(gp, input));
    y[i] = sin(5 * input[0]) + input[1];
    noise[i] = 0.3 * fcps_rng_uniform(&rng);
  }
  return gp;
}

static void one_noisy_row_is_believed_less(void **state)
{
  (void)state;
  double y, noise, mean, variance;
  fcps_gp *gp = make_gp(1, &y, &noise);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  fcps_gp_set_noise(gp, 1, &noise, 0.0);
  assert_ok(fcps_gp_factorize(gp, 1));
  assert_ok(fcps_gp_condition(gp, plain, 1, 1, &y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  const double at[DIM] = {gp->inputs[0], gp->inputs[gp->capacity]}, sf2 = exp(0.4), sn2 = exp(-4.0);
  fcps_gp_predict(gp, &outputs, 1, at, &work, &mean, &variance);
  assert_near(mean, y * sf2 / (sf2 + sn2 + noise), 1e-12);
  assert_near(variance, sf2 - sf2 * sf2 / (sf2 + sn2 + noise), 1e-12);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
}

static void a_grown_factor_knows_the_noise(void **state)
{
  (void)state;
  double y[ROWS], noise[ROWS], y_again[ROWS], noise_again[ROWS];
  fcps_gp *gp = make_gp(ROWS, y, noise), *grown = make_gp(4, y_again, noise_again), *copy = NULL;
  fcps_gp_set_noise(gp, 4, noise, 0.17);
  assert_ok(fcps_gp_factorize(gp, ROWS));
  fcps_gp_set_noise(grown, 4, noise, 0.17);
  assert_ok(fcps_gp_factorize(grown, 4));
  for (int i = 4; i < ROWS; i++) {
    const double input[DIM] = {gp->inputs[i], gp->inputs[gp->capacity + i]};
    assert_ok(fcps_gp_add(grown, input)); /* with the usual noise */
  }
  assert_ok(fcps_gp_grow(grown));
  assert_ok(fcps_gp_copy(grown, &copy));
  for (int j = 0; j < ROWS; j++)
    for (int i = j; i < ROWS; i++) {
      assert_near(grown->factor[j * grown->capacity + i], gp->factor[j * gp->capacity + i], 1e-12);
      assert_true(copy->factor[j * copy->capacity + i] == grown->factor[j * grown->capacity + i]);
    }
  assert_memory_equal(copy->noise, grown->noise, ROWS * sizeof(double));
  assert_near(fcps_gp_noise(copy), exp(-4.0) + 0.17, 1e-12);
  fcps_gp_destroy(gp);
  fcps_gp_destroy(grown);
  fcps_gp_destroy(copy);
}

static void bounds_are_never_too_small(void **state)
{
  (void)state;
  double y[ROWS], noise[ROWS], bounds[64], variances[64], points[64 * DIM];
  fcps_gp *gp = make_gp(ROWS, y, noise);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  fcps_gp_set_noise(gp, ROWS, noise, 0.0);
  assert_ok(fcps_gp_factorize(gp, ROWS));
  assert_ok(fcps_gp_condition(gp, plain, ROWS, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 64));
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, 64 * DIM, points);
  for (int i = 0; i < ROWS; i++) /* and at the rows, where bounds are tightest */
    for (int d = 0; d < DIM; d++)
      points[i * DIM + d] = gp->inputs[d * gp->capacity + i];
  fcps_gp_predict_bound(gp, &outputs, 64, points, &work, NULL, bounds);
  fcps_gp_predict(gp, &outputs, 64, points, &work, NULL, variances);
  for (int i = 0; i < 64; i++)
    assert_true(bounds[i] >= variances[i]);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
}

/* Log density of y under N(0, K) by elimination, with nothing of the fast form. */
static double direct_evidence(const fcps_gp *gp, const double *h, const double *y, const double *noise)
{
  double k[ROWS][ROWS + 1], value = -0.5 * ROWS * log(2.0 * acos(-1.0));
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) {
      double s = 0;
      for (int d = 0; d < DIM; d++) {
        const double t = (gp->inputs[d * gp->capacity + i] - gp->inputs[d * gp->capacity + j]) / exp(h[d]);
        s += t * t;
      }
      k[i][j] = exp(2 * h[DIM]) * exp(-0.5 * s) + (i == j ? exp(2 * h[DIM + 1]) + noise[i] : 0.0);
    }
    k[i][ROWS] = y[i];
  }
  for (int p = 0; p < ROWS; p++) {
    value -= 0.5 * log(k[p][p]) + 0.5 * k[p][ROWS] * k[p][ROWS] / k[p][p];
    for (int i = p + 1; i < ROWS; i++) {
      const double factor = k[i][p] / k[p][p];
      for (int j = p; j <= ROWS; j++)
        k[i][j] -= factor * k[p][j];
    }
  }
  return value;
}

static void the_evidence_knows_the_noise(void **state)
{
  (void)state;
  double y[ROWS], noise[ROWS], gradient[DIM + 2];
  fcps_gp *gp = make_gp(ROWS, y, noise);
  const fcps_hyper_prior flat = {.is_flat = true, .length = 0.4, .signal = 1, .noise = 0.1, .noise_floor = 1e-3};
  fcps_likelihood *likelihood = NULL;
  assert_ok(fcps_likelihood_create(&likelihood, gp, &flat, plain, ROWS, 1, y));
  const double before = fcps_likelihood_value(likelihood, hyper, NULL);
  fcps_likelihood_set_noise(likelihood, noise);
  assert_near(fcps_likelihood_value(likelihood, hyper, gradient), direct_evidence(gp, hyper, y, noise), 1e-10);
  assert_true(fabs(before - direct_evidence(gp, hyper, y, noise)) > 0.1);
  for (int d = 0; d < DIM + 2; d++) {
    double plus[DIM + 2], minus[DIM + 2];
    memcpy(plus, hyper, sizeof plus);
    memcpy(minus, hyper, sizeof minus);
    plus[d] += 1e-5;
    minus[d] -= 1e-5;
    assert_near(gradient[d], (direct_evidence(gp, plus, y, noise) - direct_evidence(gp, minus, y, noise)) / 2e-5, 1e-6);
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_noisy_row_is_believed_less),
      cmocka_unit_test(a_grown_factor_knows_the_noise),
      cmocka_unit_test(bounds_are_never_too_small),
      cmocka_unit_test(the_evidence_knows_the_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
