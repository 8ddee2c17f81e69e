/* SPDX-License-Identifier: Apache-2.0 */
/* Dense matrices: Cholesky factors, products and eigenvalues.
 *
 * Matrices are column-major with leading dimension `ld`. With one BLAS thread the order of summation is fixed, so the
 * same call gives the same bits. No function allocates memory. */
#ifndef FCPS_LINALG_DENSE_H
#define FCPS_LINALG_DENSE_H

#include <fcps/base.h>

/* -- Cholesky factors of symmetric positive definite matrices, A = L L' --
 *
 * Only the lower triangle is read and written. A factor can grow by one row in O(n^2), because the leading block of L
 * does not change. */

/* Replaces A by L. If A is not positive definite (a pivot at the level of rounding counts as not positive), tries again
 * with jitter: 1e-10, 1e-9, ... 1e-4 times the mean of the diagonal is added to the diagonal. *jitter (may be NULL)
 * receives the number that was added; 0 if nothing was added. `backup` is scratch for n*n numbers. Fails with
 * FCPS_ERR_NOT_FINITE, or with FCPS_ERR_NOT_POSITIVE after the largest jitter; A is then undefined. */
fcps_status fcps_chol_factor(int n, double *a, int ld, double *backup, double *jitter);

/* Adds row n to the factor of an n x n matrix. `row` has the n covariances with the earlier rows, `diagonal` the new
 * diagonal entry. ld must be at least n + 1. Fails with FCPS_ERR_NOT_POSITIVE if the new pivot is below 1e-10 times
 * `diagonal`, and with FCPS_ERR_NOT_FINITE if it is not finite. The first n rows of L are then as before. */
fcps_status fcps_chol_append(int n, double *l, int ld, const double *row, double diagonal);

/* A factor with at most this many rows stays in the cache, so reading it often costs little. A larger factor comes from
 * memory at each reading, so one reading should serve as many right-hand sides as possible. */
#define FCPS_CHOL_CACHED_ROWS 512

/* Solve with L and with L': B := L^-1 B and B := L^-T B, for `count` columns of B with leading dimension ldb. */
void fcps_chol_solve_lower(int n, const double *l, int ld, int count, double *b, int ldb);
void fcps_chol_solve_upper(int n, const double *l, int ld, int count, double *b, int ldb);

/* Half the log determinant of A: sum_i log L_ii. */
double fcps_chol_half_logdet(int n, const double *l, int ld);

/* Computes A^-1 from L, and writes it to `inverse` (lower triangle, leading dimension n). */
void fcps_chol_inverse(int n, const double *l, int ld, double *inverse);

/* -- Products and eigenvalues -- */

double fcps_dot(int n, const double *x, const double *y);

/* C (m x n) := alpha A' B + beta C with A (k x m), B (k x n). */
void fcps_multiply_tn(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                      double beta, double *c, int ldc);

/* C (m x n) := alpha A B + beta C with A (m x k), B (k x n). */
void fcps_multiply_nn(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                      double beta, double *c, int ldc);

/* Lower triangle of C (n x n) := alpha A' A + beta C with A (k x n). */
void fcps_multiply_self(int n, int k, double alpha, const double *a, int lda, double beta, double *c, int ldc);

/* Eigenvalues (ascending) and eigenvectors of a symmetric matrix, given by its lower triangle. The eigenvectors replace
 * the columns of `a`. `work` is scratch for fcps_eigen_work(n) numbers. */
fcps_status fcps_eigen_symmetric(int n, double *a, int lda, double *values, double *work);
int fcps_eigen_work(int n);

/* The name of the BLAS kernels in use, for example "Haswell". Result files contain it, because the last bits of results
 * depend on it. */
const char *fcps_blas_core(void);

#endif
