/* SPDX-License-Identifier: Apache-2.0 */
/* The standard normal distribution, also cut off at a bound, and Student's t. */
#ifndef FCPS_BASE_NORMAL_H
#define FCPS_BASE_NORMAL_H

double fcps_normal_density(double z);
double fcps_normal_cdf(double z);

/* The z with fcps_normal_cdf(z) = p, for p in (0, 1). */
double fcps_normal_quantile(double p);

/* -- Cut off at a bound -- */

/* A Gaussian that is cut off at a bound: how much the bound tells about a noisy reading of the Gaussian, and how it
 * moves the Gaussian's mean and variance. */

/* The entropy that the bound takes from a reading, H[y] - H[y | f < bound] in nats, for f ~ N(mu, v) and y = f + noise
 * of variance sn^2:
 *   g = (bound - mu)/sqrt(v),   share = v/(v + sn^2).
 * A bound more than ten deviations below the mean counts as ten. */
double fcps_truncated_normal_gain(double g, double share);

/* h = phi(g)/Phi(g): a standard normal cut off at g has the mean -h and the variance 1 - h (g + h). For g >= -35. */
double fcps_truncated_normal_hazard(double g);

/* Student's t with four degrees of freedom: the distribution of an error whose deviation is itself only roughly known.
 * fcps_student_cdf is the probability of at most t; fcps_student_quantile is the t with this probability p, in (0,
 * 1). */
double fcps_student_cdf(double t);
double fcps_student_quantile(double p);

#endif
