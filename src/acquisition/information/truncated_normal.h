/* SPDX-License-Identifier: Apache-2.0 */
/* What knowing an upper bound of a Gaussian tells about a noisy reading of it. */
#ifndef FCPS_ACQUISITION_INFORMATION_TRUNCATED_NORMAL_H
#define FCPS_ACQUISITION_INFORMATION_TRUNCATED_NORMAL_H

/* H[y] - H[y | f < bound] for f ~ N(mu, v), y = f + noise of variance sn^2:
 *   g = (bound - mu)/sqrt(v),   share = v/(v + sn^2).
 * A bound more than ten deviations below the mean counts as ten. */
double fcps_truncated_normal_gain(double g, double share);

#endif
