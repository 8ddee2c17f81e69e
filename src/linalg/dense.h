/* SPDX-License-Identifier: Apache-2.0 */
/* Dense products and eigenvalues of column-major matrices. With one BLAS thread the order of summation is fixed, so the
 * same call gives the same bits. */
#ifndef FCPS_LINALG_DENSE_H
#define FCPS_LINALG_DENSE_H

#include <fcps/base.h>

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

/* The name of the BLAS kernels in use (e.g. "Haswell"). Result files note it, because the last bits depend on it. */
const char *fcps_blas_core(void);

#endif
