/* SPDX-License-Identifier: Apache-2.0 */
/* Covariances k = sf^2 phi(s) of a GP: between its rows and points, among its rows, and between any points. Everything
 * in unit scale. All other files of the room get their covariances here; only the likelihood, which has every pair of
 * rows at once and new hyper-parameters each time, and separable.h, which wants factors of phi, call the kernel
 * themselves. */
#ifndef FCPS_GP_COVARIANCE_H
#define FCPS_GP_COVARIANCE_H

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

#endif
