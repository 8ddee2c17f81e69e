/* SPDX-License-Identifier: Apache-2.0 */
/* Squared distances first, for all pairs, then the kernel once over all of them: its exponentials run on blocks. Equal
 * pairs give equal bits, in whatever call and place they stand. */
#include "gp/kernels/covariance.h"

#include "gp/kernels/vexp.h"

#include <math.h>

/* k := sf^2 phi(k) and slope := h(k), for squared distances k. */
static void from_distances(const fcps_gp *gp, size_t count, double *k, double *slope)
{
  gp->kernel->eval(count, k, k, slope);
  const double sf2 = fcps_gp_signal_variance(gp);
  for (size_t i = 0; i < count; i++)
    k[i] *= sf2;
}

void fcps_gp_squared_distances(const fcps_gp *gp, int first, int width, int rows, int count, const double *points,
                               double *scratch, double *s)
{
  const double *inputs = gp->scaled + (size_t)first * (size_t)gp->capacity;
  double *inverse = scratch, *scaled = scratch + width;
  for (int d = 0; d < width; d++)
    inverse[d] = exp(-gp->hyper[first + d]);
  for (int j = 0; j < count; j++) {
    for (int d = 0; d < width; d++)
      scaled[d] = points[(size_t)j * (size_t)width + (size_t)d] * inverse[d];
    fcps_squared_distances(rows, width, inputs, gp->capacity, scaled, s + (size_t)j * (size_t)rows);
  }
}

void fcps_gp_covariances(const fcps_gp *gp, int rows, int count, const double *points, double *scratch, double *k,
                         double *slope)
{
  fcps_gp_squared_distances(gp, 0, gp->dim, rows, count, points, scratch, k);
  from_distances(gp, (size_t)rows * (size_t)count, k, slope);
}

void fcps_gp_covariances_of_row(const fcps_gp *gp, int row, double *scaled, double *k)
{
  for (int d = 0; d < gp->dim; d++)
    scaled[d] = gp->scaled[(size_t)d * (size_t)gp->capacity + (size_t)row];
  fcps_squared_distances(row, gp->dim, gp->scaled, gp->capacity, scaled, k);
  from_distances(gp, (size_t)row, k, NULL);
}

void fcps_gp_prior_covariances(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *k)
{
  const size_t dim = (size_t)gp->dim, total = (size_t)m * (size_t)n;
  for (size_t i = 0; i < total; i++)
    k[i] = 0.0;
  for (size_t d = 0; d < dim; d++) {
    const double weight = exp(-2.0 * gp->hyper[d]);
    double *s = k;
    for (size_t j = 0; j < (size_t)n; j++)
      for (size_t i = 0; i < (size_t)m; i++, s++) {
        const double t = a[i * dim + d] - b[j * dim + d];
        *s += weight * t * t;
      }
  }
  from_distances(gp, total, k, NULL);
}
