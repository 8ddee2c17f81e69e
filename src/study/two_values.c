/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes that only ever take two values, such as 0 and 1 for a miss and a hit.
 *
 * A model of outcomes predicts a smooth curve through them, and how sure it is between two equal values has nothing to do
 * with chance: a reward such as `hit > 0.5 ? 1 : -1` is then certain, and often wrong. Nothing is refused, for the policy
 * may be good; but nobody can say from such a model whether it is. */
#include "problem/problem.h"
#include "study/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <string.h>

#define CODE "W_TWO_VALUES"

/* With fewer results two values may be chance. */
enum { LEAST_RESULTS = 10 };

typedef struct two_values {
  int results, values;
  double value[2];
} two_values;

static two_values count_values(const fcps_study *s, int outcome)
{
  two_values found = {0};
  for (size_t i = 0; i < s->result_count && found.values <= 2; i++) {
    if (!fcps_study_has_outcome(s, &s->results[i])) continue;
    const double value = s->results[i].result.rollout.outcome[outcome];
    bool is_known = false;
    for (int v = 0; v < found.values && v < 2; v++)
      is_known = is_known || value == found.value[v];
    if (!is_known && found.values < 2) found.value[found.values] = value;
    found.values += !is_known;
    found.results++;
  }
  return found;
}

/* Whether the reward of some result is another with the other value. */
static bool matters(const fcps_study *s, int outcome, const two_values *found)
{
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_rollout *r = &s->results[i].result.rollout;
    double moved[FCPS_SPACE_MAX], reward, other;
    const bool is_present = true;
    if (!fcps_study_has_outcome(s, &s->results[i]) || !fcps_study_score(s, &s->results[i], &reward)) continue;
    memcpy(moved, r->outcome, (size_t)s->problem.outcome.count * sizeof(double));
    moved[outcome] = found->value[moved[outcome] == found->value[0]];
    if (fcps_problem_score(&s->guarded, 1, r->target, r->environment, r->parameters, moved, &is_present, &other,
                           NULL) == FCPS_OK &&
        other != reward)
      return true;
  }
  return false;
}

void fcps_study_look_for_two_values(fcps_study *s, const fcps_policy *policy)
{
  fcps_health health = {0};
  fcps_study_withdraw_remarks(s, CODE);
  if (s->problem.reward == NULL || !fcps_policy_health(policy, 0, &health) || strcmp(health.model, "outcome") != 0)
    return;
  for (int o = 0; o < s->problem.outcome.count; o++) {
    const char *name = s->problem.outcome.dims[o].name;
    const two_values found = count_values(s, o);
    if (found.values != 2 || found.results < LEAST_RESULTS || !matters(s, o, &found)) continue;
    fcps_study_make_remark(
        s, CODE, name, true,
        "outcome %.100s was %.6g or %.6g in all %d results. A model predicts a curve between the two and is "
        "surer of it than chance allows, so nobody can tell from it when it is enough. Measure how near a "
        "trial was (a distance, a force), or report what must not happen as failed",
        name, fmin(found.value[0], found.value[1]), fmax(found.value[0], found.value[1]), found.results);
  }
}
