/* SPDX-License-Identifier: Apache-2.0 */
/* Expectation propagation, one condition after the other [rasmussen2006, Algorithm 3.5]. Condition i is replaced by the
 * Gaussian exp(-t_i u_i^2/2 + n_i u_i). Without this Gaussian u_i ~ N(m_i, v_i), the cavity. With the true condition in
 * its place, a positive component whose condition has the variance e_i has
 *   z = m_i/sqrt(v_i + e_i),   h = phi(z)/Phi(z),   share = v_i/(v_i + e_i),
 *   mean m_i + v_i h/sqrt(v_i + e_i),    variance v_i (1 - share h (z + h)),
 * and t_i and n_i are chosen to give these moments. A step is damped: it makes only a share of the change.
 *
 * Invariants: precisions t are never negative, because the conditions are log-concave. Within a sweep the posterior is
 * updated by changes of rank one; after the last sweep it is computed anew, so that rounding errors do not remain.
 *
 * If a propagation does not converge, its draws are left out. An acquisition counts them in the report of its decision,
 * and the learner writes their number to its log: acquisitions have no log. */
#include "acquisition/information/optimality.h"

#include "base/memory.h"
#include "base/normal.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If a condition is violated by more than this many deviations of the cavity, it contradicts the Gaussian. */
static const double contradiction = -30.0;

typedef struct propagation {
  int count;
  const double *prior_mean, *prior; /* m, S */
  double *precision, *shift;        /* t, n */
  double *mean, *covariance;        /* mean and covariance of the posterior */
  double *factor, *backup;          /* factor of I + T^1/2 S T^1/2 */
  double *column;
} propagation;

/* Computes Y = L^-1 T^1/2, where L L' = I + T^1/2 S T^1/2, and w = n - Y'Y (m + S n). */
static bool compute_answers(propagation *p, fcps_propagation *result)
{
  const size_t k = (size_t)p->count;
  double *root = result->root;
  memset(root, 0, k * k * sizeof(double));
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < k; i++)
      p->factor[j * k + i] = (i == j ? 1.0 : 0.0) + sqrt(p->precision[i] * p->precision[j]) * p->prior[j * k + i];
  if (fcps_chol_factor(p->count, p->factor, p->count, p->backup, NULL) != FCPS_OK) return false;
  for (size_t j = 0; j < k; j++)
    root[j * k + j] = sqrt(p->precision[j]);
  fcps_chol_solve_lower(p->count, p->factor, p->count, p->count, root, p->count);

  for (size_t i = 0; i < k; i++)
    p->column[i] = p->prior_mean[i] + fcps_dot(p->count, p->prior + i * k, p->shift);
  double *moved = p->backup;
  fcps_multiply_nn(p->count, 1, p->count, 1.0, root, p->count, p->column, p->count, 0.0, moved, p->count);
  for (size_t i = 0; i < k; i++)
    result->weights[i] = p->shift[i] - fcps_dot(p->count, root + i * k, moved);
  return true;
}

/* Computes mean and covariance of u from Y and w. */
static void compute_posterior(propagation *p, const fcps_propagation *result)
{
  const size_t k = (size_t)p->count;
  double *reduced = p->factor;
  fcps_multiply_nn(p->count, p->count, p->count, 1.0, result->root, p->count, p->prior, p->count, 0.0, reduced,
                   p->count);
  memcpy(p->covariance, p->prior, k * k * sizeof(double));
  fcps_multiply_tn(p->count, p->count, p->count, -1.0, reduced, p->count, reduced, p->count, 1.0, p->covariance,
                   p->count);
  for (size_t i = 0; i < k; i++)
    p->mean[i] = p->prior_mean[i] + fcps_dot(p->count, p->prior + i * k, result->weights);
}

/* Changes t_i and n_i, and updates the posterior. */
static void move_condition(propagation *p, size_t i, double by_precision, double by_shift)
{
  const size_t k = (size_t)p->count;
  memcpy(p->column, p->covariance + i * k, k * sizeof(double));
  const double scale = 1.0 / (1.0 + by_precision * p->column[i]);
  const double along = (by_shift - by_precision * p->mean[i]) * scale;
  for (size_t j = 0; j < k; j++) {
    const double factor = by_precision * scale * p->column[j];
    p->mean[j] += along * p->column[j];
    for (size_t r = 0; r < k; r++)
      p->covariance[j * k + r] -= factor * p->column[r];
  }
  p->precision[i] += by_precision;
  p->shift[i] += by_shift;
}

/* Makes one step for a positive component. Returns the change in deviations, INFINITY if the step cannot be
 * computed. */
static double propagate_positive(propagation *p, size_t i, double noise, double damping)
{
  const double variance = p->covariance[i * (size_t)p->count + i];
  if (!(variance > 0.0)) return isnan(variance) ? INFINITY : 0.0; /* the component is already known */
  const double cavity_precision = 1.0 / variance - p->precision[i];
  if (!(cavity_precision > 0.0)) return INFINITY;
  const double v = 1.0 / cavity_precision, m = v * (p->mean[i] / variance - p->shift[i]);
  const double z = m / sqrt(v + noise), share = v / (v + noise);
  if (!(z > contradiction)) return INFINITY;
  const double h = fcps_truncated_normal_hazard(z), lost = share * h * (z + h);
  if (!(lost < 1.0)) return INFINITY;
  const double left = v * (1.0 - lost), precision = fmax(lost / left, 0.0);
  const double shift = (m + v * h / sqrt(v + noise)) / left - m / v;
  const double by_precision = precision - p->precision[i], by_shift = shift - p->shift[i];
  move_condition(p, i, damping * by_precision, damping * by_shift);
  return fmax(fabs(by_precision) * variance, fabs(by_shift) * sqrt(variance));
}

static bool has_settled(const fcps_propagation_settings *settings, const fcps_propagation_condition *conditions,
                        propagation *p)
{
  double largest = 0.0;
  for (int i = 0; i < p->count; i++)
    if (!conditions[i].is_zero)
      largest = fmax(largest, propagate_positive(p, (size_t)i, conditions[i].noise, settings->damping));
  return largest < settings->tolerance;
}

static bool is_finite(const propagation *p)
{
  double sum = 0.0;
  for (int i = 0; i < p->count; i++)
    sum += p->precision[i] + p->shift[i];
  return isfinite(sum);
}

fcps_status fcps_propagation_run(const fcps_propagation_settings *settings, const double *mean,
                                 const double *covariance, const fcps_propagation_condition *conditions,
                                 fcps_propagation *result)
{
  const size_t k = (size_t)result->count;
  result->has_converged = result->count == 0;
  result->sweeps = 0;
  if (result->count == 0) return FCPS_OK;
  double *block = fcps_allocate(3 * k * k + 4 * k, sizeof(double));
  if (block == NULL) return FCPS_ERR_MEMORY;
  propagation p = {.count = result->count, .prior_mean = mean, .prior = covariance};
  p.covariance = block;
  p.factor = p.covariance + k * k;
  p.backup = p.factor + k * k;
  p.precision = p.backup + k * k;
  p.shift = p.precision + k;
  p.mean = p.shift + k;
  p.column = p.mean + k;
  for (size_t i = 0; i < k; i++)
    if (conditions[i].is_zero) p.precision[i] = 1.0 / conditions[i].noise;

  if (compute_answers(&p, result)) {
    compute_posterior(&p, result);
    while (!result->has_converged && result->sweeps < settings->sweeps) {
      result->has_converged = has_settled(settings, conditions, &p);
      result->sweeps++;
    }
    result->has_converged = result->has_converged && is_finite(&p) && compute_answers(&p, result);
  }
  free(block);
  return FCPS_OK;
}
