/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions at the candidates of a batch in all of its contexts. For several environments the means are one product
 * of matrices if the kernel is separable (gp/query.h). For a single environment variances are also predicted, unless
 * few contexts share it. */
#include "base/memory.h"
#include "gp/query.h"
#include "search/batch_impl.h"
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = FCPS_POSTERIOR_BLOCK };

/* Whether contexts in several environments can be in one batch. */
bool fcps_batch_can_mix_environments(const fcps_batch *batch)
{
  const fcps_gp *gp = batch->posterior->model->gps.gp[0];
  return batch->kind->has_bounds(batch) && gp->kernel->is_separable && gp->factored > 0 &&
         fcps_model_gp_count(batch->model) == 1 && !batch->posterior->model->description.changes_inputs;
}

/* Computes the factor that the candidates' parameters contribute to covariances. It is the same in every context. */
static fcps_status separate_candidates(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  const fcps_gp *gp = model->gps.gp[0];
  const size_t width = (size_t)model->layout.parameters.width, count = (size_t)batch->candidates;
  free(batch->separated);
  batch->separated_of = NULL;
  batch->separated = fcps_allocate((size_t)gp->factored * count, sizeof(double));
  double *features = fcps_allocate(width * count, sizeof(double));
  const bool has_room = batch->separated != NULL && features != NULL;
  for (size_t i = 0; i < count && has_room; i++)
    fcps_embed(&model->layout.parameters, batch->x + i * (size_t)model->layout.parameters.count, features + i * width);
  if (has_room)
    fcps_gp_separate(gp, model->layout.context.width, (int)width, batch->candidates, features,
                     &batch->posterior->outputs->work, batch->separated);
  if (has_room) batch->separated_of = model;
  free(features);
  return has_room ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Computes from the factors of the environments the weights of the rows for every column, and finds the output of each
 * column. */
static void weigh_columns(const fcps_batch *batch, const double *factors, double *weights, int *outputs)
{
  const fcps_gp *gp = batch->posterior->model->gps.gp[0];
  const fcps_gp_outputs *conditioned = batch->kind->outputs(batch);
  for (int c = 0; c < batch->kind->column_count(batch); c++) {
    int environment;
    batch->kind->column(batch, c, &environment, outputs + c);
    fcps_gp_separated_weights(gp, conditioned, outputs[c], factors + (size_t)environment * (size_t)gp->factored,
                              weights + (size_t)c * (size_t)conditioned->count);
  }
}

/* Turns the candidates' outcomes in all environments back to the user's frame. */
static fcps_status turn_back_separated(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  if (batch->expected_reward == NULL || !model->description.changes_outputs) return FCPS_OK;
  const size_t first = (size_t)model->layout.context.width, width = (size_t)batch->kind->outputs(batch)->outputs;
  double *row = fcps_allocate((size_t)model->layout.features, sizeof(double)), *means = batch->means;
  if (row == NULL) return FCPS_ERR_MEMORY;
  for (size_t c = 0; c < (size_t)batch->candidates; c++) {
    fcps_embed(&model->layout.parameters, batch->x + c * (size_t)model->layout.parameters.count, row + first);
    for (size_t e = 0; e < (size_t)batch->environment_count; e++, means += width) {
      memcpy(row, batch->posterior->outputs->contexts + e * first, first * sizeof(double));
      fcps_model_unsee_outcomes(model, row, 1, 1, means);
    }
  }
  free(row);
  return FCPS_OK;
}

/* Predicts the means of all candidates in any number of environments, as one product of matrices. */
static fcps_status predict_separated(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  const size_t rows = (size_t)model->gps.gp[0]->factored, environments = (size_t)batch->environment_count;
  const int columns = batch->kind->column_count(batch);
  fcps_status status = batch->separated_of == model ? FCPS_OK : separate_candidates(batch);
  double *factors = fcps_allocate(rows * (environments + (size_t)columns), sizeof(double));
  double *weights = factors + rows * environments;
  int *outputs = fcps_allocate((size_t)columns, sizeof *outputs);
  if (factors == NULL || outputs == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_separate(model->gps.gp[0], 0, model->layout.context.width, batch->environment_count,
                     batch->posterior->outputs->contexts, &batch->posterior->outputs->work, factors);
    weigh_columns(batch, factors, weights, outputs);
    fcps_gp_predict_separated(model->gps.gp[0], batch->kind->outputs(batch), columns, outputs, weights,
                              batch->candidates, batch->separated, batch->means);
    status = turn_back_separated(batch);
  }
  free(factors);
  free(outputs);
  return status;
}

/* Predicts the means of all candidates in the only environment, with variances if they are needed. */
static void predict_with_variances(fcps_batch *batch)
{
  const size_t n = (size_t)batch->model->layout.parameters.count, gps = (size_t)fcps_model_gp_count(batch->model);
  const fcps_gp_outputs *conditioned = batch->kind->outputs(batch);
  fcps_output_posterior *outputs = batch->posterior->outputs;
  for (int start = 0; start < batch->candidates; start += BLOCK) {
    const int block = fcps_posterior_block(batch->candidates - start);
    fcps_output_posterior_embed_all(outputs, block, batch->x + (size_t)start * n);
    const fcps_gp_query query = {.count = block,
                                 .points = outputs->features,
                                 .mean = batch->means + (size_t)start * (size_t)conditioned->outputs,
                                 .variance = batch->has_variances ? batch->variances + (size_t)start * gps : NULL};
    fcps_model_predict(outputs->model, conditioned, &query, &outputs->work);
  }
}

/* If candidates have no variances of their own, gives all of them the mean variance of a few. Without it, the screening
 * of a formula would have to treat outcomes as certain. */
static void suppose_variances(fcps_batch *batch)
{
  enum { FEW_CANDIDATES = 32 };
  fcps_output_posterior *outputs = batch->posterior->outputs;
  const int count = batch->candidates < FEW_CANDIDATES ? batch->candidates : FEW_CANDIDATES;
  double sum = 0.0;
  fcps_batch_select_context(batch, 0);
  fcps_output_posterior_embed_all(outputs, count, batch->x);
  fcps_output_posterior_predict(outputs, FCPS_VARIANCE_EXACT, count, outputs->means, outputs->variances);
  for (int i = 0; i < count; i++)
    sum += outputs->variances[i];
  for (int i = 0; i < batch->candidates; i++)
    batch->variances[i] = sum / count;
}

/* Predicts all candidates in all environments. */
fcps_status fcps_batch_predict_candidates(fcps_batch *batch)
{
  const bool is_few = batch->environment_count > 1 || batch->count < FCPS_BATCH_FEW;
  batch->scored_environment = -1;
  batch->has_variances = batch->expected_reward != NULL && !(is_few && fcps_batch_can_maximize(batch));
  if (!batch->has_variances && batch->expected_reward != NULL &&
      !fcps_expected_reward_is_closed_everywhere(batch->expected_reward))
    suppose_variances(batch);
  if (is_few && fcps_batch_can_mix_environments(batch)) return predict_separated(batch);
  predict_with_variances(batch);
  return FCPS_OK;
}

/* Computes upper bounds of the mean rewards of all candidates in a context, if the penalty has bounds. */
fcps_status fcps_batch_bound(fcps_batch *batch, int context, double *values)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  fcps_batch_select_context(batch, context);
  fcps_status status = batch->kind->score(batch, context, values);
  for (int i = 0; i < batch->candidates && status == FCPS_OK; i += BLOCK)
    status = fcps_failure_penalty_bound(batch->posterior->penalty, fcps_posterior_block(batch->candidates - i),
                                        batch->x + (size_t)i * n, values + i);
  return status;
}

/* Computes the mean rewards of all candidates in a context, with the penalty. fcps_batch_kind.score says how exact they
 * are. */
fcps_status fcps_batch_score(fcps_batch *batch, int context, double *values)
{
  fcps_batch_select_context(batch, context);
  const fcps_status status = batch->kind->score(batch, context, values);
  if (status == FCPS_OK) fcps_posterior_penalize(batch->posterior, batch->candidates, batch->x, values);
  return status;
}

/* -- Batches of outcomes -- */

/* If the outputs of a model are outcomes, the candidates' means have one column per environment and outcome
 * dimension, and the reward follows from the context. If many contexts share an environment, the candidates have
 * variances of their own. */

static fcps_status condition_outcomes(fcps_batch *batch)
{
  (void)batch;
  return FCPS_OK; /* outcomes do not depend on the context */
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

/* Copies the candidates' outcomes in an environment, and computes the terms of distances in it. */
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

/* Predicts the rewards of `count` <= BLOCK points, each in its own context, with one pass of the GP. `deviations` may
 * be NULL. */
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
    fcps_posterior_note(posterior,
                        fcps_failure_penalty_apply(posterior->penalty, NULL, run, points, means + i, deviation));
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

/* -- Batches of rewards -- */

/* If the outputs of a model are rewards, the candidates' means have one column per context, and are the mean rewards
 * themselves. */

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

/* Predicts the rewards, one context after the other. */
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
