/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of a model whose outputs are outcomes: the candidates' means have one column per environment and outcome
 * dimension, and a context says what they are worth. Where many contexts share an environment, the candidates have
 * variances of their own. */
#include "search/batch_impl.h"
#include "search/bound_screening.h"

#include <string.h>

enum { BLOCK = FCPS_POSTERIOR_BLOCK };

static fcps_status condition_outcomes(fcps_batch *batch)
{
  (void)batch;
  return FCPS_OK; /* they do not depend on the context */
}

static const fcps_gp_outputs *outcome_outputs(const fcps_batch *batch)
{
  return &batch->posterior->outputs->outputs;
}

static int count_outcome_columns(const fcps_batch *batch)
{
  return batch->environment_count * outcome_outputs(batch)->outputs;
}

static void find_outcome_column(const fcps_batch *batch, int column, int *environment, int *output)
{
  *environment = column / outcome_outputs(batch)->outputs;
  *output = column % outcome_outputs(batch)->outputs;
}

/* Gets the candidates' outcomes in an environment, and the terms of distances there. */
static fcps_status take_outcomes(fcps_batch *batch, int environment)
{
  if (batch->scored_environment == environment) return FCPS_OK;
  const size_t width = (size_t)outcome_outputs(batch)->outputs, columns = (size_t)count_outcome_columns(batch);
  for (size_t c = 0; c < (size_t)batch->candidates; c++)
    memcpy(batch->outcomes + c * width, batch->means + c * columns + (size_t)environment * width,
           width * sizeof(double));
  fcps_status status = FCPS_OK;
  if (fcps_batch_can_maximize(batch) && fcps_expected_reward_is_closed(batch->expected_reward))
    status =
        fcps_expected_reward_terms(batch->expected_reward, batch->candidates, batch->x, batch->terms, batch->error);
  if (status == FCPS_OK) batch->scored_environment = environment;
  return status;
}

static fcps_status score_outcomes(fcps_batch *batch, int context, double *values)
{
  const fcps_status status = take_outcomes(batch, batch->environment_index[context]);
  if (status != FCPS_OK) return status;
  fcps_expected_reward *reward = batch->expected_reward;
  const fcps_outcomes all = {.count = batch->candidates,
                             .x = batch->x,
                             .means = batch->outcomes,
                             .variances = batch->variances,
                             .gp_count = fcps_model_gp_count(batch->model)};
  const bool is_distance = fcps_expected_reward_is_closed(reward);
  const bool may_screen = fcps_batch_can_maximize(batch) && !fcps_failure_penalty_exists(batch->posterior->penalty);
  if (!batch->has_variances && !is_distance) return fcps_expected_reward_bound_sum(reward, &all, values, batch->error);
  if (!batch->has_variances)
    fcps_expected_reward_bound(reward, batch->candidates, batch->outcomes, batch->terms, values);
  else if (may_screen && !is_distance)
    return fcps_expected_reward_screen_sum(reward, &all, FCPS_BOUND_SCREENING_BEST, values, batch->error);
  else if (may_screen)
    fcps_expected_reward_screen(reward, &all, batch->terms, FCPS_BOUND_SCREENING_BEST, values);
  else
    return fcps_expected_reward_moments(reward, &all, values, NULL, batch->error);
  return FCPS_OK;
}

/* The rewards expected of `count` <= BLOCK points, each in a context of its own, with one pass of the GP; `deviations`
 * may be NULL. */
void fcps_batch_predict_rewards(fcps_batch *batch, int count, const int *contexts, const double *x, double *means,
                                double *deviations)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  fcps_posterior *posterior = batch->posterior;
  fcps_output_posterior *outputs = posterior->outputs;
  for (int i = 0; i < count; i++) {
    fcps_batch_select_context(batch, contexts[i]);
    fcps_output_posterior_embed(outputs, i, x + (size_t)i * n);
  }
  fcps_output_posterior_predict(outputs, FCPS_VARIANCE_EXACT, count, outputs->means, outputs->variances);
  for (int i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && contexts[i + run] == contexts[i];)
      run++;
    const double *points = x + (size_t)i * n;
    double *deviation = deviations != NULL ? deviations + i : NULL;
    fcps_batch_select_context(batch, contexts[i]);
    fcps_posterior_reward_moments(posterior, i, run, points, means + i, deviation);
    fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, run, points, means + i, deviation));
  }
}

static void predict_from_outcomes(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  for (int first = 0; first < batch->count; first += BLOCK) {
    const int block = fcps_posterior_block(batch->count - first);
    int contexts[BLOCK];
    double unused[BLOCK];
    for (int i = 0; i < block; i++)
      contexts[i] = first + i;
    fcps_batch_predict_rewards(batch, block, contexts, x + (size_t)first * n, means != NULL ? means + first : unused,
                               deviations != NULL ? deviations + first : NULL);
  }
}

const fcps_batch_kind fcps_batch_kind_outcomes = {.has_bounds = fcps_batch_can_maximize,
                                                  .condition = condition_outcomes,
                                                  .outputs = outcome_outputs,
                                                  .column_count = count_outcome_columns,
                                                  .column = find_outcome_column,
                                                  .score = score_outcomes,
                                                  .predict = predict_from_outcomes};
