/* SPDX-License-Identifier: Apache-2.0 */
/* Posterior of a Gaussian process, given K + sn^2 I = L L' [rasmussen2006, Algorithm 2.1]:
 *
 *   mean(x)     = offset + scale k(x)' alpha
 *   variance(x) = sf^2 - v' v,   v = L^-1 k(x)                          (latent: without noise)
 *   gradients   = the same with dk_i/dx_d = -sf^2 h(s_i) (x_d - X_id)/l_d^2
 *
 * Many points are predicted in one pass, so that exp and the triangular solve run on blocks.
 */
#include "base/memory.h"
#include "gp/gp.h"
#include "gp/vexp.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a look: more searches than this are seldom side by side. */
enum { CROWD = 8 };

fcps_status fcps_gp_work_reserve(fcps_gp_work *work, const fcps_gp *gp, int points)
{
  const int rows = gp->capacity > 0 ? gp->capacity : 1;
  if (points <= work->points && rows <= work->rows) return FCPS_OK;
  fcps_gp_work made = {.points = points > work->points ? points : work->points,
                       .rows = rows > work->rows ? rows : work->rows};
  made.crowd = made.rows <= FCPS_CHOL_CACHED_ROWS ? 1 : made.points < CROWD ? made.points : CROWD;
  made.scaled = fcps_allocate((size_t)gp->dim + 1, sizeof(double));
  made.k = fcps_allocate((size_t)made.rows * (size_t)made.points, sizeof(double));
  made.slope = fcps_allocate((size_t)made.rows * (size_t)made.crowd, sizeof(double));
  made.solve = fcps_allocate((size_t)made.rows * (size_t)made.crowd, sizeof(double));
  made.products = fcps_allocate((size_t)made.rows, sizeof(double));
  made.variance = fcps_allocate((size_t)made.crowd, sizeof(double));
  if (made.scaled == NULL || made.k == NULL || made.slope == NULL || made.solve == NULL || made.products == NULL ||
      made.variance == NULL) {
    fcps_gp_work_destroy(&made);
    return FCPS_ERR_MEMORY;
  }
  fcps_gp_work_destroy(work);
  *work = made;
  return FCPS_OK;
}

void fcps_gp_work_destroy(fcps_gp_work *work)
{
  free(work->scaled);
  free(work->k);
  free(work->slope);
  free(work->solve);
  free(work->products);
  free(work->variance);
  *work = (fcps_gp_work){0};
}

static void scale_point(const fcps_gp *gp, const double *point, double *scaled)
{
  for (int d = 0; d < gp->dim; d++)
    scaled[d] = point[d] * exp(-gp->hyper[d]);
}

/* k (rows x count, column-major) := sf^2 phi of the distances between rows and points; their h to `slope` (NULL:
 * not). */
static void cross_covariance(const fcps_gp *gp, int rows, int count, const double *points, double *scaled, double *k,
                             double *slope)
{
  for (int j = 0; j < count; j++) {
    scale_point(gp, points + (size_t)j * (size_t)gp->dim, scaled);
    fcps_squared_distances(rows, gp->dim, gp->scaled, gp->capacity, scaled, k + (size_t)j * (size_t)rows);
  }
  const size_t total = (size_t)rows * (size_t)count;
  gp->kernel->eval(total, k, k, slope);
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  for (size_t i = 0; i < total; i++)
    k[i] *= sf2;
}

static double variance_from(double prior, int rows, const double *v)
{
  return fmax(FCPS_VARIANCE_FLOOR, prior - fcps_dot(rows, v, v));
}

/* Whether variances are exact, or bounds that need no triangular solve. */
typedef enum variance_kind { EXACT, BOUND } variance_kind;

/* Variance left by all rows: one triangular solve for all points, in the place of k. */
static void exact_variances(const fcps_gp *gp, int count, double *k, double *variance)
{
  const int rows = gp->factored;
  const double prior = exp(2.0 * gp->hyper[gp->dim]);
  fcps_chol_solve_lower(rows, gp->factor, gp->capacity, count, k, rows);
  for (int j = 0; j < count; j++)
    variance[j] = variance_from(prior, rows, k + (size_t)j * (size_t)rows);
}

/* Variance left by the one row that tells most: more rows can only lower it. */
static void variance_bounds(const fcps_gp *gp, int count, const double *k, double *variance)
{
  const int rows = gp->factored;
  const double prior = exp(2.0 * gp->hyper[gp->dim]);
  double noisiest = 0.0;
  for (int i = 0; i < rows; i++)
    noisiest = gp->noise[i] > noisiest ? gp->noise[i] : noisiest;
  const double diagonal = prior + exp(2.0 * gp->hyper[gp->dim + 1]) + gp->jitter + noisiest;
  for (int j = 0; j < count; j++) {
    double largest = 0.0;
    for (int i = 0; i < rows; i++) {
      const double ki = k[(size_t)j * (size_t)rows + (size_t)i];
      largest = ki > largest ? ki : largest;
    }
    variance[j] = fmax(FCPS_VARIANCE_FLOOR, prior - largest * largest / diagonal);
  }
}

/* One pass over at most work->points points. */
static void predict_block(const fcps_gp *gp, const fcps_gp_outputs *outputs, variance_kind kind, int count,
                          const double *points, fcps_gp_work *work, double *mean, double *variance)
{
  const int rows = variance != NULL ? gp->factored : outputs->count;
  cross_covariance(gp, rows, count, points, work->scaled, work->k, NULL);
  if (mean != NULL) {
    fcps_multiply_tn(outputs->outputs, count, outputs->count, 1.0, outputs->alpha, outputs->count, work->k, rows, 0.0,
                     mean, outputs->outputs);
    for (int j = 0; j < count; j++)
      for (int o = 0; o < outputs->outputs; o++) {
        double *m = mean + (size_t)j * (size_t)outputs->outputs + (size_t)o;
        *m = outputs->offset[o] + outputs->scale[o] * *m;
      }
  }
  if (variance != NULL && kind == EXACT) exact_variances(gp, count, work->k, variance);
  if (variance != NULL && kind == BOUND) variance_bounds(gp, count, work->k, variance);
}

/* Without rows the posterior is the prior. */
static void predict_prior(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, double *mean, double *variance)
{
  for (int j = 0; j < count; j++) {
    if (mean != NULL)
      for (int o = 0; o < outputs->outputs; o++)
        mean[(size_t)j * (size_t)outputs->outputs + (size_t)o] = outputs->offset[o];
    if (variance != NULL) variance[j] = exp(2.0 * gp->hyper[gp->dim]);
  }
}

static void predict(const fcps_gp *gp, const fcps_gp_outputs *outputs, variance_kind kind, int count,
                    const double *points, fcps_gp_work *work, double *mean, double *variance)
{
  for (int start = 0; start < count; start += work->points) {
    const int block = count - start < work->points ? count - start : work->points;
    const double *block_points = points + (size_t)start * (size_t)gp->dim;
    double *block_mean = mean != NULL ? mean + (size_t)start * (size_t)outputs->outputs : NULL;
    double *block_variance = variance != NULL ? variance + start : NULL;
    if (gp->factored == 0)
      predict_prior(gp, outputs, block, block_mean, block_variance);
    else
      predict_block(gp, outputs, kind, block, block_points, work, block_mean, block_variance);
  }
}

void fcps_gp_predict(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points,
                     fcps_gp_work *work, double *mean, double *variance)
{
  predict(gp, outputs, EXACT, count, points, work, mean, variance);
}

void fcps_gp_predict_bound(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points,
                           fcps_gp_work *work, double *mean, double *variance)
{
  predict(gp, outputs, BOUND, count, points, work, mean, variance);
}

/* sum_i weight_i dk_i/dx_d for each d, given h and the scaled point in work->scaled: with the products t_i = weight_i
 * h_i that is x_d sum_i t_i - sum_i t_i X_id, up to factors. */
static void gradient_of_sum(const fcps_gp *gp, const fcps_gp_work *work, int rows, const double *weight,
                            const double *h, double factor, double *gradient)
{
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  double *t = work->products, total = 0.0;
  for (int i = 0; i < rows; i++)
    t[i] = weight[i] * h[i];
  for (int i = 0; i < rows; i++)
    total += t[i];
  for (int d = 0; d < gp->dim; d++) {
    const double *column = gp->scaled + (size_t)d * (size_t)gp->capacity;
    const double sum = work->scaled[d] * total - fcps_dot(rows, t, column);
    gradient[d] = -factor * sf2 * sum * exp(-gp->hyper[d]);
  }
}

int fcps_gp_prefetch_count(const fcps_gp *gp, const fcps_gp_work *work)
{
  return gp->factored > FCPS_CHOL_CACHED_ROWS ? work->crowd : 1;
}

/* work->k and work->slope: covariances of the points with the rows, and their slopes; work->variance = sf^2 - |v|^2
 * with v = L^-1 k, and work->solve = L^-T v = K^-1 k. */
void fcps_gp_prefetch(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points,
                      bool with_variances, fcps_gp_work *work)
{
  const int rows = with_variances ? gp->factored : outputs->count;
  if (rows == 0) return;
  cross_covariance(gp, rows, count, points, work->scaled, work->k, work->slope);
  if (!with_variances) return;
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  memcpy(work->solve, work->k, (size_t)rows * (size_t)count * sizeof(double));
  fcps_chol_solve_lower(rows, gp->factor, gp->capacity, count, work->solve, rows);
  for (int j = 0; j < count; j++)
    work->variance[j] = variance_from(sf2, rows, work->solve + (size_t)j * (size_t)rows);
  fcps_chol_solve_upper(rows, gp->factor, gp->capacity, count, work->solve, rows);
}

/* Without rows the posterior is the prior, which is flat. */
static void prior_gradient(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *mean, double *variance,
                           double *mean_gradient, double *variance_gradient)
{
  predict_prior(gp, outputs, 1, mean, variance);
  for (int i = 0; i < outputs->outputs * gp->dim; i++)
    mean_gradient[i] = 0.0;
  for (int d = 0; d < gp->dim && variance_gradient != NULL; d++)
    variance_gradient[d] = 0.0;
}

void fcps_gp_gradient_at(const fcps_gp *gp, const fcps_gp_outputs *outputs, int place, const double *point,
                         fcps_gp_work *work, double *mean, double *variance, double *mean_gradient,
                         double *variance_gradient)
{
  if (gp->factored == 0) {
    prior_gradient(gp, outputs, mean, variance, mean_gradient, variance_gradient);
    return;
  }
  const int rows = variance != NULL ? gp->factored : outputs->count;
  const size_t column = (size_t)place * (size_t)rows;
  const double *k = work->k + column, *h = work->slope + column;
  scale_point(gp, point, work->scaled);
  for (int o = 0; o < outputs->outputs; o++) {
    const double *alpha = outputs->alpha + (size_t)o * (size_t)outputs->count;
    mean[o] = outputs->offset[o] + outputs->scale[o] * fcps_dot(outputs->count, alpha, k);
    gradient_of_sum(gp, work, outputs->count, alpha, h, outputs->scale[o], mean_gradient + (size_t)o * (size_t)gp->dim);
  }
  if (variance == NULL) return;

  /* the gradient of the variance is -2 (K^-1 k)' dk/dx */
  *variance = work->variance[place];
  const double factor = *variance > FCPS_VARIANCE_FLOOR ? -2.0 : 0.0;
  gradient_of_sum(gp, work, rows, work->solve + column, h, factor, variance_gradient);
}

void fcps_gp_predict_gradient(const fcps_gp *gp, const fcps_gp_outputs *outputs, const double *point,
                              fcps_gp_work *work, double *mean, double *variance, double *mean_gradient,
                              double *variance_gradient)
{
  fcps_gp_prefetch(gp, outputs, 1, point, variance != NULL, work);
  fcps_gp_gradient_at(gp, outputs, 0, point, work, mean, variance, mean_gradient, variance_gradient);
}

void fcps_gp_whiten(const fcps_gp *gp, int count, const double *points, double *scratch, double *v)
{
  if (gp->factored == 0) return;
  cross_covariance(gp, gp->factored, count, points, scratch, v, NULL);
  fcps_chol_solve_lower(gp->factored, gp->factor, gp->capacity, count, v, gp->factored);
}

void fcps_gp_prior_covariance(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *covariance)
{
  const size_t dim = (size_t)gp->dim, total = (size_t)m * (size_t)n;
  for (size_t i = 0; i < total; i++)
    covariance[i] = 0.0;
  for (size_t d = 0; d < dim; d++) {
    const double weight = exp(-2.0 * gp->hyper[d]);
    double *s = covariance;
    for (size_t j = 0; j < (size_t)n; j++)
      for (size_t i = 0; i < (size_t)m; i++, s++) {
        const double t = a[i * dim + d] - b[j * dim + d];
        *s += weight * t * t;
      }
  }
  gp->kernel->eval(total, covariance, covariance, NULL);
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]);
  for (size_t i = 0; i < total; i++)
    covariance[i] *= sf2;
}

void fcps_gp_covariance(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *scratch,
                        double *covariance)
{
  const int rows = gp->factored;
  fcps_gp_prior_covariance(gp, m, a, n, b, covariance);
  if (rows == 0) return;
  double *va = scratch, *vb = va + (size_t)rows * (size_t)m, *scaled = vb + (size_t)rows * (size_t)n;
  fcps_gp_whiten(gp, m, a, scaled, va);
  fcps_gp_whiten(gp, n, b, scaled, vb);
  fcps_multiply_tn(m, n, rows, -1.0, va, rows, vb, rows, 1.0, covariance, m);
}

fcps_status fcps_gp_draw(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, int count, const double *points,
                         int samples, const double *normals, double *draws)
{
  const size_t m = (size_t)count, q = (size_t)outputs->outputs;
  double *covariance = fcps_allocate(2 * m * m, sizeof(double));
  double *scratch = fcps_allocate(2 * (size_t)gp->factored * m + (size_t)gp->dim, sizeof(double));
  double *mean = fcps_allocate(m * q, sizeof(double));
  fcps_gp_work work = {0};
  fcps_status status = covariance != NULL && scratch != NULL && mean != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_gp_work_reserve(&work, gp, count);
  if (status == FCPS_OK) {
    fcps_gp_predict(gp, outputs, count, points, &work, mean, NULL);
    fcps_gp_covariance(gp, count, points, count, points, scratch, covariance);
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
  free(scratch);
  free(covariance);
  return status;
}
