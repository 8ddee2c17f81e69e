/* SPDX-License-Identifier: Apache-2.0 */
/* The smoothest movement from rest to rest: a polynomial with the least integral of the squared jerk [flash1985]. */
#include <fcps/primitive.h>

double fcps_minimum_jerk(double s)
{
  if (s <= 0) return 0;
  if (s >= 1) return 1;
  return s * s * s * (10 + s * (6 * s - 15));
}
