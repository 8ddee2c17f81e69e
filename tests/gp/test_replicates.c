/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated rows: their likelihood equals that of the plain computation with a matrix over all rows. */
#include "gp/likelihood.h"

#include "gp/fit.h"
#include "gp/random_gp.h"
#include "usual_prior.h"

#include <string.h>

enum { ROWS = 9, DIM = 2, OUTPUTS = 2, HYPERS = DIM + 2 };

static const fcps_hyper_prior flat = {.is_flat = true, .length = 0.4, .signal = 1, .noise = 0.1, .noise_floor = 1e-3};

/* Rows 0, 3 and 8 are one place, rows 1 and 2 another. */
static const int same_as[ROWS] = {0, 1, 1, 0, 4, 5, 6, 7, 0};

static fcps_gp *repeated_gp(double *y)
{
  double x[ROWS][DIM];
  fcps_gp *gp = NULL;
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_create(&gp, DIM, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, noisy_hyper);
  for (int i = 0; i < ROWS; i++) {
    fcps_rng_uniforms(&rng, DIM, x[i]);
    if (same_as[i] != i) memcpy(x[i], x[same_as[i]], sizeof x[i]);
    assert_ok(fcps_gp_add(gp, x[i]));
    for (int o = 0; o < OUTPUTS; o++)
      y[o * ROWS + i] = sin(5 * x[i][0] + o) + x[i][1] + 0.2 * fcps_rng_normal(&rng);
  }
  return gp;
}

/* The likelihood of all rows by Gaussian elimination, with a mean that maximizes it if `is_gls`. */
static double direct_likelihood(const fcps_gp *gp, const double *h, const double *y, const double *noise, bool is_gls)
{
  double k[ROWS][ROWS + OUTPUTS + 1], value = -0.5 * OUTPUTS * ROWS * log(2.0 * acos(-1.0));
  double yy[OUTPUTS] = {0}, y1[OUTPUTS] = {0}, one = 0;
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) {
      double s = 0;
      for (int d = 0; d < DIM; d++) {
        const double t = (gp->inputs[d * gp->capacity + i] - gp->inputs[d * gp->capacity + j]) / exp(h[d]);
        s += t * t;
      }
      k[i][j] = exp(2 * h[DIM]) * exp(-0.5 * s) + (i == j ? exp(2 * h[DIM + 1]) + noise[i] : 0.0);
    }
    for (int o = 0; o < OUTPUTS; o++)
      k[i][ROWS + o] = y[o * ROWS + i];
    k[i][ROWS + OUTPUTS] = 1.0;
  }
  for (int p = 0; p < ROWS; p++) {
    const double e = k[p][ROWS + OUTPUTS];
    value -= 0.5 * OUTPUTS * log(k[p][p]);
    one += e * e / k[p][p];
    for (int o = 0; o < OUTPUTS; o++) {
      yy[o] += k[p][ROWS + o] * k[p][ROWS + o] / k[p][p];
      y1[o] += k[p][ROWS + o] * e / k[p][p];
    }
    for (int i = p + 1; i < ROWS; i++) {
      const double factor = k[i][p] / k[p][p];
      for (int j = p; j < ROWS + OUTPUTS + 1; j++)
        k[i][j] -= factor * k[p][j];
    }
  }
  for (int o = 0; o < OUTPUTS; o++)
    value -= 0.5 * (yy[o] - (is_gls ? y1[o] * y1[o] / one : 0.0));
  return value;
}

static void check_likelihood(fcps_gp_mean mean, double most_noise)
{
  double y[OUTPUTS * ROWS], noise[ROWS], gradient[HYPERS];
  const bool is_gls = mean == FCPS_MEAN_GLS;
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = repeated_gp(y);
  fcps_likelihood *likelihood = NULL;
  for (int i = 0; i < ROWS; i++)
    noise[i] = most_noise * fcps_rng_uniform(&rng);
  const fcps_gp_norm norm = {.mean = mean, .scaling = FCPS_SCALING_NONE};
  double centred[OUTPUTS * ROWS], offset[OUTPUTS], scale[OUTPUTS];
  fcps_gp_normalize(norm, ROWS, OUTPUTS, y, offset, scale);
  for (int i = 0; i < OUTPUTS * ROWS; i++)
    centred[i] = y[i] - offset[i / ROWS];
  assert_ok(fcps_likelihood_create(&likelihood, gp, &(fcps_gp_data){ROWS, OUTPUTS, y, norm, &flat}));
  fcps_likelihood_set_noise(likelihood, noise);
  assert_near(fcps_likelihood_value(likelihood, noisy_hyper, gradient),
              direct_likelihood(gp, noisy_hyper, centred, noise, is_gls), 1e-11);
  for (int d = 0; d < HYPERS; d++) {
    double plus[HYPERS], minus[HYPERS];
    memcpy(plus, noisy_hyper, sizeof plus);
    memcpy(minus, noisy_hyper, sizeof minus);
    plus[d] += 1e-5;
    minus[d] -= 1e-5;
    const double slope =
        direct_likelihood(gp, plus, centred, noise, is_gls) - direct_likelihood(gp, minus, centred, noise, is_gls);
    assert_near(gradient[d], slope / 2e-5, 1e-6);
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

static void the_likelihood_is_that_of_all_rows(void **state)
{
  (void)state;
  check_likelihood(FCPS_MEAN_ZERO, 0.0);
  check_likelihood(FCPS_MEAN_CENTRED, 0.0);
  check_likelihood(FCPS_MEAN_GLS, 0.0);
}

static void so_it_is_where_rows_differ_in_their_noise(void **state)
{
  (void)state;
  check_likelihood(FCPS_MEAN_ZERO, 0.5);
  check_likelihood(FCPS_MEAN_GLS, 0.5);
}

static void rows_with_the_same_inputs_are_one_place(void **state)
{
  (void)state;
  double y[OUTPUTS * ROWS];
  fcps_gp *gp = repeated_gp(y), *places = NULL;
  fcps_replicates r;
  assert_ok(fcps_replicates_create(&r, gp, ROWS, OUTPUTS));
  assert_int_equal(r.places, 6);
  assert_int_equal(r.place[0], r.place[3]);
  assert_int_equal(r.place[0], r.place[8]);
  assert_int_equal(r.place[1], r.place[2]);
  assert_ok(fcps_replicates_places(&r, gp, &places));
  assert_int_equal(places->count, 6);
  for (int i = 0; i < ROWS; i++)
    for (int d = 0; d < DIM; d++)
      assert_true(places->inputs[d * places->capacity + r.place[i]] == gp->inputs[d * gp->capacity + i]);
  fcps_gp_destroy(places);
  fcps_replicates_destroy(&r);
  fcps_gp_destroy(gp);
}

/* Almost without noise, a matrix with equal rows has no factor but with jitter, and no likelihood that could be
 * compared. Equal outputs leave no scatter, so that the noise alone changes it: 3 rows of noise v cost log v each. */
static void repeated_rows_without_noise_need_no_jitter(void **state)
{
  (void)state;
  fcps_gp *gp = NULL;
  fcps_likelihood *likelihood = NULL;
  const double x = 0.5, y[] = {0.7, 0.7, 0.7, 0.7};
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  for (int i = 0; i < 4; i++)
    assert_ok(fcps_gp_add(gp, &x));
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};
  assert_ok(fcps_likelihood_create(&likelihood, gp, &(fcps_gp_data){4, 1, y, norm, &flat}));
  const double v = 1e-20, hyper[] = {0, 0, 0.5 * log(v)};
  const double log_2pi = log(2 * acos(-1.0));
  const double expected =
      -0.5 * (0.49 + log_2pi) + 0.5 * (log_2pi + log(v / 4)) - 4 * 0.5 * (log_2pi + log(v)); /* v << sf^2 = 1 */
  assert_near(fcps_likelihood_value(likelihood, hyper, NULL), expected, 1e-12);
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

/* The scatter of 40 pairs is all that is known about the noise of a function that changes from pair to pair. */
static void the_scatter_of_repeated_trials_says_what_the_noise_is(void **state)
{
  (void)state;
  enum { PAIRS = 40 };
  static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);
  double y[2 * PAIRS];
  fcps_gp *gp = NULL;
  fcps_fit_result result;
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  fcps_gp_hyper_centre(&prior, 1, gp->hyper);
  for (int i = 0; i < 2 * PAIRS; i++) {
    const double x = (double)(i / 2) / PAIRS;
    assert_ok(fcps_gp_add(gp, &x));
    y[i] = sin(12 * x) + 0.3 * fcps_rng_normal(&rng);
  }
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_NONE};
  assert_ok(fcps_gp_fit(gp, &(fcps_gp_data){2 * PAIRS, 1, y, norm, &prior},
                        (fcps_fit_settings){.starts = 2, .budget = 60}, rng, &result));
  const double found = exp(gp->hyper[2]);
  assert_true(found > 0.25 && found < 0.36);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_likelihood_is_that_of_all_rows),
      cmocka_unit_test(so_it_is_where_rows_differ_in_their_noise),
      cmocka_unit_test(rows_with_the_same_inputs_are_one_place),
      cmocka_unit_test(repeated_rows_without_noise_need_no_jitter),
      cmocka_unit_test(the_scatter_of_repeated_trials_says_what_the_noise_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
