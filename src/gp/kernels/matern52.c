/* SPDX-License-Identifier: Apache-2.0 */
/* Matern 5/2: with a = sqrt(5 s), phi = (1 + a + a^2/3) exp(-a), h = 5/3 (1 + a) exp(-a),
 * c = 25/3 exp(-a) [rasmussen2006, Eq. 4.17]. */
#include "gp/kernels/kernel.h"

#include "gp/kernels/vexp.h"

#include <math.h>

static void eval(size_t count, const double *s, double *value, double *slope)
{
  const double root5 = 2.2360679774997898;
  double a[FCPS_KERNEL_BLOCK], e[FCPS_KERNEL_BLOCK];
  for (size_t start = 0; start < count; start += FCPS_KERNEL_BLOCK) {
    const int block = count - start < FCPS_KERNEL_BLOCK ? (int)(count - start) : FCPS_KERNEL_BLOCK;
    for (int i = 0; i < block; i++)
      a[i] = root5 * sqrt(s[start + (size_t)i]);
    for (int i = 0; i < block; i++)
      e[i] = -a[i];
    fcps_vexp(block, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = (1.0 + a[i] + a[i] * a[i] / 3.0) * e[i];
    if (slope != NULL)
      for (int i = 0; i < block; i++)
        slope[start + (size_t)i] = 5.0 / 3.0 * (1.0 + a[i]) * e[i];
  }
}

static double curvature(double s)
{
  return 25.0 / 3.0 * exp(-sqrt(5.0 * s));
}

const fcps_kernel fcps_kernel_matern52 = {.name = "matern52", .eval = eval, .curvature = curvature};
