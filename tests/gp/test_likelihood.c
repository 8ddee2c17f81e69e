/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/likelihood.c: closed forms, finite differences, and the noise of rows. */
#include "gp/likelihood.h"

#include "gp/random_gp.h"
#include "usual_prior.h"

#include <string.h>

static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);
static const fcps_gp_norm plain = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

/* one row: lml = -y^2/(2 (f + s)) - log(f + s)/2 - log(2 pi)/2 */
static void one_row_matches_the_closed_form(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp_of_prior(&prior, 2, 1, &fcps_kernel_se, &rng);
  fcps_hyper_prior flat = prior;
  flat.is_flat = true;
  fcps_likelihood *likelihood;
  const double y = 1.7, hyper[] = {log(0.3), log(0.6), 0.5 * log(2.5), 0.5 * log(0.3)};
  assert_ok(fcps_likelihood_create(&likelihood, gp, &(fcps_gp_data){1, 1, &y, plain, &flat}));
  assert_near(fcps_likelihood_value(likelihood, hyper, NULL),
              -y * y / (2 * 2.8) - 0.5 * log(2.8) - 0.5 * log(2 * 3.141592653589793), 1e-12);
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

static void check_gradient(int dim, int outputs, fcps_gp_mean mean, const fcps_kernel *kernel, fcps_rng *rng)
{
  enum { ROWS = 15 };
  fcps_gp *gp = random_gp_of_prior(&prior, dim, ROWS, kernel, rng);
  fcps_likelihood *likelihood;
  double y[3 * ROWS], hyper[16], gradient[16];
  fcps_rng_normals(rng, outputs * ROWS, y);
  assert_ok(fcps_likelihood_create(
      &likelihood, gp,
      &(fcps_gp_data){ROWS, outputs, y, (fcps_gp_norm){.mean = mean, .scaling = FCPS_SCALING_EACH}, &prior}));
  for (int trial = 0; trial < 10; trial++) {
    for (int i = 0; i < FCPS_HYPER_COUNT(dim); i++)
      hyper[i] = log(0.2 + 0.8 * fcps_rng_uniform(rng));
    fcps_likelihood_value(likelihood, hyper, gradient);
    for (int i = 0; i < FCPS_HYPER_COUNT(dim); i++) {
      const double step = 1e-5, middle = hyper[i];
      hyper[i] = middle + step;
      const double above = fcps_likelihood_value(likelihood, hyper, NULL);
      hyper[i] = middle - step;
      const double below = fcps_likelihood_value(likelihood, hyper, NULL);
      hyper[i] = middle;
      assert_near(gradient[i], (above - below) / (2 * step), 1e-5);
    }
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

static void gradients_match_finite_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (int dim = 1; dim <= 10; dim++) {
      check_gradient(dim, 1, FCPS_MEAN_CENTRED, fcps_kernel_at(k), &rng);
      check_gradient(dim, 3, FCPS_MEAN_CENTRED, fcps_kernel_at(k), &rng);
      check_gradient(dim, 2, FCPS_MEAN_GLS, fcps_kernel_at(k), &rng);
    }
}

static void outputs_that_share_a_matrix_add_up(void **state)
{
  (void)state;
  enum { ROWS = 9 };
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp_of_prior(&prior, 3, ROWS, &fcps_kernel_matern52, &rng);
  fcps_hyper_prior flat = prior;
  flat.is_flat = true;
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
  double y[2 * ROWS], sum = 0;
  fcps_rng_normals(&rng, 2 * ROWS, y);
  for (int o = 0; o < 3; o++) {
    fcps_likelihood *likelihood;
    assert_ok(fcps_likelihood_create(&likelihood, gp,
                                     &(fcps_gp_data){ROWS, o < 2 ? 1 : 2, o < 2 ? y + o * ROWS : y, norm, &flat}));
    const double value = fcps_likelihood_value(likelihood, gp->hyper, NULL);
    if (o < 2)
      sum += value;
    else
      assert_near(value, sum, 1e-12);
    fcps_likelihood_destroy(likelihood);
  }
  fcps_gp_destroy(gp);
}

/* Log density of y under N(0, K) by elimination, independent of the fast form. */
static double direct_likelihood(const fcps_gp *gp, const double *h, const double *y, const double *noise)
{
  double k[NOISY_ROWS][NOISY_ROWS + 1], value = -0.5 * NOISY_ROWS * log(2.0 * acos(-1.0));
  for (int i = 0; i < NOISY_ROWS; i++) {
    for (int j = 0; j < NOISY_ROWS; j++) {
      double s = 0;
      for (int d = 0; d < NOISY_DIM; d++) {
        const double t = (gp->inputs[d * gp->capacity + i] - gp->inputs[d * gp->capacity + j]) / exp(h[d]);
        s += t * t;
      }
      k[i][j] = exp(2 * h[NOISY_DIM]) * exp(-0.5 * s) + (i == j ? exp(2 * h[NOISY_DIM + 1]) + noise[i] : 0.0);
    }
    k[i][NOISY_ROWS] = y[i];
  }
  for (int p = 0; p < NOISY_ROWS; p++) {
    value -= 0.5 * log(k[p][p]) + 0.5 * k[p][NOISY_ROWS] * k[p][NOISY_ROWS] / k[p][p];
    for (int i = p + 1; i < NOISY_ROWS; i++) {
      const double factor = k[i][p] / k[p][p];
      for (int j = p; j <= NOISY_ROWS; j++)
        k[i][j] -= factor * k[p][j];
    }
  }
  return value;
}

static void the_likelihood_knows_the_noise(void **state)
{
  (void)state;
  double y[NOISY_ROWS], noise[NOISY_ROWS], gradient[NOISY_DIM + 2];
  fcps_gp *gp = noisy_gp(NOISY_ROWS, y, noise);
  const fcps_hyper_prior flat = {.is_flat = true, .length = 0.4, .signal = 1, .noise = 0.1, .noise_floor = 1e-3};
  fcps_likelihood *likelihood = NULL;
  assert_ok(fcps_likelihood_create(&likelihood, gp, &(fcps_gp_data){NOISY_ROWS, 1, y, plain, &flat}));
  const double before = fcps_likelihood_value(likelihood, noisy_hyper, NULL);
  fcps_likelihood_set_noise(likelihood, noise);
  assert_near(fcps_likelihood_value(likelihood, noisy_hyper, gradient), direct_likelihood(gp, noisy_hyper, y, noise),
              1e-10);
  assert_true(fabs(before - direct_likelihood(gp, noisy_hyper, y, noise)) > 0.1);
  for (int d = 0; d < NOISY_DIM + 2; d++) {
    double plus[NOISY_DIM + 2], minus[NOISY_DIM + 2];
    memcpy(plus, noisy_hyper, sizeof plus);
    memcpy(minus, noisy_hyper, sizeof minus);
    plus[d] += 1e-5;
    minus[d] -= 1e-5;
    assert_near(gradient[d], (direct_likelihood(gp, plus, y, noise) - direct_likelihood(gp, minus, y, noise)) / 2e-5,
                1e-6);
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_row_matches_the_closed_form),
      cmocka_unit_test(gradients_match_finite_differences),
      cmocka_unit_test(outputs_that_share_a_matrix_add_up),
      cmocka_unit_test(the_likelihood_knows_the_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
