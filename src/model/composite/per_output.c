/* SPDX-License-Identifier: Apache-2.0 */
/* Several GPs as if they were one: rows go to all of them, outputs to one each. Where one GP serves all outputs,
 * everything is passed on to it. */
#include "model/composite/per_output.h"

#include "base/memory.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

int fcps_model_gp_count(const fcps_model *model)
{
  return 1 + model->per_output.count;
}

fcps_gp *fcps_model_gp(const fcps_model *model, int index)
{
  return index == 0 ? model->gp : model->per_output.gps[index - 1];
}

fcps_gp_outputs fcps_per_output_outputs(const fcps_model *model, const fcps_gp_outputs *outputs, int index)
{
  if (model->per_output.count == 0) return *outputs;
  return (fcps_gp_outputs){.outputs = 1,
                           .count = outputs->count,
                           .alpha = outputs->alpha + (size_t)index * (size_t)outputs->count,
                           .offset = outputs->offset + index,
                           .scale = outputs->scale + index};
}

/* -- Life -- */

fcps_status fcps_per_output_create(fcps_model *model)
{
  const int outputs = model->ops->width(model->problem);
  if (!model->settings.is_separate || outputs < 2) return FCPS_OK;
  model->per_output.gps = fcps_allocate((size_t)(outputs - 1), sizeof(fcps_gp *));
  if (model->per_output.gps == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < outputs - 1; i++) {
    const fcps_status status = fcps_gp_copy(model->gp, model->per_output.gps + i);
    if (status != FCPS_OK) return status;
    model->per_output.count++;
  }
  return FCPS_OK;
}

void fcps_per_output_destroy(fcps_model *model)
{
  for (int i = 0; i < model->per_output.count; i++)
    fcps_gp_destroy(model->per_output.gps[i]);
  free(model->per_output.gps);
  fcps_gp_destroy(model->gp);
  model->gp = NULL;
  model->per_output.gps = NULL;
  model->per_output.count = 0;
}

fcps_status fcps_per_output_copy(const fcps_model *model, fcps_model *copy)
{
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    fcps_gp *gp = NULL;
    const fcps_status status = fcps_gp_copy(fcps_model_gp(model, i), &gp);
    if (status != FCPS_OK) return status;
    fcps_gp **own = i == 0 ? &copy->gp : copy->per_output.gps + i - 1;
    fcps_gp_destroy(*own);
    *own = gp;
  }
  return FCPS_OK;
}

/* -- Rows -- */

fcps_status fcps_per_output_add(fcps_model *model, const double *input)
{
  const int before = model->gp->count;
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    const fcps_status status = fcps_gp_add(fcps_model_gp(model, i), input);
    if (status == FCPS_OK) continue;
    fcps_per_output_truncate(model, before);
    return status;
  }
  return FCPS_OK;
}

void fcps_per_output_truncate(fcps_model *model, int count)
{
  for (int i = 0; i < fcps_model_gp_count(model); i++)
    fcps_gp_truncate(fcps_model_gp(model, i), count);
}

fcps_status fcps_per_output_grow(fcps_model *model)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_model_gp_count(model) && status == FCPS_OK; i++)
    status = fcps_gp_grow(fcps_model_gp(model, i));
  return status;
}

/* -- Outputs -- */

fcps_status fcps_per_output_fit(fcps_model *model, fcps_fit_settings settings, int rows, int outputs, const double *y,
                                fcps_rng rng, fcps_fit_result *result)
{
  fcps_gp_data data = {.rows = rows,
                       .outputs = model->per_output.count > 0 ? 1 : outputs,
                       .norm = model->settings.norm,
                       .prior = &model->settings.prior};
  *result = FCPS_FIT_OK;
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    fcps_fit_result ending;
    data.y = y + (size_t)i * (size_t)rows;
    const fcps_status status = fcps_gp_fit(fcps_model_gp(model, i), &data, settings, rng, &ending);
    if (status != FCPS_OK) return status;
    if (ending > *result) *result = ending;
  }
  return FCPS_OK;
}

/* All outputs as one result, each conditioned by its own GP. */
static fcps_status condition_each(const fcps_model *model, fcps_gp_norm norm, int rows, const double *y,
                                  fcps_gp_outputs *result)
{
  const size_t q = (size_t)fcps_model_gp_count(model), n = (size_t)rows;
  fcps_gp_outputs_destroy(result);
  result->alpha = fcps_allocate(n * q, sizeof(double));
  result->offset = fcps_allocate(q, sizeof(double));
  result->scale = fcps_allocate(q, sizeof(double));
  result->count = rows;
  result->outputs = (int)q;
  fcps_status status =
      result->alpha != NULL && result->offset != NULL && result->scale != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (size_t o = 0; o < q && status == FCPS_OK; o++) {
    fcps_gp_outputs one = {0};
    status = fcps_gp_condition(fcps_model_gp(model, (int)o), norm, rows, 1, y + o * n, &one);
    if (status == FCPS_OK) {
      if (n > 0) memcpy(result->alpha + o * n, one.alpha, n * sizeof(double));
      result->offset[o] = one.offset[0];
      result->scale[o] = one.scale[0];
    }
    fcps_gp_outputs_destroy(&one);
  }
  if (status != FCPS_OK) fcps_gp_outputs_destroy(result);
  return status;
}

fcps_status fcps_per_output_condition(const fcps_model *model, fcps_gp_norm norm, int rows, int outputs,
                                      const double *y, fcps_gp_outputs *result)
{
  return model->per_output.count > 0 ? condition_each(model, norm, rows, y, result)
                                     : fcps_gp_condition(model->gp, norm, rows, outputs, y, result);
}

/* -- Predictions -- */

fcps_status fcps_per_output_reserve(fcps_gp_work *work, const fcps_model *model, int points)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_model_gp_count(model) && status == FCPS_OK; i++)
    status = fcps_gp_work_reserve(work, fcps_model_gp(model, i), points);
  if (status == FCPS_OK && (fcps_frame_turns_inputs(&model->frame) || model->uneven_noise.is_believed))
    status = fcps_gp_work_reserve_inputs(work, model->gp, points);
  return status;
}

/* A block of points with one number per point from one GP, spread to rows of all GPs. */
static void spread(int count, int gps, int index, const double *from, double *to)
{
  for (int i = 0; i < count; i++)
    to[(size_t)i * (size_t)gps + (size_t)index] = from[i];
}

static void moments_of_each(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                            fcps_gp_work *work)
{
  enum { BLOCK = 64 };
  const int gps = fcps_model_gp_count(model);
  double means[BLOCK], variances[BLOCK];
  for (int start = 0; start < query->count; start += BLOCK) {
    const size_t row = (size_t)start * (size_t)gps;
    fcps_gp_query block = *query;
    block.count = query->count - start < BLOCK ? query->count - start : BLOCK;
    block.points = query->points + (size_t)start * (size_t)model->gp->dim;
    block.mean = query->mean != NULL ? means : NULL;
    block.variance = query->variance != NULL ? variances : NULL;
    for (int i = 0; i < gps; i++) {
      const fcps_gp_outputs one = fcps_per_output_outputs(model, outputs, i);
      fcps_gp_predict(fcps_model_gp(model, i), &one, &block, work);
      if (query->mean != NULL) spread(block.count, gps, i, means, query->mean + row);
      if (query->variance != NULL) spread(block.count, gps, i, variances, query->variance + row);
    }
  }
}

/* One point after the other, whose answers then stand where they belong. */
static void gradients_of_each(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                              fcps_gp_work *work)
{
  const size_t dim = (size_t)model->gp->dim, gps = (size_t)fcps_model_gp_count(model);
  for (size_t row = 0; row < (size_t)query->count * gps; row++) {
    const fcps_gp_outputs one = fcps_per_output_outputs(model, outputs, (int)(row % gps));
    fcps_gp_query at = *query;
    at.count = 1;
    at.points = query->points + row / gps * dim;
    at.mean = query->mean + row;
    at.mean_gradient = query->mean_gradient + row * dim;
    if (query->variance != NULL) at.variance = query->variance + row;
    if (query->variance_gradient != NULL) at.variance_gradient = query->variance_gradient + row * dim;
    fcps_gp_predict(fcps_model_gp(model, (int)(row % gps)), &one, &at, work);
  }
}

/* In the frame of the model. */
static void predict_turned(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                           fcps_gp_work *work)
{
  if (fcps_model_gp_count(model) == 1)
    fcps_gp_predict(model->gp, outputs, query, work);
  else if (query->mean_gradient != NULL)
    gradients_of_each(model, outputs, query, work);
  else
    moments_of_each(model, outputs, query, work);
}

static void turn_back(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query)
{
  const size_t dim = (size_t)model->gp->dim, q = (size_t)outputs->outputs, gps = (size_t)fcps_model_gp_count(model);
  for (size_t i = 0; i < (size_t)query->count; i++) {
    const fcps_frame_prediction at = {
        .dim = (int)dim,
        .outputs = (int)q,
        .gps = (int)gps,
        .scale = outputs->scale,
        .mean = query->mean != NULL ? query->mean + i * q : NULL,
        .variance = query->variance != NULL ? query->variance + i * gps : NULL,
        .mean_gradient = query->mean_gradient != NULL ? query->mean_gradient + i * q * dim : NULL,
        .variance_gradient = query->variance_gradient != NULL ? query->variance_gradient + i * gps * dim : NULL};
    fcps_frame_turn_back_prediction(&model->frame, query->points + i * dim, &at);
  }
}

void fcps_per_output_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                             fcps_gp_work *work)
{
  fcps_gp_query turned = *query;
  const size_t dim = (size_t)model->gp->dim;
  if (fcps_frame_turns_inputs(&model->frame)) {
    for (size_t i = 0; i < (size_t)query->count; i++)
      fcps_frame_turn_row(&model->frame, (int)dim, query->points + i * dim, work->inputs + i * dim);
    turned.points = work->inputs;
  }
  predict_turned(model, outputs, &turned, work);
  if (model->frame.angle != FCPS_FRAME_NONE) turn_back(model, outputs, query);
}
