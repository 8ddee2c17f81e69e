/* SPDX-License-Identifier: Apache-2.0 */
/* Covariance functions: k(x, x') = sf^2 phi(s),  s = sum_d (x_d - x'_d)^2 / l_d^2.
 *
 * A kernel has its radial function phi and a slope h(s) = -2 dphi/ds, which gives every first derivative:
 *   dk/dx_d      = -sf^2 h(s) (x_d - x'_d)/l_d^2
 *   dk/dlog l_d  =  sf^2 h(s) (x_d - x'_d)^2/l_d^2
 * Second derivatives also need its curvature c(s) = 4 d^2phi/ds^2 (derivatives.h).
 * Each family of kernels has a file. kernel.c lists all; a kernel knows its own name.
 */
#ifndef FCPS_GP_KERNELS_KERNEL_H
#define FCPS_GP_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fcps_kernel {
  const char *name;
  bool is_separable; /* phi of a sum of squares is the product of phi of its terms (query.h) */

  /* Computes phi and (if `slope` is not NULL) h at `count` squared distances. `value` may be `s` itself. Equal
   * distances must give equal bits at every place: factors that grow row by row rely on it. */
  void (*eval)(size_t count, const double *s, double *value, double *slope);

  /* c at one squared distance. It is infinite at 0 if the process has no second derivative. */
  double (*curvature)(double s);
} fcps_kernel;

extern const fcps_kernel fcps_kernel_se;
extern const fcps_kernel fcps_kernel_matern32;
extern const fcps_kernel fcps_kernel_matern52;

/* The kernel at a place of the list, NULL past the end; and the one called `name`, NULL if there is none (or no name).
 */
const fcps_kernel *fcps_kernel_at(int index);
const fcps_kernel *fcps_kernel_find(const char *name);

/* The files of kernels take exponentials (fcps_vexp) of blocks of this many numbers. */
#define FCPS_KERNEL_BLOCK 256

/* -- Exponentials -- */

/* Exponentials and squared distances: the two loops in which a kernel matrix spends its time, vectorized for the
 * machine. Equal inputs give equal bits at every place of an array. */

/* The number of values that fcps_vexp computes at once. */
#define FCPS_VEXP_LANES 8

/* Replaces x[i] by exp(x[i]) for `count` numbers. The length of the buffer must be a multiple of FCPS_VEXP_LANES: its
 * tail is padded, so that every value is computed with vector instructions. */
void fcps_vexp(int count, double *x);

/* s[i] := sum_d (points[d*stride + i] - x[d])^2 for `count` points in structure-of-arrays layout. */
void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *x, double *s);

#endif
