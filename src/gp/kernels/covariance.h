/* SPDX-License-Identifier: Apache-2.0 */
/* Covariances k = sf^2 phi(s) of a GP, in unit scale: between its rows and points, among its rows, and between any
 * points. All other files of the room take their covariances from these functions. Two call the kernel itself:
 * likelihood.c, which has every pair of rows at once and new hyper-parameters each time, and query.c, which needs
 * factors of phi. */
#ifndef FCPS_GP_KERNELS_COVARIANCE_H
#define FCPS_GP_KERNELS_COVARIANCE_H

#include "gp/gp.h"

/* Computes s (rows x count, column-major): the squared distances, in length-scales, of the first `rows` rows to `count`
 * points. Only inputs first ... first + width - 1 count, and the points are rows of `width`. `scratch` holds 2 width
 * numbers; its first half receives the inverse length-scales. */
void fcps_gp_squared_distances(const fcps_gp *gp, int first, int width, int rows, int count, const double *points,
                               double *scratch, double *s);

/* Computes k (rows x count, column-major): the covariances of the first `rows` rows with `count` points (rows of dim
 * inputs). Writes h of each pair to `slope`, which has the same shape, unless it is NULL. `scratch` holds 2 dim
 * numbers; its first half receives the inverse length-scales. */
void fcps_gp_covariances(const fcps_gp *gp, int rows, int count, const double *points, double *scratch, double *k,
                         double *slope);

/* Computes the covariances of row `row` with all rows before it. `scaled` is scratch for dim numbers. */
void fcps_gp_covariances_of_row(const fcps_gp *gp, int row, double *scaled, double *k);

/* Computes the prior covariances between `m` points a and `n` points b (rows of dim inputs): m x n numbers,
 * column-major. */
void fcps_gp_prior_covariances(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *k);

/* -- All pairs of rows -- */

/* Covariances of every pair of a GP's rows, for many sets of hyper-parameters, and the derivatives of a quadratic form
 * of the covariances by each hyper-parameter. All marginal likelihoods have this part in common.
 *
 * The squared differences of each input are computed once (`squares`: one column for each input, one row for each pair
 * i > j). Then all distances are one matrix-vector product, and so is the gradient by all length-scales. */

typedef struct fcps_pair_covariance {
  const fcps_kernel *kernel;
  int rows, dim, pairs;
  double *squares; /* pairs x dim */
  double *phi;     /* one per pair: phi; before that, the distance */
  double *slope;   /* one per pair: h; later overwritten by the gradient */
  double *weight;  /* one per input: its inverse squared length-scale */
  int *words;      /* rows x dim: the word of each row, for inputs that are words; NULL: all inputs are numbers */
} fcps_pair_covariance;

/* Prepares the first `rows` rows of a GP. Uses only the inputs and the kernel of the GP. After a failure `pairs` may
 * still be destroyed. */
fcps_status fcps_pair_covariance_create(fcps_pair_covariance *pairs, const fcps_gp *gp, int rows);
void fcps_pair_covariance_destroy(fcps_pair_covariance *pairs);

/* Replaces the table of distances of an input that is words. The new table has `count` words. */
void fcps_pair_covariance_set_table(fcps_pair_covariance *pairs, int input, int count, const double *square);

/* Fills the lower triangle of K (rows x rows, column-major) below its diagonal, for these hyper-parameters. */
void fcps_pair_covariance_fill(fcps_pair_covariance *pairs, const double *hyper, double *k);

/* Computes the derivatives of 1/2 tr(W K) by log l_1 ... log l_dim and log sf, for a symmetric W given by its lower
 * triangle. K has sf^2 on its diagonal. May be called once after each fill. Returns the trace of W. */
double fcps_pair_covariance_gradient(fcps_pair_covariance *pairs, const double *hyper, const double *w,
                                     double *gradient);

/* Adds the derivatives of 1/2 tr(W K) by the entries of an input's table of distances to by_square (count x count).
 * Call it after the gradient. Of the two entries of a pair of words, only one receives the pair's derivative. */
void fcps_pair_covariance_table_gradient(const fcps_pair_covariance *pairs, const double *hyper, int input, int count,
                                         double *by_square);

#endif
