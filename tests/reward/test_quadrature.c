/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/reward/quadrature.c: moments of every rule, and equal nodes at every call. */
#include "reward/quadrature.h"

#include "check.h"

/* Moments of a standard normal: E z^(2m) = 1, 1, 3, 15, 105, ...; a rule with n nodes is exact to degree 2n - 1. */
static void gauss_hermite_is_exact_for_polynomials(void **state)
{
  (void)state;
  for (int n = 1; n <= 12; n++) {
    double nodes[12], weights[12], even = 1;
    assert_ok(fcps_gauss_hermite(n, nodes, weights));
    for (int degree = 0; degree < 2 * n; degree++) {
      double sum = 0, size = 0;
      for (int i = 0; i < n; i++) {
        sum += weights[i] * pow(nodes[i], degree);
        size += weights[i] * fabs(pow(nodes[i], degree));
      }
      if (degree > 0 && degree % 2 == 0) even *= degree - 1;
      assert_true(fabs(sum - (degree % 2 == 0 ? even : 0)) <= 1e-11 * fmax(1, size));
    }
  }
}

static void every_rule_has_the_normal_s_mean_and_covariance(void **state)
{
  (void)state;
  for (int n = 1; n <= 8; n++) {
    fcps_quadrature q;
    assert_ok(fcps_quadrature_create(&q, n));
    double total = 0;
    for (int k = 0; k < q.count; k++)
      total += q.weights[k];
    assert_near(total, 1, 1e-12);
    for (int a = 0; a < n; a++) {
      double mean = 0;
      for (int k = 0; k < q.count; k++)
        mean += q.weights[k] * q.nodes[k * n + a];
      assert_near(mean, 0, 1e-12);
      for (int b = 0; b <= a; b++) {
        double product = 0;
        for (int k = 0; k < q.count; k++)
          product += q.weights[k] * q.nodes[k * n + a] * q.nodes[k * n + b];
        /* quasi-random points are only nearly uncorrelated */
        assert_near(product, a == b ? 1 : 0, n <= 3 || a == b ? 1e-12 : 0.25);
      }
    }
    fcps_quadrature_destroy(&q);
  }
}

/* 64 nodes know 32 directions: as many coordinates are uncorrelated, and of more no two are alike */
static void many_dimensions_are_nearly_uncorrelated(void **state)
{
  (void)state;
  const int dimensions[] = {9, 12, 16, 30, 32, 40};
  for (int c = 0; c < 6; c++) {
    const int n = dimensions[c];
    fcps_quadrature q;
    assert_ok(fcps_quadrature_create(&q, n));
    for (int a = 0; a < n; a++)
      for (int b = 0; b <= a; b++) {
        double product = 0;
        for (int k = 0; k < q.count; k++)
          product += q.weights[k] * q.nodes[k * n + a] * q.nodes[k * n + b];
        assert_near(product, a == b ? 1 : 0, a == b || a < 32 ? 1e-9 : 0.7);
      }
    fcps_quadrature_destroy(&q);
  }
}

static void the_nodes_are_always_the_same(void **state)
{
  (void)state;
  fcps_quadrature a, b;
  assert_ok(fcps_quadrature_create(&a, 5));
  assert_ok(fcps_quadrature_create(&b, 5));
  assert_memory_equal(a.nodes, b.nodes, (size_t)(a.count * 5) * sizeof(double));
  fcps_quadrature_destroy(&a);
  fcps_quadrature_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gauss_hermite_is_exact_for_polynomials),
      cmocka_unit_test(every_rule_has_the_normal_s_mean_and_covariance),
      cmocka_unit_test(many_dimensions_are_nearly_uncorrelated),
      cmocka_unit_test(the_nodes_are_always_the_same),
  };
  return cmocka_run_group_tests_name("reward/quadrature", tests, NULL, NULL);
}
