/* SPDX-License-Identifier: Apache-2.0 */
/* Covariances k = sf^2 phi(s) of a GP: between its rows and points, among its rows, and between any points. Everything
 * in unit scale. All other files of the room get their covariances here; only the likelihood, which has every pair of
 * rows at once and new hyper-parameters each time, and query.h, which wants factors of phi, call the kernel
 * themselves. */
#ifndef FCPS_GP_KERNELS_COVARIANCE_H
#define FCPS_GP_KERNELS_COVARIANCE_H

#include "gp/gp.h"

/* s (rows x count, column-major) := squared distances of the first `rows` rows to `count` points (rows of `width`), in
 * inputs first ... first + width - 1 over their length-scales. `scratch` holds 2 width numbers; the first half becomes
 * the inverse length-scales. */
void fcps_gp_squared_distances(const fcps_gp *gp, int first, int width, int rows, int count, const double *points,
                               double *scratch, double *s);

/* k (rows x count, column-major) := covariances of the first `rows` rows with `count` points (rows of dim inputs).
 * Their h goes to `slope` of the same shape (may be NULL). `scratch` as above, for dim inputs. */
void fcps_gp_covariances(const fcps_gp *gp, int rows, int count, const double *points, double *scratch, double *k,
                         double *slope);

/* The same of row `row` with the rows before it; `scaled` is scratch for dim numbers. */
void fcps_gp_covariances_of_row(const fcps_gp *gp, int row, double *scaled, double *k);

/* Prior covariances between `m` points a and `n` points b (rows of dim inputs), column-major m x n. */
void fcps_gp_prior_covariances(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *k);

/* -- Of all pairs of rows -- */

/* Covariances of every pair of a GP's rows for many sets of hyper-parameters, and what a change of each does to a
 * quadratic form of them: the part that all marginal likelihoods share.
 *
 * The squared differences of each input are computed once (`squares`, one column an input, pairs i > j below one
 * another): then all distances are one matrix-vector product, and so is the gradient of all length-scales. */

typedef struct fcps_pair_covariance {
  const fcps_kernel *kernel;
  int rows, dim, pairs;
  double *squares; /* pairs x dim */
  double *phi;     /* pairs; distances before */
  double *slope;   /* pairs: h; used up by the gradient */
  double *weight;  /* dim: inverse squared length-scales */
  int *words;      /* rows x dim, of inputs that are words; NULL: there are none */
} fcps_pair_covariance;

/* Of the first `rows` rows of a GP; of `gp` only the inputs and the kernel are used. May be destroyed after a
 * failure. */
fcps_status fcps_pair_covariance_create(fcps_pair_covariance *pairs, const fcps_gp *gp, int rows);
void fcps_pair_covariance_destroy(fcps_pair_covariance *pairs);

/* Gives an input that is words another table of `count` words. */
void fcps_pair_covariance_set_table(fcps_pair_covariance *pairs, int input, int count, const double *square);

/* Fills the lower triangle of K (rows x rows, column-major) below its diagonal, for these hyper-parameters. */
void fcps_pair_covariance_fill(fcps_pair_covariance *pairs, const double *hyper, double *k);

/* The derivatives of 1/2 tr(W K) by log l_1 ... log l_dim and log sf, for the lower triangle of a symmetric W; after a
 * fill, once. K has sf^2 on its diagonal. Returns the trace of W. */
double fcps_pair_covariance_gradient(fcps_pair_covariance *pairs, const double *hyper, const double *w,
                                     double *gradient);

/* After it: adds the derivatives of the same by the numbers of a table to by_square (count x count); those of a pair of words
 * stand in one of their two places. */
void fcps_pair_covariance_table_gradient(const fcps_pair_covariance *pairs, const double *hyper, int input, int count,
                                         double *by_square);

#endif
