/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of the model of the last policy.
 *
 * Accuracy: the model predicts random trials in the evaluation contexts. These trials belong to no run, so no learner
 * has seen them.
 *
 * Locked fits: [pinsler2019, Sec. V-A] reports fits that follow the context and ignore the parameters. Here a parameter
 * counts as ignored if its length-scale is at least twice its range. A fit is locked if it ignores all parameters
 * although a context dimension matters within its range. A fit may also ignore only some parameters, such as the
 * cannon's turn.
 *
 * Intervals are judged at the parameters that the policy chooses, because users rely on the intervals there. */
#include "lab/experiment/last_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "lab/experiment/oracle.h"
#include "model/posterior/posterior.h"
#include "policy/policy_impl.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

static const double ignored_from = 2.0, matters_up_to = 1.0;

/* -- Accuracy -- */

typedef struct comparison {
  fcps_policy *policy;
  fcps_posterior *posterior; /* the posterior in the context of the last trial */
  const double *target, *environment;
  double squares;
  int count;
} comparison;

/* Makes the posterior in the context of a trial. If the trial before had the same context, its posterior is used
 * again. */
static fcps_status enter_context(comparison *c, const fcps_random_trial *trial)
{
  if (c->posterior != NULL && c->target == trial->target && c->environment == trial->environment) return FCPS_OK;
  fcps_posterior_destroy(c->posterior);
  c->posterior = NULL;
  c->target = trial->target;
  c->environment = trial->environment;
  return fcps_posterior_create(&c->posterior, c->policy->ops->model(c->policy), trial->target, trial->environment,
                               &c->policy->error);
}

static fcps_status compare(void *user, const fcps_random_trial *trial)
{
  comparison *c = user;
  double expected = NAN;
  const fcps_status status = enter_context(c, trial);
  if (status != FCPS_OK) return status;
  fcps_posterior_moments(c->posterior, 1, trial->x, &expected, NULL);
  if (isnan(trial->reward) || isnan(expected)) return FCPS_OK;
  c->squares += (expected - trial->reward) * (expected - trial->reward);
  c->count++;
  return FCPS_OK;
}

/* -- Locked fits -- */

static double least(int count, const double *values)
{
  double found = INFINITY;
  for (int i = 0; i < count; i++)
    found = fmin(found, values[i]); /* fmin ignores NaN */
  return found;
}

static fcps_status find_locked(const fcps_policy *policy, fcps_last_model *found)
{
  const fcps_problem *problem = &policy->problem;
  const int targets = problem->target.count, environments = problem->environment.count;
  const int parameters = problem->parameters.count;
  double *lengths = fcps_allocate((size_t)(targets + environments + parameters), sizeof(double));
  if (lengths == NULL) return FCPS_ERR_MEMORY;
  fcps_health health = {.target_lengths = lengths,
                        .environment_lengths = lengths + targets,
                        .parameter_lengths = lengths + targets + environments};
  if (fcps_policy_health(policy, 0, &health)) {
    int ignored = 0;
    for (int i = 0; i < parameters; i++)
      ignored += health.parameter_lengths[i] >= ignored_from;
    found->ignored = (double)ignored / parameters;
    found->locked = ignored == parameters && least(targets + environments, lengths) <= matters_up_to;
  }
  free(lengths);
  return FCPS_OK;
}

fcps_status fcps_last_model_measure(fcps_study *study, fcps_task *task, fcps_last_model *found, fcps_error *error)
{
  comparison c = {0};
  *found = (fcps_last_model){NAN, NAN, NAN};
  fcps_status status = fcps_study_policy(study, &c.policy, error);
  if (status != FCPS_OK || !fcps_policy_predicts_reward(c.policy)) {
    fcps_policy_destroy(c.policy);
    return status;
  }
  status = fcps_random_trials_visit(task, compare, &c);
  if (status == FCPS_OK) status = find_locked(c.policy, found);
  if (status == FCPS_OK && c.count > 0) found->accuracy = -sqrt(c.squares / c.count);
  if (status != FCPS_OK && error != NULL) *error = c.policy->error;
  fcps_posterior_destroy(c.posterior);
  fcps_policy_destroy(c.policy);
  return status;
}

/* -- Predicted intervals -- */

/* A user does what a policy says, and compares the trial with the policy's prediction. So intervals are measured at the
 * parameters that the policy chooses, not at random ones. This is the stricter test: some of the chosen parameters only
 * look good by mistake.
 *
 * An interval is mean +- 1.96 deviations, for outcomes and for rewards. If a trial may fail, the predicted reward is a
 * mixture, whose deviation gives no interval: almost all trials succeed, and their rewards are far inside. So the
 * reward of a trial that succeeds is compared with the prediction for a trial that succeeds, and the rate of failures
 * is another measure. A policy predicts single trials, so it is compared with single trials, with their noise.
 * Predictions and outcomes beyond the bounds of an outcome are clipped to the bound before they are compared. */

/* The 97.5 % quantile of the standard normal distribution. */
static const double QUANTILE = 1.959963984540054;

/* For outcomes that never change, errors up to this size count as rounding. */
static const double ROUNDING = 1e-9;

/* The noise of these trials is that of episodes with numbers from here on. No learner has met such an episode. */
enum { FIRST_EPISODE = 1000000 };

typedef struct tally {
  int inside, count;
} tally;

/* Counts over all contexts. */
typedef struct cover {
  tally outcomes, rewards;
  double earned;
} cover;

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

/* Memory for one trial and its prediction. */
typedef struct scene {
  double *parameters, *outcome;
  fcps_prediction prediction;
} scene;

static bool create_scene(scene *s, const fcps_problem *problem)
{
  const size_t p = (size_t)problem->parameters.count, q = (size_t)problem->outcome.count;
  s->parameters = fcps_allocate(p + 3 * q, sizeof(double));
  if (s->parameters == NULL) return false;
  s->outcome = s->parameters + p;
  s->prediction.outcome = s->outcome + q;
  s->prediction.outcome_deviation = s->prediction.outcome + q;
  return true;
}

/* Makes a trial in context number `index` and compares it with its prediction. */
static fcps_status compare_context(scene *s, fcps_policy *policy, fcps_task *task, int index, cover *all,
                                   fcps_error *error)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  const size_t row = (size_t)index, t = (size_t)problem->target.count, e = (size_t)problem->environment.count;
  const double *target = t > 0 ? contexts->targets + row * t : NULL;
  const double *environment = e > 0 ? contexts->environments + row * e : NULL;
  const fcps_prediction *prediction = &s->prediction;
  fcps_rollout rollout;
  fcps_status status = fcps_policy_query(policy, target, environment, s->parameters, &s->prediction);
  if (status != FCPS_OK) {
    if (error != NULL) *error = *fcps_policy_error(policy);
    return status;
  }
  status = fcps_task_run(task, FIRST_EPISODE + index, environment, s->parameters, s->outcome, &rollout);
  if (status != FCPS_OK) {
    if (error != NULL) *error = *fcps_task_error(task);
    return status;
  }
  const bool is_present = rollout.outcome != NULL;
  double reward;
  status = fcps_problem_score(problem, 1, target, environment, s->parameters, s->outcome, &is_present, &reward, error);
  if (status != FCPS_OK) return status;
  all->earned += reward;
  if (rollout.status != FCPS_ROLLOUT_OK || !is_present) return FCPS_OK;
  if (prediction->has_reward)
    add(&all->rewards, prediction->success_reward, prediction->success_reward_deviation, reward);
  for (int j = 0; j < problem->outcome.count && prediction->has_outcome; j++)
    add(&all->outcomes, prediction->outcome[j], prediction->outcome_deviation[j],
        fcps_dimension_clip(problem->outcome.dims + j, s->outcome[j]));
  return FCPS_OK;
}

fcps_status fcps_intervals_measure(fcps_intervals_kept *kept, fcps_study *study, fcps_task *task, fcps_error *error)
{
  fcps_policy *policy = NULL;
  scene s = {0};
  cover all = {0};
  const int contexts = fcps_task_evaluation(task)->count;
  fcps_status status = fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK && !create_scene(&s, fcps_task_problem(task))) status = fcps_error_memory(error);
  for (int i = 0; i < contexts && status == FCPS_OK; i++)
    status = compare_context(&s, policy, task, i, &all, error);
  *kept = (fcps_intervals_kept){
      .outcomes = share(all.outcomes), .rewards = share(all.rewards), .earned = all.earned / contexts};
  free(s.parameters);
  fcps_policy_destroy(policy);
  return status;
}
