/* SPDX-License-Identifier: Apache-2.0 */
/* Feasible sets: margins and nearest points. Margins are evaluated in the user's values and differentiated in the unit
 * cube. The nearest point follows from a sequence of polyhedra, in each of which the constraints are replaced by their
 * tangents at the last point. If all constraints are linear, one polyhedron is enough. If the sequence finds no point,
 * bisection looks for the last point of the set on the line from a known point of the set.
 *
 * Invariant: a point that is returned as one of the set is in the set. Random points, steps and the nearest point of a
 * polyhedron are in feasible_points.c. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/feasible_impl.h"
#include "problem/problem.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ROUNDS: the most polyhedra of one search. After NEAREST_ROUNDS of them, the search looks for any point instead of the
 * nearest one. MOST_WORDS: the most combinations of words that are tried. */
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

/* Returns a margin at the point that was set by fcps_feasible_place, in units of its size. NaN counts as broken. */
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

/* Whether all coordinates that do not apply have their value at rest. */
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

/* Looks for the nearest point without changing words, by a sequence of polyhedra. The first ones look for the point
 * nearest to x. If that does not converge, the later ones look for the point nearest to the last one. */
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

/* Looks for the nearest point in this way. If other coordinates begin to apply on the way, it starts again from
 * there. */
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

/* Changes the word of a dimension on which margins depend. Returns false if the word is held, that is, must not
 * change. */
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

/* Finds the last point of the set on the line from the anchor (a known point of the set) to x. */
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

/* Projects the gradient onto the directions in which the nearest point can move: along the constraints that it touches,
 * and not beyond them. */
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

/* -- Making a set --
 *
 * A set begins with the margins in one context, their ranges, and a first point. If no point is found, single
 * constraints and pairs of them are tried, so that the error can name those that contradict each other. */

/* PROBES: the number of points at which margins are measured and at which the search for a first point begins. PAIRED:
 * of at most this many constraints, pairs are tried. */
enum { PROBES = 64, PAIRED = 12 };

/* The effort of the search for a first point: about a second. */
static const double most_effort = 1e9;

/* Returns whether a formula is linear in the cube, judged by its steps: 0 if it is constant, 1 if it is linear, 2
 * otherwise. */
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

static bool depends_on_word(const fcps_feasible *set, int d)
{
  bool is_used = false;
  for (int k = 0; k < set->count && set->problem->parameters.dims[d].choices != NULL; k++)
    is_used = is_used || fcps_formula_uses(&set->list[k].margin, set->first + d);
  return is_used;
}

static fcps_status find_switches(fcps_feasible *set)
{
  set->switches = fcps_allocate((size_t)set->n, sizeof *set->switches);
  for (int d = 0; d < set->n && set->switches != NULL; d++)
    if (depends_on_word(set, d)) set->switches[set->switch_count++] = d;
  return set->switches != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Makes the margins of this context: the context becomes constant in them. */
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
  const fcps_status status = set->work != NULL ? find_switches(set) : FCPS_ERR_MEMORY;
  return status == FCPS_OK ? judge(set) : status;
}

static fcps_status reserve(fcps_feasible *set)
{
  const size_t n = (size_t)set->n, values = (size_t)set->first + n;
  set->values = fcps_allocate(12 * n + 2 * (size_t)set->count, sizeof(double));
  set->presses = fcps_allocate((size_t)set->count, sizeof(bool));
  set->inputs = fcps_allocate(values, sizeof *set->inputs);
  set->wanted = fcps_allocate(values, sizeof *set->wanted);
  if (set->values == NULL || set->presses == NULL || set->inputs == NULL || set->wanted == NULL) return FCPS_ERR_MEMORY;
  double **const parts[] = {&set->rates, &set->slopes, &set->here,   &set->next,      &set->target, &set->levels,
                            &set->low,   &set->high,   &set->anchor, &set->direction, &set->resting};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *parts[i] = set->values + (i + 1) * n;
  set->sizes = set->values + 12 * n;
  set->offsets = set->sizes + set->count;
  for (int d = 0; d < set->n; d++) {
    set->inputs[set->first + d] = (fcps_formula_input){set->values + d, 0};
    set->wanted[set->first + d] = set->slopes + d;
  }
  fcps_conditions_resting_places(&set->problem->parameters, set->resting);
  set->has_levels = fcps_space_levels(&set->problem->parameters, set->levels);
  for (int d = 0; d < set->n; d++)
    set->levels[d] = fabs(set->levels[d]);
  for (int d = 0; d < set->n; d++) {
    const double edge = set->levels[d] > 0.0 ? 0.5 / set->levels[d] : 0.0;
    set->low[d] = edge;
    set->high[d] = 1.0 - edge;
  }
  return fcps_feasible_nearest_create(&set->nearest, set->n, set->count);
}

/* Returns the points that are tried first: the middle of the cube, then a Halton sequence. */
static void probe(const fcps_feasible *set, int index, double *x)
{
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_DESIGN, 0);
  if (index > 0) fcps_points_halton(&rng, set->n, index, 1, x);
  for (int d = 0; d < set->n && index == 0; d++)
    x[d] = 0.5;
}

/* Measures the range of each margin over the probes. */
static void measure(fcps_feasible *set)
{
  double x[FCPS_SPACE_MAX];
  for (int k = 0; k < set->count; k++) {
    double most = 0.0;
    set->sizes[k] = 1.0;
    for (int i = 0; i < PROBES; i++) {
      probe(set, i, x);
      fcps_feasible_place(set, x);
      const double value = fabs(fcps_feasible_margin(set, k));
      if (isfinite(value)) most = fmax(most, value);
    }
    if (most > 0.0) set->sizes[k] = most;
  }
}

/* Computes the rows of linear margins once, because they are the same everywhere. */
static void learn_rows(fcps_feasible *set)
{
  double x[FCPS_SPACE_MAX];
  probe(set, 0, x);
  if (!set->is_linear || !fcps_feasible_straighten(set, x)) return;
  memcpy(set->offsets, set->nearest.offsets, (size_t)set->count * sizeof *set->offsets);
  set->is_known = true;
}

/* Whether a search that found no point proves that there is none. */
static bool is_sure(const fcps_feasible *set)
{
  return set->is_linear && !set->is_cut_short && set->effort > 0.0;
}

/* Looks for a first point of the set. If a failed search proves that there is none, one search is enough. Otherwise
 * several are made, because numbers may be badly scaled. */
static bool find_anchor(fcps_feasible *set)
{
  enum { ENOUGH = 3 };
  set->effort = most_effort;
  set->is_cut_short = false;
  for (int i = 0; i < PROBES && set->effort > 0.0 && !(i >= ENOUGH && is_sure(set)); i++) {
    probe(set, i, set->anchor);
    if (!fcps_feasible_settle_near(set, set->anchor)) continue;
    set->effort = INFINITY;
    return true;
  }
  return false;
}

static fcps_status make(fcps_feasible **made, const fcps_problem *problem, const fcps_constraints *read,
                        const double *target, const double *environment, fcps_error *error)
{
  fcps_feasible *set = fcps_allocate(1, sizeof *set);
  *made = set;
  if (set == NULL) return FCPS_ERR_MEMORY;
  set->problem = problem;
  set->n = problem->parameters.count;
  set->first = problem->target.count + problem->environment.count;
  fcps_status status = take_margins(set, read, target, environment);
  if (status == FCPS_OK) status = reserve(set);
  if (status == FCPS_OK) status = fcps_conditions_create(&set->conditions, problem, target, environment, error);
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
  fcps_conditions_destroy(set->conditions);
  free(set->list);
  free(set->switches);
  free(set->values);
  free(set->presses);
  free(set->inputs);
  free(set->wanted);
  free(set->work);
  free(set);
}

/* -- Empty sets -- */

/* Whether no parameters are found that keep both constraints a and b of the list. If that is not a proof, `found`
 * becomes "were found that ". */
static bool contradict(fcps_feasible *set, int a, int b, const char **found)
{
  fcps_constraint *all = set->list, pair[2] = {all[a], all[b]};
  const double sizes[2] = {set->sizes[0], set->count > 1 ? set->sizes[1] : 1.0},
               of_pair[2] = {set->sizes[a], set->sizes[b]};
  const int count = set->count, pairs = a == b ? 1 : 2;
  set->is_known = false;
  set->list = pair;
  set->count = set->nearest.rows = pairs;
  memcpy(set->sizes, of_pair, (size_t)pairs * sizeof *of_pair);
  const bool is_empty = !find_anchor(set) && set->effort > 0.0;
  *found = is_sure(set) ? "" : "were found that ";
  memcpy(set->sizes, sizes, (size_t)(count > 1 ? 2 : 1) * sizeof *sizes);
  set->list = all;
  set->count = set->nearest.rows = count;
  return is_empty;
}

/* Names one constraint that cannot be kept, or two that contradict each other, or all. */
static fcps_status refuse_empty(fcps_feasible *set, bool is_of_context, fcps_error *error)
{
  const char *const *texts = set->problem->constraints, *found;
  const char *where = is_of_context ? " in this context" : "";
  for (int a = 0; a < set->count; a++)
    if (contradict(set, a, a, &found))
      return fcps_error_set(error, FCPS_ERR_BOUNDS, "constraints",
                            "no parameters within their bounds %skeep \"%.120s\"%s; change it or the bounds", found,
                            texts[set->list[a].source], where);
  for (int a = 0; a < set->count && set->count <= PAIRED; a++)
    for (int b = a + 1; b < set->count; b++)
      if (contradict(set, a, b, &found))
        return fcps_error_set(error, FCPS_ERR_BOUNDS, "constraints",
                              "no parameters within their bounds %skeep both \"%.120s\" and \"%.120s\"%s; change one "
                              "of them",
                              found, texts[set->list[a].source], texts[set->list[b].source], where);
  return fcps_error_set(error, FCPS_ERR_BOUNDS, "constraints",
                        "no parameters within their bounds were found that keep all %d constraints%s; leave one out "
                        "or widen the bounds",
                        set->problem->constraint_count, where);
}

fcps_status fcps_feasible_create(fcps_feasible **set, const fcps_problem *problem, const double *target,
                                 const double *environment, fcps_error *error)
{
  *set = NULL;
  if (problem->constraint_count == 0 && !fcps_problem_has_conditions(problem)) return FCPS_OK;
  fcps_constraints read;
  fcps_status status = fcps_constraints_read(&read, problem, error);
  if (status != FCPS_OK) return status;
  status = make(set, problem, &read, target, environment, error);
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  if (status == FCPS_OK && !find_anchor(*set))
    status = refuse_empty(*set, fcps_constraints_use_context(&read, problem), error);
  fcps_constraints_free(&read);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_feasible_destroy(*set);
  *set = NULL;
  return status;
}
