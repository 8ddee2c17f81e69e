/* SPDX-License-Identifier: Apache-2.0 */
/* Density and distribution by the C library; quantiles by bisection, which needs no table of constants. */
#include "base/normal.h"

#include <math.h>

double fcps_normal_density(double z)
{
  return exp(-0.5 * z * z) / 2.5066282746310002;
}

double fcps_normal_cdf(double z)
{
  return 0.5 * erfc(-z / 1.4142135623730951);
}

double fcps_normal_quantile(double p)
{
  double low = -40.0, high = 40.0;
  for (int i = 0; i < 70; i++) {
    const double middle = 0.5 * (low + high);
    if (fcps_normal_cdf(middle) < p)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

/* -- Cut off at a bound -- */

/* f ~ N(mu, v) is known to be below a bound; a reading y of f has noise of variance sn^2. In units of y's deviation,
 * with t = (y - mu)/sqrt(v + sn^2), rho^2 = share and c^2 = 1 - rho^2, the reading has the density
 *
 *   p(t) = phi(t) Phi(u)/Phi(g),   u = (g - rho t)/c,
 *
 * with E t = -rho h, E t^2 = 1 - rho^2 g h, h = phi(g)/Phi(g), so that
 *
 *   H[y] - H[y | f < bound] = rho^2 g h/2 - log Phi(g) + E_p log Phi(u).
 *
 * Without noise the last term is 0: max-value entropy search [wang2017, Eq. 6]. With noise it is one integral of a
 * smooth function, by the trapezoidal rule; the integrand differs from 0 only if u < 6.5. */

enum { NODES = 40 };
static const double deepest = -10.0;

double fcps_truncated_normal_hazard(double g)
{
  return fcps_normal_density(g) / fcps_normal_cdf(g);
}

/* Returns E_p log Phi(u). */
static double reading_term(double g, double rho, double c, double h)
{
  const double mean = -rho * h, deviation = sqrt(fmax(1.0 - rho * rho * h * (g + h), 1e-12));
  const double low = fmax(mean - 10.0 * deviation, (g - 6.5 * c) / rho);
  const double high = fmin(mean + 8.0 * deviation, (g + 12.0 * c) / rho);
  if (!(low < high)) return 0.0;
  const double step = (high - low) / NODES, share = fcps_normal_cdf(g);
  double sum = 0.0;
  for (int i = 0; i <= NODES; i++) {
    const double t = low + step * i, below = fcps_normal_cdf((g - rho * t) / c);
    const double weight = i == 0 || i == NODES ? 0.5 : 1.0;
    if (below > 1e-300) sum += weight * fcps_normal_density(t) * (below / share) * log(below);
  }
  return sum * step;
}

double fcps_truncated_normal_gain(double g, double share)
{
  const double bound = fmax(g, deepest), rho = sqrt(fmin(fmax(share, 0.0), 1.0)), c = sqrt(1.0 - rho * rho);
  /* the reading tells nothing about f, or the bound cuts off less than a rounding error */
  if (rho == 0.0 || bound > 9.0) return 0.0;
  const double cdf = fcps_normal_cdf(bound), h = fcps_truncated_normal_hazard(bound);
  const double noiseless = 0.5 * rho * rho * bound * h - log(cdf);
  return fmax(0.0, c < 1e-6 ? noiseless : noiseless + reading_term(bound, rho, c, h));
}

/* -- Student's t -- */

/* Closed forms for four degrees of freedom [shaw2006]. Beyond `far` the tail is a series, because the closed form is a
 * difference of nearly equal numbers. */
static const double far = 300.0;

double fcps_student_cdf(double t)
{
  const double square = t * t, w = 1.0 + square / 4.0;
  if (t < -far) return 3.0 / (square * square) * (1.0 - 40.0 / (3.0 * square));
  if (t > far) return 1.0 - fcps_student_cdf(-t);
  return 0.5 + 0.375 * t / sqrt(w) * (1.0 - square / (12.0 * w));
}

double fcps_student_quantile(double p)
{
  const double least = p < 0.5 ? p : 1.0 - p, root = sqrt(4.0 * p * (1.0 - p));
  const double away =
      least < 1e-9 ? pow(3.0 / least, 0.25) : 2.0 * sqrt(fmax(cos(acos(fmin(root, 1.0)) / 3.0) / root - 1.0, 0.0));
  return p < 0.5 ? -away : away;
}
