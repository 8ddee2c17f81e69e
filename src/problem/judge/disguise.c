/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes limits that are written into a reward: `peak > 80 ? -50 : ...` and `... - 50*(peak > 80)`. The comparison
 * has an outcome on one side and a level on the other: a number, or a formula of the environment. Beyond the level the
 * reward is worse. A reward with a constant on the better side is a goal, not a limit, and is left alone. */
#include "problem/judge/judge.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 64, LANES = FCPS_FORMULA_LANES };

/* Whether a step depends on one of the values from `first` to before `end`. */
static bool uses(const fcps_formula *f, int step, int first, int end)
{
  const fcps_formula_step *s = &f->steps[step];
  if (s->op == FCPS_FORMULA_VALUE) return s->index >= first && s->index < end;
  for (int a = 0; a < fcps_formula_arguments(s); a++)
    if (uses(f, s->arguments[a], first, end)) return true;
  return false;
}

/* Draws values at random places, as columns: within the bounds; outcomes without bounds are drawn around zero. */
static void draw_places(const fcps_problem *p, const fcps_reward_formula *r, double *columns)
{
  const struct {
    int first;
    const fcps_space *space;
  } parts[] = {{r->environment, &p->environment},
               {r->outcome, &p->outcome},
               {r->target, &p->target},
               {r->parameters, &p->parameters}};
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_DESIGN, 0);
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < parts[s].space->count; i++) {
      const fcps_dimension *dim = &parts[s].space->dims[i];
      double *column = columns + (size_t)(parts[s].first + i) * PLACES;
      const bool is_bounded = dim->upper > dim->lower;
      for (int l = 0; l < PLACES; l++)
        column[l] = is_bounded ? dim->lower + (dim->upper - dim->lower) * fcps_rng_uniform(&rng)
                               : 100.0 * fcps_rng_normal(&rng);
    }
  for (int l = 0; l < PLACES; l++)
    columns[(size_t)r->present * PLACES + (size_t)l] = 1.0;
}

/* Whether step a is worse than step b at all places. If a does not use an outcome, it must be worse than the best of b,
 * because outcomes without bounds are drawn far from good rewards. */
static bool is_worse(const fcps_reward_formula *r, const double *work, int a, int b, int outcomes)
{
  const double *worse = work + (size_t)a * LANES, *better = work + (size_t)b * LANES;
  const bool is_flat = !uses(&r->formula, a, r->outcome, outcomes);
  double most_a = -INFINITY, most_b = -INFINITY;
  bool is_below = true;
  for (int l = 0; l < PLACES; l++) {
    if (!isfinite(worse[l]) || !isfinite(better[l])) continue;
    is_below = is_below && worse[l] < better[l];
    most_a = fmax(most_a, worse[l]);
    most_b = fmax(most_b, better[l]);
  }
  return most_a < most_b && (is_below || is_flat);
}

/* The side of a comparison on which the reward is worse: 1 if it is true, -1 if it is false, 0 neither. */
static int worse_side(const fcps_reward_formula *r, int outcomes, int step, const double *work, int *comparison)
{
  const fcps_formula *f = &r->formula;
  const fcps_formula_step *s = &f->steps[step];
  const int a = s->arguments[0], b = s->arguments[1], c = s->arguments[2];
  if (s->op == FCPS_FORMULA_CHOOSE) {
    *comparison = a;
    if (is_worse(r, work, b, c, outcomes) && uses(f, c, r->outcome, outcomes)) return 1;
    return is_worse(r, work, c, b, outcomes) && uses(f, b, r->outcome, outcomes) ? -1 : 0;
  }
  if (s->op != FCPS_FORMULA_MULTIPLY && s->op != FCPS_FORMULA_SUBTRACT) return 0;
  const bool is_product = s->op == FCPS_FORMULA_MULTIPLY;
  const int product = is_product ? step : b;
  const fcps_formula_step *m = &f->steps[product];
  if (m->op != FCPS_FORMULA_MULTIPLY) return 0;
  for (int side = 0; side < 2; side++) {
    const fcps_formula_step *factor = &f->steps[m->arguments[side]];
    *comparison = m->arguments[1 - side];
    if (factor->op == FCPS_FORMULA_CONSTANT && fcps_formula_compares(&f->steps[*comparison]))
      return (is_product ? factor->constant : -factor->constant) < 0.0 ? 1 : 0;
  }
  return 0;
}

/* Writes the text of a step; false: it has no text. */
static bool text_of(const fcps_reward_formula *r, int step, size_t size, char *text)
{
  const fcps_formula_step *s = &r->formula.steps[step];
  if (s->end <= s->begin || (size_t)(s->end - s->begin) >= size) return false;
  snprintf(text, size, "%.*s", s->end - s->begin, r->text + s->begin);
  return true;
}

/* Writes the line for the problem file: the comparison as a limit, whose worse side is beyond it. */
static bool write_line(const fcps_problem *p, const fcps_reward_formula *r, int comparison, int side, size_t size,
                       char *line)
{
  const fcps_formula *f = &r->formula;
  const fcps_formula_step *s = &f->steps[comparison];
  const bool is_greater = s->op == FCPS_FORMULA_GREATER || s->op == FCPS_FORMULA_GREATER_EQUAL;
  const bool is_less = s->op == FCPS_FORMULA_LESS || s->op == FCPS_FORMULA_LESS_EQUAL;
  if (!is_greater && !is_less) return false;
  const int outcomes = r->outcome + p->outcome.count;
  const bool is_left = uses(f, s->arguments[0], r->outcome, outcomes);
  const int number = s->arguments[is_left ? 0 : 1], level = s->arguments[is_left ? 1 : 0];
  char of[160], at[160];
  if (!uses(f, number, r->outcome, outcomes) || uses(f, level, r->outcome, outcomes) ||
      uses(f, level, r->target, r->target + p->target.count) ||
      uses(f, level, r->parameters, r->parameters + p->parameters.count) || !text_of(r, number, sizeof of, of) ||
      !text_of(r, level, sizeof at, at))
    return false;
  const char *key = (is_greater == is_left) == (side > 0) ? "at_most" : "at_least";
  if (f->steps[number].op == FCPS_FORMULA_VALUE)
    snprintf(line, size, "limits: {%s: {%s: %s}}", of, key, at);
  else
    snprintf(line, size, "limits: {limit: {of: \"%s\", %s: %s}}", of, key, at);
  return true;
}

bool fcps_reward_find_disguise(const fcps_problem *problem, const fcps_reward_formula *reward, size_t size, char *line)
{
  const fcps_formula *f = &reward->formula;
  bool is_found = false;
  double *columns = fcps_allocate((size_t)reward->count * PLACES, sizeof *columns);
  double *work = fcps_allocate(fcps_formula_work(f), sizeof *work);
  fcps_formula_input *inputs = fcps_allocate((size_t)reward->count + 1, sizeof *inputs);
  if (columns != NULL && work != NULL && inputs != NULL && reward->text != NULL) {
    draw_places(problem, reward, columns);
    for (int v = 0; v < reward->count; v++)
      inputs[v] = (fcps_formula_input){columns + (size_t)v * PLACES, 1};
    fcps_formula_eval(f, PLACES, inputs, work);
    for (int i = f->count - 1; i >= 0 && !is_found; i--) {
      int comparison = 0;
      const int side = worse_side(reward, reward->outcome + problem->outcome.count, i, work, &comparison);
      is_found = side != 0 && fcps_formula_compares(&f->steps[comparison]) &&
                 write_line(problem, reward, comparison, side, size, line);
    }
  }
  free(columns);
  free(work);
  free(inputs);
  return is_found;
}
