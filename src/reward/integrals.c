/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of straight pieces over o = m + s z. From z = l to z = u a piece is f = c + b z. With
 *
 *   Z0 = Phi(u) - Phi(l),  Z1 = phi(l) - phi(u),  Z(n+1) = n Z(n-1) + l^n phi(l) - u^n phi(u)
 *
 * the integrals of z^n over the piece, E f = sum c Z0 + b Z1. Derivatives are taken of the density, so they need
 * neither slopes nor jumps of f: the derivatives of E f by m and s are E(f z)/s and E(f (z^2 - 1))/s, and the second
 * derivative by m is E(f (z^2 - 1))/s^2. The same holds for f^2.
 */
#include "base/normal.h"
#include "reward/pieces.h"

#include <math.h>

fcps_edge fcps_edge_at(double z)
{
  return (fcps_edge){z, fcps_normal_density(z), fcps_normal_cdf(z)};
}

/* Computes n[k], the integrals of z^k between two edges, for k = 0, ..., most. */
static void find_powers(int most, const fcps_edge *low, const fcps_edge *high, double n[5])
{
  double l = low->density, u = high->density;
  n[0] = high->below - low->below;
  n[1] = l - u;
  for (int k = 1; k < most; k++) {
    l *= low->z;
    u *= high->z;
    n[k + 1] = k * n[k - 1] + l - u;
  }
}

void fcps_integrals_add(fcps_integrals *sums, fcps_wanted wanted, double c, double b, const fcps_edge *low,
                        const fcps_edge *high)
{
  double n[5];
  const double cc = c * c, cb = 2.0 * c * b, bb = b * b;
  find_powers(wanted == FCPS_WANTED_SLOPES ? 4 : wanted == FCPS_WANTED_VARIANCE ? 2 : 1, low, high, n);
  sums->f[0] += c * n[0] + b * n[1];
  if (wanted == FCPS_WANTED_MEAN) return;
  sums->square[0] += cc * n[0] + cb * n[1] + bb * n[2];
  if (wanted == FCPS_WANTED_VARIANCE) return;
  sums->f[1] += c * n[1] + b * n[2];
  sums->f[2] += c * (n[2] - n[0]) + b * (n[3] - n[1]);
  sums->square[1] += cc * n[1] + cb * n[2] + bb * n[3];
  sums->square[2] += cc * (n[2] - n[0]) + cb * (n[3] - n[1]) + bb * (n[4] - n[2]);
}

/* The moments of f + reference if z has the deviation s, from the integrals of f. */
static fcps_pieces_moments moments_of(const fcps_integrals *sums, double reference, double s)
{
  const double *f = sums->f, *square = sums->square;
  return (fcps_pieces_moments){.mean = reference + f[0],
                               .variance = fmax(square[0] - f[0] * f[0], 0.0),
                               .mean_m = f[1] / s,
                               .mean_s = f[2] / s,
                               .variance_m = (square[1] - 2.0 * f[0] * f[1]) / s,
                               .variance_s = (square[2] - 2.0 * f[0] * f[2]) / s};
}

/* -- Pieces of one number -- */

/* Beyond this distance from the mean, in deviations, the density is 0 in double precision. */
static const double furthest = 38.0;

/* Integrates the function minus a reference, which makes it small where most of the probability is. */
static fcps_integrals integrate(const fcps_pieces *h, double m, double s, double reference, fcps_wanted wanted)
{
  fcps_integrals sums = {0};
  fcps_edge low = {0};
  for (int i = 0; i <= h->breaks_count; i++) {
    fcps_edge high = {.below = 1.0};
    const double z = i < h->breaks_count ? (h->breaks[i] - m) / s : INFINITY;
    if (fabs(z) <= furthest)
      high = fcps_edge_at(z);
    else if (z < 0.0)
      high.below = 0.0;
    fcps_integrals_add(&sums, wanted, h->levels[i] + h->slopes[i] * m - reference, h->slopes[i] * s, &low, &high);
    low = high;
  }
  return sums;
}

double fcps_pieces_mean(const fcps_pieces *h, double m, double s)
{
  return integrate(h, m, s, 0.0, FCPS_WANTED_MEAN).f[0];
}

fcps_pieces_moments fcps_pieces_expect(const fcps_pieces *h, double m, double s)
{
  const double reference = fcps_pieces_value(h, m);
  const fcps_integrals sums = integrate(h, m, s, reference, FCPS_WANTED_SLOPES);
  return moments_of(&sums, reference, s);
}

/* A kink -|o - t| has the mean -e(d), d = |m - t|, which is concave in d^2. So it lies above the parabola that has its
 * value and slope and the curvature e'(d)/d [weiszfeld1937]. A kink at which the slope falls by f is f/2 times that. */
double fcps_pieces_bend(const fcps_pieces *h, double m, double s)
{
  double bend = 0.0;
  for (int i = 0; i < h->breaks_count; i++) {
    const double fall = h->slopes[i] - h->slopes[i + 1], z = fabs(m - h->breaks[i]) / s;
    const double steepness = z > 1e-4 ? erf(z * 0.7071067811865476) / z : 0.7978845608028654;
    bend += 0.5 * fmax(fall, 0.0) * steepness / s;
  }
  return bend;
}
