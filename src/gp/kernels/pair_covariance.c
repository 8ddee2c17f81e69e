/* SPDX-License-Identifier: Apache-2.0 */
/*   dK/dlog l_d = sf^2 h(s) (x_d - x'_d)^2/l_d^2,   dK/dlog sf = 2 sf^2 phi   [rasmussen2006, Eq. 5.9] */
#include "gp/kernels/pair_covariance.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

static void fill_squares(fcps_pair_covariance *p, const fcps_gp *gp)
{
  for (int d = 0; d < p->dim; d++) {
    const double *x = gp->inputs + (size_t)d * (size_t)gp->capacity;
    double *square = p->squares + (size_t)d * (size_t)p->pairs;
    for (int j = 0; j < p->rows; j++)
      for (int i = j + 1; i < p->rows; i++)
        *square++ = (x[i] - x[j]) * (x[i] - x[j]);
  }
}

fcps_status fcps_pair_covariance_create(fcps_pair_covariance *p, const fcps_gp *gp, int rows)
{
  *p = (fcps_pair_covariance){.kernel = gp->kernel, .rows = rows, .dim = gp->dim, .pairs = rows * (rows - 1) / 2};
  const size_t pairs = (size_t)p->pairs, dim = (size_t)p->dim;
  p->squares = fcps_allocate(pairs * dim, sizeof(double));
  p->phi = fcps_allocate(pairs, sizeof(double));
  p->slope = fcps_allocate(pairs, sizeof(double));
  p->weight = fcps_allocate(dim, sizeof(double));
  if (p->squares == NULL || p->phi == NULL || p->slope == NULL || p->weight == NULL) return FCPS_ERR_MEMORY;
  fill_squares(p, gp);
  return FCPS_OK;
}

void fcps_pair_covariance_destroy(fcps_pair_covariance *p)
{
  free(p->squares);
  free(p->phi);
  free(p->slope);
  free(p->weight);
}

void fcps_pair_covariance_fill(fcps_pair_covariance *p, const double *hyper, double *k)
{
  const double sf2 = fcps_gp_hyper_signal_variance(p->dim, hyper);
  for (int d = 0; d < p->dim; d++)
    p->weight[d] = exp(-2.0 * hyper[d]);
  fcps_multiply_nn(p->pairs, 1, p->dim, 1.0, p->squares, p->pairs, p->weight, p->dim, 0.0, p->phi, p->pairs);
  p->kernel->eval((size_t)p->pairs, p->phi, p->phi, p->slope);
  const double *phi = p->phi;
  for (int j = 0; j < p->rows; j++) {
    double *column = k + (size_t)j * (size_t)p->rows;
    for (int i = j + 1; i < p->rows; i++)
      column[i] = sf2 * *phi++;
  }
}

double fcps_pair_covariance_gradient(fcps_pair_covariance *p, const double *hyper, const double *w, double *gradient)
{
  const double sf2 = fcps_gp_hyper_signal_variance(p->dim, hyper);
  double trace = 0.0, pairs_phi = 0.0;
  size_t pair = 0;
  for (int j = 0; j < p->rows; j++) {
    const double *column = w + (size_t)j * (size_t)p->rows;
    trace += column[j];
    for (int i = j + 1; i < p->rows; i++, pair++) {
      pairs_phi += column[i] * p->phi[pair];
      p->slope[pair] *= column[i];
    }
  }
  fcps_multiply_tn(p->dim, 1, p->pairs, sf2, p->squares, p->pairs, p->slope, p->pairs, 0.0, gradient, p->dim);
  for (int d = 0; d < p->dim; d++)
    gradient[d] *= p->weight[d];
  gradient[p->dim] = sf2 * (trace + 2.0 * pairs_phi);
  return trace;
}
