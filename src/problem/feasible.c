/* SPDX-License-Identifier: Apache-2.0 */
/* Feasible sets. Margins are evaluated in the user's values and differentiated in the unit cube. The nearest point follows
 * from a sequence of polyhedra, each with the constraints as straight as they are at the last point: one is enough where
 * all of them are straight. Where that fails, the way from a known point of the set is halved.
 *
 * Steps (integers and the like) are found by a search in depth: one coordinate after the other is put on a step near it,
 * and the others move as they must; a branch that cannot be kept is left.
 *
 * Invariants: draws come from the given stream alone; a point that is returned as one of the set is one. */
#include "problem/feasible.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/constraints.h"
#include "problem/feasible_nearest.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points where margins are measured and a first point of the set is looked for; polyhedra of one search, the last ones of
 * which only look for any point; steps of a random walk; tries of one such step; branches of a search on steps. */
enum { PROBES = 64, ROUNDS = 40, NEAREST_ROUNDS = 20, WALK = 2, WALK_TRIES = 40, BRANCHES = 3000 };

/* What a nearest point keeps, as a share of the margin's size; tighter than what is promised. */
static const double tight = 1e-12;

struct fcps_feasible {
  const fcps_problem *problem;
  int n, count, first; /* `first`: the place of the parameters among the values */
  fcps_constraint *list;
  double *sizes;  /* what each margin varies over the cube */
  bool is_linear; /* all margins, in the cube */
  bool is_known;  /* their rows: normals of `nearest`, and these */
  double *offsets;
  bool has_levels, has_equations;
  double *levels, *low, *high; /* of the cube: with steps from the middle of the first to that of the last */
  double *anchor;              /* a point of the set, on its steps */
  fcps_feasible_nearest nearest;

  const double *point;    /* where margins are asked for */
  double *values, *rates; /* of one point: the user's, and by how much each grows with x */
  double *slopes;         /* of one margin by the parameters */
  double *here, *next, *target, *direction;
  bool *held;
  fcps_formula_input *inputs;
  double **wanted; /* the slopes of each value; NULL: not wanted */
  double *work;
};

/* -- Margins -- */

/* The user's value of a coordinate, and its derivative. Steps are passed over evenly. */
static double value_at(const fcps_dimension *dim, double x, double *rate)
{
  const double step = fcps_dimension_step(dim);
  if (dim->scale == FCPS_SCALE_LOG) {
    const double ratio = log(dim->upper / dim->lower), value = dim->lower * exp(ratio * x);
    *rate = value * ratio;
    return value;
  }
  *rate = fcps_dimension_span(dim);
  return dim->lower - 0.5 * step + *rate * x;
}

static void place(fcps_feasible *set, const double *x)
{
  set->point = x;
  if (set->is_known) return;
  for (int d = 0; d < set->n; d++)
    set->values[d] = value_at(&set->problem->parameters.dims[d], x[d], &set->rates[d]);
}

/* A margin where `place` put it, in units of its size. NaN counts as broken. */
static double margin(fcps_feasible *set, int k)
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

static bool keeps(fcps_feasible *set, const double *x, double tolerance, int *which)
{
  double most = tolerance;
  if (which != NULL) *which = -1;
  place(set, x);
  for (int k = 0; k < set->count; k++) {
    const double by = lack(set, k, margin(set, k));
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
  return set == NULL || keeps(set, x, tolerance, which);
}

/* Straightens all margins at x; false: one has no value or no finite slope there. */
static bool straighten(fcps_feasible *set, const double *x)
{
  const size_t n = (size_t)set->n;
  place(set, x);
  for (int k = 0; k < set->count; k++)
    set->nearest.is_equation[k] = set->list[k].is_equation;
  if (set->is_known) {
    memcpy(set->nearest.offsets, set->offsets, (size_t)set->count * sizeof *set->offsets);
    return true;
  }
  for (int k = 0; k < set->count; k++) {
    const double value = margin(set, k);
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

/* Begins with the point in the cube, held coordinates as they are. */
static void begin(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  for (int d = 0; d < set->n; d++) {
    const bool stays = held != NULL && held[d];
    z[d] = stays ? x[d] : fmin(fmax(x[d], set->low[d]), set->high[d]);
    set->nearest.low[d] = stays ? x[d] : set->low[d];
    set->nearest.high[d] = stays ? x[d] : set->high[d];
  }
}

static double distance(int n, const double *a, const double *b)
{
  double most = 0.0;
  for (int d = 0; d < n; d++)
    most = fmax(most, fabs(a[d] - b[d]));
  return most;
}

/* By polyhedra. First each is left at its nearest point to x; where that does not end, at the nearest to the last one. */
static bool approach(fcps_feasible *set, const bool *held, const double *x, double *z)
{
  double *next = set->next;
  begin(set, held, x, z);
  if (keeps(set, z, 0.0, NULL)) return true;
  for (int round = 0; round < ROUNDS; round++) {
    if (!straighten(set, z)) return false;
    if (!fcps_feasible_nearest_find(&set->nearest, round < NEAREST_ROUNDS ? x : z, next)) return false;
    const double step = distance(set->n, z, next);
    memcpy(z, next, (size_t)set->n * sizeof *z);
    if ((set->is_linear || round >= NEAREST_ROUNDS || step < 1e-9) && keeps(set, z, tight, NULL)) return true;
  }
  return keeps(set, z, tight, NULL);
}

/* The last point of the set on the way from the anchor to x. */
static void come_from_anchor(const fcps_feasible *set, const double *x, double *z)
{
  double inside = 0.0, outside = 1.0;
  fcps_feasible *own = (fcps_feasible *)(uintptr_t)set;
  for (int halving = 0; halving < 50; halving++) {
    const double middle = 0.5 * (inside + outside);
    for (int d = 0; d < set->n; d++)
      z[d] = set->anchor[d] + middle * (fmin(fmax(x[d], set->low[d]), set->high[d]) - set->anchor[d]);
    if (keeps(own, z, tight, NULL))
      inside = middle;
    else
      outside = middle;
  }
  for (int d = 0; d < set->n; d++)
    z[d] = set->anchor[d] + inside * (fmin(fmax(x[d], set->low[d]), set->high[d]) - set->anchor[d]);
}

bool fcps_feasible_project(fcps_feasible *set, const bool *held, const double *x, double *nearest)
{
  const size_t size = set != NULL ? (size_t)set->n * sizeof *x : 0;
  if (set == NULL) return false;
  double *z = set->here;
  const bool is_found = approach(set, held, x, z);
  if (!is_found && held == NULL) come_from_anchor(set, x, z);
  memmove(nearest, is_found || held == NULL ? z : x, size);
  return is_found || held == NULL;
}

/* The gradient is brought into the cone of directions in which the nearest point can follow: along what pushes it, and
 * not beyond what it touches. */
void fcps_feasible_pull(fcps_feasible *set, const bool *held, const double *x, const double *nearest, double *gradient)
{
  fcps_feasible_nearest *p = &set->nearest;
  const int n = set->n, rows = set->count;
  bool pushes[2 * FCPS_SPACE_MAX] = {0}, *by_row = set->held + n;
  memset(by_row, 0, (size_t)rows * sizeof *by_row);
  begin(set, held, x, set->here);
  if (!straighten(set, nearest)) return;
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
  for (int d = 0; d < n; d++) {
    const bool stays = p->low[d] == p->high[d];
    p->low[d] = stays || nearest[d] <= set->low[d] ? 0.0 : -INFINITY;
    p->high[d] = stays || nearest[d] >= set->high[d] ? 0.0 : INFINITY;
    if (pushes[2 * d]) p->high[d] = 0.0;
    if (pushes[2 * d + 1]) p->low[d] = 0.0;
  }
  if (fcps_feasible_nearest_find(p, gradient, set->next)) memcpy(gradient, set->next, (size_t)n * sizeof *gradient);
}

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
  if (--*branches < 0 || !approach(set, held, x, z)) return false;
  const int d = next_free(set, held, z);
  if (d < 0) return keeps(set, z, tight, NULL);
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
static bool settle(fcps_feasible *set, double *x)
{
  int branches = BRANCHES;
  if (!set->has_levels) {
    const bool is_found = approach(set, NULL, x, set->here);
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
  if (set == NULL || settle(set, x)) return true;
  if (!set->has_levels && !set->has_equations) {
    come_from_anchor(set, x, set->here);
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
  if (!straighten(set, x)) return false;
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
    if (keeps(set, y, tight, NULL) || (set->has_equations && !set->is_linear && approach(set, NULL, y, set->here))) {
      memcpy(x, keeps(set, y, tight, NULL) ? y : set->here, (size_t)set->n * sizeof *x);
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
    if (keeps(set, points, tight, NULL)) {
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

/* -- Life -- */

/* Whether a formula is straight in the cube, by its steps: 0 is a constant, 1 straight, 2 neither. */
static int degree_of(const fcps_feasible *set, const fcps_formula *formula, int *degrees)
{
  for (int i = 0; i < formula->count; i++) {
    const fcps_formula_step *step = &formula->steps[i];
    const int arguments = fcps_formula_arguments(step);
    int most = 0, sum = 0;
    for (int a = 0; a < arguments; a++) {
      sum += degrees[step->arguments[a]];
      most = degrees[step->arguments[a]] > most ? degrees[step->arguments[a]] : most;
    }
    const bool adds = step->op == FCPS_FORMULA_NEGATE || step->op == FCPS_FORMULA_ADD ||
                      step->op == FCPS_FORMULA_SUBTRACT || fcps_formula_calls(step, "sum");
    const bool scales =
        step->op == FCPS_FORMULA_MULTIPLY || (step->op == FCPS_FORMULA_DIVIDE && degrees[step->arguments[1]] == 0);
    if (step->op == FCPS_FORMULA_CONSTANT)
      degrees[i] = 0;
    else if (step->op == FCPS_FORMULA_VALUE)
      degrees[i] = set->problem->parameters.dims[step->index - set->first].scale == FCPS_SCALE_LOG ? 2 : 1;
    else
      degrees[i] = sum == 0 ? 0 : adds ? most : scales && sum == 1 ? 1 : 2;
  }
  return degrees[formula->count - 1];
}

static fcps_status judge(fcps_feasible *set)
{
  set->is_linear = true;
  for (int k = 0; k < set->count; k++) {
    int *degrees = fcps_allocate((size_t)set->list[k].margin.count, sizeof *degrees);
    if (degrees == NULL) return FCPS_ERR_MEMORY;
    set->is_linear = set->is_linear && degree_of(set, &set->list[k].margin, degrees) < 2;
    set->has_equations = set->has_equations || set->list[k].is_equation;
    free(degrees);
  }
  return FCPS_OK;
}

/* Puts the context into the margins for good. */
static fcps_status take_margins(fcps_feasible *set, const fcps_constraints *read, const double *target,
                                const double *environment)
{
  const double *known[3 * FCPS_SPACE_MAX] = {NULL};
  const int targets = set->problem->target.count;
  size_t work = 0;
  for (int v = 0; v < set->first; v++)
    known[v] = v < targets ? target + v : environment + v - targets;
  set->list = fcps_allocate((size_t)read->count, sizeof *set->list);
  if (set->list == NULL) return FCPS_ERR_MEMORY;
  for (int k = 0; k < read->count; k++) {
    const fcps_formula *margin = &read->list[k].margin;
    fcps_constraint *own = &set->list[set->count++];
    *own = (fcps_constraint){.is_equation = read->list[k].is_equation, .source = read->list[k].source};
    if (!fcps_formula_specialize(&own->margin, margin, margin->count - 1, set->first + set->n, known))
      return FCPS_ERR_MEMORY;
    work = fcps_formula_work(&own->margin) > work ? fcps_formula_work(&own->margin) : work;
  }
  set->work = fcps_allocate(work, sizeof *set->work);
  return set->work != NULL ? judge(set) : FCPS_ERR_MEMORY;
}

static fcps_status reserve(fcps_feasible *set)
{
  const size_t n = (size_t)set->n, values = (size_t)set->first + n;
  set->values = fcps_allocate(11 * n + 2 * (size_t)set->count, sizeof(double));
  set->held = fcps_allocate(n + (size_t)set->count, sizeof(bool));
  set->inputs = fcps_allocate(values, sizeof *set->inputs);
  set->wanted = fcps_allocate(values, sizeof *set->wanted);
  if (set->values == NULL || set->held == NULL || set->inputs == NULL || set->wanted == NULL) return FCPS_ERR_MEMORY;
  double **const parts[] = {&set->rates,  &set->slopes, &set->here, &set->next,   &set->target,
                            &set->levels, &set->low,    &set->high, &set->anchor, &set->direction};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *parts[i] = set->values + (i + 1) * n;
  set->sizes = set->values + 11 * n;
  set->offsets = set->sizes + set->count;
  for (int d = 0; d < set->n; d++) {
    set->inputs[set->first + d] = (fcps_formula_input){set->values + d, 0};
    set->wanted[set->first + d] = set->slopes + d;
  }
  set->has_levels = fcps_space_levels(&set->problem->parameters, set->levels);
  for (int d = 0; d < set->n; d++) {
    const double edge = set->levels[d] > 0.0 ? 0.5 / set->levels[d] : 0.0;
    set->low[d] = edge;
    set->high[d] = 1.0 - edge;
  }
  return fcps_feasible_nearest_create(&set->nearest, set->n, set->count);
}

/* The points that are looked at first: the middle, then a Halton sequence. */
static void probe(const fcps_feasible *set, int index, double *x)
{
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_DESIGN, 0);
  if (index > 0) fcps_points_halton(&rng, set->n, index, 1, x);
  for (int d = 0; d < set->n && index == 0; d++)
    x[d] = 0.5;
}

/* How much each margin varies. */
static void measure(fcps_feasible *set)
{
  double x[FCPS_SPACE_MAX];
  for (int k = 0; k < set->count; k++) {
    double most = 0.0;
    set->sizes[k] = 1.0;
    for (int i = 0; i < PROBES; i++) {
      probe(set, i, x);
      place(set, x);
      const double value = fabs(margin(set, k));
      if (isfinite(value)) most = fmax(most, value);
    }
    if (most > 0.0) set->sizes[k] = most;
  }
}

/* Margins that are straight in the cube have the same rows everywhere. */
static void learn_rows(fcps_feasible *set)
{
  double x[FCPS_SPACE_MAX];
  probe(set, 0, x);
  if (!set->is_linear || !straighten(set, x)) return;
  memcpy(set->offsets, set->nearest.offsets, (size_t)set->count * sizeof *set->offsets);
  set->is_known = true;
}

/* Looks for a first point of the set. */
static bool find_anchor(fcps_feasible *set)
{
  for (int i = 0; i < PROBES; i++) {
    probe(set, i, set->anchor);
    if (settle(set, set->anchor)) return true;
  }
  return false;
}

static fcps_status make(fcps_feasible **made, const fcps_problem *problem, const fcps_constraints *read,
                        const double *target, const double *environment)
{
  fcps_feasible *set = fcps_allocate(1, sizeof *set);
  *made = set;
  if (set == NULL) return FCPS_ERR_MEMORY;
  set->problem = problem;
  set->n = problem->parameters.count;
  set->first = problem->target.count + problem->environment.count;
  fcps_status status = take_margins(set, read, target, environment);
  if (status == FCPS_OK) status = reserve(set);
  if (status != FCPS_OK) return status;
  measure(set);
  learn_rows(set);
  return FCPS_OK;
}

void fcps_feasible_destroy(fcps_feasible *set)
{
  if (set == NULL) return;
  for (int k = 0; k < set->count; k++)
    fcps_formula_destroy(&set->list[k].margin);
  fcps_feasible_nearest_free(&set->nearest);
  free(set->list);
  free(set->values);
  free(set->held);
  free(set->inputs);
  free(set->wanted);
  free(set->work);
  free(set);
}

/* -- Empty sets -- */

/* Whether no parameters are found that keep the constraints a and b of the list. */
static bool contradict(fcps_feasible *set, int a, int b)
{
  fcps_constraint *all = set->list, pair[2] = {all[a], all[b]};
  const double sizes[2] = {set->sizes[0], set->count > 1 ? set->sizes[1] : 1.0},
               of_pair[2] = {set->sizes[a], set->sizes[b]};
  const int count = set->count, pairs = a == b ? 1 : 2;
  set->is_known = false;
  set->list = pair;
  set->count = set->nearest.rows = pairs;
  memcpy(set->sizes, of_pair, (size_t)pairs * sizeof *of_pair);
  const bool is_empty = !find_anchor(set);
  memcpy(set->sizes, sizes, (size_t)(count > 1 ? 2 : 1) * sizeof *sizes);
  set->list = all;
  set->count = set->nearest.rows = count;
  return is_empty;
}

/* Names one constraint that cannot be kept, or two that contradict each other, or all. */
static fcps_status refuse_empty(fcps_feasible *set, bool is_of_context, fcps_error *error)
{
  const char *const *texts = set->problem->constraints;
  const char *where = is_of_context ? " in this context" : "";
  for (int a = 0; a < set->count; a++)
    if (contradict(set, a, a))
      return fcps_error_set(error, FCPS_ERR_BOUNDS, "constraints",
                            "no parameters within their bounds keep \"%.120s\"%s; change it or the bounds",
                            texts[set->list[a].source], where);
  for (int a = 0; a < set->count; a++)
    for (int b = a + 1; b < set->count; b++)
      if (contradict(set, a, b))
        return fcps_error_set(error, FCPS_ERR_BOUNDS, "constraints",
                              "no parameters within their bounds keep both \"%.120s\" and \"%.120s\"%s; change one of "
                              "them",
                              texts[set->list[a].source], texts[set->list[b].source], where);
  return fcps_error_set(error, FCPS_ERR_BOUNDS, "constraints",
                        "no parameters within their bounds were found that keep all %d constraints%s; leave one out "
                        "or widen the bounds",
                        set->problem->constraint_count, where);
}

fcps_status fcps_feasible_create(fcps_feasible **set, const fcps_problem *problem, const double *target,
                                 const double *environment, fcps_error *error)
{
  *set = NULL;
  if (problem->constraint_count == 0) return FCPS_OK;
  fcps_constraints read;
  fcps_status status = fcps_constraints_read(&read, problem, error);
  if (status != FCPS_OK) return status;
  status = make(set, problem, &read, target, environment);
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  if (status == FCPS_OK && !find_anchor(*set))
    status = refuse_empty(*set, fcps_constraints_use_context(&read, problem), error);
  fcps_constraints_free(&read);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_feasible_destroy(*set);
  *set = NULL;
  return status;
}
