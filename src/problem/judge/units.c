/* SPDX-License-Identifier: Apache-2.0 */
/* Finds units that a reward mixes. A step that adds or compares has two sides; each is a sum of terms, or the least or
 * greatest of them. Only a term that is a dimension, perhaps with a minus, surely has its unit, so other terms are
 * ignored. */
#include "problem/judge/judge.h"
#include "problem/quantity.h"

#include <math.h>

typedef struct search {
  const fcps_problem *problem;
  const fcps_reward_formula *reward;
  fcps_reward_mix *mix;
} search;

/* The dimension of a value, and whether it is a target; NULL: the value is not a dimension. */
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
  if (!are_of_kind && is_target[0] == is_target[1]) return false;
  const bool is_factor = are_of_kind && units[0].shift == 0.0 && units[1].shift == 0.0;
  const int one = is_target[0] ? 1 : 0, other = 1 - one;
  *s->mix =
      (fcps_reward_mix){dims[one], dims[other], is_factor ? units[one].factor / units[other].factor : NAN, are_of_kind};
  return true;
}

/* Whether the value of a step has the unit of both its arguments. */
static bool adds(const fcps_formula_step *step)
{
  return step->op == FCPS_FORMULA_ADD || step->op == FCPS_FORMULA_SUBTRACT || fcps_formula_calls(step, "sum min max");
}

/* Whether a term of step `at` mixes units with the value `other`. */
static bool has_mixing_term(const search *s, int at, int other)
{
  const fcps_formula_step *step = &s->reward->formula.steps[at];
  if (step->op == FCPS_FORMULA_VALUE) return mixes(s, step->index, other);
  if (step->op == FCPS_FORMULA_NEGATE) return has_mixing_term(s, step->arguments[0], other);
  return adds(step) && (has_mixing_term(s, step->arguments[0], other) || has_mixing_term(s, step->arguments[1], other));
}

/* Whether a term of step `at` mixes units with a term of step `other`. */
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
