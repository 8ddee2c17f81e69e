/* SPDX-License-Identifier: Apache-2.0 */
/* Draws are mean + C z with the Cholesky factor C of the posterior covariance [rasmussen2006, App. A.2]. Without rows
 * the posterior is the prior, and nothing is whitened. */
#include "gp/joint.h"

#include "base/memory.h"
#include "gp/kernels/covariance.h"
#include "gp/query.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <stdlib.h>

void fcps_gp_covariance_between(const fcps_gp *gp, fcps_gp_points a, fcps_gp_points b, double *covariance)
{
  const int rows = gp->factored;
  fcps_gp_prior_covariances(gp, a.count, a.points, b.count, b.points, covariance);
  if (rows > 0)
    fcps_multiply_tn(a.count, b.count, rows, -1.0, a.whitened, rows, b.whitened, rows, 1.0, covariance, a.count);
}

void fcps_gp_covariance_within(const fcps_gp *gp, fcps_gp_points set, double jitter, double *covariance)
{
  const int rows = gp->factored;
  const size_t m = (size_t)set.count;
  const double sf2 = fcps_gp_signal_variance(gp);
  fcps_gp_prior_covariances(gp, set.count, set.points, set.count, set.points, covariance);
  if (rows > 0) fcps_multiply_self(set.count, rows, -1.0, set.whitened, rows, 1.0, covariance, set.count);
  for (size_t i = 0; i < m; i++)
    covariance[i * m + i] += jitter * sf2;
}

void fcps_gp_whitened_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *beta)
{
  const size_t rows = (size_t)outputs->count;
  /* uses the leading block of the factor, whose columns are gp->capacity apart */
  for (size_t o = 0; o < (size_t)outputs->outputs; o++)
    for (size_t j = 0; j < rows; j++)
      beta[o * rows + j] =
          fcps_dot((int)(rows - j), gp->factor + j * (size_t)gp->capacity + j, outputs->alpha + o * rows + j);
}

fcps_status fcps_gp_draw(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, int count, const double *points,
                         int samples, const double *normals, double *draws)
{
  const size_t m = (size_t)count, q = (size_t)outputs->outputs;
  double *covariance = fcps_allocate(2 * m * m, sizeof(double));
  double *whitened = fcps_allocate((size_t)gp->factored * m, sizeof(double));
  double *mean = fcps_allocate(m * q, sizeof(double));
  fcps_gp_work work = {0};
  fcps_status status = covariance != NULL && whitened != NULL && mean != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_gp_work_reserve(&work, gp, 0);
  if (status == FCPS_OK) {
    const fcps_gp_query query = {.count = count, .points = points, .mean = mean, .whitened = whitened};
    const fcps_gp_points set = {count, points, whitened};
    fcps_gp_predict(gp, outputs, &query, &work);
    fcps_gp_covariance_between(gp, set, set, covariance);
    status = fcps_chol_factor(count, covariance, count, covariance + m * m, NULL);
  }
  for (int s = 0; s < samples && status == FCPS_OK; s++)
    for (size_t i = 0; i < m; i++) {
      double sum = 0.0;
      for (size_t j = 0; j <= i; j++)
        sum += covariance[j * m + i] * normals[(size_t)s * m + j];
      draws[(size_t)s * m + i] = mean[i * q + (size_t)output] + outputs->scale[output] * sum;
    }
  fcps_gp_work_destroy(&work);
  free(mean);
  free(whitened);
  free(covariance);
  return status;
}
