/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards that can be meant, but seldom are. Only a formula is looked at: what it does is known without a trial. A remark
 * about a minus or a unit does not keep a study from being used: the formula may be right. */
#include "base/number.h"
#include "problem/judge/judge.h"
#include "study/remarks.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT   "W_REWARD_CONSTANT"
#define NO_OUTCOME "W_REWARD_NO_OUTCOME"
#define GROWS      "W_REWARD_GROWS"
#define UNITS      "W_REWARD_UNITS"

/* -- Its course -- */

/* Adds the names of the dimensions that are marked; returns the last one, or NULL. */
static const char *list_names(const fcps_space *space, const bool *is_marked, size_t size, char *names)
{
  const char *last = NULL;
  names[0] = '\0';
  for (int i = 0; i < space->count; i++) {
    if (!is_marked[i]) continue;
    const size_t used = strlen(names);
    last = space->dims[i].name;
    snprintf(names + used, size - used, "%s%.100s", used > 0 ? " or " : "", last);
  }
  return last;
}

/* One remark, although a wrong sign shows in several ways. */
static void look_at_sign(fcps_study *s, const fcps_reward_judgement *judgement)
{
  char names[300];
  const char *outcome = list_names(&s->problem.outcome, judgement->grows, sizeof names, names);
  if (outcome != NULL) {
    fcps_study_make_remark(
        s, GROWS, names, false,
        "reward: it grows the further %s is from where it is least, in both directions; fcps looks for the largest "
        "reward. Is a minus missing, as in -distance or -abs(%.100s - ...)? If it is meant, nothing needs to be done",
        names, outcome);
  } else if (list_names(&s->problem.target, judgement->is_contrary, sizeof names, names) != NULL) {
    fcps_study_make_remark(s, GROWS, names, false,
                           "reward: it grows as target %s goes away from what happened, so fcps would learn to miss "
                           "it. Is a minus missing, "
                           "as in -distance? If it is meant, nothing needs to be done",
                           names);
  }
}

void fcps_study_look_at_reward(fcps_study *s)
{
  fcps_reward_judgement judgement;
  fcps_study_withdraw_remarks(s, CONSTANT);
  fcps_study_withdraw_remarks(s, NO_OUTCOME);
  fcps_study_withdraw_remarks(s, GROWS);
  if (!fcps_problem_judge_reward(&s->problem, 0, NULL, &judgement)) return;
  if (judgement.is_constant)
    fcps_study_make_remark(
        s, CONSTANT, "", true,
        "reward: it has the same value whatever happens, so nothing can be learnt. Write a formula over the "
        "outcome, as in -abs(outcome - target)");
  else if (!judgement.needs_trials)
    fcps_study_make_remark(
        s, NO_OUTCOME, "", false,
        "reward: it uses no outcome, so no trial can change it: the best parameters follow from the formula "
        "alone. If what is measured should count, write it into the formula");
  else
    look_at_sign(s, &judgement);
}

/* -- Its units -- */

/* The outcome in the unit of the target: "height/1000", "25.4*gap". */
static void describe_conversion(const fcps_reward_mix *mix, size_t size, char *text)
{
  char number[FCPS_NUMBER_SIZE];
  const double factor = mix->factor >= 1.0 ? mix->factor : 1.0 / mix->factor;
  fcps_number_show(factor, number);
  if (isnan(mix->factor))
    text[0] = '\0';
  else if (mix->factor >= 1.0)
    snprintf(text, size, ", as in %s*%.63s", number, mix->outcome->name);
  else
    snprintf(text, size, ", as in %.63s/%s", mix->outcome->name, number);
}

void fcps_study_look_for_mixed_units(fcps_study *s)
{
  fcps_reward_mix mix;
  char conversion[160];
  fcps_study_withdraw_remarks(s, UNITS);
  const fcps_reward_formula *reward = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  if (reward == NULL || !fcps_reward_find_mix(&s->problem, reward, &mix)) return;
  describe_conversion(&mix, sizeof conversion, conversion);
  fcps_study_make_remark(
      s, UNITS, "", true,
      "reward: it takes %.63s (%.20s) and %.63s (%.20s) for numbers in one unit. Convert one of them in the formula%s "
      "(of a study that exists: fcps study amend %.200s --reward FORMULA); if one of the words is wrong, correct it",
      mix.outcome->name, mix.outcome->unit, mix.target->name, mix.target->unit, conversion, fcps_study_word(s));
}
