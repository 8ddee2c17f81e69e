/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/kernel*.c: values by hand, slopes by finite differences, equal bits for equal inputs. */
#include "base/rng.h"
#include "check.h"
#include "gp/kernels/kernel.h"

static double value_at(const fcps_kernel *kernel, double s)
{
  double value;
  kernel->eval(1, &s, &value, NULL);
  return value;
}

static void values_match_the_formulas(void **state)
{
  (void)state;
  const double s = 0.7, r = sqrt(s);
  assert_near(value_at(&fcps_kernel_se, s), exp(-0.35), 1e-14);
  assert_near(value_at(&fcps_kernel_matern32, s), (1 + sqrt(3) * r) * exp(-sqrt(3) * r), 1e-14);
  assert_near(value_at(&fcps_kernel_matern52, s), (1 + sqrt(5) * r + 5 * s / 3) * exp(-sqrt(5) * r), 1e-14);
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    assert_near(value_at(fcps_kernel_at(k), 0.0), 1.0, 1e-15);
}

/* h(s) = -2 dphi/ds, at 100 random distances of points in dimensions 1 to 10 */
static void slopes_match_finite_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (int dim = 1; dim <= 10; dim++)
      for (int trial = 0; trial < 100; trial++) {
        double s = 0.0, value, slope;
        for (int d = 0; d < dim; d++)
          s += pow(fcps_rng_uniform(&rng) - fcps_rng_uniform(&rng), 2) / 0.16;
        s = fmax(s, 1e-3);
        fcps_kernel_at(k)->eval(1, &s, &value, &slope);
        const double step = 1e-5 * s;
        const double difference =
            (value_at(fcps_kernel_at(k), s + step) - value_at(fcps_kernel_at(k), s - step)) / (2 * step);
        assert_near(slope, -2 * difference, 1e-6);
      }
}

/* c(s) = -2 dh/ds; at 0 it says whether the process has a second derivative */
static void curvatures_match_finite_differences(void **state)
{
  (void)state;
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (double s = 1e-3; s < 20; s *= 1.7) {
      const double step = 1e-5 * s, around[2] = {s - step, s + step};
      double value[2], slope[2];
      fcps_kernel_at(k)->eval(2, around, value, slope);
      assert_near(fcps_kernel_at(k)->curvature(s), (slope[0] - slope[1]) / step, 1e-5);
    }
  assert_true(fcps_kernel_se.curvature(0.0) == 1.0);
  assert_near(fcps_kernel_matern52.curvature(0.0), 25.0 / 3.0, 1e-14);
  assert_true(isinf(fcps_kernel_matern32.curvature(0.0)));
}

/* a value must not depend on its place in a batch: factors that grow by rows rely on this */
static void equal_inputs_give_equal_bits_wherever_they_stand(void **state)
{
  (void)state;
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (int count = 1; count <= 600; count += 7) {
      double s[600], value[600];
      for (int i = 0; i < count; i++)
        s[i] = 1.2345;
      fcps_kernel_at(k)->eval((size_t)count, s, value, NULL);
      for (int i = 0; i < count; i++)
        assert_true(value[i] == value_at(fcps_kernel_at(k), 1.2345));
    }
}

/* the list ends with NULL, and each kernel is found by its own name */
static void kernels_are_found_by_name(void **state)
{
  (void)state;
  int count = 0;
  for (; fcps_kernel_at(count) != NULL; count++)
    assert_ptr_equal(fcps_kernel_find(fcps_kernel_at(count)->name), fcps_kernel_at(count));
  assert_true(count >= 3);
  assert_null(fcps_kernel_at(count + 1));
  assert_null(fcps_kernel_at(-1));
  assert_null(fcps_kernel_find("matern"));
  assert_null(fcps_kernel_find(NULL));
}

/* phi(s + s') = phi(s) phi(s') for the kernels that declare it, and for no other */
static void separable_kernels_are_products(void **state)
{
  (void)state;
  for (int k = 0; fcps_kernel_at(k) != NULL; k++) {
    const fcps_kernel *kernel = fcps_kernel_at(k);
    const double gap = value_at(kernel, 1.1) - value_at(kernel, 0.4) * value_at(kernel, 0.7);
    assert_true(kernel->is_separable == (fabs(gap) < 1e-12));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_match_the_formulas),
      cmocka_unit_test(slopes_match_finite_differences),
      cmocka_unit_test(curvatures_match_finite_differences),
      cmocka_unit_test(equal_inputs_give_equal_bits_wherever_they_stand),
      cmocka_unit_test(kernels_are_found_by_name),
      cmocka_unit_test(separable_kernels_are_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
