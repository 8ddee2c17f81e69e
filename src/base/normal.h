/* SPDX-License-Identifier: Apache-2.0 */
/* The standard normal distribution. */
#ifndef FCPS_BASE_NORMAL_H
#define FCPS_BASE_NORMAL_H

double fcps_normal_density(double z);
double fcps_normal_cdf(double z);

/* The z with fcps_normal_cdf(z) = p, for p in (0, 1). */
double fcps_normal_quantile(double p);

#endif
