/* SPDX-License-Identifier: Apache-2.0 */
/* What doubts make of a predicted reward. Two of them weigh it, each as
 *
 *   mean := otherwise + p (mean - otherwise),     deviation := p deviation
 *
 * the chance p that there is an outcome at all (otherwise: the reward of an absent one), then the chance that the trial
 * does not fail. What a failure earns nobody knows, but it must never look better than a trial that ends well:
 *
 *   otherwise = min(worst, mean - spread)
 *
 * with the worst that the evidence earns in this context, and the deviation of what it earns. So the weighed mean grows
 * with p and with the mean, as upper bounds need it. Without evidence a mean says nothing: it counts as 0, and the
 * chance decides.
 */
#include "base/memory.h"
#include "model/posterior/posterior_impl.h"

#include <math.h>
#include <stdlib.h>

/* -- Stakes -- */

static fcps_reward_range stakes_of(int count, const double *rewards)
{
  fcps_reward_range reward_range = {.exist = count > 0, .spread = 1.0};
  double worst = INFINITY, sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++) {
    worst = fmin(worst, rewards[i]);
    sum += rewards[i];
  }
  for (int i = 0; i < count; i++)
    squares += (rewards[i] - sum / count) * (rewards[i] - sum / count);
  if (isfinite(worst)) reward_range.worst = worst;
  if (squares > 0.0 && isfinite(squares)) reward_range.spread = sqrt(squares / count);
  return reward_range;
}

double fcps_reward_range_scale(const fcps_reward_range *reward_range)
{
  return fmin(1.0, 100.0 * reward_range->spread);
}

double fcps_posterior_value_scale(const fcps_posterior *posterior)
{
  return fcps_reward_range_scale(&posterior->reward_range);
}

fcps_status fcps_posterior_find_reward_range(const fcps_posterior *posterior, const double *target,
                                             const double *environment, fcps_reward_range *reward_range)
{
  const fcps_model *model = posterior->model;
  const int rows = model->training.count;
  double *rewards = fcps_allocate((size_t)rows, sizeof(double));
  if (rewards == NULL) return FCPS_ERR_MEMORY;
  const fcps_status status =
      model->ops->has_outcome_outputs
          ? fcps_rollouts_rescore_in(&model->training, model->problem, target, environment, rewards, posterior->error)
          : model->ops->outputs(model, target, rewards, posterior->error);
  if (status == FCPS_OK) *reward_range = stakes_of(rows, rewards);
  free(rewards);
  return status;
}

/* -- Weighing -- */

/* What a failed trial earns where one that ends well has this mean. */
static double failure_reward(const fcps_reward_range *reward_range, double mean)
{
  return fmin(reward_range->worst, mean - reward_range->spread);
}

static void weigh(double p, double other, double *mean, double *deviation)
{
  *mean = other + p * (*mean - other);
  if (deviation != NULL) *deviation *= p;
}

void fcps_failure_penalty(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  if (fcps_posterior_presence(posterior, count, x)) {
    fcps_posterior_note(posterior, fcps_expected_reward_absent(posterior->expected_reward, count, x, posterior->absent,
                                                               posterior->error));
    for (int i = 0; i < count; i++)
      weigh(posterior->chances[i], posterior->absent[i], mean + i, deviation != NULL ? deviation + i : NULL);
  }
  if (!fcps_posterior_feasibility(posterior, count, x)) return;
  for (int i = 0; i < count; i++) {
    if (!posterior->reward_range.exist) mean[i] = 0.0;
    weigh(posterior->chances[i], failure_reward(&posterior->reward_range, mean[i]), mean + i,
          deviation != NULL ? deviation + i : NULL);
  }
}

/* The same with slopes: `slope` is that of p, `other_slope` that of `other`; both may be NULL for zeros. */
static void weigh_slopes(int n, double p, const double *slope, double other, const double *other_slope, double *mean,
                         double *deviation, double *mean_gradient, double *deviation_gradient)
{
  for (int d = 0; d < n; d++) {
    const double dp = slope != NULL ? slope[d] : 0.0, dother = other_slope != NULL ? other_slope[d] : 0.0;
    mean_gradient[d] = dother + p * (mean_gradient[d] - dother) + (*mean - other) * dp;
    if (deviation != NULL) deviation_gradient[d] = p * deviation_gradient[d] + *deviation * dp;
  }
  weigh(p, other, mean, deviation);
}

void fcps_failure_penalty_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                                   double *mean_gradient, double *deviation_gradient)
{
  const int n = posterior->model->parameters.count;
  double p;
  if (fcps_posterior_presence(posterior, 1, x)) {
    double other = 0.0, *other_slope = posterior->chance_gradient + fcps_model_feasibility_dim(posterior->model) + n;
    fcps_posterior_note(posterior, fcps_expected_reward_absent_gradient(posterior->expected_reward, x, &other,
                                                                        other_slope, posterior->error));
    const double *slope = fcps_posterior_presence_gradient(posterior, x, &p);
    weigh_slopes(n, p, slope, other, other_slope, mean, deviation, mean_gradient, deviation_gradient);
  }
  if (posterior->parent->feasibility == NULL) return;
  const double *slope = fcps_posterior_feasibility_gradient(posterior, x, &p);
  for (int d = 0; d < n && !posterior->reward_range.exist; d++)
    mean_gradient[d] = 0.0;
  if (!posterior->reward_range.exist) *mean = 0.0;
  /* where it is a spread below the mean it moves with it */
  const double other = failure_reward(&posterior->reward_range, *mean);
  weigh_slopes(n, p, slope, other, other < posterior->reward_range.worst ? mean_gradient : NULL, mean, deviation,
               mean_gradient, deviation_gradient);
}
