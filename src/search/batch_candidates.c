/* SPDX-License-Identifier: Apache-2.0 */
/* What the candidates of a fan predict in all its places, and what that is worth in a context. */
#include "search/batch_impl.h"

#include "base/memory.h"
#include "model/composite/per_output.h"

#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

bool fcps_batch_can_mix_environments(const fcps_batch *batch)
{
  const fcps_gp *gp = batch->posterior->model->gp;
  const bool bounds = batch->posterior->expected_reward == NULL || fcps_batch_can_maximize(batch);
  return bounds && gp->kernel->is_separable && gp->factored > 0 && fcps_model_gp_count(batch->model) == 1;
}

/* The factor that the candidates' parameters contribute to covariances: the same in every context. */
static fcps_status separate_candidates(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  const fcps_gp *gp = model->gp;
  const size_t width = (size_t)model->parameters.width, count = (size_t)batch->candidates;
  free(batch->separated);
  batch->separated_of = NULL;
  batch->separated = fcps_allocate((size_t)gp->factored * count, sizeof(double));
  double *features = fcps_allocate(width * count, sizeof(double));
  const bool has_room = batch->separated != NULL && features != NULL;
  for (size_t i = 0; i < count && has_room; i++)
    fcps_embed(&model->parameters, batch->x + i * (size_t)model->parameters.count, features + i * width);
  if (has_room)
    fcps_gp_separate(gp, model->context.width, (int)width, batch->candidates, features, &batch->posterior->work,
                     batch->separated);
  if (has_room) batch->separated_of = model;
  free(features);
  return has_room ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* The weights of all columns: each output in each place, or the reward of each context in its place. Their number. */
static int weigh_columns(const fcps_batch *batch, const fcps_gp_outputs *outputs, const double *shared, double *weights,
                         int *output)
{
  const bool is_outcome = batch->posterior->expected_reward != NULL;
  const int columns = is_outcome ? outputs->outputs * batch->places : batch->count;
  const size_t rows = (size_t)batch->posterior->model->gp->factored;
  for (int c = 0; c < columns; c++) {
    const int place = is_outcome ? c / outputs->outputs : batch->place[c];
    output[c] = is_outcome ? c % outputs->outputs : c;
    fcps_gp_weigh_separated(batch->posterior->model->gp, outputs, output[c], shared + (size_t)place * rows,
                            weights + (size_t)c * (size_t)outputs->count);
  }
  return columns;
}

/* Means alone, in any number of places: separated, they are one product. */
static fcps_status predict_means(fcps_batch *batch, const fcps_gp_outputs *outputs)
{
  const fcps_model *model = batch->posterior->model;
  const size_t rows = (size_t)model->gp->factored, places = (size_t)batch->places;
  fcps_status status = batch->separated_of == model ? FCPS_OK : separate_candidates(batch);
  const size_t most =
      batch->posterior->expected_reward != NULL ? places * (size_t)outputs->outputs : (size_t)batch->count;
  double *shared = fcps_allocate(rows * (places + most), sizeof(double)), *weights = shared + rows * places;
  int *output = fcps_allocate(most, sizeof *output);
  if (shared == NULL || output == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_separate(model->gp, 0, model->context.width, batch->places, batch->posterior->contexts,
                     &batch->posterior->work, shared);
    const int columns = weigh_columns(batch, outputs, shared, weights, output);
    fcps_gp_predict_separated(model->gp, outputs, columns, output, weights, batch->candidates, batch->separated,
                              batch->means);
  }
  free(shared);
  free(output);
  return status;
}

/* Predicts `outputs` at all candidates in the only place: means[c*outputs + o], and variances where they are wanted. */
static void predict_candidates(fcps_batch *batch, const fcps_gp_outputs *outputs)
{
  const size_t n = (size_t)batch->model->parameters.count, parts = (size_t)fcps_model_gp_count(batch->model);
  fcps_posterior *posterior = batch->posterior;
  for (int start = 0; start < batch->candidates; start += PASS) {
    const int block = batch->candidates - start < PASS ? batch->candidates - start : PASS;
    for (int i = 0; i < block; i++)
      fcps_posterior_features(posterior, i, batch->x + (size_t)(start + i) * n);
    const fcps_gp_query query = {.count = block,
                                 .points = posterior->features,
                                 .mean = batch->means + (size_t)start * (size_t)outputs->outputs,
                                 .variance = batch->has_variances ? batch->variances + (size_t)start * parts : NULL};
    fcps_per_output_predict(posterior->model, outputs, &query, &posterior->work);
  }
}

fcps_status fcps_batch_predict_candidates(fcps_batch *batch)
{
  const bool is_outcome = batch->posterior->expected_reward != NULL,
             is_few = batch->places > 1 || batch->count < FCPS_BATCH_FEW;
  const fcps_gp_outputs *outputs = is_outcome ? &batch->posterior->outputs : &batch->outputs;
  batch->seen = -1;
  batch->has_variances = is_outcome && !(is_few && fcps_batch_can_maximize(batch));
  if (is_few && fcps_batch_can_mix_environments(batch)) return predict_means(batch, outputs);
  predict_candidates(batch, outputs);
  return FCPS_OK;
}

/* Gets the outcomes of a place, and the terms of rewards there. */
static fcps_status look_at(fcps_batch *batch, int place)
{
  if (batch->seen == place) return FCPS_OK;
  const size_t width = (size_t)batch->posterior->outputs.outputs, columns = width * (size_t)batch->places;
  for (size_t c = 0; c < (size_t)batch->candidates; c++)
    memcpy(batch->outcomes + c * width, batch->means + c * columns + (size_t)place * width, width * sizeof(double));
  fcps_status status = FCPS_OK;
  if (fcps_batch_can_maximize(batch))
    status = fcps_expected_reward_terms(batch->posterior->expected_reward, batch->candidates, batch->x, batch->terms,
                                        batch->error);
  if (status == FCPS_OK) batch->seen = place;
  return status;
}

/* Whether chances weigh the rewards. */
static bool has_doubts(const fcps_batch *batch)
{
  const fcps_model *parent = batch->posterior->parent;
  return parent->feasibility != NULL || parent->present != NULL || parent->problem->presence != NULL;
}

/* Mean rewards from outcomes, before doubts. */
static fcps_status score(fcps_batch *batch, double *values)
{
  fcps_expected_reward *expected_reward = batch->posterior->expected_reward;
  const fcps_outcomes all = {batch->candidates, batch->x, batch->outcomes, batch->variances,
                             fcps_model_gp_count(batch->model)};
  if (!batch->has_variances)
    fcps_expected_reward_bound(expected_reward, batch->candidates, batch->outcomes, batch->terms, values);
  else if (fcps_batch_can_maximize(batch) && !has_doubts(batch))
    fcps_expected_reward_screen(expected_reward, &all, batch->terms, FCPS_BOUND_SCREENING_BEST, values);
  else
    return fcps_expected_reward_moments(expected_reward, &all, values, NULL, batch->error);
  return FCPS_OK;
}

fcps_status fcps_batch_candidate_rewards(fcps_batch *batch, int context, double *values)
{
  fcps_status status = FCPS_OK;
  fcps_batch_select_context(batch, context);
  if (batch->posterior->expected_reward != NULL) {
    status = look_at(batch, batch->place[context]);
    if (status == FCPS_OK) status = score(batch, values);
  } else {
    for (int c = 0; c < batch->candidates; c++)
      values[c] = batch->means[(size_t)c * (size_t)batch->count + (size_t)context];
  }
  for (int start = 0; start < batch->candidates && status == FCPS_OK; start += PASS) {
    const int block = batch->candidates - start < PASS ? batch->candidates - start : PASS;
    fcps_failure_penalty(batch->posterior, block, batch->x + (size_t)start * (size_t)batch->model->parameters.count,
                         values + start, NULL);
  }
  return status;
}
