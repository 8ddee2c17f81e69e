/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for one number. */
#include "model/structures/mishap.h"

#include <math.h>
#include <stddef.h>

double fcps_mishap_distance(double deviations, int rows)
{
  const double freedom = rows - 2;
  return freedom > 0 ? sqrt(freedom * expm1(deviations * deviations / freedom)) : NAN;
}

bool fcps_mishap_is_within(double least, double most, double value, double spans)
{
  const bool has_new_sign = (least > 0 && value < 0) || (most < 0 && value > 0);
  if (has_new_sign) return false;
  const double span = most - least;
  return value >= least - spans * span && value <= most + spans * span;
}

/* A prediction near zero explains nothing: every small number would do. */
bool fcps_mishap_has_lost_its_point(double value, double expected, double deviation)
{
  static const double factors[] = {0.1, 10.0, 0.01, 100.0, 0.001, 1000.0}, near = 3.0, about = 0.05;
  const double reach = fmax(near * deviation, about * fabs(expected));
  if (fabs(expected) < 2.0 * reach) return false;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (fabs(factors[i] * value - expected) < reach) return true;
  return false;
}
