/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted ridge regression by the normal equations: a few features, so their matrix is small and gamma > 0 keeps it
 * positive definite. */
#include "learner/policy_search/ridge.h"

#include "base/memory.h"
#include "linalg/cholesky.h"

#include <stdlib.h>
#include <string.h>

fcps_status fcps_ridge_fit(int count, int features, const double *phi, int outputs, const double *y, const double *d,
                           double gamma, double *weights)
{
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
