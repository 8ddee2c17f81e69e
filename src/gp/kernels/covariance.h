/* SPDX-License-Identifier: Apache-2.0 */
/* Covariances k = sf^2 phi(s) of a GP, in unit scale: between its rows and points, among its rows, and between any
 * points. All other files of the room get their covariances here, with two exceptions that call the kernel themselves:
 * the likelihood, which has every pair of rows at once and new hyper-parameters each time, and query.c, which needs
 * factors of phi. */
#ifndef FCPS_GP_KERNELS_COVARIANCE_H
#define FCPS_GP_KERNELS_COVARIANCE_H

#include "gp/gp.h"

/* Computes s (rows x count, column-major), the squared distances of the first `rows` rows to `count` points (rows of
 * `width`), in inputs first ... first + width - 1, in length-scales. `scratch` holds 2 width numbers; its first half
 * receives the inverse length-scales. */
void fcps_gp_squared_distances(const fcps_gp *gp, int first, int width, int rows, int count, const double *points,
                               double *scratch, double *s);

/* Computes k (rows x count, column-major), the covariances of the first `rows` rows with `count` points (rows of dim
 * inputs). Writes their h to `slope`, of the same shape, unless it is NULL. `scratch` is as above, for dim inputs. */
void fcps_gp_covariances(const fcps_gp *gp, int rows, int count, const double *points, double *scratch, double *k,
                         double *slope);

/* Computes the covariances of row `row` with the rows before it; `scaled` is scratch for dim numbers. */
void fcps_gp_covariances_of_row(const fcps_gp *gp, int row, double *scaled, double *k);

/* Prior covariances between `m` points a and `n` points b (rows of dim inputs), column-major m x n. */
void fcps_gp_prior_covariances(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *k);

/* -- All pairs of rows -- */

/* Covariances of every pair of a GP's rows for many sets of hyper-parameters, and the derivatives of a quadratic form
 * of them by each hyper-parameter: the part that all marginal likelihoods have in common.
 *
 * The squared differences of each input are computed once (`squares`: one column for each input, one row for each pair
 * i > j). Then all distances are one matrix-vector product, and so is the gradient by all length-scales. */

typedef struct fcps_pair_covariance {
  const fcps_kernel *kernel;
  int rows, dim, pairs;
  double *squares; /* pairs x dim */
  double *phi;     /* one per pair; holds the distances at first */
  double *slope;   /* one per pair: h; the gradient overwrites it */
  double *weight;  /* one per input: inverse squared length-scale */
  int *words;      /* rows x dim, of inputs that are words; NULL: there are none */
} fcps_pair_covariance;

/* Prepares the first `rows` rows of a GP, of which only the inputs and the kernel are used. After a failure it may be
 * destroyed. */
fcps_status fcps_pair_covariance_create(fcps_pair_covariance *pairs, const fcps_gp *gp, int rows);
void fcps_pair_covariance_destroy(fcps_pair_covariance *pairs);

/* Replaces the table of distances of an input that is words, by one of `count` words. */
void fcps_pair_covariance_set_table(fcps_pair_covariance *pairs, int input, int count, const double *square);

/* Fills the lower triangle of K (rows x rows, column-major) below its diagonal, for these hyper-parameters. */
void fcps_pair_covariance_fill(fcps_pair_covariance *pairs, const double *hyper, double *k);

/* Computes the derivatives of 1/2 tr(W K) by log l_1 ... log l_dim and log sf, for a symmetric W given by its lower
 * triangle. May be called once after each fill. K has sf^2 on its diagonal. Returns the trace of W. */
double fcps_pair_covariance_gradient(fcps_pair_covariance *pairs, const double *hyper, const double *w,
                                     double *gradient);

/* Adds the derivatives of the same by the numbers of a table to by_square (count x count), after the gradient. The
 * derivative of a pair of words is in one of its two places. */
void fcps_pair_covariance_table_gradient(const fcps_pair_covariance *pairs, const double *hyper, int input, int count,
                                         double *by_square);

#endif
