/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards that were the same for every result: nothing that was tried is better than anything else. Of a formula that
 * can have no other value, more is known (reward_remarks.c). */
#include "problem/judge/judge.h"
#include "study/remarks.h"
#include "study/study_impl.h"

#include <math.h>

#define CODE "W_SAME_REWARD"

/* Fewer equal rewards may be chance. */
enum { LEAST_RESULTS = 5 };

void fcps_study_look_for_same_rewards(fcps_study *s)
{
  int count = 0;
  double first = 0.0;
  fcps_study_withdraw_remarks(s, CODE);
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
        s, CODE, "", true,
        "all %d results have the reward %.6g: nothing says what would be better. If the reward asks for "
        "something that no trial has met, let it grow the nearer a trial comes: amend --reward",
        count, first);
}
