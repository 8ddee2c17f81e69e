/* SPDX-License-Identifier: Apache-2.0 */
/* Posterior of a Gaussian process, given K + sn^2 I = L L' and alpha [rasmussen2006, Algorithm 2.1, lines 4 to 6]:
 *
 *   mean(x)     = offset + scale k(x)' alpha                          (line 4, Eq. 2.25)
 *   v           = L \ k(x)                                            (line 5)
 *   variance(x) = sf^2 - v' v                                         (line 6, Eq. 2.26; latent: without noise)
 *   gradients   = sums over rows, with dk_i/dx_d = -sf^2 h(s_i) (x_d - X_id)/l_d^2
 *
 * What the query asks for decides the strategy:
 *   - without gradients: passes over work->points points. Means are one product of matrices. Variances are one
 *     triangular solve with many columns, or bounds without any solve;
 *   - with `whitened`: one such pass, which computes in the memory of the answer;
 *   - with gradients and sums per point: each point alone if the factor is in the cache. If it is not, up to SHARED
 *     points share each pass over it in the triangular solves; all else is done with vectors;
 *   - with gradients and sums as products: passes over work->sloped points, in which everything is a product of
 *     matrices.
 *
 * Invariants: a factor without rows means the prior. Rows beyond outputs->count have no output: they never count for
 * means, and they count for variances unless the query says otherwise. The bits of an answer depend on how points are
 * divided into passes, and that depends only on the query, the number of rows and the work space. */
#include "gp/query.h"

#include "base/memory.h"
#include "gp/kernels/covariance.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most points that share a pass over a large factor. Searches side by side are seldom more. */
enum { SHARED = 8 };

/* -- Scratch -- */

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* Makes each array of `work` at least as large as `wanted` says. */
static fcps_status enlarge(fcps_gp_work *work, const fcps_gp_work *wanted)
{
  if (wanted->dim <= work->dim && wanted->rows <= work->rows && wanted->points <= work->points &&
      wanted->sloped <= work->sloped && wanted->table_width <= work->table_width)
    return FCPS_OK;
  fcps_gp_work made = {.dim = larger(wanted->dim, work->dim),
                       .rows = larger(wanted->rows, work->rows),
                       .points = larger(wanted->points, work->points),
                       .sloped = larger(wanted->sloped, work->sloped),
                       .table_width = larger(wanted->table_width, work->table_width)};
  const size_t rows = (size_t)made.rows, sloped = (size_t)made.sloped, width = (size_t)made.table_width;
  made.lengths = fcps_allocate(2 * (size_t)made.dim, sizeof(double));
  made.k = fcps_allocate(rows * (size_t)made.points, sizeof(double));
  made.slope = fcps_allocate(rows * sloped, sizeof(double));
  made.solve = fcps_allocate(rows * sloped, sizeof(double));
  made.products = fcps_allocate(rows, sizeof(double));
  made.table = fcps_allocate(rows * width, sizeof(double));
  made.sums = fcps_allocate(sloped * width, sizeof(double));
  if (made.lengths == NULL || made.k == NULL || made.slope == NULL || made.solve == NULL || made.products == NULL ||
      made.table == NULL || made.sums == NULL) {
    fcps_gp_work_destroy(&made);
    return FCPS_ERR_MEMORY;
  }
  made.inputs = work->inputs;
  made.input_room = work->input_room;
  work->inputs = NULL;
  fcps_gp_work_destroy(work);
  *work = made;
  return FCPS_OK;
}

fcps_status fcps_gp_work_reserve(fcps_gp_work *work, const fcps_gp *gp, int points)
{
  const int most = gp->capacity > FCPS_CHOL_CACHED_ROWS ? SHARED : 1;
  const fcps_gp_work wanted = {
      .dim = gp->dim, .rows = gp->capacity, .points = points, .sloped = points < most ? points : most};
  return enlarge(work, &wanted);
}

fcps_status fcps_gp_work_reserve_products(fcps_gp_work *work, const fcps_gp *gp, int outputs, int points)
{
  const fcps_gp_work wanted = {.dim = gp->dim,
                               .rows = gp->capacity,
                               .points = points,
                               .sloped = points,
                               .table_width = (gp->dim + 1) * larger(outputs, 1)};
  return enlarge(work, &wanted);
}

void fcps_gp_work_destroy(fcps_gp_work *work)
{
  free(work->lengths);
  free(work->k);
  free(work->slope);
  free(work->solve);
  free(work->products);
  free(work->table);
  free(work->sums);
  free(work->inputs);
  *work = (fcps_gp_work){0};
}

fcps_status fcps_gp_work_reserve_inputs(fcps_gp_work *work, size_t numbers)
{
  return fcps_reserve((void **)&work->inputs, &work->input_room, numbers, sizeof(double)) ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* -- Means and variances -- */

/* Line 4 for all points: mean = offset + scale alpha' k, as one product of matrices. */
static void predict_means(const fcps_gp_outputs *outputs, int rows, const double *k, int count, double *mean)
{
  const int q = outputs->outputs;
  fcps_multiply_tn(q, count, outputs->count, 1.0, outputs->alpha, outputs->count, k, rows, 0.0, mean, q);
  for (int j = 0; j < count; j++, mean += q)
    for (int o = 0; o < q; o++)
      mean[o] = outputs->offset[o] + outputs->scale[o] * mean[o];
}

/* Lines 5 and 6 for all points: replaces k by v = L \ k, and computes variance = sf^2 - v' v unless it is NULL. */
static void whiten(const fcps_gp *gp, int count, double *k, double *variance)
{
  const int rows = gp->factored;
  const double sf2 = fcps_gp_signal_variance(gp);
  fcps_chol_solve_lower(rows, gp->factor, gp->capacity, count, k, rows);
  for (int j = 0; j < count && variance != NULL; j++) {
    const double *v = k + (size_t)j * (size_t)rows;
    variance[j] = fmax(FCPS_VARIANCE_FLOOR, sf2 - fcps_dot(rows, v, v));
  }
}

/* An upper bound of the variance: sf^2 - max_i k_i^2/(sf^2 + max_i sn_i^2), the variance with only one row, which has
 * the largest covariance and the largest noise of all. More rows can only lower the variance. Rows that are nearly all
 * noise, such as outputs that are believed to be wrong, are skipped: one of them would make the bound useless. */
static void bound_variances(const fcps_gp *gp, int count, const double *k, double *variance)
{
  const int rows = gp->factored;
  const double sf2 = fcps_gp_signal_variance(gp);
  const double most = 10.0 * sf2;
  double noisiest = 0.0;
  for (int i = 0; i < rows; i++)
    noisiest = gp->noise[i] > noisiest && gp->noise[i] < most ? gp->noise[i] : noisiest;
  const double diagonal = sf2 + fcps_gp_hyper_noise_variance(gp->dim, gp->hyper) + gp->jitter + noisiest;
  for (int j = 0; j < count; j++) {
    double largest = 0.0;
    for (int i = 0; i < rows; i++) {
      const double ki = k[(size_t)j * (size_t)rows + (size_t)i];
      largest = ki > largest && gp->noise[i] < most ? ki : largest;
    }
    variance[j] = fmax(FCPS_VARIANCE_FLOOR, sf2 - largest * largest / diagonal);
  }
}

/* Answers a query for one pass without gradients. */
static void predict_moments(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *q,
                            fcps_gp_work *work)
{
  const int rows = q->variance != NULL || q->whitened != NULL ? gp->factored : outputs->count;
  double *k = q->whitened != NULL ? q->whitened : work->k;
  fcps_gp_covariances(gp, rows, q->count, q->points, work->lengths, k, NULL);
  if (q->mean != NULL) predict_means(outputs, rows, k, q->count, q->mean);
  if (q->variance != NULL && q->variance_kind == FCPS_VARIANCE_BOUND)
    bound_variances(gp, q->count, k, q->variance);
  else if (q->variance != NULL || q->whitened != NULL)
    whiten(gp, q->count, k, q->variance);
}

/* -- Gradients -- */

/* With t_i = w_i h_i a gradient is
 *
 *   sum_i w_i dk_i/dx_d = -sf^2/l_d (x_d sum_i t_i - sum_i t_i X_id),
 *
 * where x and X are divided by the length-scales. For the mean of output o, w = scale alpha_o; for the variance, w = -2
 * K^-1 k. A variance at its floor has gradient 0. */
static double variance_factor(double variance)
{
  return variance > FCPS_VARIANCE_FLOOR ? -2.0 : 0.0;
}

/* Computes this formula with vectors, times `factor`, at point x. */
static void sum_per_point(const fcps_gp *gp, const fcps_gp_work *work, int rows, const double *weight, const double *h,
                          const double *x, double factor, double *gradient)
{
  const double sf2 = fcps_gp_signal_variance(gp), *inverse_length = work->lengths;
  double *t = work->products, total = 0.0;
  for (int i = 0; i < rows; i++)
    t[i] = weight[i] * h[i];
  for (int i = 0; i < rows; i++)
    total += t[i];
  for (int d = 0; d < gp->dim; d++) {
    const double *column = gp->scaled + (size_t)d * (size_t)gp->capacity;
    const double sum = x[d] * inverse_length[d] * total - fcps_dot(rows, t, column);
    gradient[d] = -factor * sf2 * sum * inverse_length[d];
  }
}

/* Computes means and all gradients of a pass, one point after the other. */
static void sums_per_point(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *q, int rows,
                           const fcps_gp_work *work)
{
  const size_t dim = (size_t)gp->dim, width = (size_t)outputs->outputs;
  for (size_t j = 0; j < (size_t)q->count; j++) {
    const double *x = q->points + j * dim, *k = work->k + j * (size_t)rows, *h = work->slope + j * (size_t)rows;
    for (size_t o = 0; o < width; o++) {
      const double *alpha = outputs->alpha + o * (size_t)outputs->count;
      q->mean[j * width + o] = outputs->offset[o] + outputs->scale[o] * fcps_dot(outputs->count, alpha, k);
      sum_per_point(gp, work, outputs->count, alpha, h, x, outputs->scale[o], q->mean_gradient + (j * width + o) * dim);
    }
    if (q->variance_gradient != NULL)
      sum_per_point(gp, work, rows, work->solve + j * (size_t)rows, h, x, variance_factor(q->variance[j]),
                    q->variance_gradient + j * dim);
  }
}

/* Computes the same formula from its two sums, sums[0] and sums[1 + d]. The factors are multiplied in another order
 * than in sum_per_point. Both orders must stay as they are, because the last digits depend on them. */
static void from_sums(const fcps_gp *gp, const fcps_gp_work *work, const double *x, const double *sums, double factor,
                      double *gradient)
{
  const double sf2 = fcps_gp_signal_variance(gp), *inverse_length = work->lengths;
  for (int d = 0; d < gp->dim; d++)
    gradient[d] = -factor * sf2 * inverse_length[d] * (x[d] * inverse_length[d] * sums[0] - sums[1 + d]);
}

/* Computes (w, w X), rows x (1 + dim), with the weights w of the first `known` rows, and 0 for the other rows. */
static void weigh_rows(const fcps_gp *gp, int rows, int known, const double *weight, double *to)
{
  for (int d = -1; d < gp->dim; d++, to += rows) {
    for (int i = 0; i < known; i++)
      to[i] = weight[i];
    for (int i = known; i < rows; i++)
      to[i] = 0.0;
    if (d < 0) continue;
    const double *x = gp->scaled + (size_t)d * (size_t)gp->capacity;
    for (int i = 0; i < known; i++)
      to[i] *= x[i];
  }
}

/* Computes all gradients of a pass as products. The weights of the means are the same at all points, so their sums are
 * one product (alpha, alpha X)' H. The weights of the variance differ from point to point; their sums are (1, X)' (W o
 * H). */
static void sums_as_products(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *q, int rows,
                             fcps_gp_work *work)
{
  const int dim = gp->dim, columns = dim + 1, width = outputs->outputs * columns;
  predict_means(outputs, rows, work->k, q->count, q->mean);
  for (int o = 0; o < outputs->outputs; o++)
    weigh_rows(gp, rows, outputs->count, outputs->alpha + (size_t)o * (size_t)outputs->count,
               work->table + (size_t)(o * columns) * (size_t)rows);
  fcps_multiply_tn(width, q->count, rows, 1.0, work->table, rows, work->slope, rows, 0.0, work->sums, width);
  for (int j = 0; j < q->count; j++)
    for (int o = 0; o < outputs->outputs; o++)
      from_sums(gp, work, q->points + j * dim, work->sums + j * width + o * columns, outputs->scale[o],
                q->mean_gradient + (size_t)(j * outputs->outputs + o) * (size_t)dim);
  if (q->variance_gradient == NULL) return;

  const size_t total = (size_t)rows * (size_t)q->count;
  for (size_t i = 0; i < total; i++)
    work->solve[i] *= work->slope[i];
  for (int i = 0; i < rows; i++)
    work->products[i] = 1.0;
  weigh_rows(gp, rows, rows, work->products, work->table);
  fcps_multiply_tn(columns, q->count, rows, 1.0, work->table, rows, work->solve, rows, 0.0, work->sums, columns);
  for (int j = 0; j < q->count; j++)
    from_sums(gp, work, q->points + j * dim, work->sums + j * columns, variance_factor(q->variance[j]),
              q->variance_gradient + j * dim);
}

/* One pass with gradients: covariances and slopes; variances, and K^-1 k = L' \ v for their gradients; the sums. */
static void predict_gradients(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *q,
                              fcps_gp_work *work)
{
  const int rows = q->variance != NULL ? gp->factored : outputs->count;
  fcps_gp_covariances(gp, rows, q->count, q->points, work->lengths, work->k, work->slope);
  if (q->variance != NULL) {
    memcpy(work->solve, work->k, (size_t)rows * (size_t)q->count * sizeof(double));
    whiten(gp, q->count, work->solve, q->variance);
    fcps_chol_solve_upper(rows, gp->factor, gp->capacity, q->count, work->solve, rows);
  }
  if (q->sums == FCPS_SUMS_AS_PRODUCTS)
    sums_as_products(gp, outputs, q, rows, work);
  else
    sums_per_point(gp, outputs, q, rows, work);
}

/* -- Strategy -- */

/* Without rows the posterior is the prior, whose gradients are 0. */
static void predict_prior(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *q)
{
  const int means = q->mean != NULL ? q->count * outputs->outputs : 0;
  const double sf2 = fcps_gp_signal_variance(gp);
  for (int i = 0; i < means; i++)
    q->mean[i] = outputs->offset[i % outputs->outputs];
  for (int i = 0; i < q->count && q->variance != NULL; i++)
    q->variance[i] = sf2;
  for (int i = 0; i < means * gp->dim && q->mean_gradient != NULL; i++)
    q->mean_gradient[i] = 0.0;
  for (int i = 0; i < q->count * gp->dim && q->variance_gradient != NULL; i++)
    q->variance_gradient[i] = 0.0;
}

/* The number of points in a pass. */
static int pass_of(const fcps_gp *gp, const fcps_gp_query *q, const fcps_gp_work *work)
{
  if (q->whitened != NULL) return q->count;
  if (q->mean_gradient == NULL) return work->points;
  if (q->sums == FCPS_SUMS_AS_PRODUCTS) return work->sloped;
  if (gp->factored <= FCPS_CHOL_CACHED_ROWS) return 1;
  return work->sloped < SHARED ? work->sloped : SHARED;
}

static double *advance(double *answer, int start, int each)
{
  return answer != NULL ? answer + (size_t)start * (size_t)each : NULL;
}

/* The GP of the first `rows` rows, only for reading: the leading block of the factor is the factor of these rows. */
static fcps_gp leading_rows(const fcps_gp *gp, int rows)
{
  fcps_gp leading = *gp;
  leading.count = leading.factored = rows;
  return leading;
}

void fcps_gp_predict(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *query, fcps_gp_work *work)
{
  if (query->has_results_only && gp->factored > outputs->count) {
    const fcps_gp leading = leading_rows(gp, outputs->count);
    fcps_gp_predict(&leading, outputs, query, work);
    return;
  }
  if (gp->factored == 0) {
    predict_prior(gp, outputs, query);
    return;
  }
  const int pass = pass_of(gp, query, work), width = outputs != NULL ? outputs->outputs : 0, dim = gp->dim;
  for (int start = 0; start < query->count; start += pass) {
    fcps_gp_query part = *query;
    part.count = query->count - start < pass ? query->count - start : pass;
    part.points = query->points + (size_t)start * (size_t)dim;
    part.mean = advance(query->mean, start, width);
    part.variance = advance(query->variance, start, 1);
    part.mean_gradient = advance(query->mean_gradient, start, width * dim);
    part.variance_gradient = advance(query->variance_gradient, start, dim);
    if (query->mean_gradient != NULL)
      predict_gradients(gp, outputs, &part, work);
    else
      predict_moments(gp, outputs, &part, work);
  }
}

/* -- Separable kernels -- */

/* With a kernel that is_separable, the mean at point j is offset + scale sum_i alpha_i sf^2 e_i p_ij. The factor e_i is
 * the same for all points, so with the weights alpha_i sf^2 e_i this is one product of matrices. */

void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, fcps_gp_work *work,
                      double *factor)
{
  fcps_gp_squared_distances(gp, first, width, gp->factored, count, points, work->lengths, factor);
  gp->kernel->eval((size_t)gp->factored * (size_t)count, factor, factor, NULL);
}

void fcps_gp_separated_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, const double *shared,
                               double *weights)
{
  const double sf2 = fcps_gp_signal_variance(gp);
  const double *alpha = outputs->alpha + (size_t)output * (size_t)outputs->count;
  for (int i = 0; i < outputs->count; i++)
    weights[i] = sf2 * shared[i] * alpha[i];
}

void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int columns, const int *output,
                               const double *weights, int count, const double *own, double *mean)
{
  fcps_multiply_tn(columns, count, outputs->count, 1.0, weights, outputs->count, own, gp->factored, 0.0, mean, columns);
  for (int j = 0; j < count; j++, mean += columns)
    for (int c = 0; c < columns; c++)
      mean[c] = outputs->offset[output[c]] + outputs->scale[output[c]] * mean[c];
}

/* -- Joint draws -- */

/* A draw is mean + C z, with the Cholesky factor C of the posterior covariance [rasmussen2006, App. A.2]. Without rows
 * the posterior is the prior, and there is nothing to whiten. */

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
  /* solves with the leading block of the factor, whose columns are gp->capacity apart */
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
