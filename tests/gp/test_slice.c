/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/fit.c: moments of the samples, and a start where the density is 0. */
#include "check.h"
#include "gp/fit.h"
#include "usual_prior.h"

#include <stdlib.h>

/* A normal with correlation 0.8, cut off at 0 in its second coordinate. */
static double cut_normal(void *user, const double *x)
{
  (void)user;
  return -0.5 * (x[0] * x[0] - 1.6 * x[0] * x[1] + x[1] * x[1]) / (1 - 0.64);
}

static void moments_of_a_cut_normal_are_right(void **state)
{
  (void)state;
  enum { SWEEPS = 40000 };
  const double lower[] = {-10, 0}, upper[] = {10, 10}, width[] = {1, 3};
  const fcps_density density = {2, cut_normal, NULL, lower, upper, width};
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  double x[2] = {0.1, 0.1}, value = cut_normal(NULL, x), mean[2] = {0}, square = 0;
  for (int s = 0; s < SWEEPS; s++) {
    fcps_slice_sweep(&density, x, &value, &rng);
    assert_near(value, cut_normal(NULL, x), 1e-12);
    assert_true(x[1] > 0);
    mean[0] += x[0] / SWEEPS;
    mean[1] += x[1] / SWEEPS;
    square += x[1] * x[1] / SWEEPS;
  }
  /* x1 is half-normal, and E x0 = 0.8 E x1 */
  assert_near(mean[1], sqrt(2 / acos(-1.0)), 0.03);
  assert_near(mean[0], 0.8 * sqrt(2 / acos(-1.0)), 0.03);
  assert_near(square, 1.0, 0.04);
}

static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);
static const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
enum { ROWS = 10 };

static fcps_gp *ten_rows(double *y)
{
  fcps_gp *gp;
  fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  fcps_gp_hyper_centre(&prior, 1, gp->hyper);
  for (int i = 0; i < ROWS; i++) {
    const double x = fcps_rng_uniform(&rng);
    assert_ok(fcps_gp_add(gp, &x));
    y[i] = sin(7 * x) + 0.1 * fcps_rng_normal(&rng);
  }
  return gp;
}

/* Mean and deviation of each log hyper-parameter, by summing the posterior over a grid in all three. */
static void grid_moments(const fcps_gp *gp, const double *y, double *mean, double *deviation)
{
  enum { STEPS = 60 };
  fcps_likelihood *likelihood;
  double lower[3], upper[3], total = 0, top = -INFINITY, x[3];
  double *log_density = malloc(STEPS * STEPS * STEPS * sizeof(double));
  assert_ok(fcps_likelihood_create(&likelihood, gp, &(fcps_gp_data){ROWS, 1, y, norm, &prior}));
  fcps_gp_hyper_bounds(&prior, 1, lower, upper);
  for (int i = 0; i < STEPS * STEPS * STEPS; i++) {
    const int at[3] = {i % STEPS, i / STEPS % STEPS, i / STEPS / STEPS};
    for (int d = 0; d < 3; d++)
      x[d] = lower[d] + (upper[d] - lower[d]) * (at[d] + 0.5) / STEPS;
    log_density[i] = fcps_likelihood_value(likelihood, x, NULL);
    top = fmax(top, log_density[i]);
  }
  for (int d = 0; d < 3; d++)
    mean[d] = deviation[d] = 0;
  for (int i = 0; i < STEPS * STEPS * STEPS; i++) {
    const int at[3] = {i % STEPS, i / STEPS % STEPS, i / STEPS / STEPS};
    const double p = exp(log_density[i] - top);
    total += p;
    for (int d = 0; d < 3; d++) {
      const double v = lower[d] + (upper[d] - lower[d]) * (at[d] + 0.5) / STEPS;
      mean[d] += p * v;
      deviation[d] += p * v * v;
    }
  }
  for (int d = 0; d < 3; d++) {
    mean[d] /= total;
    deviation[d] = sqrt(deviation[d] / total - mean[d] * mean[d]);
  }
  free(log_density);
  fcps_likelihood_destroy(likelihood);
}

static void posterior_moments_agree_with_a_grid(void **state)
{
  (void)state;
  enum { SAMPLES = 20000 };
  double y[ROWS], mean[3], deviation[3], *samples = malloc(3 * SAMPLES * sizeof(double));
  fcps_gp *gp = ten_rows(y);
  grid_moments(gp, y, mean, deviation);
  const fcps_rng rng = fcps_rng_stream(10, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_sample(gp, &(fcps_gp_data){ROWS, 1, y, norm, &prior}, gp->hyper, 50, SAMPLES, rng, samples));
  for (int d = 0; d < 3; d++) {
    double sum = 0, squares = 0, lag = 0;
    for (int s = 0; s < SAMPLES; s++)
      sum += samples[3 * s + d] / SAMPLES;
    for (int s = 0; s < SAMPLES; s++) {
      const double v = samples[3 * s + d] - sum;
      squares += v * v / SAMPLES;
      if (s > 0) lag += v * (samples[3 * (s - 1) + d] - sum) / SAMPLES;
    }
    /* standard error from the chain's own correlation, as of a process of first order */
    const double rho = lag / squares, error = sqrt(squares / SAMPLES * (1 + rho) / (1 - rho));
    assert_true(error < 0.05 * deviation[d]);
    assert_near(sum - mean[d], 0.0, 4 * error + 0.01 * deviation[d]);
    assert_near(sqrt(squares) / deviation[d], 1.0, 0.06);
  }
  free(samples);
  fcps_gp_destroy(gp);
}

/* if no hyper-parameters give the outputs a finite likelihood, the result is the prior's centre, not an error */
static void a_start_without_density_falls_back(void **state)
{
  (void)state;
  double y[ROWS], samples[2 * 3], centre[3];
  fcps_gp *gp = ten_rows(y);
  const double nowhere[3] = {NAN, 0, 0};
  const fcps_rng rng = fcps_rng_stream(10, FCPS_PURPOSE_TEST, 1);
  assert_ok(fcps_gp_sample(gp, &(fcps_gp_data){ROWS, 1, y, norm, &prior}, nowhere, 0, 2, rng, samples));
  for (int i = 0; i < 6; i++)
    assert_true(isfinite(samples[i]));
  y[3] = NAN;
  fcps_gp_hyper_centre(&prior, 1, centre);
  assert_ok(fcps_gp_sample(gp, &(fcps_gp_data){ROWS, 1, y, norm, &prior}, gp->hyper, 0, 2, rng, samples));
  assert_memory_equal(samples + 3, centre, sizeof centre);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_of_a_cut_normal_are_right),
      cmocka_unit_test(posterior_moments_agree_with_a_grid),
      cmocka_unit_test(a_start_without_density_falls_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
