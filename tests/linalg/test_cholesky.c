/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factors against matrices whose factors, inverses and determinants are known in closed form:
 *   min(i, j) + 1        L is all ones,                                        A^-1 has 2 (last: 1) and -1
 *   r^|i-j|              L_i0 = r^i, L_ij = r^(i-j) sqrt(1 - r^2),             det A = (1 - r^2)^(n-1)
 */
#include "check.h"

#include "base/memory.h"
#include "base/rng.h"
#include "linalg/dense.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef double matrix_fn(int i, int j);

static double brownian(int i, int j)
{
  return (i < j ? i : j) + 1;
}

static const double r = 0.8;

static double decaying(int i, int j)
{
  return pow(r, abs(i - j));
}

static double smooth(int i, int j)
{
  const double gap = 0.37 * (i - j);
  return 1.7 * exp(-0.5 * gap * gap) + (i == j ? 0.01 : 0);
}

/* Lower triangle from a formula; the rest is NaN, because nobody may read it. */
static double *matrix(int n, int ld, matrix_fn *formula)
{
  double *a = fcps_allocate((size_t)ld * (size_t)(n + 1), sizeof *a);
  assert_non_null(a);
  for (int k = 0; k < ld * n; k++)
    a[k] = NAN;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      a[i + j * ld] = formula(i, j);
  return a;
}

static double *numbers(int count)
{
  double *values = fcps_allocate((size_t)count, sizeof *values);
  assert_non_null(values);
  return values;
}

static fcps_status factor(int n, double *a, int ld, double *jitter)
{
  double *backup = numbers(n * n);
  const fcps_status status = fcps_chol_factor(n, a, ld, backup, jitter);
  free(backup);
  return status;
}

static double product(int n, const double *l, int ld, int i, int j)
{
  double sum = 0;
  for (int k = 0; k <= j && k < n; k++)
    sum += l[i + k * ld] * l[j + k * ld];
  return sum;
}

static void small_integer_matrix_has_its_integer_factor(void **state)
{
  (void)state;
  double a[9] = {4, 12, -16, NAN, 37, -43, NAN, NAN, 98};
  const double expected[9] = {2, 6, -8, 0, 1, 5, 0, 0, 3};
  double jitter = -1;
  assert_ok(factor(3, a, 3, &jitter));
  assert_true(jitter == 0);
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++)
      assert_near(a[i + 3 * j], expected[i + 3 * j], 1e-14);
}

static void brownian_matrix_has_a_factor_of_ones(void **state)
{
  (void)state;
  for (int n = 0; n <= 150; n += 1 + n / 4) {
    const int ld = n + 3;
    double *a = matrix(n, ld, brownian);
    assert_ok(factor(n, a, ld, NULL));
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < ld; i++) {
        if (i >= j && i < n) assert_near(a[i + j * ld], 1.0, 1e-12);
        if (i < j || i >= n) assert_true(isnan(a[i + j * ld]));
      }
    }
    free(a);
  }
}

static void decaying_matrix_has_its_factor_and_determinant(void **state)
{
  (void)state;
  const int n = 200, ld = 211;
  double *a = matrix(n, ld, decaying);
  assert_ok(factor(n, a, ld, NULL));
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      assert_near(a[i + j * ld], pow(r, i - j) * (j == 0 ? 1 : sqrt(1 - r * r)), 1e-13);
  assert_near(fcps_chol_half_logdet(n, a, ld), 0.5 * (n - 1) * log(1 - r * r), 1e-12);
  free(a);
}

static void factor_times_its_transpose_is_the_matrix(void **state)
{
  (void)state;
  for (int n = 1; n <= 300; n += 1 + n / 2) {
    double *a = matrix(n, n, smooth);
    double jitter;
    assert_ok(factor(n, a, n, &jitter));
    assert_true(jitter == 0);
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++)
        assert_near(product(n, a, n, i, j), smooth(i, j), 1e-13);
    free(a);
  }
}

static void inverse_of_the_brownian_matrix_is_tridiagonal(void **state)
{
  (void)state;
  for (int n = 1; n <= 250; n += 1 + n / 3) {
    const int ld = n + 5;
    double *a = matrix(n, ld, brownian), *inverse = numbers(n * n);
    assert_ok(factor(n, a, ld, NULL));
    fcps_chol_inverse(n, a, ld, inverse);
    for (int j = 0; j < n; j++) {
      for (int i = j; i < n; i++) {
        const double expected = i == j ? (i == n - 1 ? 1 : 2) : (i == j + 1 ? -1 : 0);
        assert_near(inverse[i + j * n], expected, 1e-10);
      }
    }
    free(inverse);
    free(a);
  }
}

/* With L all ones, L^-1 b are differences of b, and L^-T b differences the other way. `count` of MOST columns are
 * solved, the others and the rows below stay. */
static void check_differences(int n, const double *l, int ld, int count)
{
  enum { MOST = 41 };
  const int ldb = n + 3;
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, (uint64_t)count);
  double *b = numbers(ldb * MOST), *lower = numbers(ldb * MOST), *upper = numbers(ldb * MOST);
  fcps_rng_normals(&rng, ldb * MOST, b);
  memcpy(lower, b, sizeof(double) * (size_t)(ldb * MOST));
  memcpy(upper, b, sizeof(double) * (size_t)(ldb * MOST));
  fcps_chol_solve_lower(n, l, ld, count, lower, ldb);
  fcps_chol_solve_upper(n, l, ld, count, upper, ldb);
  for (int c = 0; c < MOST; c++) {
    const double *column = b + c * ldb;
    for (int i = 0; i < ldb; i++) {
      const bool solved = c < count && i < n;
      const double before = i > 0 ? column[i - 1] : 0, after = i < n - 1 ? column[i + 1] : 0;
      assert_near(lower[i + c * ldb], solved ? column[i] - before : column[i], 1e-12);
      assert_near(upper[i + c * ldb], solved ? column[i] - after : column[i], 1e-12);
    }
  }
  free(upper);
  free(lower);
  free(b);
}

static void solves_with_a_factor_of_ones_are_differences(void **state)
{
  (void)state;
  const int n = 70, ld = 75;
  double *l = matrix(n, ld, brownian);
  assert_ok(factor(n, l, ld, NULL));
  for (int count = 0; count <= 41; count += count < 3 || count > 30 ? 1 : 7)
    check_differences(n, l, ld, count);
  free(l);
}

/* Rows beyond the cache, and beyond one tile: tiles for a few columns, other blocks for many. */
static void solves_with_a_large_factor_are_differences(void **state)
{
  (void)state;
  static const int sizes[] = {FCPS_CHOL_CACHED_ROWS, FCPS_CHOL_CACHED_ROWS + 1, 2200}, counts[] = {1, 2, 3, 4, 5, 33};
  for (int i = 0; i < 3; i++) {
    const int n = sizes[i], ld = n + 2;
    double *l = numbers(ld * n);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        l[k + j * ld] = k < j ? NAN : 1; /* no function may read above the diagonal */
    for (int c = 0; c < 6; c++)
      check_differences(n, l, ld, counts[c]);
    free(l);
  }
}

static void factor_grown_row_by_row_is_the_full_factor(void **state)
{
  (void)state;
  const int n = 120, ld = 127;
  double *full = matrix(n, ld, smooth), *grown = matrix(n, ld, smooth), *row = numbers(n);
  assert_ok(factor(n, full, ld, NULL));
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < k; j++)
      row[j] = smooth(k, j);
    assert_ok(fcps_chol_append(k, grown, ld, row, smooth(k, k)));
  }
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      assert_near(grown[i + j * ld], full[i + j * ld], 1e-12);
  free(row);
  free(grown);
  free(full);
}

static void row_that_adds_nothing_is_refused_and_leaves_the_factor(void **state)
{
  (void)state;
  enum { N = 20, LD = 22 };
  double *l = matrix(N, LD, decaying), before[LD * N], row[N];
  assert_ok(factor(N, l, LD, NULL));
  memcpy(before, l, sizeof before);
  for (int j = 0; j < N; j++)
    row[j] = decaying(7, j);

  /* the row of point 7 again: exactly, with a pivot just below and just above 1e-10, and with numbers that are none */
  assert_status(fcps_chol_append(N, l, LD, row, 1.0), FCPS_ERR_NOT_POSITIVE);
  assert_status(fcps_chol_append(N, l, LD, row, 1 + 0.99e-10), FCPS_ERR_NOT_POSITIVE);
  assert_status(fcps_chol_append(N, l, LD, row, 0.5), FCPS_ERR_NOT_POSITIVE);
  assert_status(fcps_chol_append(N, l, LD, row, -1.0), FCPS_ERR_NOT_POSITIVE);
  assert_status(fcps_chol_append(N, l, LD, row, NAN), FCPS_ERR_NOT_FINITE);
  row[3] = INFINITY;
  assert_status(fcps_chol_append(N, l, LD, row, 1.0), FCPS_ERR_NOT_FINITE);
  for (int j = 0; j < N; j++)
    for (int i = j; i < N; i++)
      assert_true(l[i + j * LD] == before[i + j * LD]);

  row[3] = decaying(7, 3);
  assert_ok(fcps_chol_append(N, l, LD, row, 1 + 1.01e-10));
  assert_status(fcps_chol_append(0, before, LD, row, 0.0), FCPS_ERR_NOT_POSITIVE);
  assert_ok(fcps_chol_append(0, before, LD, row, 6.25));
  assert_true(before[0] == 2.5);
  free(l);
}

static double all_the_same(int i, int j)
{
  (void)i, (void)j;
  return 2.5;
}

static void identical_points_are_factored_with_jitter_of_the_ladder(void **state)
{
  (void)state;
  const int sizes[] = {1, 2, 3, 4, 7, 10, 33, 100, 257, 1000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int n = sizes[s];
    double *a = matrix(n, n, all_the_same), jitter;
    assert_ok(factor(n, a, n, &jitter));
    const double steps = log10(jitter / 2.5) + 10;
    if (n == 1) assert_true(jitter == 0);
    if (n > 1) assert_near(steps, round(steps), 1e-9);
    if (n > 1) assert_true(steps > -0.5 && steps < 2.5);
    for (int i = 0; i < n; i += 1 + n / 10)
      for (int j = 0; j <= i; j += 1 + n / 10)
        assert_near(product(n, a, n, i, j), 2.5 + (i == j ? jitter : 0), 1e-13);
    free(a);
  }
}

static double noise_of_rounding; /* the curvature beyond singular of a 2 x 2 matrix */

static double nearly_singular(int i, int j)
{
  return i == j ? 1 : 1 - noise_of_rounding;
}

static void pivot_at_the_level_of_rounding_counts_as_none(void **state)
{
  (void)state;
  double jitter;
  noise_of_rounding = DBL_EPSILON / 2; /* dpotrf alone accepts the pivot that is left */
  double *a = matrix(2, 2, nearly_singular);
  assert_ok(factor(2, a, 2, &jitter));
  assert_near(jitter, 1e-10, 1e-20);
  free(a);
  noise_of_rounding = 1e-12;
  a = matrix(2, 2, nearly_singular);
  assert_ok(factor(2, a, 2, &jitter));
  assert_true(jitter == 0);
  free(a);
}

static double slightly_indefinite(int i, int j)
{
  return i == j ? 3 : 3 * (1 + 3e-7);
}

static void ladder_stops_at_the_first_step_that_suffices(void **state)
{
  (void)state;
  double *a = matrix(2, 2, slightly_indefinite), jitter;
  assert_ok(factor(2, a, 2, &jitter));
  assert_near(jitter, 3e-6, 1e-18);
  free(a);
}

static void matrix_that_is_not_positive_is_refused(void **state)
{
  (void)state;
  double indefinite[4] = {1, 2, NAN, 1}, negative[1] = {-1}, zero[1] = {0};
  assert_status(factor(2, indefinite, 2, NULL), FCPS_ERR_NOT_POSITIVE);
  assert_status(factor(1, negative, 1, NULL), FCPS_ERR_NOT_POSITIVE);
  assert_status(factor(1, zero, 1, NULL), FCPS_ERR_NOT_POSITIVE);
}

static void number_that_is_not_finite_is_refused_wherever_it_is(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  const int sizes[] = {1, 2, 5, 150};
  for (size_t s = 0; s < 4; s++) {
    const int n = sizes[s], stride = n > 10 ? 29 : 1;
    for (int j = 0; j < n; j += stride) {
      for (int i = j; i < n; i += stride) {
        for (int b = 0; b < 3; b++) {
          double *a = matrix(n, n, smooth);
          a[i + j * n] = bad[b];
          assert_status(factor(n, a, n, NULL), FCPS_ERR_NOT_FINITE);
          free(a);
        }
      }
    }
  }
  /* also behind a pivot that is negative */
  double a[4] = {-1, 0, NAN, NAN};
  assert_status(factor(2, a, 2, NULL), FCPS_ERR_NOT_FINITE);
}

static void nothing_to_factor_is_no_failure(void **state)
{
  (void)state;
  double a[1] = {7}, jitter = -1;
  assert_ok(fcps_chol_factor(0, a, 1, a, &jitter));
  assert_true(jitter == 0);
  assert_true(fcps_chol_half_logdet(0, a, 1) == 0);
  fcps_chol_solve_lower(0, a, 1, 1, a, 1);
  fcps_chol_solve_upper(0, a, 1, 3, a, 1);
  fcps_chol_solve_lower(0, a, 1, 50, a, 1);
  fcps_chol_inverse(0, a, 1, a);
  assert_true(a[0] == 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_integer_matrix_has_its_integer_factor),
      cmocka_unit_test(brownian_matrix_has_a_factor_of_ones),
      cmocka_unit_test(decaying_matrix_has_its_factor_and_determinant),
      cmocka_unit_test(factor_times_its_transpose_is_the_matrix),
      cmocka_unit_test(inverse_of_the_brownian_matrix_is_tridiagonal),
      cmocka_unit_test(solves_with_a_factor_of_ones_are_differences),
      cmocka_unit_test(solves_with_a_large_factor_are_differences),
      cmocka_unit_test(factor_grown_row_by_row_is_the_full_factor),
      cmocka_unit_test(row_that_adds_nothing_is_refused_and_leaves_the_factor),
      cmocka_unit_test(identical_points_are_factored_with_jitter_of_the_ladder),
      cmocka_unit_test(pivot_at_the_level_of_rounding_counts_as_none),
      cmocka_unit_test(ladder_stops_at_the_first_step_that_suffices),
      cmocka_unit_test(matrix_that_is_not_positive_is_refused),
      cmocka_unit_test(number_that_is_not_finite_is_refused_wherever_it_is),
      cmocka_unit_test(nothing_to_factor_is_no_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
