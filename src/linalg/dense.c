/* SPDX-License-Identifier: Apache-2.0 */
/* Dense products by BLAS and eigenvalues by LAPACK, with one thread. No function allocates memory. */
#include "linalg/dense.h"

#include "linalg/threads.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

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
  if (n == 0) return FCPS_OK; /* LAPACK wants a leading dimension of at least 1 */
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
