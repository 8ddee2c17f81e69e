/* SPDX-License-Identifier: Apache-2.0 */
/* Log marginal likelihood of outputs that share one kernel matrix [rasmussen2006, Eqs. 2.30 and 5.9]:
 *
 *   lml   = sum_o -1/2 r_o' alpha_o - q sum_i log L_ii - q n/2 log(2 pi),    alpha_o = K^-1 r_o
 *   dlml  = 1/2 tr(W dK),   W = sum_o alpha_o alpha_o' - q K^-1
 *   dK/dlog l_d = sf^2 h(s) (x_d - x'_d)^2/l_d^2,   dK/dlog sf = 2 sf^2 phi,   dK/dlog sn = 2 sn^2 I
 *
 * With a GLS mean r_o = y_o - mu_o(hyper); mu_o maximizes the likelihood, so its own derivative drops out.
 *
 * Rows with the same inputs are one place (replicates.h): then n counts places, y are their means, their noise stands
 * on the diagonal, and the scatter around the means is added.
 */
#include "gp/likelihood.h"

#include "base/memory.h"
#include "gp/kernels/pair_covariance.h"
#include "gp/replicates.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fcps_likelihood {
  const fcps_hyper_prior *prior;
  int rows, dim, outputs; /* rows: of the matrix */
  int measured_rows;      /* more, where places were tried several times */
  bool has_gls_mean;
  fcps_pair_covariance pairs;
  fcps_replicates replicates; /* has no places where no two rows are the same */
  double *measured_y;         /* measured_rows x outputs, normalized */
  const double *y;            /* rows x outputs: the same, or the means of places */
  double *factor;             /* rows x rows */
  double *inverse;            /* rows x rows; backup of the factorization before */
  double *alpha;              /* rows x (outputs + 1); the last column is K^-1 1 */
  double *noise;              /* measured_rows: variance beyond sn^2 */
};

static bool allocate(fcps_likelihood *e)
{
  const size_t n = (size_t)e->rows, measured = (size_t)e->measured_rows, q = (size_t)e->outputs;
  e->measured_y = fcps_allocate(measured * q, sizeof(double));
  e->y = e->replicates.places > 0 ? e->replicates.mean : e->measured_y;
  e->factor = fcps_allocate(n * n, sizeof(double));
  e->inverse = fcps_allocate(n * n, sizeof(double));
  e->alpha = fcps_allocate(n * (q + 1), sizeof(double));
  e->noise = fcps_allocate(measured, sizeof(double));
  return e->measured_y != NULL && e->factor != NULL && e->inverse != NULL && e->alpha != NULL && e->noise != NULL;
}

/* Copies the outputs that count. */
static bool copy_normalized(fcps_likelihood *e, const fcps_gp_data *data)
{
  const size_t n = (size_t)e->measured_rows, q = (size_t)data->outputs;
  double *offset = fcps_allocate(2 * q, sizeof(double));
  if (offset == NULL) return false;
  fcps_gp_normalize(data->norm, data->rows, data->outputs, data->y, offset, offset + q);
  e->outputs = 0;
  for (size_t o = 0; o < q; o++) {
    if (!fcps_gp_norm_counts(&data->norm, (int)o)) continue;
    for (size_t i = 0; i < n; i++)
      e->measured_y[(size_t)e->outputs * n + i] = (data->y[o * n + i] - offset[o]) / offset[q + o];
    e->outputs++;
  }
  free(offset);
  return true;
}

/* Finds the places of the rows, and the differences between them. */
static fcps_status find_places(fcps_likelihood *e, const fcps_gp *gp)
{
  fcps_gp *places = NULL;
  fcps_status status = fcps_replicates_create(&e->replicates, gp, e->measured_rows, e->outputs);
  if (status != FCPS_OK) return status;
  e->rows = e->replicates.places;
  if (e->rows == e->measured_rows) {
    fcps_replicates_destroy(&e->replicates);
    return fcps_pair_covariance_create(&e->pairs, gp, e->rows);
  }
  status = fcps_replicates_places(&e->replicates, gp, &places);
  if (status == FCPS_OK) status = fcps_pair_covariance_create(&e->pairs, places, e->rows);
  fcps_gp_destroy(places);
  return status;
}

fcps_status fcps_likelihood_create(fcps_likelihood **likelihood, const fcps_gp *gp, const fcps_gp_data *data)
{
  *likelihood = NULL;
  if (data->rows < 1 || data->rows > gp->count || data->outputs < 1) return FCPS_ERR_ARGUMENT;
  fcps_likelihood *e = fcps_allocate(1, sizeof *e);
  if (e == NULL) return FCPS_ERR_MEMORY;
  e->prior = data->prior;
  e->measured_rows = data->rows;
  e->dim = gp->dim;
  e->outputs = data->outputs;
  e->has_gls_mean = data->norm.mean == FCPS_MEAN_GLS;
  if (find_places(e, gp) != FCPS_OK || !allocate(e) || !copy_normalized(e, data)) {
    fcps_likelihood_destroy(e);
    return FCPS_ERR_MEMORY;
  }
  fcps_likelihood_set_noise(e, gp->noise);
  *likelihood = e;
  return FCPS_OK;
}

void fcps_likelihood_set_noise(fcps_likelihood *e, const double *noise)
{
  memcpy(e->noise, noise, (size_t)e->measured_rows * sizeof(double));
}

void fcps_likelihood_destroy(fcps_likelihood *e)
{
  if (e == NULL) return;
  fcps_pair_covariance_destroy(&e->pairs);
  fcps_replicates_destroy(&e->replicates);
  free(e->measured_y);
  free(e->factor);
  free(e->inverse);
  free(e->alpha);
  free(e->noise);
  free(e);
}

static bool has_replicates(const fcps_likelihood *e)
{
  return e->rows < e->measured_rows;
}

static fcps_measured measured_with(const fcps_likelihood *e, const double *hyper)
{
  return (fcps_measured){.y = e->measured_y, .noise = e->noise, .sn2 = fcps_gp_hyper_noise_variance(e->dim, hyper)};
}

static bool factorize(fcps_likelihood *e, const double *hyper)
{
  const int n = e->rows;
  const double sf2 = fcps_gp_hyper_signal_variance(e->dim, hyper), sn2 = fcps_gp_hyper_noise_variance(e->dim, hyper);
  fcps_pair_covariance_fill(&e->pairs, hyper, e->factor);
  for (int j = 0; j < n; j++)
    e->factor[(size_t)j * (size_t)n + (size_t)j] =
        has_replicates(e) ? sf2 + e->replicates.variance[j] : sf2 + sn2 + e->noise[j];
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
  fcps_chol_inverse(n, e->factor, n, e->inverse);
  for (int j = 0; j < n; j++) {
    double *w = e->inverse + (size_t)j * (size_t)n;
    for (int i = j; i < n; i++)
      w[i] *= -q;
    for (int o = 0; o < q; o++) {
      const double *alpha = e->alpha + (size_t)o * (size_t)n;
      for (int i = j; i < n; i++)
        w[i] += alpha[i] * alpha[j];
    }
  }
  const fcps_measured measured = measured_with(e, hyper);
  double trace = fcps_pair_covariance_gradient(&e->pairs, hyper, e->inverse, gradient);
  if (has_replicates(e)) trace = fcps_replicates_trace(&e->replicates, &measured, e->alpha, e->inverse);
  gradient[e->dim + 1] = fcps_gp_hyper_noise_variance(e->dim, hyper) * trace;
}

double fcps_likelihood_value(fcps_likelihood *e, const double *hyper, double *gradient)
{
  const double log_2pi = 1.8378770664093453;
  const fcps_measured measured = measured_with(e, hyper);
  if (has_replicates(e)) fcps_replicates_average(&e->replicates, &measured);
  if (!factorize(e, hyper)) {
    for (int i = 0; i < FCPS_HYPER_COUNT(e->dim) && gradient != NULL; i++)
      gradient[i] = 0.0;
    return -INFINITY;
  }
  const double data = solve_outputs(e);
  double value =
      -0.5 * data - e->outputs * (fcps_chol_half_logdet(e->rows, e->factor, e->rows) + 0.5 * e->rows * log_2pi);
  if (has_replicates(e)) value += fcps_replicates_scatter(&e->replicates, &measured);
  if (gradient != NULL) likelihood_gradient(e, hyper, gradient);
  return value + fcps_gp_hyper_log_prior(e->prior, e->dim, hyper, gradient);
}
