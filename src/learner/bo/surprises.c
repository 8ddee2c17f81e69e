/* SPDX-License-Identifier: Apache-2.0 */
/* Results that a Bayesian-optimization learner does not believe. A model of outcomes says so itself. Rewards jump where
 * outcomes do not, so a model of rewards doubts nobody; there a model of the outcomes is made for the question. */
#include "learner/bo/bo.h"

#include "base/error.h"

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

/* Whether the last ask has fitted the model, and then doubts somebody: that is worth saying. */
static bool is_fresh(const fcps_model *model)
{
  return model->fitted > 0 && model->training.count - model->fitted <= 1 && fcps_model_has_suspects(model);
}

fcps_status fcps_bo_surprises(fcps_learner *learner, bool is_brief, fcps_surprises *found, fcps_error *error)
{
  enum { FEW_ROWS = 30 }; /* before the first fit a look costs one: a brief one is taken only while results are few */
  const fcps_bo *b = learner->state;
  const bool is_of_outcomes = b->model->ops->predicts_outcomes;
  bool is_worth_it = !is_brief || (b->model->fitted == 0 && b->model->training.count <= FEW_ROWS);
  fcps_model *made = NULL;
  fcps_status status = FCPS_OK;
  if (learner->problem.outcome.count == 0 || (!is_of_outcomes && is_brief)) return FCPS_OK;
  if (!is_of_outcomes)
    status = make_outcome_model(learner, &made);
  else if (is_brief && b->model->fitted > 0)
    status = fcps_model_is_surprised(b->model, &is_worth_it, error);
  if (is_of_outcomes && is_brief && is_fresh(b->model)) is_worth_it = true;
  if (status == FCPS_OK && is_worth_it)
    status = fcps_model_find_surprises(is_of_outcomes ? b->model : made, found, error);
  fcps_model_destroy(made);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}
