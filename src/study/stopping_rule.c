/* SPDX-License-Identifier: Apache-2.0 */
/* Is it good enough, and is it worth going on?
 *
 * The policy is queried in contexts spread evenly over the space (Halton points). If the reward of the parameters it
 * chooses there is believed to be N(m, s^2), then learning it exactly improves a decision between them and another
 * choice of the same mean by at most E[max(0, R - m)] = s / sqrt(2 pi). The mean of this over the contexts is the gain.
 * (The deviation s is of what trials can tell: that a trial may go wrong by chance stays, however many there are.)
 * When the mean of s is small against the spread of the rewards seen, outliers left out, and there are enough rollouts for the model to be
 * believed, further trials hardly matter. Where the reward of what is expected to happen has no value, there is no
 * such belief: these contexts are counted, and while there are any, nothing has converged. For a policy that predicts no
 * reward all of these are NaN, and it never counts as converged.
 */
#include "base/error.h"
#include "base/memory.h"
#include "policy/policy_impl.h"
#include "space/points.h"
#include "space/space.h"
#include "study/held.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXTS = 64, ROLLOUTS_PER_INPUT = 10 };
static const double converged_share = 0.01;

typedef struct probe {
  double *unit, *targets, *environments, *parameters, *rewards, *deviations, *successes, *outcomes;
} context_probe;

static fcps_status make_probe(const fcps_problem *p, context_probe *probe, fcps_error *error)
{
  const size_t n = CONTEXTS, t = (size_t)p->target.count, e = (size_t)p->environment.count;
  double *block = fcps_allocate(n * (2 * (t + e) + (size_t)p->parameters.count + 4), sizeof *block);
  if (block == NULL) return fcps_error_memory(error);
  probe->unit = block;
  probe->targets = probe->unit + n * (t + e);
  probe->environments = probe->targets + n * t;
  probe->parameters = probe->environments + n * e;
  probe->rewards = probe->parameters + n * (size_t)p->parameters.count;
  probe->deviations = probe->rewards + n;
  probe->successes = probe->deviations + n;
  probe->outcomes = probe->successes + n;

  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
  if (t + e) fcps_points_halton(&rng, (int)(t + e), 0, CONTEXTS, probe->unit);
  for (size_t i = 0; i < n; i++) {
    fcps_space_from_unit(&p->target, probe->unit + i * (t + e), probe->targets + i * t);
    fcps_space_from_unit(&p->environment, probe->unit + i * (t + e) + t, probe->environments + i * e);
  }
  return FCPS_OK;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The range of sorted rewards. One that is further from the middle half than ten times its width does not count: it
 * would make every deviation look small. */
static double range_of(size_t count, const double *sorted)
{
  static const double far = 10.0;
  if (count == 0) return 0.0;
  const double lower = sorted[count / 4], upper = sorted[count - 1 - count / 4], reach = far * (upper - lower);
  size_t first = 0, last = count - 1;
  while (reach > 0 && sorted[first] < lower - reach)
    first++;
  while (reach > 0 && sorted[last] > upper + reach)
    last--;
  return sorted[last] - sorted[first];
}

/* the range of the finite rewards that count and that the policy believes, and how many rewards there are */
static fcps_status reward_spread(const fcps_study *s, const fcps_policy *policy, int *count, double *spread,
                                 fcps_error *error)
{
  double *rewards = fcps_allocate(s->result_count, sizeof *rewards);
  if (rewards == NULL) return fcps_error_memory(error);
  size_t believed = 0;
  *count = 0;
  for (size_t i = 0; i < s->result_count; i++) {
    double reward;
    const bool is_good = fcps_study_score(s, &s->results[i], &reward);
    if (!is_good || !s->results[i].is_used || !isfinite(reward)) continue;
    if (!fcps_policy_doubts(policy, &s->results[i].result.rollout)) rewards[believed++] = reward;
    ++*count;
  }
  qsort(rewards, believed, sizeof *rewards, compare);
  *spread = range_of(believed, rewards);
  free(rewards);
  return FCPS_OK;
}

/* The means over the contexts that have a value; returns the context with the least reward. A policy that predicts no
 * reward leaves none of them a value, but they are not counted as such. */
static int average(const context_probe *probe, bool is_predicted, fcps_outlook *outlook)
{
  int worst = 0, valued = 0;
  for (int i = 0; i < CONTEXTS; i++)
    valued += !isnan(probe->rewards[i]);
  if (is_predicted) outlook->without_value = CONTEXTS - valued;
  for (int i = 0; i < CONTEXTS; i++)
    outlook->low_chance += probe->successes[i] * probe->outcomes[i] < FCPS_LOW_CHANCE;
  if (valued == 0) outlook->reward = outlook->deviation = NAN;
  for (int i = 0; i < CONTEXTS; i++) {
    if (isnan(probe->rewards[i])) continue;
    outlook->reward += probe->rewards[i] / valued;
    outlook->deviation += probe->deviations[i] / valued;
    if (!(probe->rewards[i] >= probe->rewards[worst])) worst = i;
  }
  return worst;
}

fcps_status fcps_study_outlook(fcps_study *s, fcps_policy *policy, fcps_outlook *outlook, double *worst_target,
                               double *worst_environment, fcps_error *error)
{
  context_probe probe = {0};
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (policy == NULL) return fcps_error_null(error, "policy");
  if (outlook == NULL) return fcps_error_null(error, "outlook");
  const fcps_problem *p = &s->problem;
  status = make_probe(p, &probe, error);
  if (status != FCPS_OK) return status;
  const bool was_held = fcps_study_set_held(s, true); /* the policy has callbacks of its own */
  const fcps_predictions predictions = {.rewards = probe.rewards,
                                        .reducible_deviations = probe.deviations,
                                        .chances_of_success = probe.successes,
                                        .chances_of_outcome = probe.outcomes};
  status =
      fcps_policy_predict_batch(policy, CONTEXTS, probe.targets, probe.environments, probe.parameters, &predictions);
  fcps_study_set_held(s, was_held);
  if (status != FCPS_OK && error != NULL) *error = *fcps_policy_error(policy);
  int worst = 0;
  *outlook = (fcps_outlook){.contexts = CONTEXTS};
  if (status == FCPS_OK) {
    worst = average(&probe, fcps_policy_predicts_reward(policy), outlook);
    outlook->worst_reward = probe.rewards[worst];
    outlook->gain = outlook->deviation / sqrt(2.0 * 3.14159265358979323846);
    int count = 0;
    status = reward_spread(s, policy, &count, &outlook->spread, error);
    const int least = ROLLOUTS_PER_INPUT * (p->environment.count + p->parameters.count);
    outlook->is_converged = status == FCPS_OK && outlook->without_value == 0 && count >= least &&
                            !fcps_study_wants_exact_outcomes(s, policy) &&
                            outlook->deviation <= converged_share * outlook->spread;
    if (worst_target != NULL && p->target.count)
      memcpy(worst_target, probe.targets + worst * p->target.count, (size_t)p->target.count * sizeof(double));
    if (worst_environment != NULL && p->environment.count)
      memcpy(worst_environment, probe.environments + worst * p->environment.count,
             (size_t)p->environment.count * sizeof(double));
  }
  free(probe.unit);
  return status;
}
