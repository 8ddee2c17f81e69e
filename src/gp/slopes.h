/* SPDX-License-Identifier: Apache-2.0 */
/* Posterior and its gradients at many points at once: where fcps_gp_predict_gradient works on vectors, here everything
 * is a product of matrices. For searches that go on side by side. */
#ifndef FCPS_GP_SLOPES_H
#define FCPS_GP_SLOPES_H

#include "gp/gp.h"

/* Tables of a GP and its outputs, and scratch for `points` points. */
typedef struct fcps_gp_slopes {
  const fcps_gp *gp;
  const fcps_gp_outputs *outputs;
  int points;
  double *numbers;       /* owns what follows */
  double *rows;          /* factored x (1 + dim): ones, then the scaled inputs */
  double *weighted;      /* for each output factored x (1 + dim): the same times alpha */
  double *k, *h, *solve; /* factored x points: covariances, their slopes, K^-1 k */
  double *scaled;        /* one point */
  double *sums;          /* for each point (1 + dim) sums an output, and for the variance */
} fcps_gp_slopes;

/* Borrows the GP and its outputs, which must not change meanwhile. `slopes` starts zeroed. */
fcps_status fcps_gp_slopes_create(fcps_gp_slopes *slopes, const fcps_gp *gp, const fcps_gp_outputs *outputs,
                                  int points);
void fcps_gp_slopes_destroy(fcps_gp_slopes *slopes);

/* For `count` <= points points: mean[i*outputs + o], variance[i], mean_gradient[(i*outputs + o)*dim + d] and
 * variance_gradient[i*dim + d], as from fcps_gp_predict_gradient. */
void fcps_gp_slopes_predict(fcps_gp_slopes *slopes, int count, const double *points, double *mean, double *variance,
                            double *mean_gradient, double *variance_gradient);

#endif
