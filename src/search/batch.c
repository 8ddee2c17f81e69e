/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of contexts: their life, and the answers that they give. Which contexts go together is in batch_contexts.c,
 * what candidates predict in batch_candidates.c, what that is worth in batch_rewards.c and batch_outcomes.c, where
 * searches begin in batch_starts.c and how they go on in batch_newton.c. */
#include "search/batch.h"

#include "base/memory.h"
#include "search/batch_impl.h"

#include <math.h>
#include <stdlib.h>

/* -- Life -- */

fcps_status fcps_batch_create(fcps_batch **batch, const fcps_model *model, int candidates, const double *x,
                              fcps_error *error)
{
  *batch = NULL;
  if (model->ops->has_target_inputs || fcps_model_is_sampled(model) || candidates < 1) return FCPS_ERR_ARGUMENT;
  fcps_batch *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  const size_t count = (size_t)candidates, width = (size_t)model->layout.outputs;
  const size_t columns = width > FCPS_BATCH_CONTEXTS ? width : FCPS_BATCH_CONTEXTS;
  made->model = model;
  made->error = error;
  made->candidates = candidates;
  made->x = x;
  made->means = fcps_allocate(count * columns, sizeof(double));
  made->variances = fcps_allocate(count * (size_t)fcps_model_gp_count(model), sizeof(double));
  made->outcomes = fcps_allocate(count * width, sizeof(double));
  made->terms = fcps_allocate(count, sizeof(double));
  if (made->means == NULL || made->variances == NULL || made->outcomes == NULL || made->terms == NULL) {
    fcps_batch_destroy(made);
    return FCPS_ERR_MEMORY;
  }
  *batch = made;
  return FCPS_OK;
}

void fcps_batch_destroy(fcps_batch *batch)
{
  if (batch == NULL) return;
  fcps_posterior_destroy(batch->posterior);
  fcps_gp_outputs_destroy(&batch->rewards);
  fcps_gp_work_destroy(&batch->work);
  free(batch->means);
  free(batch->variances);
  free(batch->outcomes);
  free(batch->terms);
  free(batch->separated);
  free(batch->environments);
  free(batch);
}

/* -- Answers -- */

void fcps_batch_set_view(fcps_batch *batch, fcps_penalty_view view)
{
  batch->view = view;
  if (batch->posterior != NULL) fcps_posterior_set_view(batch->posterior, view);
}

fcps_status fcps_batch_posterior(fcps_batch *batch, int context, fcps_posterior **posterior, double *means)
{
  *posterior = batch->posterior;
  const fcps_status status = fcps_batch_score(batch, context, means);
  return status == FCPS_OK ? fcps_posterior_failure(batch->posterior) : status;
}

fcps_status fcps_batch_predict(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  const bool has_values =
      batch->expected_reward != NULL && fcps_expected_reward_is_closed_everywhere(batch->expected_reward);
  batch->kind->predict(batch, x, means, deviations);
  for (int i = 0; i < batch->count && !has_values; i++) {
    fcps_batch_select_context(batch, i);
    if (fcps_posterior_has_value(batch->posterior, x + (size_t)i * n)) continue;
    if (means != NULL) means[i] = NAN;
    if (deviations != NULL) deviations[i] = NAN;
  }
  return fcps_posterior_failure(batch->posterior);
}

fcps_status fcps_batch_chances(fcps_batch *batch, const double *x, double *outcome, double *success)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  for (int i = 0; i < batch->count; i++) {
    fcps_batch_select_context(batch, i);
    fcps_posterior_chances(batch->posterior, 1, x + (size_t)i * n, outcome + i, success + i);
  }
  return fcps_posterior_failure(batch->posterior);
}
