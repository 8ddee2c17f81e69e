/* SPDX-License-Identifier: Apache-2.0 */
/* Expected improvement over the best reward that is believed of parameters tried so far [mockus1978]; on outcomes the
 * improvement of the exact reward [astudillo2019]. */
#include "acquisition/acquisition.h"

typedef struct improvement {
  fcps_posterior *posterior;
  double best;
} improvement;

static void batch(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  const improvement *i = user;
  fcps_posterior_improvement(i->posterior, i->best, count, points, values);
}

static double value(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  const improvement *i = user;
  if (gradient != NULL) return fcps_posterior_improvement_gradient(i->posterior, i->best, x, gradient);
  double result;
  fcps_posterior_improvement(i->posterior, i->best, 1, x, &result);
  return result;
}

static fcps_status select_ei(const fcps_decision *decision, double *x)
{
  improvement i = {.posterior = decision->posterior, .best = fcps_posterior_incumbent(decision->posterior)};
  const fcps_objective objective = {.n = decision->n,
                                    .value = value,
                                    .batch = batch,
                                    .wraps = fcps_posterior_wraps(decision->posterior),
                                    .levels = fcps_posterior_levels(decision->posterior),
                                    .value_scale = fcps_posterior_value_scale(decision->posterior),
                                    .user = &i};
  fcps_optimum optimum;
  const fcps_status status = fcps_search_maximize(&decision->settings->search, &objective, decision->rng, x, &optimum);
  return status == FCPS_OK ? fcps_posterior_failure(decision->posterior) : status;
}

const fcps_acquisition fcps_acquisition_ei = {.name = "ei", .needs_model = true, .select = select_ei};
