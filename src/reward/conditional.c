/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the lines of a conditional form (sum_form.h). Every step of the formula has a degree in the inner outcome: 0 if
 * it is constant between borders, 1 if it is linear between them, 2 otherwise. A border is a value of the inner outcome
 * at which a step changes from one linear function to another: the root of a line. */
#include "reward/sum_form.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = FCPS_CONDITIONAL_LINES, CURVED = 2 };

/* A formula that is analysed as a function of one of its values. */
typedef struct analysis {
  const fcps_formula *function;
  int index;
  int *degrees;    /* the degree of each step */
  bool *has_value; /* whether a step depends on the value */
  bool *has_bends; /* whether a step switches between several linear functions of the value */
} analysis;

/* -- Steps -- */

static bool compares(const fcps_formula_step *step)
{
  return step->op >= FCPS_FORMULA_LESS && step->op <= FCPS_FORMULA_GREATER_EQUAL;
}

static bool is_extreme(const fcps_formula_step *step)
{
  return fcps_formula_calls(step, "min max");
}

/* Whether a step has borders: it changes if its argument is 0, or if two of its arguments are equal. */
static bool has_border(const fcps_formula_step *step)
{
  return compares(step) || is_extreme(step) || fcps_formula_calls(step, "abs sign");
}

/* Whether a step is a comparison or logic. Equal arguments, or an argument of exactly 0, matter at single values
 * only. */
static bool is_logic(const fcps_formula_step *step)
{
  return step->op >= FCPS_FORMULA_LESS && step->op <= FCPS_FORMULA_OR;
}

/* -- Degrees -- */

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* The degree of a step from the degrees of its arguments. */
static int degree_of(const fcps_formula_step *step, int a, int b, int c)
{
  switch (step->op) {
  case FCPS_FORMULA_NEGATE:
    return a;
  case FCPS_FORMULA_ADD:
  case FCPS_FORMULA_SUBTRACT:
    return larger(a, b);
  case FCPS_FORMULA_MULTIPLY:
    return a + b < CURVED ? a + b : CURVED;
  case FCPS_FORMULA_DIVIDE:
    return b == 0 ? a : CURVED;
  case FCPS_FORMULA_CHOOSE:
    return a == 0 ? larger(b, c) : CURVED;
  default:
    break;
  }
  if (larger(a, b) == CURVED) return CURVED;
  if (is_logic(step) || fcps_formula_calls(step, "sign")) return 0;
  if (is_extreme(step) || fcps_formula_calls(step, "sum")) return larger(a, b);
  if (fcps_formula_calls(step, "abs")) return a;
  return larger(a, b) == 0 ? 0 : CURVED;
}

/* Whether a step jumps at many places. A conditional form may have such a step only if its arguments are piecewise
 * constant. */
static bool jumps_often(const fcps_formula_step *step)
{
  return fcps_formula_calls(step, "floor ceil round mod wrap");
}

static void look_along(analysis *a)
{
  for (int i = 0; i < a->function->count; i++) {
    const fcps_formula_step *step = &a->function->steps[i];
    const int arguments = fcps_formula_arguments(step);
    int degrees[3] = {0};
    a->has_value[i] = step->op == FCPS_FORMULA_VALUE && step->index == a->index;
    a->has_bends[i] = false;
    for (int k = 0; k < arguments; k++) {
      degrees[k] = a->degrees[step->arguments[k]];
      a->has_value[i] = a->has_value[i] || a->has_value[step->arguments[k]];
      a->has_bends[i] = a->has_bends[i] || a->has_bends[step->arguments[k]];
    }
    if (a->has_value[i] && (has_border(step) || is_logic(step) || step->op == FCPS_FORMULA_CHOOSE))
      a->has_bends[i] = true;
    a->degrees[i] = arguments > 0 ? degree_of(step, degrees[0], degrees[1], degrees[2]) : a->has_value[i] ? 1 : 0;
  }
}

/* -- Lines -- */

static int expand(const analysis *a, int index, fcps_formula *lines, int *found);

/* Finds the linear functions that a step can equal, by combining those of its arguments in every way. */
static int combine(const analysis *a, const fcps_formula_step *step, fcps_formula *lines, int *found)
{
  int ways[3][MOST], counts[3] = {1, 1, 1}, total = 0;
  const int arguments = fcps_formula_arguments(step);
  for (int k = 0; k < arguments; k++) {
    counts[k] = expand(a, step->arguments[k], lines, ways[k]);
    if (counts[k] == 0) return 0;
  }
  for (int i = 0; i < counts[0] * counts[1] * counts[2]; i++) {
    fcps_formula_step made = *step;
    if (total == MOST) return 0;
    for (int k = 0, rest = i; k < arguments; rest /= counts[k], k++)
      made.arguments[k] = ways[k][rest % counts[k]];
    found[total] = fcps_formula_add(lines, made);
    if (found[total++] < 0) return 0;
  }
  return total;
}

/* Finds the linear functions that either of two steps can equal, and adds them to `found`. */
static int unite(const analysis *a, int first, int second, fcps_formula *lines, int *found)
{
  int others[MOST];
  const int count = expand(a, first, lines, found), more = expand(a, second, lines, others);
  if (count == 0 || more == 0 || count + more > MOST) return 0;
  memcpy(found + count, others, (size_t)more * sizeof *found);
  return count + more;
}

/* Finds the linear functions of the value that a step can equal, as steps of `lines`. Returns their number; 0 if there
 * are too many, or there is no memory. */
static int expand(const analysis *a, int index, fcps_formula *lines, int *found)
{
  const fcps_formula_step *step = &a->function->steps[index];
  if (!a->has_bends[index]) {
    found[0] = fcps_formula_splice(lines, a->function, index, NULL);
    return found[0] >= 0 ? 1 : 0;
  }
  if (step->op == FCPS_FORMULA_CHOOSE) return unite(a, step->arguments[1], step->arguments[2], lines, found);
  if (is_extreme(step)) return unite(a, step->arguments[0], step->arguments[1], lines, found);
  if (is_logic(step) || fcps_formula_calls(step, "sign")) {
    found[0] = fcps_formula_add_constant(lines, is_logic(step) ? 0.0 : -1.0);
    found[1] = fcps_formula_add_constant(lines, 1.0);
    return found[1] >= 0 ? 2 : 0;
  }
  if (!fcps_formula_calls(step, "abs")) return combine(a, step, lines, found);
  const int count = expand(a, step->arguments[0], lines, found);
  if (2 * count > MOST) return 0;
  for (int i = 0; i < count; i++) {
    found[count + i] = fcps_formula_add(lines, (fcps_formula_step){.op = FCPS_FORMULA_NEGATE, .arguments = {found[i]}});
    if (found[count + i] < 0) return 0;
  }
  return 2 * count;
}

/* Finds the lines whose roots are the borders of a step. Returns their number. */
static int lines_of(const analysis *a, const fcps_formula_step *step, fcps_formula *lines, int *found)
{
  int others[MOST], total = 0;
  const int count = expand(a, step->arguments[0], lines, found);
  if (!compares(step) && !is_extreme(step)) return count;
  const int more = expand(a, step->arguments[1], lines, others);
  int differences[MOST];
  for (int i = 0; i < count * more; i++) {
    if (total == MOST) return 0;
    differences[total] = fcps_formula_add_operation(lines, FCPS_FORMULA_SUBTRACT, found[i % count], others[i / count]);
    if (differences[total++] < 0) return 0;
  }
  memcpy(found, differences, (size_t)total * sizeof *found);
  return total;
}

/* Whether a step has borders that depend on the value. */
static bool has_lines(const analysis *a, const fcps_formula_step *step)
{
  return has_border(step) &&
         (a->has_value[step->arguments[0]] || (fcps_formula_arguments(step) > 1 && a->has_value[step->arguments[1]]));
}

/* Adds the lines of all steps. Returns false if there are too many lines. */
static bool find_lines(const analysis *a, fcps_conditional *c)
{
  for (int i = 0; i < a->function->count; i++) {
    const fcps_formula_step *step = &a->function->steps[i];
    int found[MOST];
    if (!has_lines(a, step)) continue;
    const int count = lines_of(a, step, &c->lines, found);
    if (count == 0 || c->lines_count + count > MOST) return false;
    memcpy(c->line_steps + c->lines_count, found, (size_t)count * sizeof *found);
    c->lines_count += count;
  }
  return true;
}

/* -- Values at sample points -- */

/* Returns the values of all steps of a formula at a few points of the outcomes (rows). All other inputs are 1. The
 * caller frees the result; NULL if there is no memory. */
static double *eval_at(const fcps_formula *formula, int values_count, const fcps_conditional_outcomes *o, int points,
                       const double *numbers)
{
  static const double one = 1.0;
  double *work = fcps_allocate(fcps_formula_work(formula), sizeof *work);
  fcps_formula_input *inputs = fcps_allocate((size_t)values_count, sizeof *inputs);
  for (int i = 0; i < values_count && inputs != NULL; i++)
    inputs[i] = (fcps_formula_input){&one, 0};
  for (int j = 0; j < o->count && inputs != NULL; j++)
    inputs[o->indices[j]] = (fcps_formula_input){numbers + j, (size_t)o->count};
  if (work != NULL && inputs != NULL) fcps_formula_eval(formula, points, inputs, work);
  if (inputs == NULL) free(work);
  free(inputs);
  return inputs != NULL ? work : NULL;
}

static const double *values_of(const double *work, int step)
{
  return work + (size_t)step * FCPS_FORMULA_LANES;
}

/* Points at which a function is sampled, relative to typical outcomes and in their scales. These numbers are arbitrary,
 * so that two lines do not agree at all of them by chance. */
enum { VIEWS = 3 };
static const double views[VIEWS][FCPS_CONDITIONAL_OUTER + 1] = {
    {0.0, 0.0, 0.0}, {0.831, -0.617, 0.393}, {-1.277, 0.719, -0.907}};

/* Writes the sample points: for each view the view itself and, for each outcome, the view moved by its scale. */
static void lay_views(const fcps_conditional_outcomes *o, double *numbers)
{
  for (int v = 0; v < VIEWS; v++)
    for (int moved = -1; moved < o->count; moved++)
      for (int j = 0; j < o->count; j++)
        *numbers++ = o->typical[j] + o->scale[j] * (views[v][j] + (moved == j ? 1.0 : 0.0));
}

/* The root of line `step` along outcome `place`, as a distance from view v in scales; NaN if there is no root. */
static double root_at(const double *work, int step, int outcomes, int place, int v)
{
  const double *values = values_of(work, step) + v * (outcomes + 1);
  const double slope = values[1 + place] - values[0];
  return slope != 0.0 ? -values[0] / slope : NAN;
}

/* Removes lines that have no roots, and lines that have the same roots as an earlier line. */
static void drop_repeated(fcps_conditional *c, const double *work, int outcomes, int place)
{
  int kept = 0;
  for (int i = 0; i < c->lines_count; i++) {
    bool is_new = !isnan(root_at(work, c->line_steps[i], outcomes, place, 1));
    for (int k = 0; k < kept && is_new; k++) {
      bool is_same = true;
      for (int v = 0; v < VIEWS; v++) {
        const double a = root_at(work, c->line_steps[i], outcomes, place, v),
                     b = root_at(work, c->line_steps[k], outcomes, place, v);
        is_same = is_same && fabs(a - b) <= 1e-9 * (1.0 + fabs(a));
      }
      is_new = !is_same;
    }
    if (is_new) c->line_steps[kept++] = c->line_steps[i];
  }
  c->lines_count = kept;
}

/* How smooth the expectation over the inner outcome is, as a function of the outer ones. Averaging rounds each kink off
 * over some width. Returns the smallest width, in scales of the outer outcomes. */
static double smoothness(const fcps_conditional *c, const double *work, int outcomes, int place)
{
  double least = INFINITY;
  for (int i = 0; i < c->lines_count; i++)
    for (int v = 0; v < VIEWS; v++) {
      const double *values = values_of(work, c->line_steps[i]) + v * (outcomes + 1);
      for (int j = 0; j < outcomes; j++)
        if (j != place) least = fmin(least, fabs(values[1 + place] - values[0]) / fabs(values[1 + j] - values[0]));
    }
  return least;
}

/* Whether every line has the same slope along the inner outcome at all views. */
static bool are_parallel(const fcps_conditional *c, const double *work, int outcomes, int place)
{
  bool answer = true;
  for (int i = 0; i < c->lines_count; i++)
    for (int v = 1; v < VIEWS; v++) {
      const double *here = values_of(work, c->line_steps[i]), *there = here + v * (outcomes + 1);
      const double slope = here[1 + place] - here[0], other = there[1 + place] - there[0];
      answer = answer && fabs(slope - other) <= 1e-6 * (fabs(slope) + fabs(other));
    }
  return answer;
}

/* -- Borders along the outer outcome -- */

/* Writes places of the inner outcome at which to look for a border of the outer one: some fixed places, and one on each
 * side of each line. They are in scales from the inner outcome's typical value. Returns their number. */
enum { FIXED_PLACES = 10, MOST_PLACES = FIXED_PLACES + 2 * MOST };
static int places_of(const fcps_conditional *c, int values_count, const fcps_conditional_outcomes *o, int outer,
                     double at, double *places)
{
  static const double fixed[FIXED_PLACES] = {-6.0, -3.1, -1.6, -0.7, -0.2, 0.13, 0.6, 1.3, 2.7, 5.5};
  const int inner = 1 - outer;
  double numbers[4];
  int count = FIXED_PLACES;
  memcpy(places, fixed, sizeof fixed);
  numbers[outer] = numbers[2 + outer] = at;
  numbers[inner] = o->typical[inner];
  numbers[2 + inner] = o->typical[inner] + o->scale[inner];
  double *work = c->lines_count > 0 ? eval_at(&c->lines, values_count, o, 2, numbers) : NULL;
  for (int i = 0; i < c->lines_count && work != NULL; i++) {
    const double *values = values_of(work, c->line_steps[i]), root = values[0] / (values[0] - values[1]);
    if (!isfinite(root)) continue;
    places[count++] = root - 0.05;
    places[count++] = root + 0.05;
  }
  free(work);
  return count;
}

/* Whether the function has a kink or a jump at the value `at` of the outer outcome, for some value of the inner one. */
static bool has_border_at(const fcps_conditional *c, const fcps_formula *function, int values_count,
                          const fcps_conditional_outcomes *o, int outer, double at)
{
  enum { SIDES = 4 };
  static const double sides[SIDES] = {-2.0, -1.0, 1.0, 2.0};
  double places[MOST_PLACES], numbers[2 * MOST_PLACES * SIDES];
  const int count = places_of(c, values_count, o, outer, at, places);
  for (int i = 0; i < count * SIDES; i++) {
    numbers[2 * i + outer] = at + 1e-3 * o->scale[outer] * sides[i % SIDES];
    numbers[2 * i + 1 - outer] = o->typical[1 - outer] + places[i / SIDES] * o->scale[1 - outer];
  }
  double *work = eval_at(function, values_count, o, count * SIDES, numbers);
  bool is_border = work == NULL;
  for (int i = 0; i < count && work != NULL; i++) {
    const double *f = values_of(work, function->count - 1) + i * SIDES;
    const double before = f[1] - f[0], after = f[3] - f[2], across = f[2] - f[1];
    const double small = 0.02 * (fabs(before) + fabs(after)) + 1e-10 * fabs(f[0]);
    is_border = is_border || fabs(after - before) > small || fabs(across - before - after) > small;
  }
  free(work);
  return is_border;
}

/* Finds the value of the outer outcome at which a line that does not depend on the inner outcome has its root. Returns
 * false if there is no root. *is_straight becomes false if the line proves not to be straight. */
static bool find_place(const double *work, int step, const fcps_conditional_outcomes *o, int outer, double *place,
                       bool *is_straight)
{
  double found[VIEWS];
  for (int v = 0; v < VIEWS; v++) {
    if (!isnan(root_at(work, step, o->count, 1 - outer, v))) return false; /* the line depends on the inner outcome */
    found[v] = o->typical[outer] + o->scale[outer] * (views[v][outer] + root_at(work, step, o->count, outer, v));
    if (isnan(found[v])) return false;
    if (fabs(found[v] - found[0]) > 1e-6 * (o->scale[outer] + fabs(found[0]))) *is_straight = false;
  }
  *place = found[0];
  return *is_straight;
}

static void add_break(fcps_conditional *c, double place)
{
  for (int i = 0; i < c->breaks_count; i++)
    if (fabs(c->breaks[i] - place) <= 1e-9 * (1.0 + fabs(place))) return;
  if (c->breaks_count < FCPS_CONDITIONAL_BREAKS) c->breaks[c->breaks_count++] = place;
}

/* Finds the breaks along the only outer outcome: the borders that do not depend on the inner outcome. Returns false if
 * there is no memory. */
static bool find_breaks(fcps_conditional *c, const analysis *inner, analysis *outer, int values_count,
                        const fcps_conditional_outcomes *o, int place)
{
  fcps_conditional along = {.inner = -1};
  double numbers[VIEWS * 3 * 2], *work = NULL;
  bool is_straight = true;
  outer->index = o->indices[place];
  look_along(outer);
  for (int i = 0; i < inner->function->count; i++) {
    if (outer->has_value[i] && !inner->has_value[i] && jumps_often(&inner->function->steps[i])) is_straight = false;
    outer->has_value[i] = outer->has_value[i] || inner->has_value[i];
    outer->has_bends[i] = outer->has_bends[i] || inner->has_bends[i];
  }
  is_straight = is_straight && find_lines(outer, &along);
  lay_views(o, numbers);
  if (along.lines_count > 0) work = eval_at(&along.lines, values_count, o, VIEWS * (o->count + 1), numbers);
  const bool is_done = along.lines_count == 0 || work != NULL;
  for (int i = 0; i < along.lines_count && work != NULL; i++) {
    double at;
    if (find_place(work, along.line_steps[i], o, place, &at, &is_straight) &&
        has_border_at(c, inner->function, values_count, o, place, at))
      add_break(c, at);
  }
  free(work);
  fcps_conditional_destroy(&along);
  return is_done;
}

/* -- Create and destroy -- */

/* Finds the form with outcome `place` as the inner one. *quality is its smoothness; 0 or less: there is no form.
 * Returns false if there is no memory. */
static bool find_form(fcps_conditional *c, analysis *inner, int values_count, const fcps_conditional_outcomes *o,
                      int place, double *quality)
{
  double numbers[VIEWS * (FCPS_CONDITIONAL_OUTER + 2) * (FCPS_CONDITIONAL_OUTER + 1)], *work;
  *c = (fcps_conditional){.inner = -1};
  *quality = 0.0;
  inner->index = o->indices[place];
  look_along(inner);
  if (inner->degrees[inner->function->count - 1] == CURVED || !find_lines(inner, c)) return true;
  lay_views(o, numbers);
  work = c->lines_count > 0 ? eval_at(&c->lines, values_count, o, VIEWS * (o->count + 1), numbers) : NULL;
  if (c->lines_count > 0 && work == NULL) return false;
  if (work != NULL) drop_repeated(c, work, o->count, place);
  *quality = c->lines_count > 0 ? smoothness(c, work, o->count, place) : INFINITY;
  c->width = c->lines_count == 0 || are_parallel(c, work, o->count, place) ? *quality : 0.0;
  c->inner = inner->index;
  free(work);
  return true;
}

bool fcps_conditional_create(fcps_conditional *conditional, const fcps_formula *function, int values_count,
                             const fcps_conditional_outcomes *outcomes)
{
  const size_t steps = (size_t)function->count;
  int *degrees = fcps_allocate(2 * steps, sizeof *degrees);
  bool *flags = fcps_allocate(4 * steps, sizeof *flags);
  analysis inner = {.function = function, .degrees = degrees, .has_value = flags, .has_bends = flags + steps};
  double best = 0.0;
  int chosen = -1;
  bool is_done = degrees != NULL && flags != NULL;
  *conditional = (fcps_conditional){.inner = -1};
  for (int place = 0; place < outcomes->count && is_done; place++) {
    fcps_conditional found;
    double quality = 0.0;
    is_done = find_form(&found, &inner, values_count, outcomes, place, &quality);
    const bool is_better = is_done && found.inner >= 0 && quality > best;
    fcps_conditional_destroy(is_better ? conditional : &found);
    if (!is_better) continue;
    *conditional = found;
    best = quality;
    chosen = place;
  }
  if (is_done && chosen >= 0 && outcomes->count == 2) {
    analysis outer = {.function = function,
                      .degrees = degrees + steps,
                      .has_value = flags + 2 * steps,
                      .has_bends = flags + 3 * steps};
    inner.index = conditional->inner;
    look_along(&inner);
    is_done = find_breaks(conditional, &inner, &outer, values_count, outcomes, 1 - chosen);
  }
  free(degrees);
  free(flags);
  if (!is_done) fcps_conditional_destroy(conditional);
  return is_done;
}

void fcps_conditional_destroy(fcps_conditional *conditional)
{
  fcps_formula_destroy(&conditional->lines);
  *conditional = (fcps_conditional){.inner = -1};
}
