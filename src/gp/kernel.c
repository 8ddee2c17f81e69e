/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of kernels: one line each, in the order in which settings list them. Names are what settings and saved
 * files say, so a name never changes its meaning; the order may change. */
#include "gp/kernel.h"

#include "gp/vexp.h"

#include <string.h>

static const fcps_kernel *const kernels[] = {&fcps_kernel_se, &fcps_kernel_matern32, &fcps_kernel_matern52};

const fcps_kernel *fcps_kernel_at(int index)
{
  const int count = (int)(sizeof kernels / sizeof *kernels);
  return index >= 0 && index < count ? kernels[index] : NULL;
}

const fcps_kernel *fcps_kernel_find(const char *name)
{
  for (int i = 0; name != NULL && fcps_kernel_at(i) != NULL; i++)
    if (strcmp(fcps_kernel_at(i)->name, name) == 0) return fcps_kernel_at(i);
  return NULL;
}

void fcps_kernel_exp(int count, double *exponent)
{
  int padded = count;
  while (padded % FCPS_VEXP_LANES != 0)
    exponent[padded++] = 0.0;
  fcps_vexp(padded, exponent);
}
