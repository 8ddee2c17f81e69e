/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of straight pieces over o = m + s z. On piece i, from z = l to z = u,
 *
 *   h = c + b z,   c = level + slope m,   b = slope s,
 *   P = Phi(u) - Phi(l),   Z1 = phi(l) - phi(u),   Z2 = P + l phi(l) - u phi(u)
 *
 * are the integrals of 1, z and z^2, so that E h = sum c P + b Z1, and the variance is the same of (h - E h)^2. The
 * derivatives of an expectation E g(o) by m and s are E g' and E g' z, and at each break what g jumps there, times the
 * density of o or that times z.
 */
#include "base/normal.h"
#include "reward/pieces.h"

#include <math.h>

/* The integrals of 1, z and z^2 over a piece, and its line in z. */
typedef struct share {
  double p, z1, z2;
  double c, b;
} share;

typedef struct edge {
  double z, density, below;
} edge;

/* Beyond this the density is 0 and nothing is left of the distribution. */
static const double furthest = 38.0;

static edge edge_at(const fcps_pieces *h, int index, double m, double s)
{
  if (index < 0) return (edge){0.0, 0.0, 0.0};
  if (index >= h->breaks_count) return (edge){0.0, 0.0, 1.0};
  const double z = (h->breaks[index] - m) / s;
  if (fabs(z) > furthest) return (edge){0.0, 0.0, z > 0.0 ? 1.0 : 0.0};
  return (edge){z, fcps_normal_density(z), fcps_normal_cdf(z)};
}

static share share_of(const fcps_pieces *h, int piece, double m, double s, edge low, edge high)
{
  const double p = high.below - low.below;
  return (share){.p = p,
                 .z1 = low.density - high.density,
                 .z2 = p + low.z * low.density - high.z * high.density,
                 .c = h->levels[piece] + h->slopes[piece] * m,
                 .b = h->slopes[piece] * s};
}

double fcps_pieces_mean(const fcps_pieces *h, double m, double s)
{
  double mean = 0.0;
  edge low = edge_at(h, -1, m, s);
  for (int i = 0; i <= h->breaks_count; i++) {
    const edge high = edge_at(h, i, m, s);
    const share a = share_of(h, i, m, s, low, high);
    mean += a.c * a.p + a.b * a.z1;
    low = high;
  }
  return mean;
}

/* What a break adds to the derivatives, where the function jumps from `before` to `after`. */
static void add_jump(edge at, double before, double after, double s, fcps_pieces_moments *r)
{
  const double jump = (after - before) * at.density / s;
  const double gap_before = before - r->mean, gap_after = after - r->mean;
  const double square = (gap_after * gap_after - gap_before * gap_before) * at.density / s;
  r->mean_m += jump;
  r->mean_s += jump * at.z;
  r->variance_m += square;
  r->variance_s += square * at.z;
}

fcps_pieces_moments fcps_pieces_expect(const fcps_pieces *h, double m, double s)
{
  fcps_pieces_moments r = {.mean = fcps_pieces_mean(h, m, s)};
  edge low = edge_at(h, -1, m, s);
  for (int i = 0; i <= h->breaks_count; i++) {
    const edge high = edge_at(h, i, m, s);
    const share a = share_of(h, i, m, s, low, high);
    const double c = a.c - r.mean, slope = h->slopes[i];
    r.variance += c * c * a.p + 2.0 * c * a.b * a.z1 + a.b * a.b * a.z2;
    r.mean_m += slope * a.p;
    r.mean_s += slope * a.z1;
    r.variance_m += 2.0 * slope * (c * a.p + a.b * a.z1);
    r.variance_s += 2.0 * slope * (c * a.z1 + a.b * a.z2);
    if (i < h->breaks_count)
      add_jump(high, h->levels[i] + slope * h->breaks[i], h->levels[i + 1] + h->slopes[i + 1] * h->breaks[i], s, &r);
    low = high;
  }
  r.variance = fmax(r.variance, 0.0);
  return r;
}

/* A kink -|o - t| has the mean -e(d), d = |m - t|, which is concave in d^2: the parabola through its value with the same
 * slope and the curvature e'(d)/d lies below it [weiszfeld1937]. A kink where the slope falls by f is f/2 of that. */
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
