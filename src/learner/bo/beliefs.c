/* SPDX-License-Identifier: Apache-2.0 */
/* What a Bayesian-optimization learner believes: what it expects of a trial, and the results that it doubts. A model of
 * outcomes says itself which these are. Rewards jump where outcomes do not, so a model of rewards doubts no result; then a
 * model of the outcomes is made for the question. */
#include "base/error.h"
#include "learner/bo/bo.h"
#include "model/posterior/posterior.h"
#include "policy/policy_impl.h"

#include <math.h>

/* The outcomes of everything that was told, in the same settings. */
static fcps_status make_outcome_model(const fcps_learner *learner, fcps_model **model)
{
  const fcps_bo *b = learner->state;
  fcps_model_settings settings = b->settings.model_settings;
  settings.norm.scaling = FCPS_SCALING_METRIC;
  settings.structures.inexact = FCPS_INPUT_NOISE_OFF;
  settings.may_split = false;
  settings.fit.samples = 1;
  fcps_status status = fcps_model_create(model, &fcps_model_outcome, &learner->problem, &settings);
  for (int i = 0; i < learner->rollouts.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&learner->rollouts, i);
    status = fcps_model_add(*model, &rollout);
  }
  return status;
}

fcps_status fcps_bo_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_model *made = NULL;
  if (learner->problem.outcome.count == 0) return FCPS_OK;
  const bool is_of_outcomes = fcps_model_kind_predicts_outcomes(b->model->ops);
  fcps_status status = is_of_outcomes ? FCPS_OK : make_outcome_model(learner, &made);
  if (status == FCPS_OK) status = fcps_model_find_surprises(is_of_outcomes ? b->model : made, found, error);
  fcps_model_destroy(made);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

const fcps_model *fcps_bo_model(const fcps_learner *learner)
{
  const fcps_bo *b = learner->state;
  return b->model;
}

/* The policy predicts the reward itself; what is told of a trial has noise as well, which a model of outcomes knows. */
static fcps_status add_noise(const fcps_model *model, const double *target, const double *environment,
                             double *deviation, fcps_error *error)
{
  fcps_posterior *posterior = NULL;
  const fcps_status status = fcps_posterior_create(&posterior, model, target, environment, error);
  if (status == FCPS_OK)
    *deviation = hypot(*deviation, fcps_posterior_outputs(posterior)->scale[0] *
                                       sqrt(fcps_gp_noise(fcps_model_gp(fcps_posterior_model(posterior), 0))));
  fcps_posterior_destroy(posterior);
  return status;
}

/* The answer of the policy that chooses by the model as it is. */
fcps_status fcps_bo_expect(fcps_learner *learner, const double *target, const double *environment,
                           const double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_policy *policy = NULL;
  if (b->model->fitted == 0) return FCPS_OK;
  const fcps_greedy_settings settings = {.search = b->settings.acquisition_settings.search, .seed = learner->seed};
  fcps_status status = fcps_policy_create_greedy(&policy, &learner->problem, b->model, &settings, 0, NULL, error);
  if (status == FCPS_OK) {
    status = fcps_policy_predict_at(policy, target, environment, parameters, prediction);
    if (status != FCPS_OK && error != NULL) *error = *fcps_policy_error(policy);
  }
  if (status == FCPS_OK && prediction->has_reward && !prediction->has_outcome)
    status = add_noise(policy->ops->model(policy), target, environment, &prediction->reward_deviation, error);
  fcps_policy_destroy(policy);
  return status;
}
