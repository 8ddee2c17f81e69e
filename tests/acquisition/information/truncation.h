/* SPDX-License-Identifier: Apache-2.0 */
/* What a bound tells, by integration: for the tests of gains that cut a Gaussian off. */
#ifndef FCPS_TESTS_ACQUISITION_INFORMATION_TRUNCATION_H
#define FCPS_TESTS_ACQUISITION_INFORMATION_TRUNCATION_H

#include <math.h>

static inline double density(double z, double variance)
{
  return exp(-0.5 * z * z / variance) / sqrt(2.0 * acos(-1.0) * variance);
}

/* H[y] - H[y | f < bound] for f ~ N(0, v), y = f + noise, the density of y by an integral over f. */
static inline double brute_truncation(double bound, double v, double sn2)
{
  enum { STEPS = 500 };
  const double width = sqrt(v + sn2), lowest = fmin(bound, 0.0) - 9.0 * width, highest = bound + 9.0 * sqrt(sn2);
  const double from = fmin(bound, 0.0) - 9.0 * sqrt(v), over = bound - from, pi = acos(-1.0);
  double entropy = 0, share = 0.5 * erfc(-bound / sqrt(2.0 * v));
  for (int i = 0; i < STEPS; i++) {
    const double y = lowest + (highest - lowest) * (i + 0.5) / STEPS;
    double p = 0;
    for (int j = 0; j < STEPS; j++) {
      const double f = from + over * (j + 0.5) / STEPS;
      p += density(f, v) * density(y - f, sn2) * over / STEPS;
    }
    p /= share;
    if (p > 1e-300) entropy -= p * log(p) * (highest - lowest) / STEPS;
  }
  return 0.5 * log(2.0 * pi * exp(1.0) * (v + sn2)) - entropy;
}

#endif
