/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a feasible set: on steps, and at random.
 *
 * Steps (integers and the like) are found by branch and bound [land1960], in depth: one coordinate after the other is put on a
 * step near it, and the others move as they must; bounds that cannot be kept are left. Draws come from the given stream alone. */
#include "problem/feasible_impl.h"

#include <math.h>
#include <string.h>

/* Steps of a random walk; tries of one such step; branches of a search on steps. */
enum { WALK = 2, WALK_TRIES = 40, BRANCHES = 3000 };

/* -- Steps -- */

static double middle_of(double levels, double level)
{
  return (level + 0.5) / levels;
}

/* The coordinate that must be put on a step next: the one nearest to a step; -1: all are on steps. */
static int next_free(const fcps_feasible *set, const double *z)
{
  int found = -1;
  double least = INFINITY;
  for (int d = 0; d < set->n; d++) {
    if (!(set->low[d] < set->high[d]) || !(set->levels[d] > 0.0)) continue;
    const double place = z[d] * set->levels[d] - 0.5, off = fabs(place - round(place));
    if (!(off < least)) continue;
    least = off;
    found = d;
  }
  return found;
}

/* Looks for a point of the set on steps between the bounds low and high, beginning at the one nearest to x; z receives
 * it. Puts a coordinate on its nearest step; if that fails, searches beyond that step, on the near side and then on the
 * other. */
static bool descend(fcps_feasible *set, const double *x, double *z)
{
  if (--set->branches < 0 || !fcps_feasible_approach(set, NULL, x, z)) return false;
  const int d = next_free(set, z);
  if (d < 0) return fcps_feasible_keeps(set, z, FCPS_FEASIBLE_TIGHT, NULL);
  const double levels = set->levels[d], wish = z[d] * levels - 0.5, low = set->low[d], high = set->high[d];
  const double nearest = fmin(fmax(round(wish), round(low * levels - 0.5)), round(high * levels - 0.5));
  const int first = wish >= nearest ? 1 : -1;
  bool is_found = false;
  for (int turn = 0; turn < 3 && !is_found; turn++) {
    const int side = turn == 0 ? 0 : turn == 1 ? first : -first;
    set->low[d] = side > 0 ? middle_of(levels, nearest + 1.0) : side < 0 ? low : middle_of(levels, nearest);
    set->high[d] = side > 0 ? high : side < 0 ? middle_of(levels, nearest - 1.0) : middle_of(levels, nearest);
    is_found = set->low[d] <= set->high[d] && set->low[d] >= low && set->high[d] <= high && descend(set, x, z);
  }
  set->low[d] = low;
  set->high[d] = high;
  return is_found;
}

/* Looks for a point of the set near x, on its steps; true: x is that point. */
bool fcps_feasible_settle_near(fcps_feasible *set, double *x)
{
  set->branches = BRANCHES;
  if (!set->has_levels) {
    const bool is_found = fcps_feasible_approach(set, NULL, x, set->here);
    if (is_found) memcpy(x, set->here, (size_t)set->n * sizeof *x);
    return is_found;
  }
  memcpy(set->target, x, (size_t)set->n * sizeof *x);
  const bool is_found = descend(set, set->target, set->here);
  set->is_cut_short = set->is_cut_short || set->branches < 0;
  if (is_found) memcpy(x, set->here, (size_t)set->n * sizeof *x);
  return is_found;
}

bool fcps_feasible_settle(fcps_feasible *set, double *x)
{
  if (set == NULL || fcps_feasible_settle_near(set, x)) return true;
  if (!set->has_levels && !set->has_equations) {
    fcps_feasible_come_from_anchor(set, x, set->here);
    memcpy(x, set->here, (size_t)set->n * sizeof *x);
    return true;
  }
  memcpy(x, set->anchor, (size_t)set->n * sizeof *x);
  return false;
}

/* -- Random points -- */

/* Draws a random direction; the first tries keep the equations. */
static bool draw_direction(fcps_feasible *set, fcps_rng *rng, const double *x, double *direction)
{
  fcps_feasible_nearest *p = &set->nearest;
  fcps_rng_normals(rng, set->n, direction);
  if (!set->has_equations) return true;
  if (!fcps_feasible_straighten(set, x)) return false;
  for (int k = 0; k < set->count; k++)
    p->offsets[k] = p->is_equation[k] ? 0.0 : -INFINITY;
  for (int d = 0; d < set->n; d++) {
    p->low[d] = -INFINITY;
    p->high[d] = INFINITY;
  }
  return fcps_feasible_nearest_find(p, direction, direction);
}

/* One step of a random walk through the set: a random point on a line, which is made shorter until it is inside
 * [smith1984, neal2003]. */
static void walk(fcps_feasible *set, fcps_rng *rng, double *x)
{
  double *direction = set->direction, *y = set->target, before = -INFINITY, after = INFINITY;
  if (!draw_direction(set, rng, x, direction)) return;
  for (int d = 0; d < set->n; d++) {
    if (!(fabs(direction[d]) > 1e-12)) continue;
    const double to_low = (set->low[d] - x[d]) / direction[d], to_high = (set->high[d] - x[d]) / direction[d];
    before = fmax(before, fmin(to_low, to_high));
    after = fmin(after, fmax(to_low, to_high));
  }
  if (!isfinite(before) || !isfinite(after)) return;
  for (int tries = 0; tries < WALK_TRIES; tries++) {
    const double length = before + (after - before) * fcps_rng_uniform(rng);
    for (int d = 0; d < set->n; d++)
      y[d] = fmin(fmax(x[d] + length * direction[d], set->low[d]), set->high[d]);
    fcps_feasible_rest(set, y);
    if (fcps_feasible_keeps(set, y, FCPS_FEASIBLE_TIGHT, NULL) ||
        (set->has_equations && !set->is_linear && fcps_feasible_approach(set, NULL, y, set->here))) {
      memcpy(x, fcps_feasible_keeps(set, y, FCPS_FEASIBLE_TIGHT, NULL) ? y : set->here, (size_t)set->n * sizeof *x);
      return;
    }
    *(length < 0.0 ? &before : &after) = length;
  }
}

void fcps_feasible_fill(fcps_feasible *set, fcps_rng *rng, bool evenly, int count, double *points)
{
  if (set == NULL) return;
  const size_t n = (size_t)set->n;
  double at[FCPS_SPACE_MAX];
  memcpy(at, set->anchor, n * sizeof *at);
  for (int i = 0, outside = 0; i < count; i++, points += n) {
    fcps_feasible_rest(set, points);
    if (fcps_feasible_keeps(set, points, FCPS_FEASIBLE_TIGHT, NULL)) {
      memcpy(at, points, n * sizeof *at);
      continue;
    }
    if (!evenly && outside++ % 2 == 0) {
      fcps_feasible_project(set, NULL, points, points);
      continue;
    }
    for (int step = 0; step < WALK; step++)
      walk(set, rng, at);
    memcpy(points, at, n * sizeof *points);
  }
}
