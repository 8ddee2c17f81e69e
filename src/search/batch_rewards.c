/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of a model whose outputs are rewards: the candidates' means have one column per context, and are what the
 * candidates are worth. */
#include "search/batch_impl.h"

static bool rewards_have_bounds(const fcps_batch *batch)
{
  (void)batch;
  return true;
}

static fcps_status condition_rewards(fcps_batch *batch)
{
  return fcps_model_condition(batch->posterior->model, batch->count, batch->targets, &batch->rewards, batch->error);
}

static const fcps_gp_outputs *reward_outputs(const fcps_batch *batch)
{
  return &batch->rewards;
}

static int count_reward_columns(const fcps_batch *batch)
{
  return batch->count;
}

static void find_reward_column(const fcps_batch *batch, int column, int *environment, int *output)
{
  *environment = batch->environment_index[column];
  *output = column;
}

static fcps_status score_rewards(fcps_batch *batch, int context, double *values)
{
  for (int c = 0; c < batch->candidates; c++)
    values[c] = batch->means[(size_t)c * (size_t)batch->count + (size_t)context];
  return FCPS_OK;
}

/* One context after the other. */
static void predict_from_rewards(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  for (int i = 0; i < batch->count; i++) {
    double unused;
    fcps_batch_select_context(batch, i);
    fcps_posterior_moments(batch->posterior, 1, x + (size_t)i * n, means != NULL ? means + i : &unused,
                           deviations != NULL ? deviations + i : NULL);
  }
}

const fcps_batch_kind fcps_batch_kind_rewards = {.has_bounds = rewards_have_bounds,
                                                 .condition = condition_rewards,
                                                 .outputs = reward_outputs,
                                                 .column_count = count_reward_columns,
                                                 .column = find_reward_column,
                                                 .score = score_rewards,
                                                 .predict = predict_from_rewards};
