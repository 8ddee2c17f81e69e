/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all kernels. A new kernel is a file <name>.c, its declaration (here, or in kernel.h if other files name
 * it) and its line here. Settings list kernels in this order. Saved models name their kernel, so the meaning of a name
 * never changes; the order may change. */
#include "gp/kernels/kernel.h"

#include <string.h>

static const fcps_kernel *const kernels[] = {
    &fcps_kernel_se,
    &fcps_kernel_matern32,
    &fcps_kernel_matern52,
};

const fcps_kernel *fcps_kernel_at(int index)
{
  const int count = (int)(sizeof kernels / sizeof *kernels);
  return index >= 0 && index < count ? kernels[index] : NULL;
}

const fcps_kernel *fcps_kernel_find(const char *name)
{
  for (int i = 0; fcps_kernel_at(i) != NULL; i++)
    if (name != NULL && strcmp(fcps_kernel_at(i)->name, name) == 0) return fcps_kernel_at(i);
  return NULL;
}
