/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from few results: less sure of themselves.
 *
 * A Gaussian process takes its fitted scale, lengths and noise for known. With few results they are not: beside the
 * d + 1 numbers of a plane over d inputs, n results leave n - d - 1 to say how far off it is. So deviations are those of
 * Student's t distribution with as many degrees of freedom: multiplied by the ratio of its 97.5 % quantile to that of
 * the normal distribution, they become intervals of 95 % again. Two degrees are left to three results or more, whatever
 * d is, because a process does not fit a plane freely: its prior leans towards what hardly changes.
 *
 * Of one or two results nothing follows about lengths and noise. What was seen around the prediction counts in full, and
 * of a single result its own size, which at least has the right unit.
 *
 * From MANY results on their leave-one-out errors say how wide deviations must be (gp/widening.h). Means and parameters
 * know nothing of all this, and neither do asks. (Cannon, reactor, reach and dosing, seeds 1000 to 1007: of outcomes
 * 36 % lay inside their 95 % intervals after one result, 41 % after two, 84 % after three, 82 % after eight; with this
 * 100, 98, 98 and 92 %.) */
#include "policy/policy_impl.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 20, SOME = 3, LEAST_DEGREES = 2 };

/* The 97.5 % quantile of Student's t over that of the normal distribution. */
static double student_factor(int degrees)
{
  static const double normal = 1.959963984540054;
  static const double quantiles[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
                                     2.2281,  2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009};
  static const int known = sizeof quantiles / sizeof *quantiles;
  return degrees <= known ? quantiles[degrees - 1] / normal : 1.0;
}

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
  int count;
  double factor, *rewards; /* room for those of the stored rollouts */
} few_results;

/* How far `count` numbers, `stride` apart, lie from what is predicted: the root of the mean square. A single one is what
 * is predicted, and its size has to do. */
static double spread_around(double predicted, int count, int stride, const double *values)
{
  double squares = 0.0;
  if (count == 1) return fabs(predicted);
  for (int i = 0; i < count; i++)
    squares += (values[i * stride] - predicted) * (values[i * stride] - predicted) / count;
  return isfinite(squares) ? sqrt(squares) : 0.0;
}

static void widen(const few_results *few, double spread, double *deviation)
{
  if (isfinite(*deviation)) *deviation = few->factor * hypot(*deviation, few->count < SOME ? spread : 0.0);
}

static void widen_outcomes(const few_results *few, const fcps_prediction *prediction)
{
  const fcps_rollouts *seen = &few->model->training;
  for (int o = 0; o < seen->outcome_width; o++)
    widen(few,
          spread_around(prediction->outcome != NULL ? prediction->outcome[o] : 0.0, few->count, seen->outcome_width,
                        seen->outcomes + o),
          prediction->outcome_deviation + o);
}

/* The deviations of one answer; `row` is its place. */
static fcps_status widen_answer(const few_results *few, const fcps_policy_answers *answers, int row, fcps_error *error)
{
  const fcps_problem *problem = few->model->problem;
  const fcps_status status =
      fcps_model_rewards(few->model, fcps_policy_row(answers->targets, &problem->target, row),
                         fcps_policy_row(answers->environments, &problem->environment, row), few->rewards, error);
  if (status != FCPS_OK) return status;
  const double spread = spread_around(answers->rewards[row], few->count, 1, few->rewards);
  if (answers->deviations != NULL) widen(few, spread, answers->deviations + row);
  if (answers->reducible != NULL) widen(few, spread, answers->reducible + row);
  if (answers->success != NULL) widen(few, spread, answers->success + row);
  fcps_prediction *prediction = answers->prediction;
  if (prediction == NULL) return FCPS_OK;
  if (prediction->has_outcome && prediction->outcome_deviation != NULL) widen_outcomes(few, prediction);
  return FCPS_OK;
}

bool fcps_policy_has_few_results(const fcps_policy *policy)
{
  const fcps_model *model = model_of(policy);
  return model != NULL && model->training.count > 0 && model->training.count < MANY;
}

fcps_status fcps_policy_widen_few(fcps_policy *policy, const fcps_policy_answers *answers)
{
  const bool is_wanted = answers->deviations != NULL || answers->reducible != NULL || answers->success != NULL;
  if (!is_wanted || !fcps_policy_has_few_results(policy)) return FCPS_OK;
  few_results few = {.model = model_of(policy)};
  few.count = few.model->training.count;
  const int left = few.count - inputs_of(policy) - 1, degrees = few.count < SOME ? 1 : LEAST_DEGREES;
  few.factor = student_factor(left > degrees ? left : degrees);
  few.rewards = fcps_allocate((size_t)few.count, sizeof(double));
  fcps_status status = few.rewards != NULL ? FCPS_OK : fcps_error_memory(&policy->error);
  for (int i = 0; i < answers->count && status == FCPS_OK; i++)
    status = widen_answer(&few, answers, i, &policy->error);
  free(few.rewards);
  return status;
}
