/* SPDX-License-Identifier: Apache-2.0 */
/* A squared exponential with a short one on top, for what is local on something wide (model/composite/local.h):
 * phi(s) = (1 - w) exp(-s/2) + w exp(-s/(2 r^2)), with a share w of the variance and r of the lengths. */
#include "gp/kernel.h"

#include "gp/vexp.h"

#include <math.h>

static const double share = 0.05, ratio = 0.4;

static void eval(size_t count, const double *s, double *value, double *slope)
{
  const double precision = 1.0 / (ratio * ratio), wide = 1.0 - share;
  double e[FCPS_KERNEL_BLOCK], local[FCPS_KERNEL_BLOCK];
  for (size_t start = 0; start < count; start += FCPS_KERNEL_BLOCK) {
    const int block = count - start < FCPS_KERNEL_BLOCK ? (int)(count - start) : FCPS_KERNEL_BLOCK;
    for (int i = 0; i < block; i++) {
      e[i] = -0.5 * s[start + (size_t)i];
      local[i] = precision * e[i];
    }
    fcps_vexp(block, e);
    fcps_vexp(block, local);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = wide * e[i] + share * local[i];
    if (slope != NULL)
      for (int i = 0; i < block; i++)
        slope[start + (size_t)i] = wide * e[i] + share * precision * local[i];
  }
}

static double curvature(double s)
{
  const double precision = 1.0 / (ratio * ratio);
  return (1.0 - share) * exp(-0.5 * s) + share * precision * precision * exp(-0.5 * precision * s);
}

const fcps_kernel fcps_kernel_se_short = {.name = "se-short", .eval = eval, .curvature = curvature};
