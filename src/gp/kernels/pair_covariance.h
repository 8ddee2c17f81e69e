/* SPDX-License-Identifier: Apache-2.0 */
/* Covariances of every pair of a GP's rows for many sets of hyper-parameters, and what a change of each does to a
 * quadratic form of them: the part that all marginal likelihoods share.
 *
 * The squared differences of each input are computed once (`squares`, one column an input, pairs i > j below one
 * another): then all distances are one matrix-vector product, and so is the gradient of all length-scales. */
#ifndef FCPS_GP_PAIR_COVARIANCE_H
#define FCPS_GP_PAIR_COVARIANCE_H

#include "gp/gp.h"

typedef struct fcps_pair_covariance {
  const fcps_kernel *kernel;
  int rows, dim, pairs;
  double *squares; /* pairs x dim */
  double *phi;     /* pairs; distances before */
  double *slope;   /* pairs: h; used up by the gradient */
  double *weight;  /* dim: inverse squared length-scales */
} fcps_pair_covariance;

/* Of the first `rows` rows of a GP; of `gp` only the inputs and the kernel are used. May be destroyed after a
 * failure. */
fcps_status fcps_pair_covariance_create(fcps_pair_covariance *pairs, const fcps_gp *gp, int rows);
void fcps_pair_covariance_destroy(fcps_pair_covariance *pairs);

/* Fills the lower triangle of K (rows x rows, column-major) below its diagonal, for these hyper-parameters. */
void fcps_pair_covariance_fill(fcps_pair_covariance *pairs, const double *hyper, double *k);

/* The derivatives of 1/2 tr(W K) by log l_1 ... log l_dim and log sf, for the lower triangle of a symmetric W; after a
 * fill, once. K has sf^2 on its diagonal. Returns the trace of W. */
double fcps_pair_covariance_gradient(fcps_pair_covariance *pairs, const double *hyper, const double *w,
                                     double *gradient);

#endif
