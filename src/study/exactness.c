/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards that ask whether an outcome is exactly a number: `hit ? 1 : -1`, `count == 3`, `hit > 0`.
 *
 * A model of outcomes predicts them with a deviation, and never exactly: so the expected reward of such a question is
 * certain, and wrong. A formula shows it in its steps, also where no trial has met the number yet. The stored results
 * show it whatever the reward is written in: they earn something else when an outcome moves by next to nothing. */
#include "problem/judge/judge.h"
#include "problem/problem.h"
#include "study/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <string.h>

#define CODE "W_EXACT_OUTCOME"

/* The latest results that are looked at. */
enum { LATEST = 200 };

static size_t first_of(const fcps_study *s)
{
  return s->result_count > LATEST ? s->result_count - LATEST : 0;
}

/* Next to nothing, as a share of how much an outcome varies; the share of results that must change with it. */
static const double hair = 1e-7, share = 0.1;

/* The range of an outcome over the results that count, or its size where it does not vary. One that is always 0 has no
 * size: it is moved by so little that no slope is taken for a jump, whatever its unit. */
static double range_of(const fcps_study *s, int outcome)
{
  double least = INFINITY, most = -INFINITY;
  for (size_t i = first_of(s); i < s->result_count; i++) {
    const double *values = s->results[i].result.rollout.outcome;
    if (!s->results[i].is_used || values == NULL || !isfinite(values[outcome])) continue;
    least = fmin(least, values[outcome]);
    most = fmax(most, values[outcome]);
  }
  return most > least ? most - least : fabs(most) > 0 ? fabs(most) : 1e-100;
}

/* The range of the rewards of results with an outcome. */
static double reward_range(const fcps_study *s)
{
  double least = INFINITY, most = -INFINITY, reward;
  for (size_t i = first_of(s); i < s->result_count; i++) {
    if (!s->results[i].is_used || s->results[i].result.rollout.outcome == NULL) continue;
    if (!fcps_study_score(s, &s->results[i], &reward) || !isfinite(reward)) continue;
    least = fmin(least, reward);
    most = fmax(most, reward);
  }
  return most - least;
}

/* Whether the reward of a rollout jumps by more than `jump` when its outcome moves by `step`. */
static bool jumps(const fcps_study *s, const fcps_rollout *r, double reward, double jump, int outcome, double step)
{
  double moved[FCPS_SPACE_MAX], other;
  const bool is_present = true;
  memcpy(moved, r->outcome, (size_t)s->problem.outcome.count * sizeof(double));
  moved[outcome] += step;
  if (fcps_problem_score(&s->guarded, 1, r->target, r->environment, r->parameters, moved, &is_present, &other, NULL) !=
      FCPS_OK)
    return false;
  return isfinite(other) && fabs(other - reward) > jump;
}

/* Whether so many of the results with a reward jump with this outcome. Rewards that are all the same jump nowhere. */
static bool is_exact(const fcps_study *s, int outcome)
{
  const double step = hair * range_of(s, outcome), jump = 1e-3 * reward_range(s);
  int scored = 0, jumping = 0;
  for (size_t i = first_of(s); i < s->result_count; i++) {
    const fcps_rollout *r = &s->results[i].result.rollout;
    double reward;
    if (!s->results[i].is_used || r->outcome == NULL || !fcps_study_score(s, &s->results[i], &reward)) continue;
    scored++;
    jumping += jumps(s, r, reward, jump, outcome, step) || jumps(s, r, reward, jump, outcome, -step);
  }
  return jump > 0.0 && jumping > 0 && jumping >= share * scored;
}

/* The outcome that is asked for exactly; -1: none. */
static int find_exact(const fcps_study *s)
{
  const fcps_reward_formula *formula = fcps_reward_formula_of(&s->problem);
  const int written = formula != NULL ? fcps_reward_exact_outcome(formula) : -1;
  for (int o = 0; o < s->problem.outcome.count && written < 0; o++)
    if (is_exact(s, o)) return o;
  return written;
}

void fcps_study_look_for_exactness(fcps_study *s, const fcps_policy *policy)
{
  fcps_health health = {0};
  fcps_study_withdraw_remarks(s, CODE);
  if (s->problem.reward == NULL || !fcps_policy_health(policy, 0, &health) || strcmp(health.model, "outcome") != 0)
    return;
  const int outcome = find_exact(s);
  if (outcome < 0) return;
  const char *name = s->problem.outcome.dims[outcome].name;
  fcps_study_make_remark(
      s, CODE, name, true,
      "the reward asks for the exact value of outcome %.100s, which no model predicts, so predicted rewards "
      "are wrong. Ask for a range, such as %.100s > 0.5 for 0 and 1, or abs(%.100s - 3) < 0.5",
      name, name, name);
}
