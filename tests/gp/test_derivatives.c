/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/derivatives.c: compared with finite differences of the kernel, along curves and lines. */
#include "gp/derivatives.h"
#include "gp/kernels/covariance.h"
#include "gp/random_gp.h"

enum { DIM = 3, CURVES = 2 };
static const double point[DIM] = {0.4, 0.55, 0.3};
static const double velocity[CURVES * DIM] = {1, 0, 0, 0, -0.7, 1.1};
static const double acceleration[CURVES * DIM] = {0, 0, 0, 0, -1.3, -0.9};

static fcps_gp_curves curves_of(const fcps_gp *gp)
{
  return (fcps_gp_curves){.count = CURVES,
                          .orders = fcps_gp_derivative_orders(gp),
                          .point = point,
                          .velocity = velocity,
                          .acceleration = acceleration};
}

static void move(int curve, double t, double *x)
{
  for (int d = 0; d < DIM; d++)
    x[d] = point[d] + velocity[curve * DIM + d] * t + 0.5 * acceleration[curve * DIM + d] * t * t;
}

static double covariance(const fcps_gp *gp, const double *a, const double *b)
{
  double k;
  fcps_gp_prior_covariances(gp, 1, a, 1, b, &k);
  return k;
}

/* Weights of central differences of order 0, 1 and 2 at -step, 0 and step. */
static double weight(int order, int at, double step)
{
  if (order == 0) return at == 0 ? 1.0 : 0.0;
  if (order == 1) return at / (2.0 * step);
  return (at == 0 ? -2.0 : 1.0) / (step * step);
}

/* Covariance of derivatives of orders p and q along curves d and e, by differences. */
static double difference(const fcps_gp *gp, int d, int p, int e, int q, double step)
{
  double sum = 0.0, x[DIM], z[DIM];
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) {
      move(d, i * step, x);
      move(e, j * step, z);
      sum += weight(p, i, step) * weight(q, j, step) * covariance(gp, x, z);
    }
  return sum;
}

static fcps_gp *gp_of(const fcps_kernel *kernel, int rows)
{
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(DIM, rows, kernel, &rng);
  return gp;
}

static void covariances_with_values_match_finite_differences(void **state)
{
  (void)state;
  for (int kernel = 0; fcps_kernel_at(kernel) != NULL; kernel++) {
    fcps_gp *gp = gp_of(fcps_kernel_at(kernel), 7);
    const fcps_gp_curves curves = curves_of(gp);
    const int width = CURVES * curves.orders;
    double k[7 * 2 * CURVES], again[2 * CURVES], scratch[3 * 7];
    const fcps_gp_inputs rows = {7, gp->inputs, 1, (size_t)gp->capacity};
    fcps_gp_derivative_covariances(gp, &curves, rows, scratch, k);
    for (int i = 0; i < 7; i++) {
      double x[DIM];
      for (int d = 0; d < DIM; d++)
        x[d] = gp->inputs[d * gp->capacity + i];
      fcps_gp_derivative_covariances(gp, &curves, (fcps_gp_inputs){1, x, DIM, 1}, scratch, again);
      for (int c = 0; c < width; c++) {
        double wanted = 0.0, z[DIM];
        const double step = 1e-4;
        for (int j = -1; j <= 1; j++) {
          move(c % CURVES, j * step, z);
          wanted += weight(1 + c / CURVES, j, step) * covariance(gp, x, z);
        }
        assert_near(k[c * 7 + i], wanted, 1e-5);
        assert_near(again[c], k[c * 7 + i], 1e-14);
      }
    }
    fcps_gp_destroy(gp);
  }
}

static void covariances_of_derivatives_match_finite_differences(void **state)
{
  (void)state;
  const fcps_kernel *const kernels[] = {&fcps_kernel_se, &fcps_kernel_matern52, &fcps_kernel_matern32};
  const int orders[] = {2, 2, 1};
  /* the rougher the kernel, the more slowly differences approach the derivative: at worst in proportion to the step,
   * so that two steps show the limit */
  const double steps[] = {8e-3, 4e-3, 3e-4}, tolerance[] = {1e-3, 1e-3, 1e-4};
  for (int kernel = 0; kernel < 3; kernel++) {
    fcps_gp *gp = gp_of(kernels[kernel], 0);
    const fcps_gp_curves curves = curves_of(gp);
    assert_int_equal(curves.orders, orders[kernel]);
    const int width = CURVES * curves.orders;
    double k[4 * CURVES * CURVES];
    fcps_gp_derivative_covariance_within(gp, &curves, k);
    for (int a = 0; a < width; a++)
      for (int b = 0; b < width; b++) {
        const int p = 1 + a / CURVES, q = 1 + b / CURVES, d = a % CURVES, e = b % CURVES;
        const double step = steps[kernel];
        const double wanted = 2 * difference(gp, d, p, e, q, step / 2) - difference(gp, d, p, e, q, step);
        assert_near(k[b * width + a], wanted, tolerance[kernel]);
      }
    fcps_gp_destroy(gp);
  }
}

/* along a straight line */
static void slopes_change_as_their_covariance_says(void **state)
{
  (void)state;
  for (int kernel = 0; fcps_kernel_at(kernel) != NULL; kernel++) {
    fcps_gp *gp = gp_of(fcps_kernel_at(kernel), 0);
    const fcps_gp_curves curves = curves_of(gp);
    const double length = 0.2, step = 1e-5;
    double variance[4 * CURVES * CURVES], between = 0.0;
    fcps_gp_derivative_covariance_within(gp, &curves, variance);
    for (int i = -1; i <= 1; i += 2)
      for (int j = -1; j <= 1; j += 2) {
        const double x[DIM] = {point[0] + i * step, point[1], point[2]};
        const double z[DIM] = {point[0] + length + j * step, point[1], point[2]};
        between += weight(1, i, step) * weight(1, j, step) * covariance(gp, x, z);
      }
    assert_near(fcps_gp_derivative_change(gp, &curves, 0, length), 2 * variance[0] - 2 * between, 1e-4);
    assert_true(fcps_gp_derivative_change(gp, &curves, 0, 0.0) == 0.0);
    fcps_gp_destroy(gp);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(covariances_with_values_match_finite_differences),
      cmocka_unit_test(covariances_of_derivatives_match_finite_differences),
      cmocka_unit_test(slopes_change_as_their_covariance_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
