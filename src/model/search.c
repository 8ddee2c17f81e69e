/* SPDX-License-Identifier: Apache-2.0 */
#include "model/search.h"

#include "base/memory.h"
#include "space/points.h"

#include <stdlib.h>

fcps_status fcps_search_maximize(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                 double *x, fcps_optimum *optimum)
{
  if (settings->kind == FCPS_SEARCH_DIRECT)
    return fcps_direct_lbfgsb_maximize(objective, settings->candidates, settings->local_budget, x, optimum);
  const size_t count = (size_t)settings->candidates;
  double *candidates = fcps_allocate(count * (size_t)objective->n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  fcps_points_uniform(&rng, objective->n, settings->candidates, candidates);
  const fcps_status status = fcps_multistart_maximize(objective, settings->candidates, candidates, settings->starts,
                                                      settings->local_budget, x, optimum);
  free(candidates);
  return status;
}

/* mean + kappa deviation of a view, as an objective. */
typedef struct optimism {
  fcps_view *view;
  double kappa;
  double *scratch; /* deviations of all candidates, or one gradient */
} optimism;

static void optimism_batch(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  const optimism *o = user;
  fcps_view_predict(o->view, count, points, values, o->kappa > 0 ? o->scratch : NULL);
  for (int i = 0; i < count && o->kappa > 0; i++)
    values[i] += o->kappa * o->scratch[i];
}

static double optimism_value(void *user, int n, const double *x, double *gradient)
{
  const optimism *o = user;
  double mean, deviation = 0.0;
  if (gradient == NULL) {
    fcps_view_predict(o->view, 1, x, &mean, o->kappa > 0 ? &deviation : NULL);
  } else if (o->kappa > 0) {
    fcps_view_gradient(o->view, x, &mean, &deviation, gradient, o->scratch);
    for (int i = 0; i < n; i++)
      gradient[i] += o->kappa * o->scratch[i];
  } else {
    fcps_view_gradient(o->view, x, &mean, NULL, gradient, NULL);
  }
  return mean + o->kappa * deviation;
}

fcps_status fcps_view_maximize(fcps_view *view, double kappa, const fcps_search_settings *settings, fcps_rng rng,
                               double *unit, fcps_optimum *optimum)
{
  const int n = fcps_view_parameters(view);
  optimism o = {.view = view, .kappa = kappa};
  o.scratch = fcps_allocate((size_t)(settings->candidates > n ? settings->candidates : n), sizeof(double));
  if (o.scratch == NULL) return FCPS_ERR_MEMORY;
  const fcps_objective objective = {
      .n = n, .value = optimism_value, .batch = optimism_batch, .wraps = fcps_view_wraps(view), .user = &o};
  const fcps_status status = fcps_search_maximize(settings, &objective, rng, unit, optimum);
  free(o.scratch);
  return status == FCPS_OK ? fcps_view_failure(view) : status;
}
