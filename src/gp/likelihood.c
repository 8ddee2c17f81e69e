/* SPDX-License-Identifier: Apache-2.0 */
/* Log marginal likelihood of outputs that share one kernel matrix [rasmussen2006, Eqs. 2.30 and 5.9]:
 *
 *   lml   = sum_o -1/2 r_o' alpha_o - q sum_i log L_ii - q n/2 log(2 pi),    alpha_o = K^-1 r_o
 *   dlml  = 1/2 tr(W dK),   W = sum_o alpha_o alpha_o' - q K^-1
 *   dK/dlog l_d = sf^2 h(s) (x_d - x'_d)^2/l_d^2,   dK/dlog sf = 2 sf^2 phi,   dK/dlog sn = 2 sn^2 I
 *
 * The squared differences of each input are computed once (`squares`, one column an input, pairs i > j below one
 * another): then all distances are one matrix-vector product, and so is the gradient of all length-scales.
 * With a GLS mean r_o = y_o - mu_o(hyper); mu_o maximizes the likelihood, so its own derivative drops out.
 */
#include "gp/likelihood.h"

#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fcps_likelihood {
  const fcps_kernel *kernel;
  const fcps_hyper_prior *prior;
  int rows, dim, outputs, pairs;
  bool has_gls_mean;
  double *squares; /* pairs x dim */
  double *y;       /* rows x outputs, normalized */
  double *phi;     /* pairs; distances before */
  double *slope;   /* pairs; then W o h */
  double *factor;  /* rows x rows */
  double *inverse; /* rows x rows; backup of the factorization before */
  double *alpha;   /* rows x (outputs + 1); the last column is K^-1 1 */
  double *weight;  /* dim */
  double *noise;   /* rows: variance beyond sn^2 */
};

static void fill_squares(fcps_likelihood *e, const fcps_gp *gp)
{
  for (int d = 0; d < e->dim; d++) {
    const double *x = gp->inputs + (size_t)d * (size_t)gp->capacity;
    double *square = e->squares + (size_t)d * (size_t)e->pairs;
    for (int j = 0; j < e->rows; j++)
      for (int i = j + 1; i < e->rows; i++)
        *square++ = (x[i] - x[j]) * (x[i] - x[j]);
  }
}

static bool allocate(fcps_likelihood *e)
{
  const size_t n = (size_t)e->rows, q = (size_t)e->outputs, pairs = (size_t)e->pairs;
  e->squares = fcps_allocate(pairs * (size_t)e->dim, sizeof(double));
  e->y = fcps_allocate(n * q, sizeof(double));
  e->phi = fcps_allocate(pairs, sizeof(double));
  e->slope = fcps_allocate(pairs, sizeof(double));
  e->factor = fcps_allocate(n * n, sizeof(double));
  e->inverse = fcps_allocate(n * n, sizeof(double));
  e->alpha = fcps_allocate(n * (q + 1), sizeof(double));
  e->weight = fcps_allocate((size_t)e->dim, sizeof(double));
  e->noise = fcps_allocate(n, sizeof(double));
  return e->squares != NULL && e->y != NULL && e->phi != NULL && e->slope != NULL && e->factor != NULL &&
         e->inverse != NULL && e->alpha != NULL && e->weight != NULL && e->noise != NULL;
}

static bool copy_normalized(fcps_likelihood *e, fcps_gp_norm norm, const double *y)
{
  const size_t n = (size_t)e->rows, q = (size_t)e->outputs;
  double *offset = fcps_allocate(2 * q, sizeof(double));
  if (offset == NULL) return false;
  fcps_gp_normalize(norm, e->rows, e->outputs, y, offset, offset + q);
  for (size_t o = 0; o < q; o++)
    for (size_t i = 0; i < n; i++)
      e->y[o * n + i] = (y[o * n + i] - offset[o]) / offset[q + o];
  free(offset);
  return true;
}

fcps_status fcps_likelihood_create(fcps_likelihood **likelihood, const fcps_gp *gp, const fcps_gp_data *data)
{
  *likelihood = NULL;
  if (data->rows < 1 || data->rows > gp->count || data->outputs < 1) return FCPS_ERR_ARGUMENT;
  fcps_likelihood *e = fcps_allocate(1, sizeof *e);
  if (e == NULL) return FCPS_ERR_MEMORY;
  e->kernel = gp->kernel;
  e->prior = data->prior;
  e->rows = data->rows;
  e->dim = gp->dim;
  e->outputs = data->outputs;
  e->pairs = data->rows * (data->rows - 1) / 2;
  e->has_gls_mean = data->norm.mean == FCPS_MEAN_GLS;
  if (!allocate(e) || !copy_normalized(e, data->norm, data->y)) {
    fcps_likelihood_destroy(e);
    return FCPS_ERR_MEMORY;
  }
  fill_squares(e, gp);
  fcps_likelihood_set_noise(e, gp->noise);
  *likelihood = e;
  return FCPS_OK;
}

void fcps_likelihood_set_noise(fcps_likelihood *e, const double *noise)
{
  memcpy(e->noise, noise, (size_t)e->rows * sizeof(double));
}

void fcps_likelihood_destroy(fcps_likelihood *e)
{
  if (e == NULL) return;
  free(e->squares);
  free(e->y);
  free(e->phi);
  free(e->slope);
  free(e->factor);
  free(e->inverse);
  free(e->alpha);
  free(e->weight);
  free(e->noise);
  free(e);
}

/* phi and slope of all pairs, then the factor of K. */
static bool factorize(fcps_likelihood *e, const double *hyper)
{
  const int n = e->rows;
  const double sf2 = fcps_gp_hyper_signal_variance(e->dim, hyper), sn2 = fcps_gp_hyper_noise_variance(e->dim, hyper);
  for (int d = 0; d < e->dim; d++)
    e->weight[d] = exp(-2.0 * hyper[d]);
  fcps_multiply_nn(e->pairs, 1, e->dim, 1.0, e->squares, e->pairs, e->weight, e->dim, 0.0, e->phi, e->pairs);
  e->kernel->eval((size_t)e->pairs, e->phi, e->phi, e->slope);
  const double *phi = e->phi;
  for (int j = 0; j < n; j++) {
    double *column = e->factor + (size_t)j * (size_t)n;
    column[j] = sf2 + sn2 + e->noise[j];
    for (int i = j + 1; i < n; i++)
      column[i] = sf2 * *phi++;
  }
  return fcps_chol_factor(n, e->factor, n, e->inverse, NULL) == FCPS_OK;
}

/* alpha of every output, and the data term sum_o r_o' alpha_o. */
static double solve_outputs(fcps_likelihood *e)
{
  const int n = e->rows, q = e->outputs;
  double *ones = e->alpha + (size_t)q * (size_t)n;
  for (int i = 0; i < q * n; i++)
    e->alpha[i] = e->y[i];
  for (int i = 0; i < n; i++)
    ones[i] = 1.0;
  const int columns = e->has_gls_mean ? q + 1 : q;
  fcps_chol_solve_lower(n, e->factor, n, columns, e->alpha, n);
  fcps_chol_solve_upper(n, e->factor, n, columns, e->alpha, n);
  double total = 0.0, weight = 0.0;
  for (int i = 0; i < n && e->has_gls_mean; i++)
    weight += ones[i];
  for (int o = 0; o < q; o++) {
    double *alpha = e->alpha + (size_t)o * (size_t)n;
    const double *y = e->y + (size_t)o * (size_t)n;
    double mu = 0.0;
    for (int i = 0; i < n && weight > 0; i++)
      mu += alpha[i] / weight;
    for (int i = 0; i < n && weight > 0; i++)
      alpha[i] -= mu * ones[i];
    for (int i = 0; i < n; i++)
      total += (y[i] - mu) * alpha[i];
  }
  return total;
}

/* W = sum_o alpha_o alpha_o' - q K^-1 against dK: see the head of this file. */
static void likelihood_gradient(fcps_likelihood *e, const double *hyper, double *gradient)
{
  const int n = e->rows, q = e->outputs;
  const double sf2 = fcps_gp_hyper_signal_variance(e->dim, hyper), sn2 = fcps_gp_hyper_noise_variance(e->dim, hyper);
  fcps_chol_inverse(n, e->factor, n, e->inverse);
  double trace = 0.0, pairs_phi = 0.0;
  size_t pair = 0;
  for (int j = 0; j < n; j++) {
    double *w = e->inverse + (size_t)j * (size_t)n;
    for (int i = j; i < n; i++)
      w[i] *= -q;
    for (int o = 0; o < q; o++) {
      const double *alpha = e->alpha + (size_t)o * (size_t)n;
      for (int i = j; i < n; i++)
        w[i] += alpha[i] * alpha[j];
    }
    trace += w[j];
    for (int i = j + 1; i < n; i++, pair++) {
      pairs_phi += w[i] * e->phi[pair];
      e->slope[pair] *= w[i];
    }
  }
  fcps_multiply_tn(e->dim, 1, e->pairs, sf2, e->squares, e->pairs, e->slope, e->pairs, 0.0, gradient, e->dim);
  for (int d = 0; d < e->dim; d++)
    gradient[d] *= e->weight[d];
  gradient[e->dim] = sf2 * (trace + 2.0 * pairs_phi);
  gradient[e->dim + 1] = sn2 * trace;
}

double fcps_likelihood_value(fcps_likelihood *e, const double *hyper, double *gradient)
{
  const double log_2pi = 1.8378770664093453;
  if (!factorize(e, hyper)) {
    for (int i = 0; i < FCPS_HYPER_COUNT(e->dim) && gradient != NULL; i++)
      gradient[i] = 0.0;
    return -INFINITY;
  }
  const double data = solve_outputs(e);
  const double value =
      -0.5 * data - e->outputs * (fcps_chol_half_logdet(e->rows, e->factor, e->rows) + 0.5 * e->rows * log_2pi);
  if (gradient != NULL) likelihood_gradient(e, hyper, gradient);
  return value + fcps_gp_hyper_log_prior(e->prior, e->dim, hyper, gradient);
}
