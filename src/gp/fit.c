/* SPDX-License-Identifier: Apache-2.0 */
/* Warm start only can stick in a bad optimum, a cold start only jumps and wastes: both are tried, the better is kept. */
#include "gp/fit.h"

#include "base/memory.h"
#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double objective(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  return fcps_evidence_value(user, x, gradient);
}

/* The start-th starting point: the last optimum, the prior's centre, then draws from the prior. */
static void starting_point(const fcps_gp *gp, const fcps_hyper_prior *prior, int start, fcps_rng *rng, double *x)
{
  const int count = FCPS_HYPER_COUNT(gp->dim);
  if (start == 0) {
    memcpy(x, gp->hyper, (size_t)count * sizeof(double));
    return;
  }
  fcps_hyper_centre(prior, gp->dim, x);
  if (start == 1) return;
  for (int d = 0; d < gp->dim; d++)
    x[d] += prior->length_sd * fcps_rng_normal(rng);
  x[gp->dim] += prior->signal_sd * fcps_rng_normal(rng);
  x[gp->dim + 1] += prior->noise_sd * fcps_rng_normal(rng);
}

/* Maximizes from every start; writes the best point to `best` and returns its value, -INFINITY for none. */
static double best_of_starts(const fcps_gp *gp, fcps_evidence *evidence, const fcps_hyper_prior *prior,
                             fcps_fit_settings settings, fcps_rng rng, double *scratch, double *best)
{
  const int count = FCPS_HYPER_COUNT(gp->dim);
  double *lower = scratch, *upper = lower + count, *x = upper + count;
  const fcps_objective problem = {.n = count, .value = objective, .user = evidence};
  double best_value = -INFINITY;
  fcps_hyper_bounds(prior, gp->dim, lower, upper);
  for (int start = 0; start < settings.starts; start++) {
    fcps_optimum optimum;
    starting_point(gp, prior, start, &rng, x);
    for (int i = 0; i < count; i++)
      x[i] = fmin(fmax(x[i], lower[i]), upper[i]);
    if (start == 1 && memcmp(x, gp->hyper, (size_t)count * sizeof(double)) == 0) continue; // the same as start 0
    if (fcps_lbfgsb_maximize_box(&problem, lower, upper, settings.budget, 1e-5, x, &optimum) != FCPS_OK) continue;
    if (isfinite(optimum.value) && optimum.value > best_value) {
      best_value = optimum.value;
      memcpy(best, x, (size_t)count * sizeof(double));
    }
  }
  return best_value;
}

fcps_status fcps_gp_fit(fcps_gp *gp, const fcps_hyper_prior *prior, fcps_gp_norm norm, fcps_fit_settings settings,
                        int rows, int outputs, const double *y, fcps_rng rng, fcps_fit_result *result)
{
  const int count = FCPS_HYPER_COUNT(gp->dim);
  fcps_evidence *evidence = NULL;
  double *scratch = fcps_allocate(4 * (size_t)count, sizeof(double));
  if (scratch == NULL) return FCPS_ERR_MEMORY;
  double *best = scratch + 3 * count;
  fcps_status status = fcps_evidence_create(&evidence, gp, prior, norm, rows, outputs, y);
  if (status == FCPS_OK) {
    *result = FCPS_FIT_KEPT;
    if (isfinite(best_of_starts(gp, evidence, prior, settings, rng, scratch, best))) {
      *result = FCPS_FIT_OK;
      fcps_gp_set_hyper(gp, best);
    }
    status = fcps_gp_factorize(gp, rows);
    if (status == FCPS_ERR_NOT_POSITIVE || status == FCPS_ERR_NOT_FINITE) {
      *result = FCPS_FIT_DEFAULT;
      fcps_hyper_centre(prior, gp->dim, best);
      fcps_gp_set_hyper(gp, best);
      status = fcps_gp_factorize(gp, rows);
    }
  }
  fcps_evidence_destroy(evidence);
  free(scratch);
  return status;
}
