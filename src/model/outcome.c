/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome model: a GP over (environment, parameters) for every dimension of the outcome, with one factorization and
 * one set of hyper-parameters for all of them; with separate=on each has its own. The reward is known and stays exact
 * (reward/expected_reward.h), so that a rollout also says in which direction it missed, and the fit serves every
 * target. */
#include "model/posterior/posterior_ops.h"

#include "base/memory.h"
#include "problem/problem.h"
#include "space/space.h"

#include <stdlib.h>

static int width(const fcps_problem *problem)
{
  return problem->outcome.count;
}

static bool is_usable(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK && rollout->outcome != NULL &&
         fcps_rollout_values_usable(problem->outcome.count, rollout->outcome);
}

/* Clipped outcomes, as the description sees them. */
static fcps_status outputs(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target;
  (void)error;
  const int rows = model->training.count, q = model->problem->outcome.count;
  const bool is_seen = fcps_description_changes_outputs(&model->description);
  double outcome[FCPS_SPACE_MAX], *features = fcps_allocate((size_t)model->layout.features, sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < rows; i++) {
    fcps_layout_outcome(&model->layout, &model->training, i, outcome);
    if (is_seen) {
      fcps_layout_rollout(&model->layout, &model->training, i, features);
      fcps_description_see(&model->description, &model->layout, features, i, NULL, outcome);
    }
    for (int j = 0; j < q; j++)
      y[(size_t)j * (size_t)rows + (size_t)i] = outcome[j];
  }
  free(features);
  return FCPS_OK;
}

static fcps_status rewards(const fcps_model *model, const double *target, const double *environment, double *values,
                           fcps_error *error)
{
  return fcps_rollouts_rescore_in(&model->training, model->problem, target, environment, values, error);
}

const fcps_model_ops fcps_model_outcome = {.name = "outcome",
                                           .has_target_inputs = false,
                                           .predicts_outcomes = true,
                                           .width = width,
                                           .is_usable = is_usable,
                                           .outputs = outputs,
                                           .rewards = rewards,
                                           .create_posterior = fcps_posterior_create_of_outcomes};
