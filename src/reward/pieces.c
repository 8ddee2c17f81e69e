/* SPDX-License-Identifier: Apache-2.0 */
/* Straight pieces of a formula. The pieces of each step follow from those of its arguments. A break may only be at a
 * break of an argument, or where arguments cross. Between two breaks the step is a straight line, which follows from
 * the arguments in the middle. */
#include "reward/pieces.h"

#include "base/memory.h"
#include "base/normal.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = FCPS_PIECES_MOST };

typedef struct line {
  double level, slope;
} line;

static line line_at(const fcps_pieces *p, double at)
{
  int i = 0;
  while (i < p->breaks_count && at >= p->breaks[i])
    i++;
  return (line){p->levels[i], p->slopes[i]};
}

double fcps_pieces_value(const fcps_pieces *pieces, double at)
{
  const line l = line_at(pieces, at);
  return l.level + l.slope * at;
}

static double height(line l, double at)
{
  return l.level + l.slope * at;
}

/* -- Breaks -- */

/* Places at which a step may have a break. There is room for the breaks of three arguments and their crossings. */
typedef struct cuts {
  int count;
  double at[4 * (MOST + 1) * 2];
} cuts;

static void add_breaks(cuts *c, const fcps_pieces *p)
{
  for (int i = 0; i < p->breaks_count; i++)
    c->at[c->count++] = p->breaks[i];
}

static void sort_cuts(cuts *c)
{
  int kept = 0;
  qsort(c->at, (size_t)c->count, sizeof *c->at, fcps_number_compare);
  for (int i = 0; i < c->count; i++)
    if (kept == 0 || c->at[i] > c->at[kept - 1]) c->at[kept++] = c->at[i];
  c->count = kept;
}

/* A point between cut i - 1 and cut i. */
static double middle(const cuts *c, int i)
{
  if (c->count == 0) return 0.0;
  if (i == 0) return c->at[0] - 1.0 - fabs(c->at[0]);
  if (i == c->count) return c->at[i - 1] + 1.0 + fabs(c->at[i - 1]);
  return 0.5 * (c->at[i - 1] + c->at[i]);
}

/* Adds the places at which a and b cross. The cuts are sorted and contain the breaks of both. */
static void add_crossings(cuts *c, const fcps_pieces *a, const fcps_pieces *b)
{
  cuts found = {0};
  for (int i = 0; i <= c->count; i++) {
    const line la = line_at(a, middle(c, i)), lb = line_at(b, middle(c, i));
    const double at = (lb.level - la.level) / (la.slope - lb.slope);
    const bool is_inside = isfinite(at) && (i == 0 || at > c->at[i - 1]) && (i == c->count || at < c->at[i]);
    if (is_inside) found.at[found.count++] = at;
  }
  for (int i = 0; i < found.count; i++)
    c->at[c->count++] = found.at[i];
  sort_cuts(c);
}

/* -- Steps -- */

/* Computes the line of a step from its arguments' lines, at a point where these do not cross; false if it is curved. */
static bool combine(const fcps_formula_step *step, const line l[3], double at, line *result)
{
  const double a = height(l[0], at), b = height(l[1], at);
  switch (step->op) {
  case FCPS_FORMULA_NEGATE:
    *result = (line){-l[0].level, -l[0].slope};
    return true;
  case FCPS_FORMULA_ADD:
    *result = (line){l[0].level + l[1].level, l[0].slope + l[1].slope};
    return true;
  case FCPS_FORMULA_SUBTRACT:
    *result = (line){l[0].level - l[1].level, l[0].slope - l[1].slope};
    return true;
  case FCPS_FORMULA_MULTIPLY:
    if (l[0].slope == 0.0)
      *result = (line){l[0].level * l[1].level, l[0].level * l[1].slope};
    else
      *result = (line){l[0].level * l[1].level, l[0].slope * l[1].level};
    return l[0].slope == 0.0 || l[1].slope == 0.0;
  case FCPS_FORMULA_DIVIDE:
    *result = (line){l[0].level / l[1].level, l[0].slope / l[1].level};
    return l[1].slope == 0.0;
  case FCPS_FORMULA_CHOOSE:
    *result = l[0].slope != 0.0 || l[0].level != 0.0 ? l[1] : l[2];
    return true;
  case FCPS_FORMULA_CALL_ONE:
    if (step->function->one == fabs)
      *result = a < 0.0 ? (line){-l[0].level, -l[0].slope} : l[0];
    else
      *result = (line){step->function->one(l[0].level), 0.0};
    return step->function->one == fabs || l[0].slope == 0.0;
  case FCPS_FORMULA_CALL_TWO:
    if (fcps_formula_calls(step, "min"))
      *result = b < a ? l[1] : l[0];
    else if (fcps_formula_calls(step, "max"))
      *result = b > a ? l[1] : l[0];
    else if (fcps_formula_calls(step, "sum"))
      *result = (line){l[0].level + l[1].level, l[0].slope + l[1].slope};
    else
      return false;
    return true;
  case FCPS_FORMULA_POWER:
    *result = l[0];
    return l[1].slope == 0.0 && l[1].level == 1.0;
  default: /* comparisons and logic */
    *result = (line){fcps_formula_apply(step, a, b, 0.0), 0.0};
    return true;
  }
}

/* Appends the piece that begins at `from`, unless it continues the piece before it. */
static bool append(fcps_pieces *p, double from, bool is_first, line l)
{
  if (!isfinite(l.level) || !isfinite(l.slope)) return false;
  const int last = p->breaks_count;
  if (!is_first && p->levels[last] == l.level && p->slopes[last] == l.slope) return true;
  if (!is_first && last == MOST) return false;
  if (!is_first) p->breaks[p->breaks_count++] = from;
  p->levels[p->breaks_count] = l.level;
  p->slopes[p->breaks_count] = l.slope;
  return true;
}

/* Whether a step may change at values where its first two arguments cross, or where the first one is 0. */
static bool compares(const fcps_formula_step *step)
{
  return (step->op >= FCPS_FORMULA_LESS && step->op <= FCPS_FORMULA_UNEQUAL) || step->op == FCPS_FORMULA_CALL_TWO;
}
static bool looks_at_zero(const fcps_formula_step *step)
{
  return step->op == FCPS_FORMULA_CALL_ONE && step->function->one == fabs;
}

static bool make_step(fcps_pieces *result, const fcps_formula_step *step, const fcps_pieces *const arguments[3])
{
  static const fcps_pieces zero = {0};
  const int count = fcps_formula_arguments(step);
  cuts c = {0};
  for (int i = 0; i < count; i++)
    add_breaks(&c, arguments[i]);
  sort_cuts(&c);
  if (compares(step)) add_crossings(&c, arguments[0], arguments[1]);
  if (looks_at_zero(step)) add_crossings(&c, arguments[0], &zero);
  *result = (fcps_pieces){0};
  for (int i = 0; i <= c.count; i++) {
    line l[3] = {{0}}, made;
    const double at = middle(&c, i);
    for (int a = 0; a < count; a++)
      l[a] = line_at(arguments[a], at);
    if (!combine(step, l, at, &made) || !append(result, i > 0 ? c.at[i - 1] : 0.0, i == 0, made)) return false;
  }
  return true;
}

bool fcps_pieces_find(fcps_pieces *pieces, const fcps_formula *formula, int index)
{
  fcps_pieces *all = fcps_allocate((size_t)formula->count, sizeof *all);
  bool is_found = all != NULL;
  for (int i = 0; i < formula->count && is_found; i++) {
    const fcps_formula_step *step = &formula->steps[i];
    const fcps_pieces *const arguments[3] = {&all[step->arguments[0]], &all[step->arguments[1]],
                                             &all[step->arguments[2]]};
    if (step->op == FCPS_FORMULA_CONSTANT) {
      all[i].levels[0] = step->constant; /* may be infinite: min and max start with that */
      is_found = !isnan(step->constant);
    } else if (step->op == FCPS_FORMULA_VALUE) {
      all[i].slopes[0] = 1.0;
      is_found = step->index == index;
    } else {
      is_found = make_step(&all[i], step, arguments);
    }
  }
  if (is_found) *pieces = all[formula->count - 1];
  is_found = is_found && isfinite(pieces->levels[0]);
  free(all);
  return is_found;
}

/* -- Clipping and shape -- */

bool fcps_pieces_clip(fcps_pieces *pieces, double lower, double upper)
{
  cuts c = {.count = 2, .at = {lower, upper}};
  for (int i = 0; i < pieces->breaks_count; i++)
    if (pieces->breaks[i] > lower && pieces->breaks[i] < upper) c.at[c.count++] = pieces->breaks[i];
  sort_cuts(&c);
  fcps_pieces clipped = {0};
  for (int i = 0; i <= c.count; i++) {
    const bool is_outside = i == 0 || i == c.count;
    const double at = is_outside ? (i == 0 ? lower : upper) : middle(&c, i);
    const line inside = line_at(pieces, i == c.count ? middle(&c, i - 1) : i == 0 ? middle(&c, 1) : at);
    const line l = is_outside ? (line){height(inside, at), 0.0} : inside;
    if (!append(&clipped, i > 0 ? c.at[i - 1] : 0.0, i == 0, l)) return false;
  }
  *pieces = clipped;
  return true;
}

bool fcps_pieces_are_concave(const fcps_pieces *p)
{
  for (int i = 0; i < p->breaks_count; i++) {
    const line before = {p->levels[i], p->slopes[i]}, after = {p->levels[i + 1], p->slopes[i + 1]};
    const double jump = height(after, p->breaks[i]) - height(before, p->breaks[i]);
    const double size = fabs(before.level) + fabs(after.level) + fabs(before.slope * p->breaks[i]);
    if (after.slope > before.slope || fabs(jump) > 1e-10 * size) return false;
  }
  return true;
}

/* -- Integrals -- */

/* Expectations of straight pieces over o = m + s z. From z = l to z = u a piece is f = c + b z. With
 *
 *   Z0 = Phi(u) - Phi(l),  Z1 = phi(l) - phi(u),  Z(n+1) = n Z(n-1) + l^n phi(l) - u^n phi(u)
 *
 * the integrals of z^n over the piece, E f = sum c Z0 + b Z1. Only the density is differentiated, so neither slopes nor
 * jumps of f are needed: the derivatives of E f by m and s are E(f z)/s and E(f (z^2 - 1))/s, and the second derivative
 * by m is E(f (z^2 - 1))/s^2. The same holds for f^2. */

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

/* The moments of f + reference, from the integrals of f. s is the deviation of o. */
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

/* Further from the mean than this many deviations, the normal density is 0 in double precision. */
static const double furthest = 38.0;

/* Integrates the function less a reference. The reference makes it small where most of the probability is. */
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
 * value and slope and the curvature e'(d)/d [weiszfeld1937]. If the slope falls by f at a kink, the curvature is f/2
 * times that. */
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
