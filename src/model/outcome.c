/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome model: a GP over (environment, parameters) for every dimension of the outcome, with one factorization and
 * one set of hyper-parameters for all of them; with separate=on each has its own. The reward is known and stays exact
 * (reward/expected_reward.h), so that a rollout also says in which direction it missed, and the fit serves every
 * target. */
#include "model/posterior/posterior_ops.h"

#include "problem/problem.h"

static bool is_usable(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK && rollout->outcome != NULL &&
         fcps_rollout_values_usable(problem->outcome.count, rollout->outcome);
}

static fcps_status outputs(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target, (void)error;
  return fcps_description_outcomes(&model->description, &model->layout, &model->training, model->training.count, y);
}

const fcps_model_ops fcps_model_outcome = {.name = "outcome",
                                           .has_target_inputs = false,
                                           .predicts_outcomes = true,
                                           .is_usable = is_usable,
                                           .outputs = outputs,
                                           .create_posterior = fcps_posterior_create_of_outcomes};
