/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factors and eigenvalues by LAPACK, products by BLAS, with one thread.
 *
 * A matrix that is singular up to rounding gets jitter: a small number is added to its diagonal, and made ten times
 * larger until the factorization succeeds.
 *
 * LAPACK's scans for NaN are not needed (its *_work functions have none): every entry of row i enters the pivot of row
 * i, so a number that is not finite shows in a pivot.
 *
 * Triangular solves have four methods: vectors, tiles, BLAS's dtrsm and blocks. Only the number of rows and of
 * right-hand sides decides which one is used, so the same call gives the same bits. */
#include "linalg/dense.h"

#include "linalg/threads.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Jitter relative to the mean of the diagonal: the first value tried, and how many values are tried. */
static const double first_jitter = 1e-10;
enum { JITTER_STEPS = 7 };

/* A new row is refused if its pivot is below this share of its diagonal entry. */
static const double smallest_pivot = 1e-10;

static double *column(double *a, int ld, int j)
{
  return a + (size_t)j * (size_t)ld;
}

static double entry(const double *a, int ld, int i, int j)
{
  return a[(size_t)i + (size_t)j * (size_t)ld];
}

static void copy_lower(int n, const double *from, int from_ld, double *to, int to_ld)
{
  for (int j = 0; j < n; j++) {
    memcpy(column(to, to_ld, j) + j, from + (size_t)j * (size_t)from_ld + j, (size_t)(n - j) * sizeof(double));
  }
}

static bool lower_is_finite(int n, const double *a, int ld)
{
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      if (!isfinite(entry(a, ld, i, j))) return false;
    }
  }
  return true;
}

/* Tries one factorization. A pivot at the level of rounding counts as not positive: a factor with it would be noise. */
static fcps_status factor_once(int n, double *a, int ld, const double *original)
{
  fcps_blas_begin();
  const int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, ld);
  fcps_blas_end();
  if (info != 0) return FCPS_ERR_NOT_POSITIVE;
  for (int i = 0; i < n; i++) {
    const double pivot = entry(a, ld, i, i);
    if (!isfinite(pivot)) return FCPS_ERR_NOT_FINITE;
    if (pivot * pivot <= n * DBL_EPSILON * entry(original, n, i, i)) return FCPS_ERR_NOT_POSITIVE;
  }
  return FCPS_OK;
}

fcps_status fcps_chol_factor(int n, double *a, int ld, double *backup, double *jitter)
{
  if (jitter != NULL) *jitter = 0;
  copy_lower(n, a, ld, backup, n);
  fcps_status status = factor_once(n, a, ld, backup);
  if (status != FCPS_ERR_NOT_POSITIVE) return status;

  /* dpotrf may have stopped at a negative pivot before it came to a number that is not finite */
  if (!lower_is_finite(n, backup, n)) return FCPS_ERR_NOT_FINITE;

  double mean_diagonal = 0;
  for (int i = 0; i < n; i++)
    mean_diagonal += entry(backup, n, i, i) / n;
  double step = first_jitter * mean_diagonal;
  for (int k = 0; k < JITTER_STEPS && status == FCPS_ERR_NOT_POSITIVE; k++, step *= 10) {
    copy_lower(n, backup, n, a, ld);
    for (int i = 0; i < n; i++)
      column(a, ld, i)[i] += step;
    status = factor_once(n, a, ld, backup);
    if (jitter != NULL) *jitter = step;
  }
  return status;
}

/* The new row v of L solves L v = row, and its pivot is sqrt(diagonal - v'v). v is computed in place, in row n of L. */
fcps_status fcps_chol_append(int n, double *l, int ld, const double *row, double diagonal)
{
  double *v = l + n;
  fcps_blas_begin();
  cblas_dcopy(n, row, 1, v, ld);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, l, ld, v, ld);
  const double pivot = diagonal - cblas_ddot(n, v, ld, v, ld);
  fcps_blas_end();
  if (!isfinite(pivot)) return FCPS_ERR_NOT_FINITE;
  if (pivot <= 0 || pivot < smallest_pivot * diagonal) return FCPS_ERR_NOT_POSITIVE;
  column(l, ld, n)[n] = sqrt(pivot);
  return FCPS_OK;
}

/* Solving by blocks takes SOLVE_BLOCK rows at a time, and is faster than dtrsm from SOLVE_COLUMNS right-hand sides on.
 * With at most SOLVE_VECTORS right-hand sides dtrsm would spend most of its time on a copy of L, so vectors are
 * used. */
enum { SOLVE_BLOCK = 32, SOLVE_COLUMNS = 32, SOLVE_VECTORS = 3 };

/* Solves for `rows` rows from `first` on. First subtracts the product of L with the `count` rows that are already
 * solved (from row `known` on), then multiplies by the inverse of the diagonal block. */
static void solve_block(CBLAS_TRANSPOSE transpose, int first, int rows, int known, int count, const double *l, int ld,
                        int columns, double *b, int ldb)
{
  double inverse[SOLVE_BLOCK * SOLVE_BLOCK];
  const size_t stride = (size_t)ld;
  const double *beside =
      transpose == CblasNoTrans ? l + (size_t)known * stride + first : l + (size_t)first * stride + known;
  if (count > 0)
    cblas_dgemm(CblasColMajor, transpose, CblasNoTrans, rows, columns, count, -1.0, beside, ld, b + known, ldb, 1.0,
                b + first, ldb);
  copy_lower(rows, l + (size_t)first * stride + first, ld, inverse, rows);
  LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', rows, inverse, rows);
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, rows, columns, 1.0, inverse, rows,
              b + first, ldb);
}

/* Solves by blocks of rows. Nearly all of the work is then matrix products: for a few hundred rows this is up to twice
 * as fast as OpenBLAS's dtrsm. Beyond BLOCKED_ROWS rows the right-hand sides do not fit into the cache; then dtrsm is
 * used, which reads them less often. */
enum { BLOCKED_ROWS = 1536 };
static void solve_blocks(CBLAS_TRANSPOSE transpose, int n, const double *l, int ld, int columns, double *b, int ldb)
{
  const int last = (n - 1) / SOLVE_BLOCK * SOLVE_BLOCK;
  for (int step = 0; step <= last; step += SOLVE_BLOCK) {
    const int first = transpose == CblasNoTrans ? step : last - step;
    const int rows = n - first < SOLVE_BLOCK ? n - first : SOLVE_BLOCK;
    if (transpose == CblasNoTrans)
      solve_block(transpose, first, rows, 0, first, l, ld, columns, b, ldb);
    else
      solve_block(transpose, first, rows, first + rows, n - first - rows, l, ld, columns, b, ldb);
  }
}

/* The size of a tile, and the most right-hand sides for which tiles are faster. A tile of a large L stays in the cache
 * while all right-hand sides use it. */
enum { TILE_ROWS = 2048, TILE_COLUMNS = 16, TILED_COLUMNS = 4 };

static void solve_vectors(CBLAS_TRANSPOSE transpose, int n, const double *l, int ld, int count, double *b, int ldb)
{
  for (int j = 0; j < count; j++)
    cblas_dtrsv(CblasColMajor, CblasLower, transpose, CblasNonUnit, n, l, ld, b + (size_t)j * (size_t)ldb, 1);
}

/* Subtracts the products with the tiles below the diagonal, in `width` columns of L from `first` on. A forward solve
 * subtracts the solved rows from `first` on from the rows below them. A transposed solve subtracts the solved rows
 * below from the rows from `first` on. */
static void subtract_tiles(CBLAS_TRANSPOSE transpose, int n, int first, int width, const double *l, int ld, int count,
                           double *b, int ldb)
{
  for (int row = first + width; row < n; row += TILE_ROWS) {
    const int height = n - row < TILE_ROWS ? n - row : TILE_ROWS;
    const double *tile = l + (size_t)first * (size_t)ld + row;
    const int from = transpose == CblasNoTrans ? first : row, to = transpose == CblasNoTrans ? row : first;
    for (int j = 0; j < count; j++) {
      double *column = b + (size_t)j * (size_t)ldb;
      cblas_dgemv(CblasColMajor, transpose, height, width, -1.0, tile, ld, column + from, 1, 1.0, column + to, 1);
    }
  }
}

/* Solves by tiles, so that a few right-hand sides share one pass over a large L. */
static void solve_tiles(CBLAS_TRANSPOSE transpose, int n, const double *l, int ld, int count, double *b, int ldb)
{
  const int last = (n - 1) / TILE_COLUMNS * TILE_COLUMNS;
  for (int step = 0; step <= last; step += TILE_COLUMNS) {
    const int first = transpose == CblasNoTrans ? step : last - step;
    const int width = n - first < TILE_COLUMNS ? n - first : TILE_COLUMNS;
    const double *diagonal = l + (size_t)first * (size_t)ld + first;
    if (transpose == CblasTrans) subtract_tiles(transpose, n, first, width, l, ld, count, b, ldb);
    solve_vectors(transpose, width, diagonal, ld, count, b + first, ldb);
    if (transpose == CblasNoTrans) subtract_tiles(transpose, n, first, width, l, ld, count, b, ldb);
  }
}

static void solve(CBLAS_TRANSPOSE transpose, int n, const double *l, int ld, int count, double *b, int ldb)
{
  fcps_blas_begin();
  if (count == 1 || (count <= SOLVE_VECTORS && n <= FCPS_CHOL_CACHED_ROWS))
    solve_vectors(transpose, n, l, ld, count, b, ldb);
  else if (count <= TILED_COLUMNS && n > FCPS_CHOL_CACHED_ROWS)
    solve_tiles(transpose, n, l, ld, count, b, ldb);
  else if (count < SOLVE_COLUMNS || n == 0 || n > BLOCKED_ROWS)
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, n, count, 1.0, l, ld, b, ldb);
  else
    solve_blocks(transpose, n, l, ld, count, b, ldb);
  fcps_blas_end();
}

void fcps_chol_solve_lower(int n, const double *l, int ld, int count, double *b, int ldb)
{
  solve(CblasNoTrans, n, l, ld, count, b, ldb);
}

void fcps_chol_solve_upper(int n, const double *l, int ld, int count, double *b, int ldb)
{
  solve(CblasTrans, n, l, ld, count, b, ldb);
}

double fcps_chol_half_logdet(int n, const double *l, int ld)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += log(entry(l, ld, i, i));
  return sum;
}

/* Up to this number of rows, LAPACK's unblocked inversion is the fastest. */
enum { SMALL_INVERSE = 48 };

/* Inverts L in place by halves, [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1, C^-1]. Nearly all of the work is matrix
 * products, while OpenBLAS's dtrtri works on vectors for up to a few hundred rows. */
static void invert_triangle(int n, double *l, int ld)
{
  if (n <= SMALL_INVERSE) {
    LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', n, l, ld);
    return;
  }
  const int half = n / 2, rest = n - half;
  double *b = l + half, *c = column(l, ld, half) + half;
  invert_triangle(half, l, ld);
  invert_triangle(rest, c, ld);
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rest, half, -1.0, l, ld, b, ld);
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rest, half, 1.0, c, ld, b, ld);
}

/* A^-1 = L^-T L^-1. */
void fcps_chol_inverse(int n, const double *l, int ld, double *inverse)
{
  if (n == 0) return; /* LAPACK refuses a leading dimension of 0 */
  copy_lower(n, l, ld, inverse, n);
  fcps_blas_begin();
  invert_triangle(n, inverse, n);
  LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'L', n, inverse, n);
  fcps_blas_end();
}

/* -- Products and eigenvalues -- */

/* The number of columns that dsyev reduces at a time. Its work array should have (block + 2) n numbers. */
enum { EIGEN_BLOCK = 64 };

double fcps_dot(int n, const double *x, const double *y)
{
  fcps_blas_begin();
  const double product = cblas_ddot(n, x, 1, y, 1);
  fcps_blas_end();
  return product;
}

void fcps_multiply_tn(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                      double beta, double *c, int ldc)
{
  fcps_blas_begin();
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  fcps_blas_end();
}

void fcps_multiply_nn(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                      double beta, double *c, int ldc)
{
  fcps_blas_begin();
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  fcps_blas_end();
}

void fcps_multiply_self(int n, int k, double alpha, const double *a, int lda, double beta, double *c, int ldc)
{
  fcps_blas_begin();
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, k, alpha, a, lda, beta, c, ldc);
  fcps_blas_end();
}

fcps_status fcps_eigen_symmetric(int n, double *a, int lda, double *values, double *work)
{
  if (n == 0) return FCPS_OK; /* LAPACK refuses a leading dimension of 0 */
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      if (!isfinite(a[(size_t)i + (size_t)j * (size_t)lda])) return FCPS_ERR_NOT_FINITE;
    }
  }
  fcps_blas_begin();
  const int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, lda, values, work, fcps_eigen_work(n));
  fcps_blas_end();
  return info == 0 ? FCPS_OK : FCPS_ERR_INTERNAL;
}

int fcps_eigen_work(int n)
{
  return n > 0 ? (EIGEN_BLOCK + 2) * n : 1;
}

const char *fcps_blas_core(void)
{
  return openblas_get_corename();
}
