/* SPDX-License-Identifier: Apache-2.0 */
/* Variance reduction where the greedy policy acts: what a trial anywhere is expected to sharpen there.
 *
 *   gain(x) = sum_t sd_t - sqrt(sd_t^2 - c_t(x)^2/(v(x) + sn^2)),
 *
 * with sd_t the deviation of the outcome at the greedy parameters of context t, c_t its covariance with the outcome at
 * x and v the variance at x, all posterior and in unit scale. How much a variance shrinks does not depend on what will
 * be seen, so that there is nothing to average over.
 */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_IVR_H
#define FCPS_ACQUISITION_CONTEXTUAL_IVR_H

#include "acquisition/information/belief.h"

typedef struct fcps_ivr {
  int count;
  double *features;   /* rows of the GP's inputs: where the policy acts */
  double *whitened;   /* rows x count */
  double *variance;   /* count */
  double *weight;     /* count: probability that there is an outcome */
  double *covariance; /* count x trials, scratch */
  fcps_gp_work work;
} fcps_ivr;

/* Room for `count` acts (features and weights are filled by the caller) and gains of `most` trials at once. */
fcps_status fcps_ivr_create(fcps_ivr *ivr, const fcps_gp *gp, int count, int most);
void fcps_ivr_destroy(fcps_ivr *ivr);

/* What follows from the features. */
void fcps_ivr_prepare(fcps_ivr *ivr, const fcps_gp *gp);

/* Gains of prepared trials. */
void fcps_ivr_gains(const fcps_ivr *ivr, const fcps_gp *gp, const fcps_candidates *trials, double *gains);

/* What trial `index` of the last gains sharpens most. */
int fcps_ivr_main_act(const fcps_ivr *ivr, const fcps_candidates *trials, int index);

#endif
