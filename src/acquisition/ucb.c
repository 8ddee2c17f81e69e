/* SPDX-License-Identifier: Apache-2.0 */
/* GP-UCB: a(theta) = mean(theta) + kappa deviation(theta) [srinivas2009; pinsler2019, Eq. 1]. */
#include "acquisition/acquisition.h"

#include <math.h>

/* kappa after T rows of D inputs. */
static double kappa_of(const fcps_acquisition_settings *settings, const fcps_posterior *posterior)
{
  const double t = fcps_posterior_rows(posterior), d = fcps_posterior_dim(posterior), pi = 3.141592653589793,
               delta = 0.5;
  if (t < 1 || settings->schedule == FCPS_KAPPA_CONSTANT) return settings->kappa;
  if (settings->schedule == FCPS_KAPPA_GP_UCB) return sqrt(4.0 * (d + 1.0) * log(t));
  return sqrt(2.0 * ((d / 2.0 + 2.0) * log(t) + log(pi * pi / (3.0 * delta))));
}

static fcps_status select_ucb(const fcps_decision *decision, double *x)
{
  const fcps_acquisition_settings *settings = decision->settings;
  fcps_optimum optimum;
  return fcps_search_ucb(decision->posterior, kappa_of(settings, decision->posterior), &settings->search, decision->rng,
                         x, &optimum);
}

const fcps_acquisition fcps_acquisition_ucb = {"ucb", true, select_ucb, NULL};
