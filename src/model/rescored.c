/* SPDX-License-Identifier: Apache-2.0 */
/* The rescored model: a GP over (environment, parameters) for the reward that every rollout would have earned, had the
 * queried target been its own [pinsler2019, Eqs. 4, 5]. The target is not an input, so the factorization serves all
 * targets. */
#include "model/posterior/posterior_ops.h"

#include "problem/problem.h"

static bool is_usable(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK &&
         (rollout->outcome == NULL || fcps_rollout_values_usable(problem->outcome.count, rollout->outcome));
}

static fcps_status outputs(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  return fcps_rollouts_rescore(&model->training, model->problem, target, y, error);
}

const fcps_model_ops fcps_model_rescored = {.name = "rescored",
                                            .has_target_inputs = false,
                                            .predicts_outcomes = false,
                                            .is_usable = is_usable,
                                            .outputs = outputs,
                                            .create_posterior = fcps_posterior_create_of_rewards};
