/* SPDX-License-Identifier: Apache-2.0 */
/* GP-UCB: a(theta) = mean(theta) + kappa deviation(theta) [srinivas2009; pinsler2019, Eq. 1].
 *
 * kappa is constant or grows with the number of rows; with kappa = 0 the deviation is never computed. */
#include "acquisition/acquisition.h"

#include <math.h>

double fcps_acquisition_kappa(const fcps_acquisition_settings *settings, const fcps_posterior *posterior)
{
  const double t = fcps_posterior_rows(posterior), d = fcps_posterior_dim(posterior), pi = 3.141592653589793,
               delta = 0.5;
  if (t < 1 || settings->schedule == FCPS_KAPPA_CONSTANT) return settings->kappa;
  if (settings->schedule == FCPS_KAPPA_GP_UCB) return sqrt(4.0 * (d + 1.0) * log(t));
  return sqrt(2.0 * ((d / 2.0 + 2.0) * log(t) + log(pi * pi / (3.0 * delta))));
}

/* a = m + kappa d, so that a_m = 1 and a_d = kappa. */
static double upper_confidence_bound(const void *user, double mean, double deviation, double *by_mean,
                                     double *by_deviation)
{
  const double kappa = *(const double *)user;
  *by_mean = 1.0;
  *by_deviation = kappa;
  return mean + kappa * deviation;
}

static fcps_status select_ucb(const fcps_decision *decision, double *x)
{
  const double kappa = fcps_acquisition_kappa(decision->settings, decision->posterior);
  const fcps_moment_objective objective = {
      .value = upper_confidence_bound, .needs_deviation = kappa > 0.0, .user = &kappa};
  fcps_optimum optimum;
  return fcps_search_moments(decision->posterior, &objective, &decision->settings->search, decision->rng, x, &optimum);
}

const fcps_acquisition fcps_acquisition_ucb = {.name = "ucb", .needs_model = true, .select = select_ucb};
