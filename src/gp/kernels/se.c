/* SPDX-License-Identifier: Apache-2.0 */
/* Squared exponential: phi(s) = exp(-s/2), h(s) = c(s) = phi(s) [rasmussen2006, Eq. 4.9]. */
#include "gp/kernels/kernel.h"

#include <math.h>

static void eval(size_t count, const double *s, double *value, double *slope)
{
  double e[FCPS_KERNEL_BLOCK];
  for (size_t start = 0; start < count; start += FCPS_KERNEL_BLOCK) {
    const int block = count - start < FCPS_KERNEL_BLOCK ? (int)(count - start) : FCPS_KERNEL_BLOCK;
    for (int i = 0; i < block; i++)
      e[i] = -0.5 * s[start + (size_t)i];
    fcps_vexp(block, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = e[i];
    if (slope != NULL)
      for (int i = 0; i < block; i++)
        slope[start + (size_t)i] = e[i];
  }
}

static double curvature(double s)
{
  return exp(-0.5 * s);
}

const fcps_kernel fcps_kernel_se = {.name = "se", .is_separable = true, .eval = eval, .curvature = curvature};
