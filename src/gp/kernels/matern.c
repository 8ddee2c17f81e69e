/* SPDX-License-Identifier: Apache-2.0 */
/* The Matern kernels [rasmussen2006, Eq. 4.17]:
 *   3/2: with a = sqrt(3 s), phi = (1 + a) exp(-a), h = 3 exp(-a), c = 9 exp(-a)/a;
 *   5/2: with a = sqrt(5 s), phi = (1 + a + a^2/3) exp(-a), h = 5/3 (1 + a) exp(-a), c = 25/3 exp(-a). */
#include "gp/kernels/kernel.h"

#include <math.h>

/* Fills a block with a = root sqrt(s) and e = exp(-a), at most FCPS_KERNEL_BLOCK numbers; returns their count. */
static int begin_block(size_t left, const double *s, double root, double *a, double *e)
{
  const int block = left < FCPS_KERNEL_BLOCK ? (int)left : FCPS_KERNEL_BLOCK;
  for (int i = 0; i < block; i++)
    a[i] = root * sqrt(s[i]);
  for (int i = 0; i < block; i++)
    e[i] = -a[i];
  fcps_vexp(block, e);
  return block;
}

static void eval_32(size_t count, const double *s, double *value, double *slope)
{
  const double root3 = 1.7320508075688772;
  double a[FCPS_KERNEL_BLOCK], e[FCPS_KERNEL_BLOCK];
  for (size_t start = 0; start < count; start += FCPS_KERNEL_BLOCK) {
    const int block = begin_block(count - start, s + start, root3, a, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = (1.0 + a[i]) * e[i];
    for (int i = 0; slope != NULL && i < block; i++)
      slope[start + (size_t)i] = 3.0 * e[i];
  }
}

static double curvature_32(double s)
{
  const double a = sqrt(3.0 * s);
  return a > 0.0 ? 9.0 * exp(-a) / a : INFINITY;
}

const fcps_kernel fcps_kernel_matern32 = {.name = "matern32", .eval = eval_32, .curvature = curvature_32};

static void eval_52(size_t count, const double *s, double *value, double *slope)
{
  const double root5 = 2.2360679774997898;
  double a[FCPS_KERNEL_BLOCK], e[FCPS_KERNEL_BLOCK];
  for (size_t start = 0; start < count; start += FCPS_KERNEL_BLOCK) {
    const int block = begin_block(count - start, s + start, root5, a, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = (1.0 + a[i] + a[i] * a[i] / 3.0) * e[i];
    for (int i = 0; slope != NULL && i < block; i++)
      slope[start + (size_t)i] = 5.0 / 3.0 * (1.0 + a[i]) * e[i];
  }
}

static double curvature_52(double s)
{
  return 25.0 / 3.0 * exp(-sqrt(5.0 * s));
}

const fcps_kernel fcps_kernel_matern52 = {.name = "matern52", .eval = eval_52, .curvature = curvature_52};
