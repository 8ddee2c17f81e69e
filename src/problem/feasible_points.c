/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a feasible set: on steps, at random, and the nearest one of a polyhedron.
 *
 * Steps (integers and the like) are found by branch and bound [land1960], in depth: one coordinate after the other is put on a
 * step near it, and the others move as they must; bounds that cannot be kept are left. Draws come from the given stream alone. */
#include "base/memory.h"
#include "problem/feasible_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of a random walk; tries for one step of the walk; branches of a search on steps. */
enum { WALK = 2, WALK_TRIES = 40, BRANCHES = 3000 };

/* -- Steps -- */

static double middle_of(double levels, double level)
{
  return (level + 0.5) / levels;
}

/* Returns the coordinate that is put on a step next, which is the one nearest to a step; -1 if all are on steps. */
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

/* Looks for a point of the set near x, on its steps. If it returns true, x is that point. */
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

/* -- The nearest point of a polyhedron --
 *
 * The dual method of Goldfarb and Idnani [goldfarb1983] for the unit matrix: from x, which breaks rows, it adds one broken
 * row after the other to those that hold the point, and drops those whose force would become negative. The point is the
 * nearest one to x of all rows that are added, so there is no first feasible point to be found; if nothing can be dropped
 * and the new row depends on the others, they contradict each other.
 *
 * Few rows hold a point, so their small Gram matrix is factored anew in each step. */

/* Below `tolerance`, a length in the unit cube, a row counts as kept; below `dependent`, a squared length, a normal
 * depends on the others. */
static const double tolerance = 1e-13, dependent = 1e-14;

fcps_status fcps_feasible_nearest_create(fcps_feasible_nearest *nearest, int n, int rows)
{
  const size_t width = (size_t)n, most = width + 1;
  *nearest = (fcps_feasible_nearest){.n = n, .rows = rows};
  nearest->normals = fcps_allocate((size_t)rows * (width + 1) + 2 * width + most, sizeof(double));
  nearest->is_equation = fcps_allocate((size_t)rows, sizeof(bool));
  nearest->active = fcps_allocate(most, sizeof(int));
  nearest->scratch = fcps_allocate(most * (width + most + 2) + 2 * width, sizeof(double));
  if (nearest->normals == NULL || nearest->is_equation == NULL || nearest->active == NULL || nearest->scratch == NULL)
    return FCPS_ERR_MEMORY;
  nearest->offsets = nearest->normals + (size_t)rows * width;
  nearest->low = nearest->offsets + rows;
  nearest->high = nearest->low + n;
  nearest->forces = nearest->high + n;
  return FCPS_OK;
}

void fcps_feasible_nearest_free(fcps_feasible_nearest *nearest)
{
  free(nearest->normals);
  free(nearest->is_equation);
  free(nearest->active);
  free(nearest->scratch);
  *nearest = (fcps_feasible_nearest){0};
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static bool is_held(const fcps_feasible_nearest *p, int d)
{
  return p->low[d] == p->high[d];
}

/* The normal of a row or bound, in the free coordinates. */
static void normal_of(const fcps_feasible_nearest *p, int index, double *normal)
{
  memset(normal, 0, (size_t)p->n * sizeof *normal);
  if (index >= p->rows) {
    normal[(index - p->rows) / 2] = (index - p->rows) % 2 == 0 ? 1.0 : -1.0;
    return;
  }
  for (int d = 0; d < p->n; d++)
    if (!is_held(p, d)) normal[d] = p->normals[(size_t)index * (size_t)p->n + (size_t)d];
}

/* Returns how far away a row or bound is from being broken; negative if it is broken. */
static double slack_of(const fcps_feasible_nearest *p, int index, const double *z)
{
  const int d = (index - p->rows) / 2;
  if (index < p->rows) return dot(p->n, p->normals + (size_t)index * (size_t)p->n, z) - p->offsets[index];
  return (index - p->rows) % 2 == 0 ? z[d] - p->low[d] : p->high[d] - z[d];
}

static bool is_active(const fcps_feasible_nearest *p, int index)
{
  for (int i = 0; i < p->active_count; i++)
    if (p->active[i] == index) return true;
  return false;
}

/* Returns the row or bound that is broken most, equations first; -1 if all are kept; -2 if no move can keep one of
 * them. */
static int find_broken(const fcps_feasible_nearest *p, const double *z, double *normal)
{
  int worst = -1;
  double most = tolerance;
  for (int i = 0; i < p->rows + 2 * p->n; i++) {
    if (i >= p->rows && is_held(p, (i - p->rows) / 2)) continue;
    if (is_active(p, i)) continue;
    const bool is_equation = i < p->rows && p->is_equation[i];
    const double slack = slack_of(p, i, z);
    if (!(slack < 0.0) && !(is_equation && slack > 0.0)) continue;
    double length = 1.0;
    if (i < p->rows) {
      normal_of(p, i, normal);
      length = sqrt(dot(p->n, normal, normal));
    }
    if (!(length > 0.0) && fabs(slack) > 1e-9) return -2;
    if (!(length > 0.0)) continue;
    if (!(fabs(slack) > most * length)) continue;
    if (is_equation) return i;
    most = fabs(slack) / length;
    worst = i;
  }
  return worst;
}

/* Solves (N N^T) r = b in place for the q active normals, the rows of N; `factor` has room for their Gram matrix. */
static bool solve_gram(int q, int n, const double *normals, double *factor, double *b)
{
  for (int i = 0; i < q; i++)
    for (int j = 0; j <= i; j++) {
      double sum = dot(n, normals + (size_t)i * (size_t)n, normals + (size_t)j * (size_t)n);
      for (int k = 0; k < j; k++)
        sum -= factor[i * q + k] * factor[j * q + k];
      if (i == j && !(sum > 0.0)) return false;
      factor[i * q + j] = i == j ? sqrt(sum) : sum / factor[j * q + j];
    }
  for (int i = 0; i < q; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= factor[i * q + k] * b[k];
    b[i] /= factor[i * q + i];
  }
  for (int i = q - 1; i >= 0; i--) {
    for (int k = i + 1; k < q; k++)
      b[i] -= factor[k * q + i] * b[k];
    b[i] /= factor[i * q + i];
  }
  return true;
}

static void drop(fcps_feasible_nearest *p, double *normals, int place)
{
  const size_t n = (size_t)p->n, after = (size_t)(--p->active_count - place);
  memmove(p->active + place, p->active + place + 1, after * sizeof *p->active);
  memmove(p->forces + place, p->forces + place + 1, after * sizeof *p->forces);
  memmove(normals + (size_t)place * n, normals + ((size_t)place + 1) * n, after * n * sizeof *normals);
}

/* Moves z until the broken row `index` is kept. The row is then one of the active ones. */
static bool mend(fcps_feasible_nearest *p, int index, double *z)
{
  const int n = p->n;
  const size_t most = (size_t)n + 1;
  double *normals = p->scratch, *factor = normals + most * (size_t)n, *share = factor + most * most,
         *normal = share + most, *step = normal + n;
  normal_of(p, index, normal);
  double slack = slack_of(p, index, z), force = 0.0;
  const double sign = slack > 0.0 ? -1.0 : 1.0; /* An equation may be broken from either side. */
  for (int d = 0; d < n; d++)
    normal[d] *= sign;
  slack *= sign;
  for (int tries = 0; tries <= 2 * n + p->rows + 2; tries++) {
    const int q = p->active_count;
    for (int i = 0; i < q; i++)
      share[i] = dot(n, normals + (size_t)i * (size_t)n, normal);
    if (!solve_gram(q, n, normals, factor, share)) return false;
    memcpy(step, normal, (size_t)n * sizeof *step);
    for (int i = 0; i < q; i++)
      for (int d = 0; d < n; d++)
        step[d] -= share[i] * normals[(size_t)i * (size_t)n + (size_t)d];
    const double rate = dot(n, step, step);
    const bool is_free = q < n && rate > dependent * dot(n, normal, normal);
    double length = is_free ? -slack / rate : INFINITY;
    int blocking = -1;
    for (int i = 0; i < q; i++) {
      const bool is_equation = p->active[i] < p->rows && p->is_equation[p->active[i]];
      if (is_equation || !(share[i] > 1e-12) || !(p->forces[i] < length * share[i])) continue;
      length = p->forces[i] / share[i];
      blocking = i;
    }
    if (!isfinite(length)) return false;
    for (int i = 0; i < q; i++)
      p->forces[i] -= length * share[i];
    force += length;
    for (int d = 0; d < n && is_free; d++)
      z[d] += length * step[d];
    if (is_free) slack += length * rate;
    if (blocking < 0) {
      memcpy(normals + (size_t)q * (size_t)n, normal, (size_t)n * sizeof *normal);
      p->active[q] = index;
      p->forces[q] = force;
      p->active_count++;
      return true;
    }
    drop(p, normals, blocking);
  }
  return false;
}

bool fcps_feasible_nearest_find(fcps_feasible_nearest *nearest, const double *x, double *z)
{
  const size_t most = (size_t)nearest->n + 1;
  double *normal = nearest->scratch + most * ((size_t)nearest->n + most + 1);
  if (z != x) memcpy(z, x, (size_t)nearest->n * sizeof *z);
  for (int d = 0; d < nearest->n; d++)
    if (is_held(nearest, d)) z[d] = nearest->low[d];
  nearest->active_count = 0;
  for (int round = 0; round < 50 + 10 * (nearest->n + nearest->rows); round++) {
    const int broken = find_broken(nearest, z, normal);
    if (broken == -1) return true;
    if (broken < 0 || !mend(nearest, broken, z)) return false;
  }
  return false;
}
