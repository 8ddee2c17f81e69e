/* SPDX-License-Identifier: Apache-2.0 */
/* A user does what a policy says and compares the trial with the prediction that came with it. So this is what is
 * measured: at the parameters that the policy chooses, not at random ones. That is the stricter test: a policy chooses
 * parameters that look good, also those that look good by mistake.
 *
 * An interval is mean +- 1.96 deviations, for outcomes and for rewards. Where a trial may go wrong, the predicted reward is
 * a mixture, and no multiple of its deviation is an interval: almost all trials end well, far inside. So a reward is
 * compared with what was predicted of a trial that ends well, and only where it does. How often it does not is another
 * measure. A policy predicts the outcome that its parameters
 * have on average, so the trials are without noise, as every offline evaluation. What lies outside the bounds of its
 * outcome is known to be outside, and no more: both sides are compared at the bound. */
#include "experiment/intervals.h"

#include "base/error.h"
#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

/* The 97.5 % quantile of the standard normal distribution. */
static const double QUANTILE = 1.959963984540054;

/* An outcome that never changes is predicted up to rounding. */
static const double ROUNDING = 1e-9;

typedef struct tally {
  int inside, count;
} tally;

static void add(tally *all, double predicted, double deviation, double value)
{
  if (isnan(predicted) || isnan(deviation) || isnan(value)) return;
  all->inside += fabs(value - predicted) <= QUANTILE * deviation + ROUNDING * fabs(value);
  all->count++;
}

static double share(tally all)
{
  return all.count > 0 ? (double)all.inside / all.count : NAN;
}

/* What is predicted of a trial that ends well. With its moments m and d, chance p and the gap to what going wrong earns,
 * the prediction has the mean m - (1 - p) gap, the reducible deviation p d and the variance p d^2 + p (1 - p) gap^2
 * (model/feasibility/failure_penalty.h). Exact where trials can go wrong in one of two ways. */
static void predict_success(const fcps_prediction *prediction, double *mean, double *deviation)
{
  const double p = prediction->chance_of_success * prediction->chance_of_outcome;
  *mean = prediction->reward;
  *deviation = prediction->reward_deviation;
  if (!(p > 0.0 && p < 1.0)) return;
  const double variance = *deviation * *deviation;
  *deviation = prediction->reducible_deviation / p;
  *mean += (1.0 - p) * sqrt(fmax(variance - p * *deviation * *deviation, 0.0) / (p * (1.0 - p)));
}

/* Room for an evaluation and for one prediction. */
typedef struct scene {
  fcps_evaluation_rows rows;
  double *parameters;
  fcps_prediction prediction;
  double *room;
} scene;

static bool create_scene(scene *s, const fcps_problem *problem, int contexts)
{
  const size_t count = (size_t)contexts, p = (size_t)problem->parameters.count, q = (size_t)problem->outcome.count;
  s->room = fcps_allocate(count * (1 + p + q) + p + 2 * q, sizeof(double));
  s->rows.present = fcps_allocate(count, sizeof *s->rows.present);
  if (s->room == NULL || s->rows.present == NULL) return false;
  s->rows.rewards = s->room;
  s->rows.parameters = s->rows.rewards + count;
  s->rows.outcomes = s->rows.parameters + count * p;
  s->parameters = s->rows.outcomes + count * q;
  s->prediction.outcome = s->parameters + p;
  s->prediction.outcome_deviation = s->prediction.outcome + q;
  return true;
}

static void destroy_scene(scene *s)
{
  free(s->room);
  free(s->rows.present);
}

/* Compares context number `index`. */
static fcps_status compare(scene *s, fcps_policy *policy, fcps_task *task, int index, tally *outcomes, tally *rewards)
{
  const fcps_space *space = &fcps_task_problem(task)->outcome;
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  const size_t row = (size_t)index, target = (size_t)fcps_task_problem(task)->target.count;
  const size_t environment = (size_t)fcps_task_problem(task)->environment.count;
  fcps_prediction *prediction = &s->prediction;
  const fcps_status status =
      fcps_policy_query(policy, target > 0 ? contexts->targets + row * target : NULL,
                        environment > 0 ? contexts->environments + row * environment : NULL, s->parameters, prediction);
  if (status != FCPS_OK) return status;
  if (!s->rows.present[index]) return FCPS_OK;
  double mean, deviation;
  predict_success(prediction, &mean, &deviation);
  if (prediction->has_reward) add(rewards, mean, deviation, s->rows.rewards[index]);
  const double *outcome = s->rows.outcomes + row * (size_t)space->count;
  for (int j = 0; j < space->count && prediction->has_outcome; j++)
    add(outcomes, prediction->outcome[j], prediction->outcome_deviation[j],
        fcps_dimension_clip(space->dims + j, outcome[j]));
  return FCPS_OK;
}

fcps_status fcps_intervals_measure(fcps_intervals_kept *kept, fcps_study *study, fcps_task *task, fcps_error *error)
{
  const int count = fcps_task_evaluation(task)->count;
  fcps_policy *policy = NULL;
  scene s = {0};
  double mean;
  tally outcomes = {0}, rewards = {0};
  fcps_status status = fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK && !create_scene(&s, fcps_task_problem(task), count)) status = fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_run_evaluate(task, policy, &s.rows, &mean, error);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    status = compare(&s, policy, task, i, &outcomes, &rewards);
    if (status != FCPS_OK && error != NULL) *error = *fcps_policy_error(policy);
  }
  *kept = (fcps_intervals_kept){.outcomes = share(outcomes), .rewards = share(rewards)};
  destroy_scene(&s);
  fcps_policy_destroy(policy);
  return status;
}
