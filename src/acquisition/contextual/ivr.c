/* SPDX-License-Identifier: Apache-2.0 */
#include "acquisition/contextual/ivr.h"

#include "base/memory.h"
#include "gp/joint.h"

#include <math.h>
#include <stdlib.h>

fcps_status fcps_ivr_create(fcps_ivr *ivr, const fcps_gp *gp, int count, int most)
{
  const size_t acts = (size_t)count, dim = (size_t)gp->dim;
  *ivr = (fcps_ivr){.count = count};
  ivr->features = fcps_allocate(acts * dim, sizeof(double));
  ivr->whitened = fcps_allocate(acts * (size_t)gp->factored, sizeof(double));
  ivr->variance = fcps_allocate(acts, sizeof(double));
  ivr->weight = fcps_allocate(acts, sizeof(double));
  ivr->covariance = fcps_allocate(acts * (size_t)most, sizeof(double));
  const bool has_room = ivr->features != NULL && ivr->whitened != NULL && ivr->variance != NULL &&
                        ivr->weight != NULL && ivr->covariance != NULL;
  const fcps_status status = has_room ? fcps_gp_work_reserve(&ivr->work, gp, 0) : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) fcps_ivr_destroy(ivr);
  return status;
}

void fcps_ivr_destroy(fcps_ivr *ivr)
{
  free(ivr->features);
  free(ivr->whitened);
  free(ivr->variance);
  free(ivr->weight);
  free(ivr->covariance);
  fcps_gp_work_destroy(&ivr->work);
  *ivr = (fcps_ivr){0};
}

void fcps_ivr_prepare(fcps_ivr *ivr, const fcps_gp *gp)
{
  const fcps_gp_query query = {
      .count = ivr->count, .points = ivr->features, .variance = ivr->variance, .whitened = ivr->whitened};
  fcps_gp_predict(gp, NULL, &query, &ivr->work);
}

/* What the trial with variance `variance` and covariance c takes from the deviation of act t. */
static double shrinkage(const fcps_ivr *ivr, int t, double c, double variance)
{
  return ivr->weight[t] * (sqrt(ivr->variance[t]) - sqrt(fmax(ivr->variance[t] - c * c / variance, 0.0)));
}

void fcps_ivr_gains(const fcps_ivr *ivr, const fcps_gp *gp, const fcps_candidates *trials, double *gains)
{
  const int m = ivr->count;
  fcps_gp_covariance_between(gp, (fcps_gp_points){m, ivr->features, ivr->whitened},
                             (fcps_gp_points){trials->count, trials->features, trials->whitened}, ivr->covariance);
  for (int i = 0; i < trials->count; i++) {
    gains[i] = 0.0;
    for (int t = 0; t < m; t++)
      gains[i] += shrinkage(ivr, t, ivr->covariance[(size_t)i * (size_t)m + (size_t)t], trials->variance[i]);
  }
}

int fcps_ivr_main_act(const fcps_ivr *ivr, const fcps_candidates *trials, int index)
{
  const double *c = ivr->covariance + (size_t)index * (size_t)ivr->count;
  int best = 0;
  for (int t = 1; t < ivr->count; t++)
    if (shrinkage(ivr, t, c[t], trials->variance[index]) > shrinkage(ivr, best, c[best], trials->variance[index]))
      best = t;
  return best;
}
