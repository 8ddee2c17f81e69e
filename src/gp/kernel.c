/* SPDX-License-Identifier: Apache-2.0 */
#include "gp/kernel.h"

#include "gp/vexp.h"

/* In the order of FCPS_KERNEL_CHOICES. */
static const fcps_kernel *const kernels[] = {&fcps_kernel_se, &fcps_kernel_matern32, &fcps_kernel_matern52};

const fcps_kernel *fcps_kernel_at(int index)
{
  const int count = (int)(sizeof kernels / sizeof *kernels);
  return index >= 0 && index < count ? kernels[index] : NULL;
}

void fcps_kernel_exp(int count, double *exponent)
{
  int padded = count;
  while (padded % FCPS_VEXP_LANES != 0)
    exponent[padded++] = 0.0;
  fcps_vexp(padded, exponent);
}
