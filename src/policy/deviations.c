/* SPDX-License-Identifier: Apache-2.0 */
/* Wider deviations than the model's own: for contexts outside their bounds, and with few results.
 *
 * The deviation of a Gaussian process grows with the distance from its data, at a pace given by lengths that were
 * fitted inside the bounds. A dimension that hardly matters inside has a length of many ranges, and the process would
 * be as certain far outside, although no trial was ever done there. So only a share of the knowledge at the bounds is
 * believed beyond them: with
 *
 *     d^2 = sum over dimensions (distance from the bounds / min(length, range))^2, rho = exp(-d^2 / 2)
 *
 * the correlation of a squared exponential kernel over that distance, the deviation s becomes
 *
 *     sqrt(s^2 + (1 - rho^2) S^2),
 *
 * as if the answer were rho times the value at the bound plus an independent part with the deviation S. S is the
 * spread of the rewards of stored rollouts scored in this context, or of the stored outcomes. A length counts as at
 * most the range, because longer lengths were never tested. Of several processes the shortest length counts. A
 * dimension that is not an input of the model (a target, if the outcome is predicted) has the range as its length:
 * rewards outside its bounds can be computed, but the user has not said that they mean anything. Deviations do not jump
 * at the bounds. Parameters and means are not changed. (On four formulas with 40 rollouts, up to one range beyond the
 * bounds, 95 % intervals of the reward hold in 75 to 85 of 100 cases without this, and in 89 to 94 with it.)
 *
 * With few results, deviations are those of Student's t distribution. This is done for answers and not in the models:
 * wider deviations in a model would change the asks, and the first trials are well placed as they are.
 */
#include "policy/policy_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/leave_one_out.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Distance outside the bounds -- */

/* The data that widening the deviations of one policy needs. */
typedef struct widening {
  const fcps_model *model;
  double *lengths; /* lengths of target, then environment, as shares of the range; at most 1 */
  double *rewards; /* room for the rewards of the stored rollouts */
} widening;

/* Writes to lengths[i] the shortest length-scale of context dimension i over all Gaussian processes of the policy, at
 * most 1. `process` is scratch. */
static void take_lengths(const fcps_policy *policy, double *lengths, double *process)
{
  const int targets = policy->problem.target.count, count = targets + policy->problem.environment.count;
  fcps_health health = {.target_lengths = process, .environment_lengths = process + targets};
  for (int i = 0; i < count; i++)
    lengths[i] = 1.0;
  for (int p = 0; fcps_policy_health(policy, p, &health); p++)
    for (int i = 0; i < count; i++)
      lengths[i] = fmin(lengths[i], process[i]); /* fmin ignores NaN, the length of a dimension that is not an input */
}

static fcps_status create(widening *w, const fcps_policy *policy)
{
  const fcps_problem *problem = &policy->problem;
  const size_t contexts = (size_t)(problem->target.count + problem->environment.count);
  w->model = policy->ops->model(policy);
  w->lengths = fcps_allocate(2 * contexts + (size_t)w->model->training.count, sizeof(double));
  if (w->lengths == NULL) return FCPS_ERR_MEMORY;
  w->rewards = w->lengths + 2 * contexts;
  take_lengths(policy, w->lengths, w->lengths + contexts);
  return FCPS_OK;
}

static double squared_way(const fcps_space *space, const double *values, const double *lengths)
{
  double sum = 0.0;
  for (int i = 0; i < space->count; i++) {
    const double way = fcps_dimension_beyond(&space->dims[i], values[i]) / lengths[i];
    sum += way * way;
  }
  return sum;
}

/* -- The spread of stored results -- */

/* Returns the standard deviation of `count` numbers that stand `stride` apart. */
static double spread_of(int count, int stride, const double *values)
{
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++)
    mean += values[i * stride] / count;
  for (int i = 0; i < count; i++)
    squares += (values[i * stride] - mean) * (values[i * stride] - mean) / count;
  return isfinite(squares) ? sqrt(squares) : 0.0;
}

static void widen(double *deviation, double share, double spread)
{
  if (isfinite(*deviation)) *deviation = sqrt(*deviation * *deviation + share * spread * spread);
}

static fcps_status widen_answer(const widening *w, const fcps_policy_answers *answers, int row, fcps_error *error)
{
  const fcps_problem *problem = w->model->problem;
  const fcps_rollouts *seen = &w->model->training;
  const double *target = fcps_policy_row(answers->targets, &problem->target, row);
  const double *environment = fcps_policy_row(answers->environments, &problem->environment, row);
  const double way = squared_way(&problem->target, target, w->lengths) +
                     squared_way(&problem->environment, environment, w->lengths + problem->target.count);
  const double share = -expm1(-way);
  const fcps_status status = fcps_model_rewards(w->model, target, environment, w->rewards, error);
  if (status != FCPS_OK) return status;
  const double spread = spread_of(seen->count, 1, w->rewards);
  if (answers->predictions.reward_deviations != NULL)
    widen(answers->predictions.reward_deviations + row, share, spread);
  if (answers->predictions.success_reward_deviations != NULL)
    widen(answers->predictions.success_reward_deviations + row, share, spread);
  const fcps_prediction *prediction = answers->single;
  if (prediction == NULL || !prediction->has_outcome || prediction->outcome_deviation == NULL) return FCPS_OK;
  for (int o = 0; o < seen->outcome_width; o++)
    widen(&prediction->outcome_deviation[o], share, spread_of(seen->count, seen->outcome_width, seen->outcomes + o));
  return FCPS_OK;
}

/* -- All answers -- */

static bool is_outside(const fcps_problem *problem, const fcps_policy_answers *answers, int row, int index,
                       fcps_outside *outside)
{
  return fcps_problem_outside(problem, fcps_policy_row(answers->targets, &problem->target, row),
                              fcps_policy_row(answers->environments, &problem->environment, row), index, outside);
}

/* Warns of values outside their bounds: of every such value if there is one context, or of the first one in a batch. */
static void warn(const fcps_policy *policy, const fcps_policy_answers *answers, int rows, int first)
{
  static const char meaning[] = "No trial was done there: the answer extrapolates, and its deviation is larger";
  fcps_outside outside;
  char text[256];
  for (int i = 0; is_outside(&policy->problem, answers, first, i, &outside) && (i == 0 || answers->count == 1); i++) {
    fcps_outside_text(&outside, sizeof text, text);
    if (answers->count == 1)
      fcps_log_say(&policy->log, FCPS_LOG_WARNING, "W_OUTSIDE_BOUNDS", "%s. %s", text, meaning);
    else
      fcps_log_say(&policy->log, FCPS_LOG_WARNING, "W_OUTSIDE_BOUNDS",
                   "%d of %d contexts lie outside their bounds, the first is number %d: %s. %s", rows, answers->count,
                   first + 1, text, meaning);
  }
}

/* Warns of each word in a context for which no result is stored yet. The model's own deviation for such a word is
 * larger already. */
static void warn_of_words(const fcps_policy *policy, const fcps_space *space, bool is_target, const double *values)
{
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  for (int d = 0; d < space->count && values != NULL && model != NULL && model->training.count > 0; d++) {
    const char *word = fcps_dimension_word(&space->dims[d], values[d]);
    bool has_result = word == NULL;
    for (int i = 0; i < model->training.count && !has_result; i++)
      has_result = (is_target ? fcps_rollouts_target(&model->training, i)
                              : fcps_rollouts_environment(&model->training, i))[d] == values[d];
    if (!has_result)
      fcps_log_say(
          &policy->log, FCPS_LOG_WARNING, "W_NEW_WORD",
          "%.60s=%.60s never had a result: the answer is based on all other words, and its deviation is larger",
          space->dims[d].name, word);
  }
}

fcps_status fcps_policy_widen_outside(fcps_policy *policy, const fcps_policy_answers *answers)
{
  const bool is_predicted =
      fcps_policy_predicts_reward(policy) &&
      (answers->predictions.reward_deviations != NULL || answers->predictions.success_reward_deviations != NULL);
  widening w = {0};
  fcps_outside outside;
  fcps_status status = FCPS_OK;
  int rows = 0, first = 0;
  if (answers->count == 1) warn_of_words(policy, &policy->problem.environment, false, answers->environments);
  if (answers->count == 1 && is_predicted && policy->ops->model(policy)->ops->has_target_inputs)
    warn_of_words(policy, &policy->problem.target, true, answers->targets);
  for (int i = 0; i < answers->count && status == FCPS_OK; i++) {
    if (!is_outside(&policy->problem, answers, i, 0, &outside)) continue;
    if (rows++ == 0) first = i;
    if (is_predicted && w.lengths == NULL) status = create(&w, policy);
    if (is_predicted && status == FCPS_OK && w.model->training.count > 0)
      status = widen_answer(&w, answers, i, &policy->error);
  }
  free(w.lengths);
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(&policy->error);
  if (status == FCPS_OK && rows > 0) warn(policy, answers, rows, first);
  return status;
}

/* -- Few results -- */

static int inputs_of(const fcps_policy *policy)
{
  return policy->problem.environment.count + policy->problem.parameters.count;
}

static const fcps_model *model_of(const fcps_policy *policy)
{
  return policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
}

int fcps_policy_lacking_results(const fcps_policy *policy)
{
  const fcps_model *model = policy != NULL ? model_of(policy) : NULL;
  const int least = model != NULL ? inputs_of(policy) + 2 : 0, count = model != NULL ? model->training.count : 0;
  return count < least ? least - count : 0;
}

/* -- Widening -- */

typedef struct few_results {
  const fcps_model *model;
  fcps_few few;
  double *rewards; /* room for the rewards of the stored rollouts */
} few_results;

static void multiply(const few_results *few, double predicted, const double *values, double *deviation)
{
  *deviation = fcps_few_widen(&few->few, predicted, 1, values, *deviation);
}

/* Widens the deviations of one answer; `row` is its row. */
static fcps_status widen_few(const few_results *few, const fcps_policy_answers *answers, int row, fcps_error *error)
{
  const fcps_problem *problem = few->model->problem;
  const fcps_status status =
      fcps_model_rewards(few->model, fcps_policy_row(answers->targets, &problem->target, row),
                         fcps_policy_row(answers->environments, &problem->environment, row), few->rewards, error);
  if (status != FCPS_OK) return status;
  const double predicted = answers->predictions.rewards[row];
  if (answers->predictions.reward_deviations != NULL)
    multiply(few, predicted, few->rewards, answers->predictions.reward_deviations + row);
  if (answers->predictions.reducible_deviations != NULL)
    multiply(few, predicted, few->rewards, answers->predictions.reducible_deviations + row);
  if (answers->predictions.success_reward_deviations != NULL)
    multiply(few, predicted, few->rewards, answers->predictions.success_reward_deviations + row);
  fcps_prediction *prediction = answers->single;
  if (prediction == NULL) return FCPS_OK;
  if (prediction->has_outcome && prediction->outcome_deviation != NULL)
    fcps_few_widen_outcomes(&few->few, &few->model->training, prediction->outcome, prediction->outcome_deviation);
  return FCPS_OK;
}

bool fcps_policy_has_few_results(const fcps_policy *policy)
{
  const fcps_model *model = model_of(policy);
  return model != NULL && model->training.count > 0 && model->training.count < FCPS_FEW_MANY;
}

fcps_status fcps_policy_widen_few(fcps_policy *policy, const fcps_policy_answers *answers)
{
  const bool is_wanted = answers->predictions.reward_deviations != NULL ||
                         answers->predictions.reducible_deviations != NULL ||
                         answers->predictions.success_reward_deviations != NULL;
  if (!is_wanted || !fcps_policy_has_few_results(policy)) return FCPS_OK;
  few_results few = {.model = model_of(policy)};
  few.few = fcps_few_of(few.model->training.count, inputs_of(policy));
  few.rewards = fcps_allocate((size_t)few.few.count, sizeof(double));
  fcps_status status = few.rewards != NULL ? FCPS_OK : fcps_error_memory(&policy->error);
  for (int i = 0; i < answers->count && status == FCPS_OK; i++)
    status = widen_few(&few, answers, i, &policy->error);
  free(few.rewards);
  return status;
}
