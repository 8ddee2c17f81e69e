/* SPDX-License-Identifier: Apache-2.0 */
/* A step follows an outcome where a small change of the outcome changes it. A comparison, a rounding and the greater of
 * two numbers stay as they are for a while; only if a step that follows an outcome is asked for one number, or for
 * being zero, an exact value decides.
 *
 * A step may be a sum of two parts: no target changes the one, and nothing that is done or happens changes the other. If the
 * whole formula is, the same trial is best for every target. */
#include "problem/judge/judge.h"

#include "base/memory.h"

#include <stdlib.h>

/* Whether a step is a product with 0: then the other factor may be switched off for now. */
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
  if (index < reward->outcome) return 0; /* neither: the environment is given */
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

/* The outcome that one of the arguments from `first` on follows; -1: they follow no outcome. */
static int followed_by(const fcps_formula_step *step, int first, const int *follows)
{
  for (int a = first; a < fcps_formula_arguments(step); a++)
    if (follows[step->arguments[a]] >= 0) return follows[step->arguments[a]];
  return -1;
}

/* The outcome that a step follows; *exact receives the outcome whose exact value the step needs, if it needs one. */
static int judge_step(const fcps_reward_formula *reward, const fcps_formula_step *step, const int *follows, int *exact)
{
  const int condition = 1; /* the arguments of a choice before this one decide */
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
