/* SPDX-License-Identifier: Apache-2.0 */
/* Density and distribution by the C library; quantiles by bisection, which needs no table of constants. */
#include "base/normal.h"

#include <math.h>

double fcps_normal_density(double z)
{
  return exp(-0.5 * z * z) / 2.5066282746310002;
}

double fcps_normal_cdf(double z)
{
  return 0.5 * erfc(-z / 1.4142135623730951);
}

double fcps_normal_quantile(double p)
{
  double low = -40.0, high = 40.0;
  for (int i = 0; i < 70; i++) {
    const double middle = 0.5 * (low + high);
    if (fcps_normal_cdf(middle) < p)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}
