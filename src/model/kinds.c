/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of model: which rollouts they learn from, and which outputs their GPs predict. */
#include "model/posterior/posterior_ops.h"
#include "problem/problem.h"

#include <string.h>

/* -- Joint: one GP over (environment, target, parameters) for the reward, as in BO-CPS [metzen2015]. It needs no reward
 * function: rewards may be told. -- */

static bool has_reward(const fcps_problem *problem, const fcps_rollout *rollout)
{
  (void)problem;
  return rollout->status == FCPS_ROLLOUT_OK && fcps_rollout_values_usable(1, &rollout->reward);
}

static fcps_status told_rewards(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target, (void)error;
  for (int i = 0; i < model->training.count; i++)
    y[i] = model->training.rewards[i];
  return FCPS_OK;
}

const fcps_model_ops fcps_model_joint = {.name = "joint",
                                         .has_target_inputs = true,
                                         .is_usable = has_reward,
                                         .outputs = told_rewards,
                                         .posterior = &fcps_posterior_of_rewards};

/* -- Rescored: a GP over (environment, parameters) for the reward that each rollout would have earned for the queried
 * target [pinsler2019, Eqs. 4, 5]. The target is not an input, so one factorization serves all targets. -- */

static bool may_be_rescored(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK &&
         (rollout->outcome == NULL || fcps_rollout_values_usable(problem->outcome.count, rollout->outcome));
}

static fcps_status rescored_rewards(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  return fcps_rollouts_rescore(&model->training, model->problem, target, y, error);
}

const fcps_model_ops fcps_model_rescored = {.name = "rescored",
                                            .is_usable = may_be_rescored,
                                            .outputs = rescored_rewards,
                                            .posterior = &fcps_posterior_of_rewards};

/* -- Outcome: a GP over (environment, parameters) for each dimension of the outcome. All share one factorization and
 * one set of hyper-parameters; with separate=on each has its own. The reward is known and stays exact
 * (reward/expected_reward.h), so a rollout also tells the direction of a miss, and one fit serves all targets. -- */

static bool has_outcome(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->outcome != NULL && may_be_rescored(problem, rollout);
}

static fcps_status seen_outcomes(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target, (void)error;
  return fcps_description_outcomes(&model->description, &model->layout, &model->training, model->training.count, y);
}

const fcps_model_ops fcps_model_outcome = {.name = "outcome",
                                           .predicts_outcomes = true,
                                           .is_usable = has_outcome,
                                           .outputs = seen_outcomes,
                                           .posterior = &fcps_posterior_of_outcomes};

/* -- All kinds -- */

static const fcps_model_ops *const kinds[] = {&fcps_model_joint, &fcps_model_rescored, &fcps_model_outcome};

const fcps_model_ops *fcps_model_kind_at(int index)
{
  const int count = (int)(sizeof kinds / sizeof *kinds);
  return index >= 0 && index < count ? kinds[index] : NULL;
}

const fcps_model_ops *fcps_model_kind_find(const char *name)
{
  for (int i = 0; name != NULL && fcps_model_kind_at(i) != NULL; i++)
    if (strcmp(fcps_model_kind_at(i)->name, name) == 0) return fcps_model_kind_at(i);
  return NULL;
}

/* If the target is not an input, it enters through the reward function. This is applied to predicted outcomes, or to
 * the observed ones, whose rewards are then outputs for this target alone. */
bool fcps_model_kind_has_outputs_per_target(const fcps_model_ops *kind)
{
  return !kind->has_target_inputs && !kind->predicts_outcomes;
}
