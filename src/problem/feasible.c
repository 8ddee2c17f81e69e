/* SPDX-License-Identifier: Apache-2.0 */
/* Feasible sets: margins and nearest points. Margins are evaluated in the user's values and differentiated in the unit cube.
 * The nearest point follows from a sequence of polyhedra, each with the constraints as straight as they are at the last
 * point: one is enough where all of them are straight. Where that fails, the way from a known point of the set is halved.
 *
 * Invariant: a point that is returned as one of the set is one. Random points and steps are in feasible_points.c, the making
 * of a set in feasible_create.c. */
#include "problem/feasible_impl.h"

#include "space/space.h"

#include <math.h>
#include <string.h>

/* Polyhedra of one search, of which those after NEAREST_ROUNDS look for any point, not the nearest one; combinations of
 * words to try. */
enum { ROUNDS = 40, NEAREST_ROUNDS = 20, MOST_WORDS = 500 };

/* -- Margins -- */

/* The user's value of a coordinate, and its derivative. Steps are ignored here. A word keeps its value between two of
 * its places. */
static double value_at(const fcps_dimension *dim, double x, double *rate)
{
  const double step = fcps_dimension_step(dim);
  if (dim->scale == FCPS_SCALE_LOG) {
    const double ratio = log(dim->upper / dim->lower), value = dim->lower * exp(ratio * x);
    *rate = value * ratio;
    return value;
  }
  if (dim->choices != NULL) {
    *rate = 0.0;
    return fmin(fmax(floor(x * dim->choices->count), 0.0), dim->choices->count - 1.0);
  }
  *rate = fcps_dimension_span(dim);
  return dim->lower - 0.5 * step + *rate * x;
}

void fcps_feasible_place(fcps_feasible *set, const double *x)
{
  set->point = x;
  if (set->is_known) return;
  for (int d = 0; d < set->n; d++)
    set->values[d] = value_at(&set->problem->parameters.dims[d], x[d], &set->rates[d]);
}

/* A margin at the point that `place` was given, in units of its size. NaN counts as broken. */
double fcps_feasible_margin(fcps_feasible *set, int k)
{
  if (set->is_known) {
    const double *normal = set->nearest.normals + (size_t)k * (size_t)set->n;
    double value = -set->offsets[k];
    for (int d = 0; d < set->n; d++)
      value += normal[d] * set->point[d];
    return value;
  }
  const double value = *fcps_formula_eval(&set->list[k].margin, 1, set->inputs, set->work) / set->sizes[k];
  return isnan(value) ? -INFINITY : value;
}

static double lack(const fcps_feasible *set, int k, double margin)
{
  return set->list[k].is_equation ? fabs(margin) : -margin;
}

void fcps_feasible_rest(fcps_feasible *set, double *x)
{
  bool applies[FCPS_SPACE_MAX];
  if (!fcps_feasible_applies(set, x, applies)) return;
  for (int d = 0; d < set->n; d++)
    if (!applies[d]) x[d] = set->resting[d];
}

bool fcps_feasible_applies(fcps_feasible *set, const double *x, bool *applies)
{
  if (set == NULL || set->conditions == NULL) return false;
  fcps_conditions_find_unit(set->conditions, x, applies);
  return true;
}

/* Whether all coordinates rest that do not apply. */
static bool rests(fcps_feasible *set, const double *x)
{
  bool applies[FCPS_SPACE_MAX];
  if (!fcps_feasible_applies(set, x, applies)) return true;
  for (int d = 0; d < set->n; d++)
    if (!applies[d] && !(fabs(x[d] - set->resting[d]) <= FCPS_FEASIBLE_TOLERANCE)) return false;
  return true;
}

bool fcps_feasible_keeps(fcps_feasible *set, const double *x, double tolerance, int *which)
{
  double most = tolerance;
  if (which != NULL) *which = -1;
  if (which == NULL && !rests(set, x)) return false;
  fcps_feasible_place(set, x);
  for (int k = 0; k < set->count; k++) {
    const double by = lack(set, k, fcps_feasible_margin(set, k));
    if (!(by > most)) continue;
    if (which == NULL) return false;
    most = by;
    *which = set->list[k].source;
  }
  return which == NULL || *which < 0;
}

bool fcps_feasible_contains(fcps_feasible *set, const double *x, double tolerance, int *which)
{
  if (which != NULL) *which = -1;
  return set == NULL || fcps_feasible_keeps(set, x, tolerance, which);
}

/* Linearizes all margins at x; false if one has no value or no finite slope there. */
bool fcps_feasible_straighten(fcps_feasible *set, const double *x)
{
  const size_t n = (size_t)set->n;
  fcps_feasible_place(set, x);
  for (int k = 0; k < set->count; k++)
    set->nearest.is_equation[k] = set->list[k].is_equation;
  if (set->is_known) {
    memcpy(set->nearest.offsets, set->offsets, (size_t)set->count * sizeof *set->offsets);
    return true;
  }
  for (int k = 0; k < set->count; k++) {
    const double value = fcps_feasible_margin(set, k);
    double *normal = set->nearest.normals + (size_t)k * n, along = 0.0;
    fcps_formula_gradient(&set->list[k].margin, 1, set->work, set->first + set->n, set->wanted);
    for (size_t d = 0; d < n; d++) {
      normal[d] = set->slopes[d] * set->rates[d] / set->sizes[k];
      along += normal[d] * x[d];
    }
    if (!isfinite(value) || !isfinite(along)) return false;
    set->nearest.offsets[k] = along - value;
  }
  return true;
}

/* -- The nearest point -- */

/* Starts from x, moved into the cube. Held coordinates stay as they are, and those that do not apply stay at rest. */
static void begin(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  bool applies[FCPS_SPACE_MAX];
  for (int d = 0; d < set->n; d++) {
    const bool stays = held != NULL && held[d];
    z[d] = stays ? x[d] : fmin(fmax(x[d], set->low[d]), set->high[d]);
    set->nearest.low[d] = stays ? x[d] : set->low[d];
    set->nearest.high[d] = stays ? x[d] : set->high[d];
  }
  if (!fcps_feasible_applies(set, z, applies)) return;
  for (int d = 0; d < set->n; d++)
    if (!applies[d]) z[d] = set->nearest.low[d] = set->nearest.high[d] = set->resting[d];
}

static double distance(int n, const double *a, const double *b)
{
  double most = 0.0;
  for (int d = 0; d < n; d++)
    most = fmax(most, fabs(a[d] - b[d]));
  return most;
}

/* Looks for the nearest point with the words as they are, by a sequence of polyhedra. The first polyhedra look for the
 * point nearest to x. If that does not converge, the later ones look for the point nearest to the last one. */
static bool approach_once(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  double *next = set->next;
  begin(set, held, x, z);
  if (fcps_feasible_keeps(set, z, 0.0, NULL)) return true;
  set->effort -= (double)set->n * set->n * (set->n + set->count);
  for (int round = 0; round < ROUNDS && set->effort > 0.0; round++) {
    if (!fcps_feasible_straighten(set, z)) return false;
    if (!fcps_feasible_nearest_find(&set->nearest, round < NEAREST_ROUNDS ? x : z, next)) return false;
    const double step = distance(set->n, z, next);
    memcpy(z, next, (size_t)set->n * sizeof *z);
    if ((set->is_linear || round >= NEAREST_ROUNDS || step < 1e-9) &&
        fcps_feasible_keeps(set, z, FCPS_FEASIBLE_TIGHT, NULL))
      return true;
    if (set->is_linear) return false;
  }
  return fcps_feasible_keeps(set, z, FCPS_FEASIBLE_TIGHT, NULL);
}

/* Looks for the nearest point as above. On the way other coordinates may come to apply: then it starts again from there. */
static bool approach(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  enum { TURNS = 4 };
  double from[FCPS_SPACE_MAX];
  bool is_found = approach_once(set, held, x, z);
  for (int turn = 0; turn < TURNS && !is_found && !rests(set, z); turn++) {
    memcpy(from, z, (size_t)set->n * sizeof *from);
    is_found = approach_once(set, held, from, z);
  }
  return is_found;
}

/* Changes the word of a dimension on which margins depend; false: the word is held. */
static bool turn(const fcps_feasible *set, const bool *held, int which, int by, double *x)
{
  const int d = set->switches[which], count = set->problem->parameters.dims[d].choices->count;
  if (held != NULL && held[d]) return false;
  const int now = (int)fmin(fmax(floor(x[d] * count), 0.0), count - 1.0);
  x[d] = ((now + by) % count + 0.5) / count;
  return true;
}

/* Tries other words if no point is found with the present ones: first one other word, then several. */
static bool approach_by_words(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  double y[FCPS_SPACE_MAX];
  for (int s = 0; s < set->switch_count; s++)
    for (int by = 1; by < set->problem->parameters.dims[set->switches[s]].choices->count; by++) {
      memcpy(y, x, (size_t)set->n * sizeof *y);
      if (turn(set, held, s, by, y) && approach(set, held, y, z)) return true;
    }
  for (int all = 0; all < MOST_WORDS && set->switch_count > 1; all++) {
    memcpy(y, x, (size_t)set->n * sizeof *y);
    for (int s = 0, rest = all; s < set->switch_count; s++) {
      const int count = set->problem->parameters.dims[set->switches[s]].choices->count;
      (void)turn(set, held, s, rest % count, y);
      rest /= count;
    }
    if (approach(set, held, y, z)) return true;
  }
  return false;
}

bool fcps_feasible_approach(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  return approach(set, held, x, z) || (set->switch_count > 0 && approach_by_words(set, held, x, z));
}

/* The last point of the set on the line from the anchor to x. */
void fcps_feasible_come_from_anchor(fcps_feasible *set, const double *x, double *z)
{
  double inside = 0.0, outside = 1.0;
  for (int halving = 0; halving < 50; halving++) {
    const double middle = 0.5 * (inside + outside);
    for (int d = 0; d < set->n; d++)
      z[d] = set->anchor[d] + middle * (fmin(fmax(x[d], set->low[d]), set->high[d]) - set->anchor[d]);
    fcps_feasible_rest(set, z);
    if (fcps_feasible_keeps(set, z, FCPS_FEASIBLE_TIGHT, NULL))
      inside = middle;
    else
      outside = middle;
  }
  for (int d = 0; d < set->n; d++)
    z[d] = set->anchor[d] + inside * (fmin(fmax(x[d], set->low[d]), set->high[d]) - set->anchor[d]);
  fcps_feasible_rest(set, z);
}

bool fcps_feasible_project(fcps_feasible *set, const bool *held, const double *x, double *nearest)
{
  const size_t size = set != NULL ? (size_t)set->n * sizeof *x : 0;
  if (set == NULL) return false;
  double *z = set->here;
  const bool is_found = fcps_feasible_approach(set, held, x, z);
  if (!is_found && held == NULL) fcps_feasible_come_from_anchor(set, x, z);
  memmove(nearest, is_found || held == NULL ? z : x, size);
  return is_found || held == NULL;
}

/* Projects the gradient onto the directions in which the nearest point can move: along the constraints that hold it,
 * and not beyond those that it touches. */
void fcps_feasible_pull(fcps_feasible *set, const bool *held, const double *x, const double *nearest, double *gradient)
{
  fcps_feasible_nearest *p = &set->nearest;
  const int n = set->n, rows = set->count;
  bool pushes[2 * FCPS_SPACE_MAX] = {0}, applies[FCPS_SPACE_MAX], *by_row = set->presses;
  memset(by_row, 0, (size_t)rows * sizeof *by_row);
  begin(set, held, x, set->here);
  if (!fcps_feasible_straighten(set, nearest)) return;
  if (fcps_feasible_nearest_find(p, x, set->next))
    for (int i = 0; i < p->active_count; i++) {
      if (!(fabs(p->forces[i]) > 1e-12)) continue;
      if (p->active[i] < rows)
        by_row[p->active[i]] = true;
      else
        pushes[p->active[i] - rows] = true;
    }
  for (int k = 0; k < rows; k++) {
    double slack = -p->offsets[k];
    for (int d = 0; d < n; d++)
      slack += p->normals[(size_t)k * (size_t)n + (size_t)d] * nearest[d];
    p->is_equation[k] = p->is_equation[k] || by_row[k];
    p->offsets[k] = p->is_equation[k] || slack <= 1e-9 ? 0.0 : -INFINITY;
  }
  const bool has_conditions = fcps_feasible_applies(set, nearest, applies);
  for (int d = 0; d < n; d++) {
    const bool stays = p->low[d] == p->high[d] || (has_conditions && !applies[d]);
    p->low[d] = stays || nearest[d] <= set->low[d] ? 0.0 : -INFINITY;
    p->high[d] = stays || nearest[d] >= set->high[d] ? 0.0 : INFINITY;
    if (pushes[2 * d]) p->high[d] = 0.0;
    if (pushes[2 * d + 1]) p->low[d] = 0.0;
  }
  if (fcps_feasible_nearest_find(p, gradient, set->next)) memcpy(gradient, set->next, (size_t)n * sizeof *gradient);
}
