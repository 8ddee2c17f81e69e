/* SPDX-License-Identifier: Apache-2.0 */
/* How far is an uncertain point? Moments of |delta + s z|, z standard normal in 1, 2 or 3 dimensions. */
#ifndef FCPS_REWARD_DISTANCE_H
#define FCPS_REWARD_DISTANCE_H

/* Most dimensions there is a closed form for. */
#define FCPS_DISTANCE_MAX 3

/* Mean and deviation of the distance, and their derivatives with respect to d = |delta| and s. */
typedef struct fcps_distance {
  double mean, mean_d, mean_s;
  double deviation, deviation_d, deviation_s;
} fcps_distance;

/* For d >= 0 and s > 0. */
fcps_distance fcps_distance_moments(int dimensions, double d, double s);

#endif
