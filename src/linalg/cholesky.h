/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factors of symmetric positive definite matrices, A = L L'.
 *
 * Matrices are column-major with leading dimension `ld`; only the lower triangle is read and written. A factor can grow
 * by one row in O(n^2), because the leading block of L does not change.
 */
#ifndef FCPS_LINALG_CHOLESKY_H
#define FCPS_LINALG_CHOLESKY_H

#include <fcps/base.h>

/* Replaces A by L. When A is not positive definite (a pivot at the level of rounding counts as not positive), tries
 * again with jitter of 1e-10, 1e-9, ... 1e-4 times the mean of the diagonal added to it. *jitter (may be NULL) receives
 * the jitter, as an absolute number; 0 for none. `backup` is scratch for n*n numbers. Fails with FCPS_ERR_NOT_FINITE,
 * or with FCPS_ERR_NOT_POSITIVE after the last step; A is then undefined. */
fcps_status fcps_chol_factor(int n, double *a, int ld, double *backup, double *jitter);

/* Adds row n to the factor of an n x n matrix: `row` has the n covariances with the earlier rows, `diagonal` the new
 * diagonal entry. Fails with FCPS_ERR_NOT_POSITIVE when the new pivot is below 1e-10 times `diagonal`, with
 * FCPS_ERR_NOT_FINITE when it is not finite; L is then as it was. ld must be at least n + 1. */
fcps_status fcps_chol_append(int n, double *l, int ld, const double *row, double diagonal);

/* A factor of up to this many rows stays in the cache, if it costs little to read it often. A larger one comes from
 * memory each time, so one reading should serve as many right-hand sides as possible. */
#define FCPS_CHOL_CACHED_ROWS 512

/* B := L^-1 B and B := L^-T B, for `count` columns of B with leading dimension ldb. */
void fcps_chol_solve_lower(int n, const double *l, int ld, int count, double *b, int ldb);
void fcps_chol_solve_upper(int n, const double *l, int ld, int count, double *b, int ldb);

/* sum_i log L_ii = half the log determinant of A. */
double fcps_chol_half_logdet(int n, const double *l, int ld);

/* `inverse` (lower triangle, leading dimension n) := A^-1, from L. */
void fcps_chol_inverse(int n, const double *l, int ld, double *inverse);

#endif
