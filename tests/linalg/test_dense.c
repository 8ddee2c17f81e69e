/* SPDX-License-Identifier: Apache-2.0 */
/* Products against plain loops, eigenvalues against closed forms. */
#include "check.h"

#include "base/rng.h"
#include "linalg/dense.h"

#include <string.h>

enum { LD = 13, SIZE = LD * LD };

/* Three matrices of random numbers with leading dimension LD. */
typedef struct matrices {
  double a[SIZE], b[SIZE], c[SIZE];
} matrices;

static matrices random_matrices(uint64_t seed)
{
  matrices m;
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
  fcps_rng_normals(&rng, SIZE, m.a);
  fcps_rng_normals(&rng, SIZE, m.b);
  fcps_rng_normals(&rng, SIZE, m.c);
  return m;
}

static void products_agree_with_plain_loops(void **state)
{
  (void)state;
  const double alpha = -1.7, beta = 0.6;
  for (int m = 0; m <= 12; m += 3) {
    for (int n = 0; n <= 12; n += 4) {
      for (int k = 0; k <= 10; k += 5) {
        const matrices before = random_matrices((uint64_t)(100 * m + 10 * n + k));
        matrices tn = before, nn = before, self = before;
        fcps_multiply_tn(m, n, k, alpha, tn.a, LD, tn.b, LD, beta, tn.c, LD);
        fcps_multiply_nn(m, n, k, alpha, nn.a, LD, nn.b, LD, beta, nn.c, LD);
        fcps_multiply_self(n, k, alpha, self.a, LD, beta, self.c, LD);
        for (int j = 0; j < LD; j++) {
          for (int i = 0; i < LD; i++) {
            double at_b = 0, a_b = 0, at_a = 0;
            for (int l = 0; l < k; l++) {
              at_b += before.a[l + i * LD] * before.b[l + j * LD];
              a_b += before.a[i + l * LD] * before.b[l + j * LD];
              at_a += before.a[l + i * LD] * before.a[l + j * LD];
            }
            const double old = before.c[i + j * LD];
            const bool inside = i < m && j < n, lower = i < n && j <= i;
            assert_near(tn.c[i + j * LD], inside ? alpha * at_b + beta * old : old, 1e-13);
            assert_near(nn.c[i + j * LD], inside ? alpha * a_b + beta * old : old, 1e-13);
            assert_near(self.c[i + j * LD], lower ? alpha * at_a + beta * old : old, 1e-13);
          }
        }
      }
    }
  }
}

static void dot_product_sums_products(void **state)
{
  (void)state;
  const double x[3] = {1.5, -2, 4}, y[3] = {2, 0.25, -3};
  assert_near(fcps_dot(3, x, y), -9.5, 1e-15);
  assert_true(fcps_dot(0, x, y) == 0);
}

/* The second difference matrix has the eigenvalues 2 - 2 cos(k pi / (n + 1)). */
static void second_differences_have_cosine_eigenvalues(void **state)
{
  (void)state;
  enum { N = 40, WIDE = 43 };
  static double a[WIDE * N], values[N], work[66 * N];
  assert_true(fcps_eigen_work(N) <= 66 * N);
  for (int k = 0; k < WIDE * N; k++)
    a[k] = NAN;
  for (int j = 0; j < N; j++)
    for (int i = j; i < N; i++)
      a[i + j * WIDE] = i == j ? 2 : (i == j + 1 ? -1 : 0);
  assert_ok(fcps_eigen_symmetric(N, a, WIDE, values, work));
  for (int k = 0; k < N; k++)
    assert_near(values[k], 2 - 2 * cos((k + 1) * acos(-1) / (N + 1)), 1e-13);

  /* the columns are orthonormal and are eigenvectors */
  for (int k = 0; k < N; k++) {
    const double *v = a + k * WIDE;
    for (int l = 0; l <= k; l++)
      assert_near(fcps_dot(N, v, a + l * WIDE), k == l ? 1 : 0, 1e-13);
    for (int i = 0; i < N; i++)
      assert_near(2 * v[i] - (i > 0 ? v[i - 1] : 0) - (i < N - 1 ? v[i + 1] : 0), values[k] * v[i], 1e-13);
  }
}

static void eigenvalues_of_numbers_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  double values[2], work[132];
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int entry = 0; entry < 4; entry++) {
    for (int b = 0; b < 3; b++) {
      double a[4] = {2, 1, 1, 3};
      a[entry] = bad[b];
      const bool upper = entry == 2; /* never read */
      assert_status(fcps_eigen_symmetric(2, a, 2, values, work), upper ? FCPS_OK : FCPS_ERR_NOT_FINITE);
    }
  }
  assert_ok(fcps_eigen_symmetric(0, values, 1, values, work));
  assert_true(fcps_eigen_work(0) >= 1);
}

static void blas_core_has_a_name(void **state)
{
  (void)state;
  assert_non_null(fcps_blas_core());
  assert_true(strlen(fcps_blas_core()) > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_plain_loops),
      cmocka_unit_test(dot_product_sums_products),
      cmocka_unit_test(second_differences_have_cosine_eigenvalues),
      cmocka_unit_test(eigenvalues_of_numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(blas_core_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
