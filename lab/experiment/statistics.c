/* SPDX-License-Identifier: Apache-2.0 */
/* Means in two passes, so that small deviations of large numbers keep their digits. */
#include "lab/experiment/statistics.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* Two passes over a[i] - b[i], or over a[i] where b is NULL. */
static fcps_statistics compute(int count, const double *a, const double *b)
{
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++)
    sum += b != NULL ? a[i] - b[i] : a[i];

  const double mean = count > 0 ? sum / count : NAN;
  for (int i = 0; i < count; i++) {
    const double deviation = (b != NULL ? a[i] - b[i] : a[i]) - mean;
    squares += deviation * deviation;
  }
  const double sd = count > 1 ? sqrt(squares / (count - 1)) : NAN;
  return (fcps_statistics){count, mean, sd, sd / sqrt(count)};
}

fcps_statistics fcps_statistics_of(int count, const double *values)
{
  return compute(count, values, 0);
}

fcps_statistics fcps_statistics_of_differences(int count, const double *a, const double *b)
{
  return compute(count, a, b);
}

void fcps_statistics_spread(int count, const double *a, const double *b, double *ratio, double *se)
{
  const double sd_a = fcps_statistics_of(count, a).sd, sd_b = fcps_statistics_of(count, b).sd;
  *ratio = sd_a / sd_b;
  /* var(log sd) is about 1 / (2 (n - 1)), twice: once for each */
  *se = *ratio / sqrt(count - 1.0);
}

double fcps_statistics_median(int count, double *values)
{
  if (count == 0) return NAN;
  qsort(values, (size_t)count, sizeof *values, fcps_number_compare);
  return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}
