/* SPDX-License-Identifier: Apache-2.0 */
/* GP-UCB: a(theta) = mean(theta) + kappa deviation(theta) [srinivas2009; pinsler2019, Eq. 1]. */
#include "acquisition/acquisition.h"

#include <math.h>

/* kappa after T rows of D inputs. */
static double kappa_of(const fcps_acquisition_settings *settings, const fcps_view *view)
{
  const double t = fcps_view_rows(view), d = fcps_view_dim(view), pi = 3.141592653589793, delta = 0.5;
  if (t < 1 || settings->schedule == FCPS_KAPPA_CONSTANT) return settings->kappa;
  if (settings->schedule == FCPS_KAPPA_GP_UCB) return sqrt(4.0 * (d + 1.0) * log(t));
  return sqrt(2.0 * ((d / 2.0 + 2.0) * log(t) + log(pi * pi / (3.0 * delta))));
}

static fcps_status select_ucb(const fcps_decision *decision, double *unit)
{
  const fcps_acquisition_settings *settings = decision->settings;
  fcps_optimum optimum;
  return fcps_view_maximize(decision->view, kappa_of(settings, decision->view), &settings->search, decision->rng, unit,
                            &optimum);
}

const fcps_acquisition fcps_acquisition_ucb = {"ucb", true, select_ucb, NULL};
