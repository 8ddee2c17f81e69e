/* SPDX-License-Identifier: Apache-2.0 */
/* The stopping rule: whether a policy is good enough, and whether more trials are worth doing.
 *
 * The policy is queried in contexts spread evenly over the space (Halton points). If the reward of the parameters it
 * chooses there is believed to be N(m, s^2), then learning it exactly improves a decision between them and another
 * choice of the same mean by at most E[max(0, R - m)] = s / sqrt(2 pi). The mean of this over the contexts is the
 * gain. (The deviation s covers only what trials can tell. The chance that a trial goes wrong remains, however many
 * trials there are.) When the mean of s is small against the spread of the rewards seen, outliers left out, and
 * there are enough rollouts for the model to be believed, further trials hardly matter. If the reward of the
 * expected outcome has no value in a context, there is no such belief there: these contexts are counted, and the
 * study has not converged while there are any. For a policy that predicts no reward all these numbers are NaN, and
 * it never counts as converged.
 *
 * Three more things keep a policy from being enough. A remark (remarks.h) about the reward, the results or the model
 * makes its certainty worthless. A doubted result may be the right one, so the study has not converged until
 * somebody has decided. And a cautious policy passes over parameters for which the model expects a higher reward:
 * the policy is asked again without caution, in the same contexts, and the difference is the most that better
 * knowledge of failures could gain. While this difference is large, more trials show where caution is not needed.
 * (Task `reach`, seed 1002: after 60 trials the deviation is 0.5 % of the spread and caution passes over 11 %; the
 * predicted reward rises from -0.56 to -0.36 with 150.) But a choice without caution keeps clear of an edge as well,
 * and this difference does not show the region between the choice and the edge. So the rule also weighs the gain
 * beyond the edges, where it is not known whether trials end well (policy/beyond.c).
 *
 * A model may be sure of a word that was never tried, or of an untried level of a whole number with few levels.
 * While there is one, the study has not converged, and its possible gain is part of the gain. A word that no safe trial
 * has is not waited for if there are limits, because asks may never try it.
 *
 * A fit that happens to be sure comes and goes with a single result. So the rule must also hold for the policies
 * made without the last few results, in the same contexts.
 *
 * All this takes the fitted hyper-parameters for the truth, and weighs one better decision, not what many trials
 * find. So at last the study is rehearsed for some trials in a few worlds, each with its own sample of the hyper-
 * parameters (insight/rehearsal.h). The gain that hardly a world exceeds is then part of the gain, and must be small
 * (docs/lab/forecast.md).
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/normal.h"
#include "base/number.h"
#include "learner/learner.h"
#include "policy/policy_impl.h"
#include "problem/formula/conditions.h"
#include "problem/limits.h"
#include "problem/problem.h"
#include "space/points.h"
#include "space/space.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Untried levels --
 *
 * A level is a word of a parameter or of the environment, or a value of a whole number with few values. It is untried
 * if it has no result.
 *
 * A model may be sure of untried levels because it knows others, but that is no reason to stop. The possible gain of an
 * untried level is E[max(0, R - m)], where m is the believed reward of the policy's parameters, and R ~ N(m', s^2)
 * is the reward of the same parameters with this one level changed. The most promising level counts, in the mean
 * over the contexts. */

/* A whole number with more than FEW_LEVELS levels counts as continuous. At most MOST_WEIGHED levels are weighed,
 * beginning with those of the first dimensions. */
enum { FEW_LEVELS = 10, MOST_WEIGHED = 20 };

typedef struct untried {
  bool is_parameter; /* whether the level belongs to a parameter; if not, it belongs to the environment */
  int dimension;
  double value;
} untried;

static int count_levels(const fcps_dimension *dim)
{
  if (dim->choices != NULL) return dim->choices->count;
  const double step = fcps_dimension_step(dim);
  if (!(step > 0.0) || !(dim->lower < dim->upper)) return 0;
  const double levels = nearbyint((dim->upper - dim->lower) / step) + 1.0;
  return levels <= FEW_LEVELS ? (int)levels : 0;
}

static double level_at(const fcps_dimension *dim, int level)
{
  return dim->lower + level * fcps_dimension_step(dim);
}

/* Whether a result shows what a level of a dimension does. A parameter that did not apply was not tried. */
static bool counts_for(const fcps_study *s, const fcps_stored_result *stored, bool is_parameter, int d,
                       fcps_conditions *conditions)
{
  const fcps_rollout *r = &stored->result.rollout;
  bool applies[FCPS_SPACE_MAX];
  if (!stored->is_used || !is_parameter || s->problem.parameters.dims[d].when == NULL || conditions == NULL)
    return stored->is_used;
  fcps_conditions_turn(conditions, r->target, r->environment);
  fcps_conditions_find(conditions, r->parameters, applies);
  return applies[d];
}

static bool has_result(const fcps_study *s, bool is_parameter, int d, double value, double step,
                       fcps_conditions *conditions)
{
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_rollout *r = &s->results[i].result.rollout;
    const double at = (is_parameter ? r->parameters : r->environment)[d];
    if (fabs(at - value) < 0.5 * step && counts_for(s, &s->results[i], is_parameter, d, conditions)) return true;
  }
  return false;
}

/* Appends the levels of a space that have no result. Returns how many levels the list would have if it had no end.
 * `are_unsafe`: only words that no safe trial has, which limits forbid to try; otherwise these are left out. */
static int add_untried(const fcps_study *s, bool are_unsafe, bool is_parameter, int count, untried list[MOST_WEIGHED],
                       fcps_conditions *conditions)
{
  const fcps_space *space = is_parameter ? &s->problem.parameters : &s->problem.environment;
  for (int d = 0; d < space->count; d++) {
    const fcps_dimension *dim = &space->dims[d];
    for (int l = 0; l < count_levels(dim); l++) {
      const double value = level_at(dim, l);
      if (are_unsafe && (!is_parameter || dim->choices == NULL)) continue;
      if (has_result(s, is_parameter, d, value, fcps_dimension_step(dim), conditions)) continue;
      if (is_parameter && dim->choices != NULL && fcps_problem_is_unsafe_word(&s->problem, d, value) != are_unsafe)
        continue;
      if (count < MOST_WEIGHED) list[count] = (untried){is_parameter, d, value};
      count++;
    }
  }
  return count;
}

/* Lists the untried levels of the study. Returns their number, or -1 if memory ran out. */
static int find_untried(const fcps_study *s, bool are_unsafe, untried list[MOST_WEIGHED])
{
  const double none[FCPS_SPACE_MAX] = {0};
  fcps_conditions *conditions;
  if (fcps_conditions_create(&conditions, &s->problem, none, none, NULL) != FCPS_OK) return -1;
  const int parameters = add_untried(s, are_unsafe, true, 0, list, conditions);
  const int count = add_untried(s, are_unsafe, false, parameters, list, conditions);
  fcps_conditions_destroy(conditions);
  return count;
}

/* Writes the name of a level that has no result; false if all levels have one. */
static bool name_untried(const fcps_study *s, size_t size, char *text)
{
  char value[FCPS_NUMBER_SIZE], more[48] = "";
  untried list[MOST_WEIGHED];
  const int count = find_untried(s, false, list);
  if (count <= 0) return false;
  const fcps_space *space = list[0].is_parameter ? &s->problem.parameters : &s->problem.environment;
  const fcps_dimension *dim = &space->dims[list[0].dimension];
  const char *word = fcps_dimension_word(dim, list[0].value);
  if (count > 1) snprintf(more, sizeof more, " and %d other%s", count - 1, count > 2 ? "s" : "");
  snprintf(text, size, "%.60s=%.60s%s never had a result", dim->name,
           word != NULL ? word : fcps_number_write(list[0].value, value), more);
  return true;
}

void fcps_study_list_untried(const fcps_study *s, bool are_unsafe, size_t size, char *text)
{
  untried list[MOST_WEIGHED];
  int said = 0;
  const int count = find_untried(s, are_unsafe, list);
  size_t length = 0;
  if (size > 0) *text = '\0';
  for (int i = 0; i < count && i < MOST_WEIGHED; i++) {
    const fcps_dimension *dim = &s->problem.parameters.dims[list[i].dimension];
    if (!list[i].is_parameter || dim->choices == NULL || length >= size) continue;
    length += (size_t)snprintf(text + length, size - length, "%s%s=%s", said++ > 0 ? ", " : "", dim->name,
                               fcps_dimension_word(dim, list[i].value));
  }
}

/* Returns E[max(0, R - m)], where the mean of R lies `by` above m. */
static double expect_gain(double by, double deviation)
{
  if (!(deviation > 0.0)) return fmax(0.0, by);
  const double z = by / deviation;
  return by * fcps_normal_cdf(z) + deviation * fcps_normal_density(z);
}

/* Finds the gain of the most promising untried level in one context. `parameters` are those of the policy; they are
 * changed, and restored at the end. */
static fcps_status weigh(fcps_policy *policy, int count, const untried *list, const double *target,
                         const double *environment, double reward, const double *parameters, double *gain)
{
  fcps_status status = FCPS_OK;
  *gain = 0.0;
  for (int i = 0; i < count && i < MOST_WEIGHED && status == FCPS_OK; i++) {
    fcps_prediction prediction = {0};
    bool applies[FCPS_SPACE_MAX];
    double changed[FCPS_SPACE_MAX];
    /* The policy cannot choose the environment. How uncertain it is there is in the outlook's deviations anyway. */
    if (!list[i].is_parameter) continue;
    status = fcps_problem_applies(&policy->problem, target, environment, parameters, applies, NULL);
    /* In this context the level cannot be chosen, so it gains nothing here. */
    if (status != FCPS_OK || !applies[list[i].dimension]) continue;
    memcpy(changed, parameters, (size_t)policy->problem.parameters.count * sizeof *changed);
    changed[list[i].dimension] = list[i].value;
    status = fcps_problem_rest(&policy->problem, target, environment, changed, NULL);
    if (status == FCPS_OK) status = fcps_policy_predict_at(policy, target, environment, changed, &prediction);
    if (status == FCPS_OK && isfinite(prediction.reward))
      *gain = fmax(*gain, expect_gain(prediction.reward - reward, prediction.reducible_deviation));
  }
  return status;
}

/* Computes the possible gain of the untried levels, as the mean over contexts (rows). `parameters` are those that the
 * policy chooses in the contexts, and `rewards` are its predictions for them (a context with NaN does not count). The
 * gain is 0 if all levels were tried. */
static fcps_status weigh_untried(fcps_study *s, fcps_policy *policy, int contexts, const double *targets,
                                 const double *environments, const double *rewards, double *parameters, double *gain)
{
  const fcps_problem *p = &s->problem;
  untried list[MOST_WEIGHED];
  const int count = find_untried(s, false, list);
  fcps_status status = FCPS_OK;
  *gain = 0.0;
  if (count < 0) return FCPS_ERR_MEMORY;
  if (count == 0 || policy->ops->model == NULL) return FCPS_OK;
  /* The policy may call functions of the user, which must not use the study. */
  const bool was_held = fcps_study_set_held(s, true);
  int valued = 0;
  for (int i = 0; i < contexts; i++)
    valued += !isnan(rewards[i]);
  for (int i = 0; i < contexts && status == FCPS_OK; i++) {
    double most;
    if (isnan(rewards[i])) continue;
    status = weigh(policy, count, list, fcps_policy_row(targets, &p->target, i),
                   fcps_policy_row(environments, &p->environment, i), rewards[i],
                   parameters + (size_t)i * (size_t)p->parameters.count, &most);
    *gain += most / valued;
  }
  fcps_study_set_held(s, was_held);
  return status;
}

enum { CONTEXTS = 64, MOST_PROBED = 20 * CONTEXTS, ROLLOUTS_PER_INPUT = 10 };
static const double converged_share = 0.01, passed_over_share = 0.05, edge_share = 0.03, rehearsed_share = 0.02;

/* The rule must also have held a few results ago: policy i of EARLIER is made without the last i/LEFT_OUT of the
 * results, but at most i * MOST_LEFT_OUT. If there are more than MANY results, these policies and the rehearsal are
 * left out: they would find the same, and would take seconds. */
enum { EARLIER = 2, LEFT_OUT = 8, MOST_LEFT_OUT = 5, MANY = 300 };

typedef struct probe {
  double *unit, *targets, *environments, *parameters, *rewards, *deviations, *reducible_deviations, *successes,
      *outcomes;
  double *bold; /* the rewards of the policy without caution */
} context_probe;

static fcps_status make_probe(const fcps_problem *p, context_probe *probe, fcps_error *error)
{
  const size_t n = CONTEXTS, t = (size_t)p->target.count, e = (size_t)p->environment.count;
  double *block = fcps_allocate(n * (2 * (t + e) + (size_t)p->parameters.count + 6), sizeof *block);
  if (block == NULL) return fcps_error_memory(error);
  probe->unit = block;
  probe->targets = probe->unit + n * (t + e);
  probe->environments = probe->targets + n * t;
  probe->parameters = probe->environments + n * e;
  probe->rewards = probe->parameters + n * (size_t)p->parameters.count;
  probe->deviations = probe->rewards + n;
  probe->reducible_deviations = probe->deviations + n;
  probe->successes = probe->reducible_deviations + n;
  probe->outcomes = probe->successes + n;
  probe->bold = probe->outcomes + n;

  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
  if (t + e) fcps_points_halton(&rng, (int)(t + e), 0, CONTEXTS, probe->unit);
  /* Contexts in which no parameters keep the constraints are replaced by the next points of the sequence. */
  int next = CONTEXTS;
  for (size_t i = 0; i < n; i++) {
    double *target = probe->targets + i * t, *environment = probe->environments + i * e,
           *unit = probe->unit + i * (t + e);
    for (bool is_first = true; is_first || next < MOST_PROBED; is_first = false) {
      fcps_rng same = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
      if (!is_first) fcps_points_halton(&same, (int)(t + e), next++, 1, unit);
      fcps_space_from_unit(&p->target, unit, target);
      fcps_space_from_unit(&p->environment, unit + t, environment);
      if (t + e == 0 || fcps_problem_has_parameters(p, target, environment)) break;
    }
  }
  return FCPS_OK;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The range of sorted rewards. The middle half of the rewards has a width. A reward that is further from this half than
 * ten times its width does not count, because it would make every deviation look small. */
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

/* Counts the suspects, the results that count less, and the marked failures of an outage. The suspects are taken from
 * the marks, which the user can see. The policy comes from another fit, and its model may doubt other results near the
 * threshold. If the policy has a model of outcomes, the marks are first brought up to date. For a policy of rewards
 * this would cost a fit, so the last marks count. */
static void look_at_results(fcps_study *s, const fcps_policy *policy, fcps_outlook *outlook)
{
  fcps_health health = {0};
  const bool has_outcomes = fcps_policy_health(policy, 0, &health) && strcmp(health.model, "outcome") == 0;
  if (has_outcomes) fcps_study_refresh_marks(s);
  for (size_t i = 0; i < s->result_count; i++) {
    fcps_stored_result *stored = &s->results[i];
    const fcps_rollout *r = &stored->result.rollout;
    const bool went_wrong = r->status != FCPS_ROLLOUT_OK || r->outcome == NULL;
    stored->is_excused = stored->is_used && went_wrong && fcps_policy_excuses(policy, r);
    outlook->excused += stored->is_excused;
    stored->is_doubted = stored->is_used && !stored->is_suspect && fcps_policy_doubts(policy, r);
    outlook->doubted += stored->is_doubted;
    outlook->suspects += stored->is_used && stored->is_suspect;
  }
}

/* Finds the range of the finite rewards that count and that the policy believes, and their number. */
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

/* Averages over the contexts in which the policy predicts a reward, and returns the context with the least reward. If
 * the policy never predicts rewards (`is_predicted` is false), the contexts do not count as being without a value. */
static int average(const context_probe *probe, bool is_predicted, fcps_outlook *outlook)
{
  int worst = 0, valued = 0;
  for (int i = 0; i < CONTEXTS; i++)
    valued += !isnan(probe->rewards[i]);
  if (is_predicted) outlook->without_value = CONTEXTS - valued;
  for (int i = 0; i < CONTEXTS; i++)
    outlook->low_chance += probe->successes[i] * probe->outcomes[i] < FCPS_LOW_CHANCE;
  if (valued == 0) outlook->reward = outlook->deviation = outlook->reducible_deviation = NAN;
  for (int i = 0; i < CONTEXTS; i++) {
    if (isnan(probe->rewards[i])) continue;
    outlook->reward += probe->rewards[i] / valued;
    outlook->deviation += probe->deviations[i] / valued;
    outlook->reducible_deviation += probe->reducible_deviations[i] / valued;
    if (!(probe->rewards[i] >= probe->rewards[worst])) worst = i;
  }
  return worst;
}

/* -- The policy in all contexts -- */

static fcps_status ask_policy(fcps_study *s, fcps_policy *policy, const context_probe *probe,
                              const fcps_predictions *predictions, fcps_error *error)
{
  /* The policy may call functions of the user, which must not use the study. */
  const bool was_held = fcps_study_set_held(s, true);
  const fcps_status status =
      fcps_policy_predict_batch(policy, CONTEXTS, probe->targets, probe->environments, probe->parameters, predictions);
  fcps_study_set_held(s, was_held);
  if (status != FCPS_OK && error != NULL) *error = *fcps_policy_error(policy);
  return status;
}

static bool may_go_wrong(const context_probe *probe)
{
  for (int i = 0; i < CONTEXTS; i++)
    if (probe->successes[i] * probe->outcomes[i] < 1.0) return true;
  return false;
}

/* Computes the reward that caution gives up. A search without caution may end at a lower reward. But it could also have
 * made the cautious choice, so no context counts less than 0. */
static fcps_status weigh_caution(fcps_study *s, fcps_policy *policy, const context_probe *probe, fcps_outlook *outlook,
                                 fcps_error *error)
{
  const fcps_predictions predictions = {.rewards = probe->bold};
  const double caution = may_go_wrong(probe) ? fcps_policy_set_caution(policy, 0.0) : 0.0;
  if (!(caution > 0.0)) return FCPS_OK;
  const fcps_status status = ask_policy(s, policy, probe, &predictions, error);
  fcps_policy_set_caution(policy, caution);
  const int valued = CONTEXTS - outlook->without_value;
  for (int i = 0; i < CONTEXTS && status == FCPS_OK; i++)
    if (probe->bold[i] > probe->rewards[i]) outlook->caution_cost += (probe->bold[i] - probe->rewards[i]) / valued;
  return status;
}

/* Computes the reward that may be gained beyond the edges of the region in which the model believes that trials
 * work. */
static fcps_status weigh_edges(fcps_study *s, fcps_policy *policy, const context_probe *probe, fcps_outlook *outlook,
                               fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const int valued = CONTEXTS - outlook->without_value;
  fcps_status status = FCPS_OK;
  const bool was_held = fcps_study_set_held(s, true);
  for (int i = 0; i < CONTEXTS && status == FCPS_OK && may_go_wrong(probe); i++) {
    double gain;
    if (isnan(probe->rewards[i])) continue;
    status = fcps_policy_gain_beyond(policy, fcps_policy_row(probe->targets, &p->target, i),
                                     fcps_policy_row(probe->environments, &p->environment, i),
                                     probe->parameters + (size_t)i * (size_t)p->parameters.count, &gain);
    outlook->edge_gain += gain / valued;
  }
  fcps_study_set_held(s, was_held);
  if (status != FCPS_OK && error != NULL) *error = *fcps_policy_error(policy);
  return status;
}

/* -- The rule -- */

/* Says in how many contexts the policy predicts no reward. The study owns the text. */
static const char *without_value_text(fcps_study *s, const fcps_outlook *o)
{
  const bool is_everywhere = o->without_value == o->contexts;
  if (is_everywhere)
    snprintf(s->unmet, sizeof s->unmet, "in all %d contexts the reward has no value", o->contexts);
  else
    snprintf(s->unmet, sizeof s->unmet, "in %d of %d contexts the reward has no value", o->without_value, o->contexts);
  return s->unmet;
}

/* Says that a share of the spread is too large; NULL if it is not. The study owns the text. */
static const char *too_large(fcps_study *s, const char *what, double value, double most, double spread)
{
  if (value <= most * spread) return NULL; /* A NaN is too large, because it is not <= anything. */
  snprintf(s->unmet, sizeof s->unmet, "%s %.3g %% of the spread of rewards; enough is at most %g %%", what,
           100.0 * value / spread, 100.0 * most);
  return s->unmet;
}

/* Returns the reason why more trials matter; NULL if they hardly matter. */
static const char *what_is_left(fcps_study *s, const fcps_outlook *o, double spread)
{
  if (o->without_value > 0) return without_value_text(s, o);
  if (!(spread > 0.0)) return "all rewards so far are the same";
  const char *left = too_large(s, "the uncertainty is", o->reducible_deviation, converged_share, spread);
  if (left == NULL) left = too_large(s, "caution gives up", o->caution_cost, passed_over_share, spread);
  return left != NULL
             ? left
             : too_large(s, "beyond the edge of what is known to work may lie", o->edge_gain, edge_share, spread);
}

/* Asks the policy in all contexts, with and without caution; *worst is the context with the least reward. */
static fcps_status ask_everywhere(fcps_study *s, fcps_policy *policy, const context_probe *probe, fcps_outlook *outlook,
                                  int *worst, fcps_error *error)
{
  const fcps_predictions predictions = {.rewards = probe->rewards,
                                        .reward_deviations = probe->deviations,
                                        .reducible_deviations = probe->reducible_deviations,
                                        .chances_of_success = probe->successes,
                                        .chances_of_outcome = probe->outcomes};
  *outlook = (fcps_outlook){.contexts = CONTEXTS};
  fcps_status status = ask_policy(s, policy, probe, &predictions, error);
  if (status != FCPS_OK) return status;
  *worst = average(probe, fcps_policy_predicts_reward(policy), outlook);
  outlook->worst_reward = probe->rewards[*worst];
  status = weigh_edges(s, policy, probe, outlook, error);
  if (status == FCPS_OK) status = weigh_caution(s, policy, probe, outlook, error);
  return status == FCPS_OK ? weigh_untried(s, policy, CONTEXTS, probe->targets, probe->environments, probe->rewards,
                                           probe->parameters, &outlook->untried_gain)
                           : status;
}

/* Whether the policies without the last few of the `count` results also had as little left to learn. */
static fcps_status look_back(fcps_study *s, const context_probe *probe, int count, double spread, bool *was_little,
                             fcps_error *error)
{
  const int step = count / LEFT_OUT < MOST_LEFT_OUT ? count / LEFT_OUT : MOST_LEFT_OUT;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < EARLIER && *was_little && status == FCPS_OK; i++) {
    fcps_policy *policy = NULL;
    fcps_outlook before;
    int worst;
    status = fcps_study_earlier_policy(s, (i + 1) * step, &policy, error);
    if (status == FCPS_OK) status = ask_everywhere(s, policy, probe, &before, &worst, error);
    *was_little = status == FCPS_OK && what_is_left(s, &before, spread) == NULL;
    fcps_policy_destroy(policy);
  }
  return status;
}

/* Rehearses further trials, and computes what they gain. */
static fcps_status rehearse(fcps_study *s, const fcps_policy *policy, fcps_outlook *outlook, fcps_error *error)
{
  double gain = 0.0;
  const fcps_status status = fcps_study_rehearse_gain(s, policy, &gain, error);
  outlook->gain = fmax(outlook->gain, gain);
  outlook->unmet = too_large(s, "rehearsed trials gain", gain, rehearsed_share, outlook->spread);
  outlook->is_converged = status == FCPS_OK && outlook->unmet == NULL;
  return status;
}

static fcps_status judge(fcps_study *s, const fcps_policy *policy, const context_probe *probe, fcps_outlook *outlook,
                         fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  int count = 0;
  look_at_results(s, policy, outlook);
  const fcps_status status = reward_spread(s, policy, &count, &outlook->spread, error);
  if (status != FCPS_OK) return status;
  const int least = ROLLOUTS_PER_INPUT * (p->environment.count + p->parameters.count);
  outlook->gain = outlook->reducible_deviation / sqrt(2.0 * 3.14159265358979323846) +
                  fmax(fmax(outlook->caution_cost, outlook->edge_gain), outlook->untried_gain);
  outlook->unmet = what_is_left(s, outlook, outlook->spread);
  if (outlook->unmet == NULL && name_untried(s, sizeof s->unmet, s->unmet)) outlook->unmet = s->unmet;
  if (outlook->unmet == NULL && count < least) {
    snprintf(s->unmet, sizeof s->unmet,
             "%d results are needed, ten for each environment and parameter dimension, and there are %d", least, count);
    outlook->unmet = s->unmet;
  }
  const bool is_known = outlook->unmet == NULL;
  fcps_study_look_at_all(s, policy);
  fcps_study_look_at_model(s, policy, is_known);
  outlook->remarks = fcps_study_count_remarks(s);
  outlook->is_converged = is_known && outlook->suspects == 0 && outlook->remarks == 0;
  if (!outlook->is_converged || count > MANY) return FCPS_OK;
  const fcps_status looked = look_back(s, probe, count, outlook->spread, &outlook->is_converged, error);
  if (!outlook->is_converged) outlook->unmet = "without the last few results it would not be enough";
  return outlook->is_converged ? rehearse(s, policy, outlook, error) : looked;
}

static void copy_context(const fcps_space *space, const double *rows, int row, double *context)
{
  const size_t count = (size_t)space->count;
  if (context != NULL && count > 0) memcpy(context, rows + (size_t)row * count, count * sizeof *context);
}

fcps_status fcps_study_outlook(fcps_study *s, fcps_policy *policy, fcps_outlook *outlook, double *worst_target,
                               double *worst_environment, fcps_error *error)
{
  context_probe probe = {0};
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (policy == NULL) return fcps_error_null(error, "policy");
  if (outlook == NULL) return fcps_error_null(error, "outlook");
  status = make_probe(&s->problem, &probe, error);
  if (status != FCPS_OK) return status;
  int worst = 0;
  status = ask_everywhere(s, policy, &probe, outlook, &worst, error);
  copy_context(&s->problem.target, probe.targets, worst, worst_target);
  copy_context(&s->problem.environment, probe.environments, worst, worst_environment);
  if (status == FCPS_OK) status = judge(s, policy, &probe, outlook, error);
  free(probe.unit);
  return status;
}
