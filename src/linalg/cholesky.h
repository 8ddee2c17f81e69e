/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factors of symmetric positive definite matrices, A = L L'.
 *
 * Matrices are column-major with leading dimension `ld`; only the lower triangle is read and written. A factor can grow
 * by one row in O(n^2), because the leading block of L does not change.
 */
#ifndef FCPS_LINALG_CHOLESKY_H
#define FCPS_LINALG_CHOLESKY_H

#include <fcps/base.h>

/* Replaces A by L. If A is not positive definite (a pivot at the level of rounding counts as not positive), tries again
 * with 1e-10, 1e-9, ... 1e-4 times the mean of the diagonal added to it. *jitter (may be NULL) receives the number that
 * was added, 0 if nothing was. `backup` is scratch for n*n numbers. Fails with FCPS_ERR_NOT_FINITE, or with
 * FCPS_ERR_NOT_POSITIVE after the largest jitter; A is then undefined. */
fcps_status fcps_chol_factor(int n, double *a, int ld, double *backup, double *jitter);

/* Adds row n to the factor of an n x n matrix. `row` has the n covariances with the earlier rows, `diagonal` the new
 * diagonal entry. ld must be at least n + 1. Fails with FCPS_ERR_NOT_POSITIVE if the new pivot is below 1e-10 times
 * `diagonal`, with FCPS_ERR_NOT_FINITE if it is not finite; L is then as before. */
fcps_status fcps_chol_append(int n, double *l, int ld, const double *row, double diagonal);

/* A factor of up to this many rows stays in the cache, so reading it often costs little. A larger one is read from
 * memory each time, so one reading should serve as many right-hand sides as possible. */
#define FCPS_CHOL_CACHED_ROWS 512

/* Solve with L and with L': B := L^-1 B and B := L^-T B, for `count` columns of B with leading dimension ldb. */
void fcps_chol_solve_lower(int n, const double *l, int ld, int count, double *b, int ldb);
void fcps_chol_solve_upper(int n, const double *l, int ld, int count, double *b, int ldb);

/* Half the log determinant of A: sum_i log L_ii. */
double fcps_chol_half_logdet(int n, const double *l, int ld);

/* Writes A^-1 to `inverse` (lower triangle, leading dimension n), from L. */
void fcps_chol_inverse(int n, const double *l, int ld, double *inverse);

#endif
