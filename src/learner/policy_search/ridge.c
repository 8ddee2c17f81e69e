/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted ridge regression by the normal equations; gamma > 0 keeps their matrix positive definite. It has a row for
 * each feature. Squares of many context dimensions are thousands of features, far more than there are rows of data; then
 * the same weights come from a matrix with a row for each row of data: with A = D^1/2 Phi,
 *
 *   (A' A + gamma I)^-1 A' = A' (A A' + gamma I)^-1. */
#include "learner/policy_search/ridge.h"

#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From so many features on the matrix of the rows is used, where it is the smaller one. Below, the matrix of the
 * features is quick, and its last bits are those of earlier versions. */
enum { MANY_FEATURES = 1000 };

static fcps_status fit_by_rows(int count, int features, const double *phi, int outputs, const double *y,
                               const double *d, double gamma, double *weights)
{
  const size_t c = (size_t)count, f = (size_t)features, n = (size_t)outputs;
  double *numbers = fcps_allocate(c * (f + 2 * c + n), sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  double *a = numbers, *gram = a + c * f, *backup = gram + c * c, *values = backup + c * c;
  for (size_t i = 0; i < c; i++) {
    const double root = sqrt(d[i]);
    for (size_t k = 0; k < f; k++)
      a[i * f + k] = root * phi[i * f + k];
    for (size_t p = 0; p < n; p++)
      values[p * c + i] = root * y[i * n + p];
  }
  fcps_multiply_self(count, features, 1.0, a, features, 0.0, gram, count);
  for (size_t i = 0; i < c; i++)
    gram[i * c + i] += gamma;
  const fcps_status status = fcps_chol_factor(count, gram, count, backup, NULL);
  if (status == FCPS_OK) {
    fcps_chol_solve_lower(count, gram, count, outputs, values, count);
    fcps_chol_solve_upper(count, gram, count, outputs, values, count);
    fcps_multiply_nn(features, outputs, count, 1.0, a, features, values, count, 0.0, weights, features);
  }
  free(numbers);
  return status;
}

fcps_status fcps_ridge_fit(int count, int features, const double *phi, int outputs, const double *y, const double *d,
                           double gamma, double *weights)
{
  if (features > MANY_FEATURES && features > count)
    return fit_by_rows(count, features, phi, outputs, y, d, gamma, weights);
  const size_t f = (size_t)features, n = (size_t)outputs;
  double *gram = fcps_allocate(2 * f * f, sizeof(double));
  if (gram == NULL) return FCPS_ERR_MEMORY;
  memset(weights, 0, f * n * sizeof(double));
  for (size_t i = 0; i < (size_t)count; i++) {
    const double *row = phi + i * f, *values = y + i * n;
    for (size_t a = 0; a < f; a++) {
      for (size_t b = 0; b <= a; b++)
        gram[b * f + a] += d[i] * row[a] * row[b];
      for (size_t p = 0; p < n; p++)
        weights[p * f + a] += d[i] * row[a] * values[p];
    }
  }
  for (size_t a = 0; a < f; a++)
    gram[a * f + a] += gamma;
  const fcps_status status = fcps_chol_factor(features, gram, features, gram + f * f, NULL);
  if (status == FCPS_OK) {
    fcps_chol_solve_lower(features, gram, features, outputs, weights, features);
    fcps_chol_solve_upper(features, gram, features, outputs, weights, features);
  }
  free(gram);
  return status;
}
