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
#include "model/view_impl.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------------- stakes */

static fcps_stakes stakes_of(int count, const double *rewards)
{
  fcps_stakes stakes = {.exist = count > 0, .spread = 1.0};
  double worst = INFINITY, sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++) {
    worst = fmin(worst, rewards[i]);
    sum += rewards[i];
  }
  for (int i = 0; i < count; i++)
    squares += (rewards[i] - sum / count) * (rewards[i] - sum / count);
  if (isfinite(worst)) stakes.worst = worst;
  if (squares > 0.0 && isfinite(squares)) stakes.spread = sqrt(squares / count);
  return stakes;
}

double fcps_stakes_unit(const fcps_stakes *stakes)
{
  return fmin(1.0, 100.0 * stakes->spread);
}

double fcps_view_unit(const fcps_view *view)
{
  return fcps_stakes_unit(&view->stakes);
}

fcps_status fcps_view_find_stakes(const fcps_view *view, const double *target, const double *environment,
                                  fcps_stakes *stakes)
{
  const fcps_model *model = view->model;
  const int rows = model->evidence.count;
  double *rewards = fcps_allocate((size_t)rows, sizeof(double));
  if (rewards == NULL) return FCPS_ERR_MEMORY;
  const fcps_status status =
      model->ops->has_outcome_outputs
          ? fcps_rollouts_rescore_in(&model->evidence, model->problem, target, environment, rewards, view->error)
          : model->ops->outputs(model, target, rewards, view->error);
  if (status == FCPS_OK) *stakes = stakes_of(rows, rewards);
  free(rewards);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ weighing */

/* What a failed trial earns where one that ends well has this mean. */
static double failure_reward(const fcps_stakes *stakes, double mean)
{
  return fmin(stakes->worst, mean - stakes->spread);
}

static void weigh(double p, double other, double *mean, double *deviation)
{
  *mean = other + p * (*mean - other);
  if (deviation != NULL) *deviation *= p;
}

void fcps_view_weigh(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  if (fcps_view_presence(view, count, unit)) {
    fcps_view_note(view, fcps_scoring_absent(view->scoring, count, unit, view->absent, view->error));
    for (int i = 0; i < count; i++)
      weigh(view->chances[i], view->absent[i], mean + i, deviation != NULL ? deviation + i : NULL);
  }
  if (!fcps_view_feasibility(view, count, unit)) return;
  for (int i = 0; i < count; i++) {
    if (!view->stakes.exist) mean[i] = 0.0;
    weigh(view->chances[i], failure_reward(&view->stakes, mean[i]), mean + i, deviation != NULL ? deviation + i : NULL);
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

void fcps_view_weigh_slope(fcps_view *view, const double *unit, double *mean, double *deviation, double *mean_gradient,
                           double *deviation_gradient)
{
  const int n = view->model->parameters.count;
  double p;
  if (fcps_view_presence(view, 1, unit)) {
    double other = 0.0, *other_slope = view->chance_gradient + fcps_model_chance_dim(view->model) + n;
    fcps_view_note(view, fcps_scoring_absent_gradient(view->scoring, unit, &other, other_slope, view->error));
    const double *slope = fcps_view_presence_slope(view, unit, &p);
    weigh_slopes(n, p, slope, other, other_slope, mean, deviation, mean_gradient, deviation_gradient);
  }
  if (view->whole->feasible == NULL) return;
  const double *slope = fcps_view_feasibility_slope(view, unit, &p);
  for (int d = 0; d < n && !view->stakes.exist; d++)
    mean_gradient[d] = 0.0;
  if (!view->stakes.exist) *mean = 0.0;
  // where it is a spread below the mean it moves with it
  const double other = failure_reward(&view->stakes, *mean);
  weigh_slopes(n, p, slope, other, other < view->stakes.worst ? mean_gradient : NULL, mean, deviation, mean_gradient,
               deviation_gradient);
}
