/* SPDX-License-Identifier: Apache-2.0 */
/* Matern 3/2: with a = sqrt(3 s), phi = (1 + a) exp(-a), h = 3 exp(-a), c = 9 exp(-a)/a [rasmussen2006, Eq. 4.17]. */
#include "gp/kernels/kernel.h"

#include "gp/kernels/vexp.h"

#include <math.h>

static void eval(size_t count, const double *s, double *value, double *slope)
{
  const double root3 = 1.7320508075688772;
  double a[FCPS_KERNEL_BLOCK], e[FCPS_KERNEL_BLOCK];
  for (size_t start = 0; start < count; start += FCPS_KERNEL_BLOCK) {
    const int block = count - start < FCPS_KERNEL_BLOCK ? (int)(count - start) : FCPS_KERNEL_BLOCK;
    for (int i = 0; i < block; i++)
      a[i] = root3 * sqrt(s[start + (size_t)i]);
    for (int i = 0; i < block; i++)
      e[i] = -a[i];
    fcps_vexp(block, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = (1.0 + a[i]) * e[i];
    if (slope != NULL)
      for (int i = 0; i < block; i++)
        slope[start + (size_t)i] = 3.0 * e[i];
  }
}

static double curvature(double s)
{
  const double a = sqrt(3.0 * s);
  return a > 0.0 ? 9.0 * exp(-a) / a : INFINITY;
}

const fcps_kernel fcps_kernel_matern32 = {.name = "matern32", .eval = eval, .curvature = curvature};
