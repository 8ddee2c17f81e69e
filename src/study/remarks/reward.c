/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks about rewards that are allowed but seldom meant. Only formulas are judged, because their behaviour is known
 * without a trial. The study can still be used, because the formula may be right. */
#include "base/number.h"
#include "problem/judge/judge.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- How the reward changes with the outcome -- */

/* Appends the names of the dimensions that are marked. Returns the last name, or NULL. */
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

/* Makes at most one remark. A wrong sign shows in several ways, and may be the only reason why the target does not
 * matter. */
static void look_at_sign_and_target(fcps_study *s, const fcps_reward_judgement *judgement)
{
  char names[300];
  const char *outcome = list_names(&s->problem.outcome, judgement->grows, sizeof names, names);
  if (outcome != NULL) {
    fcps_study_make_remark(
        s, "W_REWARD_GROWS", names,
        "reward: it is least at a middle value of %s and grows in both directions, and fcps looks for the largest "
        "reward. Is a minus missing, as in -distance or -abs(%.100s - ...)? If it is meant, you need not do anything",
        names, outcome);
  } else if (list_names(&s->problem.target, judgement->is_contrary, sizeof names, names) != NULL) {
    fcps_study_make_remark(s, "W_REWARD_GROWS", names,
                           "reward: it grows as target %s goes away from what happened, so fcps would learn to miss "
                           "it. Is a minus missing, as in -distance? If it is meant, you need not do anything",
                           names);
  } else if (judgement->has_idle_targets) {
    fcps_study_make_remark(
        s, "W_REWARD_NO_TARGET", "",
        "reward: every target has the same best parameters: the formula uses none, or only adds them. "
        "Is abs missing, as in -abs(OUTCOME - TARGET)? If nothing else is wanted, leave `target` out");
  }
}

static void look_at_course(fcps_study *s)
{
  fcps_reward_judgement judgement;
  if (!fcps_problem_judge_reward(&s->problem, 0, NULL, &judgement)) return;
  if (judgement.is_constant)
    fcps_study_make_remark(
        s, "W_REWARD_CONSTANT", "",
        "reward: it has the same value whatever happens, so nothing can be learnt. Write a formula over the "
        "outcome, as in -abs(outcome - target)");
  else if (!judgement.needs_trials)
    fcps_study_make_remark(
        s, "W_REWARD_NO_OUTCOME", "",
        "reward: it uses no outcome, so no trial can change it: the best parameters follow from the formula "
        "alone. If what is measured should count, write it into the formula");
  else
    look_at_sign_and_target(s, &judgement);
}

/* -- Its units -- */

/* Writes how to convert one dimension to the unit of the other, as in "height/1000" or "25.4*gap". */
static void describe_conversion(const fcps_reward_mix *mix, size_t size, char *text)
{
  char number[FCPS_NUMBER_SIZE];
  const double factor = mix->factor >= 1.0 ? mix->factor : 1.0 / mix->factor;
  fcps_number_show(factor, number);
  if (isnan(mix->factor))
    text[0] = '\0';
  else if (mix->factor >= 1.0)
    snprintf(text, size, ", as in %s*%.63s", number, mix->one->name);
  else
    snprintf(text, size, ", as in %.63s/%s", mix->one->name, number);
}

static void look_for_mixed_units(fcps_study *s)
{
  fcps_reward_mix mix;
  char conversion[160];
  const fcps_reward_formula *reward = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  if (reward == NULL || !fcps_reward_find_mix(&s->problem, reward, &mix)) return;
  describe_conversion(&mix, sizeof conversion, conversion);
  if (mix.are_of_kind)
    fcps_study_make_remark(
        s, "W_REWARD_UNITS", "",
        "reward: it treats %.63s (%.20s) and %.63s (%.20s) as if they had the same unit. Convert one of them in the "
        "formula%s (of a study that exists: fcps study amend %.200s --reward FORMULA); if one of the units is wrong, "
        "correct it",
        mix.one->name, mix.one->unit, mix.other->name, mix.other->unit, conversion, fcps_study_word(s));
  else
    fcps_study_make_remark(
        s, "W_REWARD_UNITS", "",
        "reward: it adds, subtracts or compares %.63s (%.20s) and %.63s (%.20s) as they are, without converting one "
        "unit to the other. If a unit is wrong, correct it; if it is meant, multiply by 1, as in 1*%.63s (of a study "
        "that exists: fcps study amend %.200s --reward FORMULA)",
        mix.one->name, mix.one->unit, mix.other->name, mix.other->unit, mix.one->name, fcps_study_word(s));
}

/* -- A limit within the reward -- */

static void look_for_disguise(fcps_study *s)
{
  char line[400];
  const fcps_reward_formula *reward = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  if (reward == NULL || !fcps_reward_find_disguise(&s->problem, reward, sizeof line, line)) return;
  fcps_study_make_remark(s, "W_REWARD_LIMIT", "",
                         "reward: it drops as soon as an outcome passes a level, which draws trials to that level "
                         "and beyond. If the outcome must not pass it, leave this out of the reward and write: %s",
                         line);
}

void fcps_study_look_at_reward(fcps_study *s)
{
  look_at_course(s);
  look_for_mixed_units(s);
  look_for_disguise(s);
}

/* -- The rewards of the results --
 *
 * If every result has the same reward, no trial is better than another. A formula that can have only one value gets a
 * better remark (above). */

/* With fewer results it may be chance that all rewards are equal. */
enum { LEAST_RESULTS = 5 };

void fcps_study_look_for_same_rewards(fcps_study *s)
{
  int count = 0;
  double first = 0.0;
  const fcps_reward_formula *formula = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  if (formula != NULL && fcps_reward_is_constant(formula)) return;
  for (size_t i = 0; i < s->result_count; i++) {
    double reward;
    if (!s->results[i].is_used || !fcps_study_score(s, &s->results[i], &reward) || !isfinite(reward)) continue;
    if (count++ == 0) first = reward;
    if (reward != first) return;
  }
  if (count >= LEAST_RESULTS)
    fcps_study_make_remark(
        s, "W_SAME_REWARD", "",
        "all %d results have the reward %.6g, so no trial is better than another. If the reward asks for "
        "something that no trial has met, let it grow the nearer a trial comes: amend --reward",
        count, first);
}
