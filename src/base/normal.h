/* SPDX-License-Identifier: Apache-2.0 */
/* The standard normal distribution. */
#ifndef FCPS_BASE_NORMAL_H
#define FCPS_BASE_NORMAL_H

double fcps_normal_density(double z);
double fcps_normal_cdf(double z);

/* The z with fcps_normal_cdf(z) = p, for p in (0, 1). */
double fcps_normal_quantile(double p);

/* -- Cut off at a bound -- */

/* A Gaussian that is cut off at a bound: what the bound tells about a noisy reading of it, and how it moves. */

/* H[y] - H[y | f < bound] for f ~ N(mu, v), y = f + noise of variance sn^2:
 *   g = (bound - mu)/sqrt(v),   share = v/(v + sn^2).
 * A bound more than ten deviations below the mean counts as ten. */
double fcps_truncated_normal_gain(double g, double share);

/* h = phi(g)/Phi(g): a standard normal cut off at g has the mean -h and the variance 1 - h (g + h). For g >= -35. */
double fcps_truncated_normal_hazard(double g);

/* Student's t with four degrees of freedom: what is believed of an error whose deviation is itself known badly. The chance of at
 * most t; and the t of which that is the chance, for p in (0, 1). */
double fcps_student_cdf(double t);
double fcps_student_quantile(double p);

#endif
