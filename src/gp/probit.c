/* SPDX-License-Identifier: Apache-2.0 */
/* Expectation propagation with parallel updates and shortened steps. Each sweep over all sites needs one factorization,
 * of B = I + S^1/2 K S^1/2, where S has the precisions tau of the sites. With the cavity of a site, of mean mc and
 * variance vc, and z = y mc/sqrt(1 + vc),
 *
 *   Z   = lapse + (1 - 2 lapse) Phi(z),      r = (1 - 2 lapse) phi(z)/Z
 *   d1  = dlogZ/dmc = y r/sqrt(1 + vc),      d2 = d^2logZ/dmc^2 = -r (z + r)/(1 + vc)
 *
 * the matched moments are mc + vc d1 and vc + vc^2 d2. If a lapse explains a label, the precision of its site can be
 * negative; the site then gets almost no precision. At the fixed point the evidence depends on hyper-parameters only
 * through K and the prior mean [rasmussen2006, Sec. 5.5.2]:
 *
 *   dlogZ = 1/2 tr((w w' - R) dK) + sum(w) dmean,   R = S^1/2 B^-1 S^1/2,   w = u - S^1/2 B^-1 S^1/2 K u,
 *
 * with u = nu - tau mean. Invariant: the sites are those of the evidence that was computed last. The next evidence
 * starts from them, so neighbouring hyper-parameters need few sweeps. */
#include "gp/probit.h"

#include "base/memory.h"
#include "base/normal.h"
#include "gp/kernels/covariance.h"
#include "linalg/dense.h"
#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 100 };
static const double full_step = 0.8, least_step = 0.1, settled = 1e-5, near_enough = 0.05;
static const double least_precision = 1e-9, diagonal_jitter = 1e-6;

struct fcps_probit {
  const fcps_hyper_prior *prior;
  int rows, dim;
  double lapse, base_quantile, mean;
  fcps_pair_covariance pairs;
  double *signs;    /* the labels: +1 for yes, -1 for no */
  double *tau, *nu; /* of each site: its precision, and precision times mean */
  double *cavity_tau, *cavity_nu, *log_z;
  double *latent_mean, *latent_variance;
  double *u, *ku, *w;
  double *k;      /* rows x rows, both triangles */
  double *factor; /* the factor of B */
  double *v;      /* L^-1 S^1/2 K; before that, the backup of the factorization */
};

static bool allocate(fcps_probit *p)
{
  const size_t n = (size_t)p->rows;
  double **const vectors[] = {
      &p->signs,           &p->tau, &p->nu, &p->cavity_tau, &p->cavity_nu, &p->log_z, &p->latent_mean,
      &p->latent_variance, &p->u,   &p->ku, &p->w};
  double **const matrices[] = {&p->k, &p->factor, &p->v};
  bool has_memory = true;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    has_memory = (*vectors[i] = fcps_allocate(n, sizeof(double))) != NULL && has_memory;
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    has_memory = (*matrices[i] = fcps_allocate(n * n, sizeof(double))) != NULL && has_memory;
  return has_memory;
}

fcps_status fcps_probit_create(fcps_probit **probit, const fcps_gp *gp, const fcps_probit_data *data)
{
  *probit = NULL;
  if (data->rows < 1 || data->rows > gp->count) return FCPS_ERR_ARGUMENT;
  fcps_probit *p = fcps_allocate(1, sizeof *p);
  if (p == NULL) return FCPS_ERR_MEMORY;
  p->prior = data->prior;
  p->rows = data->rows;
  p->dim = gp->dim;
  p->lapse = data->lapse;
  p->base_quantile = fcps_normal_quantile(data->base);
  if (fcps_pair_covariance_create(&p->pairs, gp, data->rows) != FCPS_OK || !allocate(p)) {
    fcps_probit_destroy(p);
    return FCPS_ERR_MEMORY;
  }
  for (int i = 0; i < p->rows; i++)
    p->signs[i] = data->labels[i] ? 1.0 : -1.0;
  *probit = p;
  return FCPS_OK;
}

void fcps_probit_destroy(fcps_probit *p)
{
  if (p == NULL) return;
  fcps_pair_covariance_destroy(&p->pairs);
  free(p->signs);
  free(p->tau);
  free(p->nu);
  free(p->cavity_tau);
  free(p->cavity_nu);
  free(p->log_z);
  free(p->latent_mean);
  free(p->latent_variance);
  free(p->u);
  free(p->ku);
  free(p->w);
  free(p->k);
  free(p->factor);
  free(p->v);
  free(p);
}

/* -- Expectation propagation -- */

static void set_prior(fcps_probit *p, const double *hyper)
{
  const size_t n = (size_t)p->rows;
  const double sf2 = fcps_gp_hyper_signal_variance(p->dim, hyper);
  p->mean = p->base_quantile * sqrt(1.0 + sf2);
  fcps_pair_covariance_fill(&p->pairs, hyper, p->k);
  for (size_t j = 0; j < n; j++) {
    p->k[j * n + j] = sf2 + diagonal_jitter;
    for (size_t i = j + 1; i < n; i++)
      p->k[i * n + j] = p->k[j * n + i];
  }
}

/* Computes means and variances of the latent values given the sites. */
static bool update_posterior(fcps_probit *p)
{
  const int n = p->rows;
  for (int j = 0; j < n; j++) {
    const double root = sqrt(p->tau[j]);
    double *column = p->factor + (size_t)j * (size_t)n;
    for (int i = j; i < n; i++)
      column[i] = sqrt(p->tau[i]) * p->k[(size_t)j * (size_t)n + (size_t)i] * root;
    column[j] += 1.0;
  }
  if (fcps_chol_factor(n, p->factor, n, p->v, NULL) != FCPS_OK) return false;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      p->v[(size_t)j * (size_t)n + (size_t)i] = sqrt(p->tau[i]) * p->k[(size_t)j * (size_t)n + (size_t)i];
  fcps_chol_solve_lower(n, p->factor, n, n, p->v, n);
  for (int i = 0; i < n; i++)
    p->u[i] = p->nu[i] - p->tau[i] * p->mean;
  fcps_multiply_nn(n, 1, n, 1.0, p->k, n, p->u, n, 0.0, p->ku, n);
  fcps_multiply_nn(n, 1, n, 1.0, p->v, n, p->u, n, 0.0, p->w, n);
  for (int j = 0; j < n; j++) {
    const double *column = p->v + (size_t)j * (size_t)n;
    p->latent_variance[j] = p->k[(size_t)j * (size_t)n + (size_t)j] - fcps_dot(n, column, column);
    p->latent_mean[j] = p->mean + p->ku[j] - fcps_dot(n, column, p->w);
  }
  return true;
}

/* Moves a site by the share `step` to the one that matches the moments of label and cavity. Returns how far. */
static double update_site(fcps_probit *p, int i, double step)
{
  const double variance = fmax(p->latent_variance[i], 1e-12);
  const double cavity_tau = fmax(1.0 / variance - p->tau[i], 1e-9);
  const double cavity_nu = p->latent_mean[i] / variance - p->nu[i];
  const double mc = cavity_nu / cavity_tau, vc = 1.0 / cavity_tau, root = sqrt(1.0 + vc);
  const double z = p->signs[i] * mc / root, share = 1.0 - 2.0 * p->lapse;
  const double mass = fmax(p->lapse + share * fcps_normal_cdf(z), 1e-300);
  /* if z is very negative and there are no lapses, phi(z)/Phi(z) equals -z up to rounding */
  const double r = z < -30.0 && p->lapse == 0.0 ? -z : share * fcps_normal_density(z) / mass;
  const double d1 = p->signs[i] * r / root, d2 = -r * (z + r) / (1.0 + vc);
  const double matched = fmax(vc + vc * vc * d2, 1e-12);
  const double tau = fmin(fmax(1.0 / matched - cavity_tau, least_precision), 1e9);
  const double nu = (mc + vc * d1) * (tau + cavity_tau) - cavity_nu;
  const double moved = fmax(fabs(tau - p->tau[i]), fabs(nu - p->nu[i])) / (1.0 + fabs(tau) + fabs(nu));
  p->cavity_tau[i] = cavity_tau;
  p->cavity_nu[i] = cavity_nu;
  p->log_z[i] = log(mass);
  p->tau[i] += step * (tau - p->tau[i]);
  p->nu[i] += step * (nu - p->nu[i]);
  return moved;
}

/* Repeats sweeps until the sites converge. Sites that are updated together can overshoot and oscillate about the fixed
 * point, above all if lapses make the likelihood of a label flat. So after each sweep that did not clearly reduce the
 * changes, the steps get shorter. */
static bool propagate(fcps_probit *p)
{
  double step = full_step, last = INFINITY, moved = INFINITY;
  for (int sweep = 0; sweep < SWEEPS && moved >= settled; sweep++) {
    if (!update_posterior(p)) return false;
    moved = 0.0;
    for (int i = 0; i < p->rows; i++)
      moved = fmax(moved, update_site(p, i, step));
    if (!isfinite(moved)) return false;
    if (moved > 0.9 * last) step = fmax(least_step, 0.7 * step);
    last = moved;
  }
  return moved < near_enough && update_posterior(p);
}

/* -- Evidence -- */

static double log_evidence(const fcps_probit *p)
{
  const int n = p->rows;
  double value = -fcps_chol_half_logdet(n, p->factor, n);
  for (int i = 0; i < n; i++) {
    const double c = p->cavity_nu[i] - p->mean * p->cavity_tau[i], sum = p->tau[i] + p->cavity_tau[i];
    value += p->log_z[i] + 0.5 * log1p(p->tau[i] / p->cavity_tau[i]);
    value += 0.5 * p->u[i] * (p->latent_mean[i] - p->mean);
    value += 0.5 * c * (p->tau[i] / p->cavity_tau[i] * c - 2.0 * p->u[i]) / sum - 0.5 * p->u[i] * p->u[i] / sum;
  }
  return value;
}

/* Computes w, then the lower triangle of w w' - R (which overwrites the factor's inverse), then the gradient. */
static void evidence_gradient(fcps_probit *p, const double *hyper, double *gradient)
{
  const int n = p->rows;
  for (int i = 0; i < n; i++)
    p->w[i] = sqrt(p->tau[i]) * p->ku[i];
  fcps_chol_solve_lower(n, p->factor, n, 1, p->w, n);
  fcps_chol_solve_upper(n, p->factor, n, 1, p->w, n);
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    p->w[i] = p->u[i] - sqrt(p->tau[i]) * p->w[i];
    sum += p->w[i];
  }
  fcps_chol_inverse(n, p->factor, n, p->v);
  for (int j = 0; j < n; j++) {
    double *column = p->v + (size_t)j * (size_t)n;
    for (int i = j; i < n; i++)
      column[i] = p->w[i] * p->w[j] - sqrt(p->tau[i]) * column[i] * sqrt(p->tau[j]);
  }
  fcps_pair_covariance_gradient(&p->pairs, hyper, p->v, gradient);
  const double sf2 = fcps_gp_hyper_signal_variance(p->dim, hyper);
  gradient[p->dim] += sum * p->base_quantile * sf2 / sqrt(1.0 + sf2);
  gradient[p->dim + 1] = 0.0;
}

double fcps_probit_evidence(fcps_probit *p, const double *hyper, double *gradient)
{
  set_prior(p, hyper);
  if (!propagate(p)) {
    for (int i = 0; i < p->rows; i++)
      p->tau[i] = p->nu[i] = 0.0;
    for (int i = 0; i < FCPS_HYPER_COUNT(p->dim) && gradient != NULL; i++)
      gradient[i] = 0.0;
    return -INFINITY;
  }
  const double value = log_evidence(p);
  if (gradient != NULL) evidence_gradient(p, hyper, gradient);
  const double prior = fcps_gp_hyper_log_prior(p->prior, p->dim, hyper, gradient);
  if (gradient != NULL) gradient[p->dim + 1] = 0.0;
  return value + prior;
}

static double objective(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  return fcps_probit_evidence(user, x, gradient);
}

double fcps_probit_fit(fcps_probit *p, int budget, double *hyper)
{
  const int count = FCPS_HYPER_COUNT(p->dim);
  double *bounds = fcps_allocate(2 * (size_t)count, sizeof(double));
  if (bounds == NULL) return -INFINITY;
  double *lower = bounds, *upper = bounds + count;
  fcps_gp_hyper_bounds(p->prior, p->dim, lower, upper);
  lower[p->dim + 1] = upper[p->dim + 1] = hyper[p->dim + 1]; /* the probit has its own noise */
  const fcps_objective problem = {.n = count, .value = objective, .user = p};
  fcps_optimum optimum;
  fcps_lbfgsb_maximize_box(&problem, lower, upper, budget, 1e-4, hyper, &optimum);
  free(bounds);
  return fcps_probit_evidence(p, hyper, NULL);
}

/* -- Answers -- */

double fcps_probit_sites(const fcps_probit *p, double *targets, double *variances)
{
  for (int i = 0; i < p->rows; i++) {
    targets[i] = p->u[i] / p->tau[i];
    variances[i] = 1.0 / p->tau[i];
  }
  return p->mean;
}

double fcps_probit_probability(double lapse, double mean, double variance, double *by_mean, double *by_variance)
{
  const double root = sqrt(1.0 + variance), z = mean / root, share = 1.0 - 2.0 * lapse;
  const double density = share * fcps_normal_density(z);
  if (by_mean != NULL) *by_mean = density / root;
  if (by_variance != NULL) *by_variance = -0.5 * density * z / (1.0 + variance);
  return lapse + share * fcps_normal_cdf(z);
}
