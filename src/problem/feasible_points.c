/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a feasible set: on steps, and at random.
 *
 * Steps (integers and the like) are found by a search in depth: one coordinate after the other is put on a step near it,
 * and the others move as they must; a branch that cannot be kept is left. Draws come from the given stream alone. */
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

/* The coordinate with steps that is free and nearest to one of them; -1: there is none. */
static int next_free(const fcps_feasible *set, const bool *held, const double *z)
{
  int found = -1;
  double least = INFINITY;
  for (int d = 0; d < set->n; d++) {
    if (held[d] || !(set->levels[d] > 0.0)) continue;
    const double place = z[d] * set->levels[d] - 0.5, off = fabs(place - round(place));
    if (!(off < least)) continue;
    least = off;
    found = d;
  }
  return found;
}

/* Puts the free coordinates of `x` on steps; z is the point of the set that was found. */
static bool descend(fcps_feasible *set, bool *held, double *x, double *z, int *branches)
{
  if (--*branches < 0 || !fcps_feasible_approach(set, held, x, z)) return false;
  const int d = next_free(set, held, z);
  if (d < 0) return fcps_feasible_keeps(set, z, FCPS_FEASIBLE_TIGHT, NULL);
  const double levels = set->levels[d], wish = z[d], before = x[d];
  const double nearest = fmin(fmax(floor(wish * levels), 0.0), levels - 1.0);
  const double side = wish * levels - 0.5 >= nearest ? 1.0 : -1.0;
  held[d] = true;
  for (int away = 0; away < 2 * (int)fmin(levels, 1e6) && *branches > 0; away++) {
    const double level = nearest + (away % 2 == 1 ? side : -side) * ((away + 1) / 2);
    if (level < 0.0 || level > levels - 1.0) continue;
    x[d] = middle_of(levels, level);
    if (descend(set, held, x, z, branches)) return true;
  }
  held[d] = false;
  x[d] = before;
  return false;
}

/* Whether a point of the set was found near x, on steps. */
bool fcps_feasible_settle_near(fcps_feasible *set, double *x)
{
  int branches = BRANCHES;
  if (!set->has_levels) {
    const bool is_found = fcps_feasible_approach(set, NULL, x, set->here);
    if (is_found) memcpy(x, set->here, (size_t)set->n * sizeof *x);
    return is_found;
  }
  memcpy(set->target, x, (size_t)set->n * sizeof *x);
  memset(set->held, 0, (size_t)set->n * sizeof *set->held);
  if (!descend(set, set->held, set->target, set->here, &branches)) return false;
  memcpy(x, set->here, (size_t)set->n * sizeof *x);
  return true;
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

/* A random direction that keeps the equations, at first. */
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
