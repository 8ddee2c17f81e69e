/* SPDX-License-Identifier: Apache-2.0 */
/* Expected improvement over the best reward that is believed of parameters tried so far [mockus1978]; on outcomes the
 * improvement of the exact reward [astudillo2019]. */
#include "acquisition/acquisition.h"

typedef struct improvement {
  fcps_view *view;
  double best;
} improvement;

static void batch(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  const improvement *i = user;
  fcps_view_improvement(i->view, i->best, count, points, values);
}

static double value(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  const improvement *i = user;
  if (gradient != NULL) return fcps_view_improvement_gradient(i->view, i->best, x, gradient);
  double result;
  fcps_view_improvement(i->view, i->best, 1, x, &result);
  return result;
}

static fcps_status select_ei(const fcps_decision *decision, double *unit)
{
  improvement i = {.view = decision->view, .best = fcps_view_incumbent(decision->view)};
  const fcps_objective objective = {.n = decision->n,
                                    .value = value,
                                    .batch = batch,
                                    .wraps = fcps_view_wraps(decision->view),
                                    .levels = fcps_view_levels(decision->view),
                                    .unit = fcps_view_unit(decision->view),
                                    .user = &i};
  fcps_optimum optimum;
  const fcps_status status =
      fcps_search_maximize(&decision->settings->search, &objective, decision->rng, unit, &optimum);
  return status == FCPS_OK ? fcps_view_failure(decision->view) : status;
}

const fcps_acquisition fcps_acquisition_ei = {"ei", true, select_ei, NULL};
