/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards that can be meant, but seldom are: one that never changes, one that nothing measured changes, and one that grows
 * the further an outcome is from what was wanted, because its minus is missing.
 *
 * Only a formula is looked at: its steps say what it uses. To see that it grows it is evaluated at outcomes that lie
 * further and further away, in both directions. One that is the same in both, such as `v^2`, wants large numbers of any
 * sign, and is left alone; one that is not has a place other than zero where it is least, in every context. */
#include "base/memory.h"
#include "problem/reward_parts.h"
#include "space/space.h"
#include "study/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT   "W_REWARD_CONSTANT"
#define NO_OUTCOME "W_REWARD_NO_OUTCOME"
#define GROWS      "W_REWARD_GROWS"

enum { PLACES = 16, STEPS = 3 };

/* Evaluates a formula in single places. */
typedef struct evaluator {
  const fcps_reward_formula *reward;
  double *values, *work;
  fcps_formula_input *inputs;
} evaluator;

static bool begin(evaluator *e, const fcps_reward_formula *reward)
{
  const size_t count = (size_t)reward->count;
  *e = (evaluator){.reward = reward,
                   .values = fcps_allocate(count, sizeof(double)),
                   .work = fcps_allocate(fcps_formula_work(&reward->formula), sizeof(double)),
                   .inputs = fcps_allocate(count, sizeof(fcps_formula_input))};
  if (e->values == NULL || e->work == NULL || e->inputs == NULL) return false;
  for (size_t i = 0; i < count; i++)
    e->inputs[i] = (fcps_formula_input){.at = e->values + i};
  return true;
}

static void end(evaluator *e)
{
  free(e->values);
  free(e->work);
  free(e->inputs);
}

/* Puts place `place` of a sequence that fills a space into the values; an outcome without bounds is 0 or 1. */
static void put_place(evaluator *e, const fcps_space *space, int first, int place)
{
  for (int d = 0; d < space->count; d++) {
    const fcps_space axis = {1, space->dims + d};
    const double unit = fmod(0.5 + (place + 1) * 0.6180339887498949 * (1.0 + 0.37 * (first + d)), 1.0);
    if (space->dims[d].lower < space->dims[d].upper)
      fcps_space_from_unit(&axis, &unit, e->values + first + d);
    else
      e->values[first + d] = unit < 0.5 ? 0.0 : 1.0;
  }
}

static double value_at(evaluator *e, int index, double value)
{
  e->values[index] = value;
  return fcps_formula_eval(&e->reward->formula, 1, e->inputs, e->work)[0];
}

/* Whether the reward grows on both sides of the values as they are; *is_even: as much on both. */
static bool grows_here(evaluator *e, int index, double size, bool *is_even)
{
  double last[2] = {-INFINITY, -INFINITY}, distance = 1e3 * size;
  for (int i = 0; i < STEPS; i++, distance *= 10.0) {
    for (int side = 0; side < 2; side++) {
      const double reward = value_at(e, index, side == 0 ? distance : -distance);
      if (!isfinite(reward) || !(reward > last[side])) return false;
      last[side] = reward;
    }
    *is_even = *is_even && fabs(last[0] - last[1]) <= 1e-12 * fabs(last[0]);
  }
  return true;
}

/* The largest number of the problem's own, by which far away is measured. */
static double size_of(const fcps_problem *p)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  double size = 1.0;
  for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++)
    for (int d = 0; d < spaces[s]->count; d++)
      size = fmax(size, fmax(fabs(spaces[s]->dims[d].lower), fabs(spaces[s]->dims[d].upper)));
  return size;
}

static bool grows(const fcps_problem *p, evaluator *e, int outcome)
{
  const fcps_reward_formula *r = e->reward;
  bool is_even = true;
  for (int place = 0; place < PLACES; place++) {
    put_place(e, &p->environment, r->environment, place);
    put_place(e, &p->target, r->target, place);
    put_place(e, &p->parameters, r->parameters, place);
    put_place(e, &p->outcome, r->outcome, place);
    e->values[r->present] = 1.0;
    if (!grows_here(e, r->outcome + outcome, size_of(p), &is_even)) return false;
  }
  return !is_even;
}

static void look_at_sign(fcps_study *s, const fcps_reward_formula *reward)
{
  evaluator e;
  char names[300] = "";
  const char *last = NULL;
  const bool ok = begin(&e, reward);
  for (int o = 0; o < s->problem.outcome.count && ok; o++) {
    if (!grows(&s->problem, &e, o)) continue;
    const size_t used = strlen(names);
    last = s->problem.outcome.dims[o].name;
    snprintf(names + used, sizeof names - used, "%s%.100s", used > 0 ? " or " : "", last);
  }
  if (last != NULL)
    fcps_study_make_remark(
        s, GROWS, names, false,
        "reward: it grows the further %s is from where it is least, in both directions; fcps looks for the largest "
        "reward. Is a minus missing, as in -distance or -abs(%.100s - ...)? If it is meant, nothing needs to be done",
        names, last);
  end(&e);
}

void fcps_study_look_at_reward(fcps_study *s)
{
  fcps_study_withdraw_remarks(s, CONSTANT);
  fcps_study_withdraw_remarks(s, NO_OUTCOME);
  fcps_study_withdraw_remarks(s, GROWS);
  const fcps_reward_formula *reward = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  if (reward == NULL) return;
  if (fcps_reward_is_constant(reward))
    fcps_study_make_remark(
        s, CONSTANT, "", true,
        "reward: it has the same value whatever happens, so nothing can be learnt. Write a formula over the "
        "outcome, as in -abs(outcome - target)");
  else if (!fcps_reward_uses_outcome(reward))
    fcps_study_make_remark(
        s, NO_OUTCOME, "", false,
        "reward: it uses no outcome, so no trial can change it: the best parameters follow from the formula "
        "alone. If what is measured should count, write it into the formula");
  else
    look_at_sign(s, reward);
}
