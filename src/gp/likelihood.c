/* SPDX-License-Identifier: Apache-2.0 */
/* Log marginal likelihood of outputs that share one kernel matrix [rasmussen2006, Eqs. 2.30 and 5.9]:
 *
 *   lml   = sum_o -1/2 r_o' alpha_o - q sum_i log L_ii - q n/2 log(2 pi),    alpha_o = K^-1 r_o
 *   dlml  = 1/2 tr(W dK),   W = sum_o alpha_o alpha_o' - q K^-1
 *   dK/dlog l_d = sf^2 h(s) (x_d - x'_d)^2/l_d^2,   dK/dlog sf = 2 sf^2 phi,   dK/dlog sn = 2 sn^2 I
 *
 * With a GLS mean r_o = y_o - mu_o(hyper); mu_o maximizes the likelihood, so its own derivative drops out.
 *
 * Rows with the same inputs are one place (below). Then n counts places, y holds the means of their rows, the noise of
 * these means is on the diagonal, and a term for the scatter around the means is added. */
#include "gp/likelihood.h"

#include "base/memory.h"
#include "gp/gp.h"
#include "gp/kernels/covariance.h"
#include "linalg/dense.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* -- Rows at one place -- */

/* Finds the places, their weighted means, and the scatter of the rows around the means. Only rows whose inputs are
 * equal to the last bit share a place: the covariances of rows that are merely near differ. */

static bool same_inputs(const fcps_gp *gp, int a, int b)
{
  for (int d = 0; d < gp->dim; d++) {
    const double *x = gp->inputs + (size_t)d * (size_t)gp->capacity;
    if (x[a] != x[b]) return false;
  }
  return true;
}

fcps_status fcps_replicates_create(fcps_replicates *r, const fcps_gp *gp, int rows, int outputs)
{
  *r = (fcps_replicates){.rows = rows, .outputs = outputs};
  r->place = fcps_allocate((size_t)rows, sizeof(int));
  int *first = fcps_allocate((size_t)rows, sizeof(int)); /* the first row of each place */
  if (r->place == NULL || first == NULL) {
    free(first);
    return FCPS_ERR_MEMORY;
  }
  for (int i = 0; i < rows; i++) {
    int place = 0;
    while (place < r->places && !same_inputs(gp, first[place], i))
      place++;
    if (place == r->places) first[r->places++] = i;
    r->place[i] = place;
  }
  free(first);
  r->variance = fcps_allocate((size_t)r->places, sizeof(double));
  r->mean = fcps_allocate((size_t)r->places * (size_t)outputs, sizeof(double));
  return r->variance != NULL && r->mean != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

void fcps_replicates_destroy(fcps_replicates *r)
{
  free(r->place);
  free(r->variance);
  free(r->mean);
  *r = (fcps_replicates){0};
}

fcps_status fcps_replicates_places(const fcps_replicates *r, const fcps_gp *gp, fcps_gp **places)
{
  fcps_status status = fcps_gp_create_like(places, gp);
  double *input = fcps_allocate((size_t)gp->dim, sizeof(double));
  if (input == NULL) status = FCPS_ERR_MEMORY;
  for (int i = 0; i < r->rows && status == FCPS_OK; i++) {
    if (r->place[i] < (*places)->count) continue; /* the place already has its first row */
    for (int d = 0; d < gp->dim; d++)
      input[d] = gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)i];
    status = fcps_gp_add(*places, input);
  }
  free(input);
  if (status != FCPS_OK) {
    fcps_gp_destroy(*places);
    *places = NULL;
  }
  return status;
}

static double variance_of_row(const fcps_measured *measured, int row)
{
  return measured->sn2 + measured->noise[row];
}

/* Computes D_g and m_g of likelihood.h. */
static void average_replicates(fcps_replicates *r, const fcps_measured *measured)
{
  const size_t n = (size_t)r->rows, m = (size_t)r->places, q = (size_t)r->outputs;
  memset(r->variance, 0, m * sizeof(double));
  memset(r->mean, 0, m * q * sizeof(double));
  for (int i = 0; i < r->rows; i++) {
    const double weight = 1.0 / variance_of_row(measured, i);
    r->variance[r->place[i]] += weight;
    for (size_t o = 0; o < q; o++)
      r->mean[o * m + (size_t)r->place[i]] += weight * measured->y[o * n + (size_t)i];
  }
  for (size_t g = 0; g < m; g++) {
    r->variance[g] = 1.0 / r->variance[g];
    for (size_t o = 0; o < q; o++)
      r->mean[o * m + g] *= r->variance[g];
  }
}

/* Returns the sum of log S_g over outputs and places. Call average_replicates first. */
static double scatter_of_replicates(const fcps_replicates *r, const fcps_measured *measured)
{
  const double log_2pi = 1.8378770664093453;
  const size_t n = (size_t)r->rows, m = (size_t)r->places, q = (size_t)r->outputs;
  double sum = 0.0;
  for (size_t g = 0; g < m; g++)
    sum += 0.5 * (double)q * (log_2pi + log(r->variance[g]));
  for (size_t i = 0; i < n; i++) {
    const double v = variance_of_row(measured, (int)i);
    sum -= 0.5 * (double)q * (log_2pi + log(v));
    for (size_t o = 0; o < q; o++) {
      const double rest = measured->y[o * n + i] - r->mean[o * m + (size_t)r->place[i]];
      sum -= 0.5 * rest * rest / v;
    }
  }
  return sum;
}

/* Returns the trace of W = sum_o alpha_o alpha_o' - q K^-1 over all rows. It follows from quantities of the places:
 * alpha (places x outputs), and the diagonal of the places' own W (stride places + 1). Call average_replicates first.
 *
 *   alpha_i = (y_i - m_g + D_g alpha_g)/v_i,   (K^-1)_ii = 1/v_i - (D_g - D_g^2 (K^-1)_gg)/v_i^2 */
static double trace_of_replicates(const fcps_replicates *r, const fcps_measured *measured, const double *alpha,
                                  const double *w)
{
  const size_t n = (size_t)r->rows, m = (size_t)r->places, q = (size_t)r->outputs;
  double trace = 0.0;
  for (size_t i = 0; i < n; i++) {
    const size_t g = (size_t)r->place[i];
    const double v = variance_of_row(measured, (int)i), spread = r->variance[g];
    double squares = 0.0, of_place = 0.0;
    for (size_t o = 0; o < q; o++) {
      const double at = alpha[o * m + g], rest = measured->y[o * n + i] - r->mean[o * m + g] + spread * at;
      squares += rest * rest;
      of_place += at * at;
    }
    const double inverse = of_place - w[g * (m + 1)]; /* q (K^-1)_gg */
    trace += (squares + (double)q * spread - spread * spread * inverse) / (v * v) - (double)q / v;
  }
  return trace;
}

/* -- The likelihood -- */

struct fcps_likelihood {
  const fcps_hyper_prior *prior;
  int rows, dim, outputs; /* rows: the size of the matrix, that is, the number of places */
  int measured_rows;      /* the number of all rows: a place may have several */
  bool has_gls_mean;
  fcps_pair_covariance pairs;
  fcps_replicates replicates; /* without contents if no two rows have the same inputs */
  double *measured_y;         /* measured_rows x outputs, normalized */
  const double *y;            /* rows x outputs: measured_y, or the means of the places */
  double *factor;             /* rows x rows */
  double *inverse;            /* rows x rows: K^-1; before that, the backup of the factorization */
  double *alpha;              /* rows x (outputs + 1); the last column is K^-1 1 */
  double *noise;              /* measured_rows: noise variance in addition to sn^2 */
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

/* Copies the outputs to which hyper-parameters are fitted, and normalizes them. Returns false if there is no memory. */
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

/* Finds the places of the rows, and computes the squared differences between the places. */
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

/* Computes alpha of every output. Returns the data term sum_o r_o' alpha_o. */
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

/* Computes W, and from it the gradient, by the formulas in the first lines of this file. */
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
  if (has_replicates(e)) trace = trace_of_replicates(&e->replicates, &measured, e->alpha, e->inverse);
  gradient[e->dim + 1] = fcps_gp_hyper_noise_variance(e->dim, hyper) * trace;
}

double fcps_likelihood_value(fcps_likelihood *e, const double *hyper, double *gradient)
{
  const double log_2pi = 1.8378770664093453;
  const fcps_measured measured = measured_with(e, hyper);
  if (has_replicates(e)) average_replicates(&e->replicates, &measured);
  if (!factorize(e, hyper)) {
    for (int i = 0; i < FCPS_HYPER_COUNT(e->dim) && gradient != NULL; i++)
      gradient[i] = 0.0;
    return -INFINITY;
  }
  const double data = solve_outputs(e);
  double value =
      -0.5 * data - e->outputs * (fcps_chol_half_logdet(e->rows, e->factor, e->rows) + 0.5 * e->rows * log_2pi);
  if (has_replicates(e)) value += scatter_of_replicates(&e->replicates, &measured);
  if (gradient != NULL) likelihood_gradient(e, hyper, gradient);
  return value + fcps_gp_hyper_log_prior(e->prior, e->dim, hyper, gradient);
}

void fcps_likelihood_set_table(fcps_likelihood *e, int input, int count, const double *square)
{
  fcps_pair_covariance_set_table(&e->pairs, input, count, square);
}

void fcps_likelihood_table_gradient(const fcps_likelihood *e, const double *hyper, int input, int count,
                                    double *by_square)
{
  fcps_pair_covariance_table_gradient(&e->pairs, hyper, input, count, by_square);
}

/* -- Hyper-parameters -- */

/* The prior of hyper-parameters. Each coordinate is independent: log h ~ N(log centre, sd^2). The upper tail of a
 * length-scale may be exponential from one deviation on, with the same value and slope at that point. The lower tail of
 * the noise may be flat from the centre down to the smallest noise. */

/* Bounds of length-scales. Below length_lower even neighbours in the unit cube are uncorrelated; above length_upper an
 * input has no effect. */
static const double length_lower = 0.03, length_upper = 10.0;

bool fcps_gp_hyper_usable(int count, const double *hyper)
{
  const double most = 300.0; /* exp(2 most) and exp(-2 most) are finite */
  for (int i = 0; i < count; i++)
    if (!(fabs(hyper[i]) <= most)) return false;
  return true;
}

double fcps_gp_hyper_signal_variance(int dim, const double *hyper)
{
  return exp(2.0 * hyper[dim]);
}

double fcps_gp_hyper_noise_variance(int dim, const double *hyper)
{
  return exp(2.0 * hyper[dim + 1]);
}

static double length_of(const fcps_hyper_prior *prior, int d)
{
  return prior->stretch != NULL ? prior->length * prior->stretch[d] : prior->length;
}

void fcps_gp_hyper_centre(const fcps_hyper_prior *prior, int dim, double *hyper)
{
  for (int d = 0; d < dim; d++)
    hyper[d] = log(length_of(prior, d));
  hyper[dim] = log(prior->signal);
  hyper[dim + 1] = log(fmax(prior->noise, prior->noise_floor));
}

void fcps_gp_hyper_bounds(const fcps_hyper_prior *prior, int dim, double *lower, double *upper)
{
  for (int d = 0; d < dim; d++) {
    lower[d] = log(length_lower);
    upper[d] = log(length_upper);
  }
  lower[dim] = log(0.05);
  upper[dim] = log(20.0);
  lower[dim + 1] = log(prior->noise_floor);
  upper[dim + 1] = 0.0;
}

/* Returns the log density of a normal distribution without its constant. Adds its derivative to *gradient. */
static double log_normal_term(double value, double centre, double sd, double *gradient)
{
  const double z = (value - log(centre)) / sd;
  if (gradient != NULL) *gradient -= z / sd;
  return -0.5 * z * z;
}

/* The same for a length-scale, whose upper tail may be exponential. */
static double log_length_term(const fcps_hyper_prior *prior, int d, double value, double *gradient)
{
  const double length = length_of(prior, d), z = (value - log(length)) / prior->length_sd;
  if (!prior->has_long_tail || z <= 1.0) return log_normal_term(value, length, prior->length_sd, gradient);
  if (gradient != NULL) *gradient -= 1.0 / prior->length_sd;
  return 0.5 - z;
}

double fcps_gp_hyper_log_prior(const fcps_hyper_prior *prior, int dim, const double *hyper, double *gradient)
{
  if (prior->is_flat) return 0.0;
  double sum = 0.0;
  for (int d = 0; d < dim; d++)
    sum += log_length_term(prior, d, hyper[d], gradient != NULL ? gradient + d : NULL);
  sum += log_normal_term(hyper[dim], prior->signal, prior->signal_sd, gradient != NULL ? gradient + dim : NULL);
  const bool is_free = prior->noise_may_vanish && hyper[dim + 1] < log(prior->noise);
  if (!is_free)
    sum += log_normal_term(hyper[dim + 1], prior->noise, prior->noise_sd, gradient != NULL ? gradient + dim + 1 : NULL);
  return sum;
}
