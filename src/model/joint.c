/* SPDX-License-Identifier: Apache-2.0 */
/* The joint model: one GP over (environment, target, parameters) for the reward, as BO-CPS has it [metzen2015]. It
 * needs no reward function: rewards may be told. */
#include "model/posterior/posterior_ops.h"

#include "problem/problem.h"

static bool is_usable(const fcps_problem *problem, const fcps_rollout *rollout)
{
  (void)problem;
  return rollout->status == FCPS_ROLLOUT_OK && fcps_rollout_values_usable(1, &rollout->reward);
}

static fcps_status outputs(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target;
  (void)error;
  for (int i = 0; i < model->training.count; i++)
    y[i] = model->training.rewards[i];
  return FCPS_OK;
}

const fcps_model_ops fcps_model_joint = {.name = "joint",
                                         .has_target_inputs = true,
                                         .predicts_outcomes = false,
                                         .is_usable = is_usable,
                                         .outputs = outputs,
                                         .create_posterior = fcps_posterior_create_of_rewards};
