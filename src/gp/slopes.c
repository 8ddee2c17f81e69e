/* SPDX-License-Identifier: Apache-2.0 */
/* With k_i' the slope of a covariance, every gradient is a sum over rows (see predict.c),
 *
 *   sum_i w_i dk_i/dx_d = -sf^2/l_d (x_d sum_i w_i h_i - sum_i w_i h_i X_id)        (x, X over the length-scales)
 *
 * For the means w = alpha is the same at all points, so that the sums are one product (alpha, alpha X)' H; for the
 * variance w = K^-1 k is another one at each, and they are (1, X)' (W o H).
 */
#include "gp/slopes.h"

#include "base/memory.h"
#include "gp/vexp.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fill_tables(fcps_gp_slopes *s)
{
  const size_t rows = (size_t)s->gp->factored, known = (size_t)s->outputs->count, width = (size_t)s->gp->dim + 1;
  if (rows == 0) return; /* nor is there anything to copy from */
  for (size_t i = 0; i < rows; i++)
    s->rows[i] = 1.0;
  for (size_t d = 1; d < width; d++)
    memcpy(s->rows + d * rows, s->gp->scaled + (d - 1) * (size_t)s->gp->capacity, rows * sizeof(double));
  for (size_t o = 0; o < (size_t)s->outputs->outputs; o++)
    for (size_t d = 0; d < width; d++)
      for (size_t i = 0; i < rows; i++)
        s->weighted[(o * width + d) * rows + i] =
            i < known ? s->outputs->alpha[o * known + i] * s->rows[d * rows + i] : 0.0;
}

fcps_status fcps_gp_slopes_create(fcps_gp_slopes *slopes, const fcps_gp *gp, const fcps_gp_outputs *outputs, int points)
{
  const size_t rows = (size_t)gp->factored, width = (size_t)gp->dim + 1, count = (size_t)points;
  const size_t columns = (size_t)outputs->outputs + 1;
  fcps_gp_slopes s = {.gp = gp, .outputs = outputs, .points = points};
  s.numbers = fcps_allocate(rows * (columns * width + 3 * count) + width + columns * width * count, sizeof(double));
  if (s.numbers == NULL) return FCPS_ERR_MEMORY;
  s.rows = s.numbers;
  s.weighted = s.rows + rows * width;
  s.k = s.weighted + rows * width * (columns - 1);
  s.h = s.k + rows * count;
  s.solve = s.h + rows * count;
  s.scaled = s.solve + rows * count;
  s.sums = s.scaled + width;
  fill_tables(&s);
  *slopes = s;
  return FCPS_OK;
}

void fcps_gp_slopes_destroy(fcps_gp_slopes *slopes)
{
  free(slopes->numbers);
  *slopes = (fcps_gp_slopes){0};
}

/* k and h of all points. */
static void covariances(fcps_gp_slopes *s, int count, const double *points)
{
  const fcps_gp *gp = s->gp;
  const size_t rows = (size_t)gp->factored, total = rows * (size_t)count;
  for (int j = 0; j < count; j++) {
    for (int d = 0; d < gp->dim; d++)
      s->scaled[d] = points[(size_t)j * (size_t)gp->dim + (size_t)d] * exp(-gp->hyper[d]);
    fcps_squared_distances(gp->factored, gp->dim, gp->scaled, gp->capacity, s->scaled, s->k + (size_t)j * rows);
  }
  gp->kernel->eval(total, s->k, s->k, s->h);
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  for (size_t i = 0; i < total; i++)
    s->k[i] *= sf2;
}

/* variance = sf^2 - |L^-1 k|^2, and s->solve := K^-1 k. */
static void solve_variances(fcps_gp_slopes *s, int count, double *variance)
{
  const fcps_gp *gp = s->gp;
  const int rows = gp->factored;
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  memcpy(s->solve, s->k, (size_t)rows * (size_t)count * sizeof(double));
  fcps_chol_solve_lower(rows, gp->factor, gp->capacity, count, s->solve, rows);
  for (int j = 0; j < count; j++) {
    const double *v = s->solve + (size_t)j * (size_t)rows;
    variance[j] = fmax(FCPS_VARIANCE_FLOOR, sf2 - fcps_dot(rows, v, v));
  }
  fcps_chol_solve_upper(rows, gp->factor, gp->capacity, count, s->solve, rows);
}

/* A gradient from its sums: the formula of the file's head, times `factor`. */
static void from_sums(const fcps_gp *gp, const double *point, const double *sums, double factor, double *gradient)
{
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  for (int d = 0; d < gp->dim; d++) {
    const double inverse_length = exp(-gp->hyper[d]);
    gradient[d] = -factor * sf2 * inverse_length * (point[d] * inverse_length * sums[0] - sums[1 + d]);
  }
}

static void mean_gradients(fcps_gp_slopes *s, int count, const double *points, double *gradient)
{
  const int rows = s->gp->factored, dim = s->gp->dim, q = s->outputs->outputs, width = q * (dim + 1);
  fcps_multiply_tn(width, count, rows, 1.0, s->weighted, rows, s->h, rows, 0.0, s->sums, width);
  for (int j = 0; j < count; j++)
    for (int o = 0; o < q; o++)
      from_sums(s->gp, points + j * dim, s->sums + j * width + o * (dim + 1), s->outputs->scale[o],
                gradient + (size_t)(j * q + o) * (size_t)dim);
}

static void variance_gradients(fcps_gp_slopes *s, int count, const double *points, const double *variance,
                               double *gradient)
{
  const int rows = s->gp->factored, dim = s->gp->dim;
  const size_t total = (size_t)rows * (size_t)count;
  for (size_t i = 0; i < total; i++)
    s->solve[i] *= s->h[i];
  fcps_multiply_tn(dim + 1, count, rows, 1.0, s->rows, rows, s->solve, rows, 0.0, s->sums, dim + 1);
  for (int j = 0; j < count; j++)
    from_sums(s->gp, points + j * dim, s->sums + j * (dim + 1), variance[j] > FCPS_VARIANCE_FLOOR ? -2.0 : 0.0,
              gradient + j * dim);
}

/* Without rows the posterior is the prior, which is flat. */
static void predict_prior(const fcps_gp_slopes *s, int count, double *mean, double *variance, double *mean_gradient,
                          double *variance_gradient)
{
  const int dim = s->gp->dim, q = s->outputs->outputs;
  for (int i = 0; i < count * q; i++)
    mean[i] = s->outputs->offset[i % q];
  for (int i = 0; i < count; i++)
    variance[i] = exp(2.0 * s->gp->hyper[dim]);
  memset(mean_gradient, 0, (size_t)(count * q * dim) * sizeof(double));
  memset(variance_gradient, 0, (size_t)(count * dim) * sizeof(double));
}

void fcps_gp_slopes_predict(fcps_gp_slopes *s, int count, const double *points, double *mean, double *variance,
                            double *mean_gradient, double *variance_gradient)
{
  const int rows = s->gp->factored, known = s->outputs->count, q = s->outputs->outputs;
  if (rows == 0) {
    predict_prior(s, count, mean, variance, mean_gradient, variance_gradient);
    return;
  }
  covariances(s, count, points);
  fcps_multiply_tn(q, count, known, 1.0, s->outputs->alpha, known, s->k, rows, 0.0, mean, q);
  for (int i = 0; i < count * q; i++)
    mean[i] = s->outputs->offset[i % q] + s->outputs->scale[i % q] * mean[i];
  mean_gradients(s, count, points, mean_gradient);
  solve_variances(s, count, variance);
  variance_gradients(s, count, points, variance, variance_gradient);
}
