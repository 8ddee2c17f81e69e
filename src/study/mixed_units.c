/* SPDX-License-Identifier: Apache-2.0 */
/* A reward that takes a target and an outcome for numbers in one unit, although the file says that they are not. The
 * learner would then be content with the least bad number of a wrong scale, and call it enough. */
#include "base/number.h"
#include "problem/reward_units.h"
#include "study/remarks.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <math.h>
#include <stdio.h>

#define CODE "W_REWARD_UNITS"

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
  fcps_study_withdraw_remarks(s, CODE);
  const fcps_reward_formula *reward = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  if (reward == NULL || !fcps_reward_find_mix(&s->problem, reward, &mix)) return;
  describe_conversion(&mix, sizeof conversion, conversion);
  fcps_study_make_remark(
      s, CODE, "", true,
      "reward: it takes %.63s (%.20s) and %.63s (%.20s) for numbers in one unit. Convert one of them in the formula%s "
      "(of a study that exists: fcps study amend %.200s --reward FORMULA); if one of the words is wrong, correct it",
      mix.outcome->name, mix.outcome->unit, mix.target->name, mix.target->unit, conversion, fcps_study_word(s));
}
