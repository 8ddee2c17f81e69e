/* SPDX-License-Identifier: Apache-2.0 */
/* What a reward formula uses, read from its steps: outcomes, units, and limits in disguise.
 *
 * A step follows an outcome if a small change of the outcome changes the step. A comparison, a rounding and the greater
 * of two numbers do not change with every small change. Only if a step that follows an outcome is compared for
 * equality, or tested for zero, does an exact value decide.
 *
 * A step may be a sum of two parts, one without any target, and one without parameters and outcomes. If the whole
 * formula is such a sum, the same trial is best for every target. */
#include "base/memory.h"
#include "base/rng.h"
#include "problem/judge/judge.h"
#include "problem/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a step is a product with 0. If so, the user may have switched off the other factor for the moment. */
static bool is_switched_off(const fcps_formula_step *steps, const fcps_formula_step *step)
{
  for (int a = 0; a < 2 && step->op == FCPS_FORMULA_MULTIPLY; a++) {
    const fcps_formula_step *factor = steps + step->arguments[a];
    if (factor->op == FCPS_FORMULA_CONSTANT && factor->constant == 0.0) return true;
  }
  return false;
}

/* Whether the reward uses one of these values; true if there is no memory to find out. */
static bool uses_values(const fcps_reward_formula *reward, int first, int last)
{
  const int count = reward->formula.count;
  const fcps_formula_step *steps = reward->formula.steps;
  bool *uses = fcps_allocate((size_t)count, sizeof *uses);
  if (uses == NULL) return true;
  for (int i = 0; i < count; i++) {
    uses[i] = steps[i].op == FCPS_FORMULA_VALUE && steps[i].index >= first && steps[i].index < last;
    for (int a = 0; a < fcps_formula_arguments(steps + i) && !is_switched_off(steps, steps + i); a++)
      uses[i] |= uses[steps[i].arguments[a]];
  }
  const bool is_used = uses[count - 1];
  free(uses);
  return is_used;
}

bool fcps_reward_is_constant(const fcps_reward_formula *reward)
{
  return !uses_values(reward, 0, reward->count);
}

bool fcps_reward_uses(const fcps_reward_formula *reward, int value)
{
  return uses_values(reward, value, value + 1);
}

/* -- Targets that decide nothing -- */

/* What can change the parts of a step. */
enum { TARGET_PART = 1, TRIAL_PART = 2, MIXED = 4 };

static int parts_of_value(const fcps_reward_formula *reward, int index)
{
  if (index < reward->outcome) return 0; /* The environment is neither wanted nor caused: it is given. */
  return index >= reward->target && index < reward->parameters ? TARGET_PART : TRIAL_PART;
}

static int parts_of(const fcps_reward_formula *reward, const fcps_formula_step *step, const int *parts)
{
  int all = 0, arguments[3] = {0};
  if (step->op == FCPS_FORMULA_VALUE) return parts_of_value(reward, step->index);
  for (int a = 0; a < fcps_formula_arguments(step); a++)
    all |= arguments[a] = parts[step->arguments[a]];
  if (is_switched_off(reward->formula.steps, step)) return 0;
  switch (step->op) {
  case FCPS_FORMULA_NEGATE:
  case FCPS_FORMULA_ADD:
  case FCPS_FORMULA_SUBTRACT:
    return all;
  case FCPS_FORMULA_MULTIPLY:
    if (arguments[0] == 0 || arguments[1] == 0) return all;
    break;
  case FCPS_FORMULA_DIVIDE:
    if (arguments[1] == 0) return all;
    break;
  default:
    break;
  }
  return all == (TARGET_PART | TRIAL_PART) ? MIXED : all;
}

bool fcps_reward_has_idle_targets(const fcps_reward_formula *reward)
{
  const int count = reward->formula.count;
  int *parts = reward->parameters > reward->target ? fcps_allocate((size_t)count, sizeof *parts) : NULL;
  if (parts == NULL) return false;
  for (int i = 0; i < count; i++)
    parts[i] = parts_of(reward, reward->formula.steps + i, parts);
  const bool is_idle = (parts[count - 1] & MIXED) == 0;
  free(parts);
  return is_idle;
}

/* -- Outcomes whose exact value decides -- */

/* Returns the outcome that one of the arguments from `first` on follows; -1 if they follow no outcome. */
static int followed_by(const fcps_formula_step *step, int first, const int *follows)
{
  for (int a = first; a < fcps_formula_arguments(step); a++)
    if (follows[step->arguments[a]] >= 0) return follows[step->arguments[a]];
  return -1;
}

/* Returns the outcome that a step follows. If the step needs the exact value of an outcome, *exact receives that
 * outcome. */
static int judge_step(const fcps_reward_formula *reward, const fcps_formula_step *step, const int *follows, int *exact)
{
  const int condition = 1; /* arguments of a choice before this index decide its value */
  switch (step->op) {
  case FCPS_FORMULA_CONSTANT:
    return -1;
  case FCPS_FORMULA_VALUE:
    return step->index >= reward->outcome && step->index < reward->target ? step->index - reward->outcome : -1;
  case FCPS_FORMULA_EQUAL:
  case FCPS_FORMULA_UNEQUAL:
  case FCPS_FORMULA_AND:
  case FCPS_FORMULA_OR:
    *exact = followed_by(step, 0, follows);
    return -1;
  case FCPS_FORMULA_LESS:
  case FCPS_FORMULA_LESS_EQUAL:
  case FCPS_FORMULA_GREATER:
  case FCPS_FORMULA_GREATER_EQUAL:
    return -1;
  case FCPS_FORMULA_CHOOSE:
    *exact = follows[step->arguments[0]];
    return followed_by(step, condition, follows);
  case FCPS_FORMULA_CALL_ONE:
  case FCPS_FORMULA_CALL_TWO:
    return fcps_formula_calls(step, "floor ceil round sign min max") ? -1 : followed_by(step, 0, follows);
  default:
    return followed_by(step, 0, follows);
  }
}

int fcps_reward_exact_outcome(const fcps_reward_formula *reward)
{
  int exact = -1, *follows = fcps_allocate((size_t)reward->formula.count, sizeof *follows);
  for (int i = 0; i < reward->formula.count && follows != NULL && exact < 0; i++)
    follows[i] = judge_step(reward, reward->formula.steps + i, follows, &exact);
  free(follows);
  return exact;
}

/* -- Units that a reward mixes --
 *
 * A step that adds or compares has two sides; each is a sum of terms, or the least or greatest of them. A term has the
 * unit of a dimension if it is one, or the size of a sum of them, as in abs(land - want). A number that is multiplied
 * may have been converted or weighed, so other terms are ignored. */

typedef struct search {
  const fcps_problem *problem;
  const fcps_reward_formula *reward;
  fcps_reward_mix *mix;
} search;

/* Returns the dimension of a value, and whether it is a target; NULL if the value is not a dimension. */
static const fcps_dimension *dimension_of(const search *s, int index, bool *is_target)
{
  const fcps_problem *p = s->problem;
  const fcps_reward_formula *r = s->reward;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  const int first[] = {r->target, r->environment, r->parameters, r->outcome};
  for (int i = 0; i < 4; i++) {
    *is_target = i == 0;
    if (index >= first[i] && index < first[i] + spaces[i]->count) return &spaces[i]->dims[index - first[i]];
  }
  return NULL;
}

static bool mixes(const search *s, int a, int b)
{
  bool is_target[2];
  const fcps_dimension *dims[2] = {dimension_of(s, a, &is_target[0]), dimension_of(s, b, &is_target[1])};
  fcps_quantity units[2];
  for (int i = 0; i < 2; i++)
    if (dims[i] == NULL || dims[i]->unit == NULL || *dims[i]->unit == '\0') return false;
  if (fcps_quantity_is_same(dims[0]->unit, dims[1]->unit)) return false;
  const bool are_known = fcps_quantity_read(&units[0], dims[0]->unit) && fcps_quantity_read(&units[1], dims[1]->unit);
  const bool are_of_kind = are_known && fcps_quantity_is_of_kind(&units[0], &units[1]);
  const bool is_factor = are_of_kind && units[0].shift == 0.0 && units[1].shift == 0.0;
  const int one = is_target[0] ? 1 : 0, other = 1 - one;
  *s->mix =
      (fcps_reward_mix){dims[one], dims[other], is_factor ? units[one].factor / units[other].factor : NAN, are_of_kind};
  return true;
}

/* Whether the value of a step has the unit of its only argument. */
static bool keeps_unit(const fcps_formula_step *step)
{
  return step->op == FCPS_FORMULA_NEGATE || fcps_formula_calls(step, "abs floor ceil round");
}

/* Whether the value of a step has the unit of both its arguments. */
static bool adds(const fcps_formula_step *step)
{
  return step->op == FCPS_FORMULA_ADD || step->op == FCPS_FORMULA_SUBTRACT ||
         fcps_formula_calls(step, "sum min max hypot");
}

/* Whether a term of step `at` mixes units with the value `other`. */
static bool has_mixing_term(const search *s, int at, int other)
{
  const fcps_formula_step *step = &s->reward->formula.steps[at];
  if (step->op == FCPS_FORMULA_VALUE) return mixes(s, step->index, other);
  if (keeps_unit(step)) return has_mixing_term(s, step->arguments[0], other);
  return adds(step) && (has_mixing_term(s, step->arguments[0], other) || has_mixing_term(s, step->arguments[1], other));
}

/* Whether a term of step `at` mixes units with a term of step `other`. */
static bool sides_mix(const search *s, int at, int other)
{
  const fcps_formula_step *step = &s->reward->formula.steps[at];
  if (step->op == FCPS_FORMULA_VALUE) return has_mixing_term(s, other, step->index);
  if (keeps_unit(step)) return sides_mix(s, step->arguments[0], other);
  return adds(step) && (sides_mix(s, step->arguments[0], other) || sides_mix(s, step->arguments[1], other));
}

bool fcps_reward_find_mix(const fcps_problem *problem, const fcps_reward_formula *reward, fcps_reward_mix *mix)
{
  const search s = {problem, reward, mix};
  for (int i = 0; i < reward->formula.count; i++) {
    const fcps_formula_step *step = &reward->formula.steps[i];
    if ((adds(step) || fcps_formula_compares(step)) && sides_mix(&s, step->arguments[0], step->arguments[1]))
      return true;
  }
  return false;
}

/* -- Limits in disguise --
 *
 * A limit may be written into a reward: `peak > 80 ? -50 : ...`, `... - 50*(peak > 80)` and
 * `... - (peak > 80 ? 50 : 0)`. The comparison has an outcome on one side and a level on the other: a number, or a
 * formula of the environment. Beyond the level the reward is worse. If the reward is constant on the better side, the
 * comparison is a goal and not a limit, and is left alone. */

enum { PLACES = 64, LANES = FCPS_FORMULA_LANES };

/* Whether a step depends on one of the values from `first` to `end` - 1. */
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

/* Whether a step is a constant, perhaps with a minus. */
static bool is_constant(const fcps_formula *f, int step, double *value)
{
  const fcps_formula_step *s = &f->steps[step];
  if (s->op == FCPS_FORMULA_NEGATE && is_constant(f, s->arguments[0], value)) {
    *value = -*value;
    return true;
  }
  *value = s->constant;
  return s->op == FCPS_FORMULA_CONSTANT;
}

/* The side of a comparison on which a term is worse that is added (`sign` 1) or subtracted (-1), and is one of two
 * constants: 1 if the comparison is true, -1 if it is false, 0 if the term is another. */
static int worse_constant(const fcps_formula *f, int term, double sign, int *comparison)
{
  const fcps_formula_step *s = &f->steps[term];
  double then, otherwise;
  if (s->op == FCPS_FORMULA_NEGATE) return worse_constant(f, s->arguments[0], -sign, comparison);
  if (s->op != FCPS_FORMULA_CHOOSE || !is_constant(f, s->arguments[1], &then) ||
      !is_constant(f, s->arguments[2], &otherwise) || then == otherwise)
    return 0;
  *comparison = s->arguments[0];
  return sign * then < sign * otherwise ? 1 : -1;
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
  if (s->op == FCPS_FORMULA_ADD || s->op == FCPS_FORMULA_SUBTRACT) {
    const int first = worse_constant(f, a, 1.0, comparison);
    const int side = first != 0 ? first : worse_constant(f, b, s->op == FCPS_FORMULA_ADD ? 1.0 : -1.0, comparison);
    if (side != 0) return side;
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

/* Writes the text of a step. Returns false if the step has none. */
static bool text_of(const fcps_reward_formula *r, int step, size_t size, char *text)
{
  const fcps_formula_step *s = &r->formula.steps[step];
  if (s->end <= s->begin || (size_t)(s->end - s->begin) >= size) return false;
  snprintf(text, size, "%.*s", s->end - s->begin, r->text + s->begin);
  return true;
}

/* Writes the line for the problem file: the comparison as a limit that excludes its worse side. */
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
