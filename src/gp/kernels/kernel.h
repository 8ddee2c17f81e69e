/* SPDX-License-Identifier: Apache-2.0 */
/* Covariance functions: k(x, x') = sf^2 phi(s),  s = sum_d (x_d - x'_d)^2 / l_d^2.
 *
 * A kernel is its radial function phi and its slope h(s) = -2 dphi/ds, which gives every derivative:
 *   dk/dx_d      = -sf^2 h(s) (x_d - x'_d)/l_d^2
 *   dk/dlog l_d  =  sf^2 h(s) (x_d - x'_d)^2/l_d^2
 * Second derivatives also need its curvature c(s) = 4 d^2phi/ds^2 (derivatives.h).
 * A family of kernels is a file. The one list of them is in kernel.c; names come from the kernels themselves.
 */
#ifndef FCPS_GP_KERNELS_KERNEL_H
#define FCPS_GP_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fcps_kernel {
  const char *name;
  bool is_separable; /* phi of a sum of squares is the product of phi of its terms (query.h) */

  /* phi and (if `slope` is not NULL) h of `count` squared distances. `value` may be `s` itself. Equal distances give
   * equal bits wherever they stand: factors that grow row by row rely on it. */
  void (*eval)(size_t count, const double *s, double *value, double *slope);

  /* c of one squared distance. It is infinite at 0 if the process has no second derivative. */
  double (*curvature)(double s);
} fcps_kernel;

extern const fcps_kernel fcps_kernel_se;
extern const fcps_kernel fcps_kernel_matern32;
extern const fcps_kernel fcps_kernel_matern52;

/* The kernels in their order, NULL past the end; and the one called `name`, NULL if there is none (or no name). */
const fcps_kernel *fcps_kernel_at(int index);
const fcps_kernel *fcps_kernel_find(const char *name);

/* For the kernels' own files: they take exponentials (gp/kernels/kernel.h) of blocks of this many numbers. */
#define FCPS_KERNEL_BLOCK 256

/* -- Exponentials -- */

/* The two loops that a kernel matrix spends its time in, exponentials and squared distances, vectorized for the machine
 * at hand. Equal inputs give equal bits, wherever they stand in an array. */

/* Numbers that fcps_vexp works on at once. */
#define FCPS_VEXP_LANES 8

/* x[i] := exp(x[i]) for `count` numbers in a buffer whose length is a multiple of FCPS_VEXP_LANES: the tail is padded,
 * so that every value takes the vector path. */
void fcps_vexp(int count, double *x);

/* s[i] := sum_d (points[d*stride + i] - x[d])^2 for `count` points in structure-of-arrays layout. */
void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *x, double *s);

#endif
