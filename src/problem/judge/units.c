/* SPDX-License-Identifier: Apache-2.0 */
/* A step that adds or compares has two sides, and each side is a sum of terms, or the least or greatest of them. Only terms
 * that are a number behind a name, perhaps with a minus, have its unit for sure; so only these are looked at. */
#include "problem/judge/judge.h"
#include "problem/quantity.h"

#include <math.h>

typedef struct search {
  const fcps_problem *problem;
  const fcps_reward_formula *reward;
  fcps_reward_mix *mix;
} search;

/* The dimension behind a value; *is_outcome says of which space. NULL: neither a target nor an outcome. */
static const fcps_dimension *dimension_of(const search *s, int index, bool *is_outcome)
{
  const fcps_space *outcome = &s->problem->outcome, *target = &s->problem->target;
  const int o = index - s->reward->outcome, t = index - s->reward->target;
  *is_outcome = o >= 0 && o < outcome->count;
  if (*is_outcome) return &outcome->dims[o];
  return t >= 0 && t < target->count ? &target->dims[t] : NULL;
}

static bool mixes(const search *s, int a, int b)
{
  bool is_outcome[2];
  const fcps_dimension *dims[2] = {dimension_of(s, a, &is_outcome[0]), dimension_of(s, b, &is_outcome[1])};
  fcps_quantity units[2];
  if (dims[0] == NULL || dims[1] == NULL || is_outcome[0] == is_outcome[1]) return false;
  const int o = is_outcome[0] ? 0 : 1, t = 1 - o;
  if (!fcps_quantity_read(&units[0], dims[0]->unit) || !fcps_quantity_read(&units[1], dims[1]->unit)) return false;
  if (!fcps_quantity_differs(&units[0], &units[1])) return false;
  const bool is_factor = units[0].shift == 0.0 && units[1].shift == 0.0;
  *s->mix = (fcps_reward_mix){dims[t], dims[o], is_factor ? units[o].factor / units[t].factor : NAN};
  return true;
}

/* Whether the value of a step is in the unit of both its arguments. */
static bool adds(const fcps_formula_step *step)
{
  return step->op == FCPS_FORMULA_ADD || step->op == FCPS_FORMULA_SUBTRACT || fcps_formula_calls(step, "sum min max");
}

/* Whether a term of step `at` mixes with the value `other`. */
static bool has_mixing_term(const search *s, int at, int other)
{
  const fcps_formula_step *step = &s->reward->formula.steps[at];
  if (step->op == FCPS_FORMULA_VALUE) return mixes(s, step->index, other);
  if (step->op == FCPS_FORMULA_NEGATE) return has_mixing_term(s, step->arguments[0], other);
  return adds(step) && (has_mixing_term(s, step->arguments[0], other) || has_mixing_term(s, step->arguments[1], other));
}

/* Whether a term of step `at` mixes with one of step `other`. */
static bool sides_mix(const search *s, int at, int other)
{
  const fcps_formula_step *step = &s->reward->formula.steps[at];
  if (step->op == FCPS_FORMULA_VALUE) return has_mixing_term(s, other, step->index);
  if (step->op == FCPS_FORMULA_NEGATE) return sides_mix(s, step->arguments[0], other);
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
