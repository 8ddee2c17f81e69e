/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of the distance to an uncertain point: a scaled noncentral chi variable with k degrees of freedom.
 *
 * With lambda = d/s and E = E|delta + s z| the derivatives are short. E is homogeneous in (d, s), so E = d E_d + s E_s
 * by Euler's theorem:
 *
 *   k = 1   E_d = erf(lambda/sqrt 2)                       E_s = sqrt(2/pi) exp(-lambda^2/2)
 *   k = 2   E_d = sqrt(pi/8) lambda (I0e(x) + I1e(x))      E_s = sqrt(pi/2) I0e(x),     x = lambda^2/4
 *   k = 3   E_d = (1 - 1/lambda^2) erf(lambda/sqrt 2) + sqrt(2/pi) exp(-lambda^2/2)/lambda
 *                                                          E_s = (2/lambda) erf(lambda/sqrt 2)
 *
 * I0e, I1e are exp(-x) times the modified Bessel functions. The second moment is d^2 + k s^2.
 */
#include "reward/expected_reward_impl.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* exp(-x) I_order(x) for order 0 or 1: by the power series, or by the asymptotic series if that is exact up to rounding
 * [abramowitz1964, 9.6.10 and 9.7.1]. */
static double scaled_bessel(int order, double x)
{
  double term = 1.0, sum = 1.0;
  if (x < 20.0) {
    const double quarter = x * x / 4.0;
    for (int i = 1; term > 1e-17 * sum; i++) {
      term *= quarter / (i * (i + order));
      sum += term;
    }
    return sum * exp(-x) * (order == 0 ? 1.0 : x / 2.0);
  }
  const double mu = 4.0 * order * order;
  for (int i = 1; i < 30; i++) {
    const double odd = 2.0 * i - 1.0;
    term *= -(mu - odd * odd) / (i * 8.0 * x);
    sum += term;
    if (fabs(term) < 1e-17 * fabs(sum)) break;
  }
  return sum / sqrt(2.0 * pi * x);
}

static void slopes(int k, double lambda, double *slope_d, double *slope_s)
{
  const double tail = sqrt(2.0 / pi) * exp(-0.5 * lambda * lambda);
  if (k == 1) {
    *slope_d = erf(lambda / sqrt(2.0));
    *slope_s = tail;
  } else if (k == 2) {
    const double x = lambda * lambda / 4.0, i0 = scaled_bessel(0, x), i1 = scaled_bessel(1, x);
    *slope_d = sqrt(pi / 8.0) * lambda * (i0 + i1);
    *slope_s = sqrt(pi / 2.0) * i0;
  } else if (lambda < 1e-3) {
    /* uses the first terms of the series, because the closed form divides by lambda */
    *slope_d = sqrt(2.0 / pi) * 2.0 * lambda / 3.0;
    *slope_s = sqrt(2.0 / pi) * 2.0 * (1.0 - lambda * lambda / 6.0);
  } else {
    const double inside = erf(lambda / sqrt(2.0));
    *slope_d = (1.0 - 1.0 / (lambda * lambda)) * inside + tail / lambda;
    *slope_s = 2.0 / lambda * inside;
  }
}

fcps_distance fcps_distance_moments(int k, double d, double s)
{
  fcps_distance m;
  slopes(k, d / s, &m.mean_d, &m.mean_s);
  m.mean = d * m.mean_d + s * m.mean_s;

  /* far away only the component along delta matters; d^2 + k s^2 - E^2 would be a difference of large numbers */
  if (d > 1e4 * s) {
    m.deviation = s;
    m.deviation_d = 0.0;
    m.deviation_s = 1.0;
    return m;
  }
  m.deviation = sqrt(fmax(d * d + k * s * s - m.mean * m.mean, 1e-300));
  m.deviation_d = (d - m.mean * m.mean_d) / m.deviation;
  m.deviation_s = (k * s - m.mean * m.mean_s) / m.deviation;
  return m;
}
