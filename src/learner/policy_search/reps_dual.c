/* SPDX-License-Identifier: Apache-2.0 */
/* With q_i = (R_i - nu' phi_i)/eta and p_i = w_i exp q_i / sum w exp q:
 *
 *   dg/deta = epsilon + log(1/N sum w exp q) - sum p_i q_i,     dg/dnu = phibar - sum p_i phi_i.
 *
 * The dual is convex. It is minimized over (log eta, nu), which keeps eta positive, with rewards brought to [0, 1], so
 * that one pair of bounds for eta fits every task. The shift is absorbed by nu, because phi has a constant.
 */
#include "learner/policy_search/reps_dual.h"

#include "base/memory.h"
#include "learner/policy_search/training_samples.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Bounds of eta in units of the rewards' range: below, one sample takes all the weight; above, all weigh the same. */
static const double eta_lower = 1e-4, eta_upper = 1e4;
static const double nu_bound = 1e3;
enum { DUAL_BUDGET = 300 };
static const double dual_tolerance = 1e-9;

static double dot(int count, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static double importance(const fcps_reps_samples *samples, int index)
{
  return samples->importance != NULL ? samples->importance[index] : 1.0;
}

/* z_i := w_i exp(q_i - max q); returns max q, and the sums of z and z q. */
static double exponentials(const fcps_reps_samples *samples, double eta, const double *nu, double *z, double *sum,
                           double *sum_q)
{
  double top = -INFINITY;
  for (int i = 0; i < samples->count; i++) {
    z[i] =
        (samples->rewards[i] - dot(samples->features, nu, samples->phi + (size_t)i * (size_t)samples->features)) / eta;
    top = fmax(top, z[i]);
  }
  *sum = *sum_q = 0.0;
  for (int i = 0; i < samples->count; i++) {
    const double q = z[i];
    z[i] = importance(samples, i) * exp(q - top);
    *sum += z[i];
    *sum_q += z[i] * q;
  }
  return top;
}

double fcps_reps_dual(const fcps_reps_samples *samples, double epsilon, double eta, const double *nu, double *scratch,
                      double *gradient)
{
  const int count = samples->count, features = samples->features;
  double sum, sum_q, baseline = 0.0;
  const double top = exponentials(samples, eta, nu, scratch, &sum, &sum_q);
  const double log_mean = top + log(sum / count);
  if (gradient != NULL) gradient[0] = epsilon + log_mean - sum_q / sum;
  for (int f = 0; f < features; f++) {
    double mean = 0.0, weighted = 0.0;
    for (int i = 0; i < count; i++) {
      const double phi = samples->phi[(size_t)i * (size_t)features + (size_t)f];
      mean += importance(samples, i) * phi / count;
      weighted += phi * scratch[i] / sum;
    }
    baseline += nu[f] * mean;
    if (gradient != NULL) gradient[1 + f] = mean - weighted;
  }
  return eta * epsilon + baseline + eta * log_mean;
}

typedef struct dual {
  fcps_reps_samples samples;
  double epsilon;
  double *scratch;
} dual;

/* -g over (log eta, nu). */
static double objective(void *user, int n, const double *x, double *gradient)
{
  const dual *d = user;
  const double eta = exp(x[0]);
  const double value = fcps_reps_dual(&d->samples, d->epsilon, eta, x + 1, d->scratch, gradient);
  if (gradient != NULL) {
    gradient[0] *= eta;
    for (int i = 0; i < n; i++)
      gradient[i] = -gradient[i];
  }
  return -value;
}

fcps_status fcps_reps_weights(const fcps_reps_samples *samples, double epsilon, double *weights)
{
  const int count = samples->count, n = 1 + samples->features;
  double *numbers = fcps_allocate(2 * (size_t)count + 3 * (size_t)n, sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  double *scaled = numbers, *lower = scaled + 2 * count, *upper = lower + n, *x = upper + n;
  fcps_rewards_scale(count, samples->rewards, scaled);
  dual d = {.samples = *samples, .epsilon = epsilon, .scratch = scaled + count};
  d.samples.rewards = scaled;
  for (int i = 0; i < n; i++) {
    lower[i] = i == 0 ? log(eta_lower) : -nu_bound;
    upper[i] = i == 0 ? log(eta_upper) : nu_bound;
  }
  const fcps_objective problem = {.n = n, .value = objective, .user = &d};
  fcps_optimum optimum;
  const fcps_status status = fcps_lbfgsb_maximize_box(&problem, lower, upper, DUAL_BUDGET, dual_tolerance, x, &optimum);
  if (status == FCPS_OK) {
    double sum, sum_q;
    exponentials(&d.samples, exp(x[0]), x + 1, weights, &sum, &sum_q);
    for (int i = 0; i < count; i++)
      weights[i] = fmax(weights[i] / sum, DBL_EPSILON); /* a sample of weight 0 would be no sample */
  }
  free(numbers);
  return status;
}
