/* SPDX-License-Identifier: Apache-2.0 */
/* The smoothest move from rest to rest [flash1985]. */
#include <fcps/primitive.h>

void fcps_minimum_jerk(double s, double *value, double *rate, double *acceleration)
{
  const bool moves = s > 0 && s < 1;
  *value = moves ? s * s * s * (10 + s * (6 * s - 15)) : s >= 1;
  *rate = moves ? 30 * s * s * (1 - s) * (1 - s) : 0;
  *acceleration = moves ? 60 * s * (1 - s) * (1 - 2 * s) : 0;
}
