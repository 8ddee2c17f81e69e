/* SPDX-License-Identifier: Apache-2.0 */
/* The two loops that a kernel matrix spends its time in, exponentials and squared distances, vectorized for the machine
 * at hand. Equal inputs give equal bits, wherever they stand in an array. */
#ifndef FCPS_GP_VEXP_H
#define FCPS_GP_VEXP_H

/* Numbers that fcps_vexp works on at once. */
#define FCPS_VEXP_LANES 8

/* x[i] := exp(x[i]) for `count` numbers in a buffer whose length is a multiple of FCPS_VEXP_LANES: the tail is padded,
 * so that every value takes the vector path. */
void fcps_vexp(int count, double *x);

/* s[i] := sum_d (points[d*stride + i] - x[d])^2 for `count` points in structure-of-arrays layout. */
void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *x, double *s);

#endif
