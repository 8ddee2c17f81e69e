/* SPDX-License-Identifier: Apache-2.0 */
/* Covariance functions: k(x, x') = sf^2 phi(s),  s = sum_d (x_d - x'_d)^2 / l_d^2.
 *
 * A kernel is its radial function phi and its slope h(s) = -2 dphi/ds, which gives every derivative:
 *   dk/dx_d      = -sf^2 h(s) (x_d - x'_d)/l_d^2
 *   dk/dlog l_d  =  sf^2 h(s) (x_d - x'_d)^2/l_d^2
 * One kernel a file; the registry is in kernel.c.
 */
#ifndef FCPS_GP_KERNEL_H
#define FCPS_GP_KERNEL_H

#include <stddef.h>

typedef struct fcps_kernel {
  const char *name;

  /* phi and (where `slope` is not NULL) h of `count` squared distances. `value` may be `s` itself. */
  void (*eval)(size_t count, const double *s, double *value, double *slope);
} fcps_kernel;

extern const fcps_kernel fcps_kernel_se;
extern const fcps_kernel fcps_kernel_matern32;
extern const fcps_kernel fcps_kernel_matern52;

/* The kernels in the order in which they are listed, NULL past the end; and by name, NULL where there is none. */
const fcps_kernel *fcps_kernel_at(int index);
const fcps_kernel *fcps_kernel_find(const char *name);

/* For the kernels' own files: they work on blocks of this many numbers. */
#define FCPS_KERNEL_BLOCK 256

/* exponent[i] := exp(exponent[i]) for `count` <= FCPS_KERNEL_BLOCK numbers in a buffer of FCPS_KERNEL_BLOCK; the
 * tail is padded, so that equal inputs give equal bits wherever they stand. */
void fcps_kernel_exp(int count, double *exponent);

#endif
