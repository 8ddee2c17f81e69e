/* SPDX-License-Identifier: Apache-2.0 */
#include "model/composite/per_output.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int fcps_model_gp_count(const fcps_model *model)
{
  return 1 + model->other_gp_count;
}

fcps_gp *fcps_model_gp(const fcps_model *model, int part)
{
  return part == 0 ? model->gp : model->other_gps[part - 1];
}

fcps_gp_outputs fcps_per_output_outputs(const fcps_model *model, const fcps_gp_outputs *outputs, int part)
{
  if (model->other_gp_count == 0) return *outputs;
  return (fcps_gp_outputs){.outputs = 1,
                           .count = outputs->count,
                           .alpha = outputs->alpha + (size_t)part * (size_t)outputs->count,
                           .offset = outputs->offset + part,
                           .scale = outputs->scale + part};
}

/* -- Life -- */

fcps_status fcps_per_output_create(fcps_model *model)
{
  const int outputs = model->ops->width(model->problem);
  if (!model->settings.is_separate || !model->ops->has_outcome_outputs || outputs < 2) return FCPS_OK;
  model->other_gps = fcps_allocate((size_t)(outputs - 1), sizeof(fcps_gp *));
  if (model->other_gps == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < outputs - 1; i++) {
    const fcps_status status = fcps_gp_copy(model->gp, model->other_gps + i);
    if (status != FCPS_OK) return status;
    model->other_gp_count++;
  }
  return FCPS_OK;
}

void fcps_per_output_destroy(fcps_model *model)
{
  for (int i = 0; i < model->other_gp_count; i++)
    fcps_gp_destroy(model->other_gps[i]);
  free(model->other_gps);
  fcps_gp_destroy(model->gp);
  model->gp = NULL;
  model->other_gps = NULL;
  model->other_gp_count = 0;
}

fcps_status fcps_per_output_copy(const fcps_model *model, fcps_model *copy)
{
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    fcps_gp *gp = NULL;
    const fcps_status status = fcps_gp_copy(fcps_model_gp(model, i), &gp);
    if (status != FCPS_OK) return status;
    fcps_gp **place = i == 0 ? &copy->gp : copy->other_gps + i - 1;
    fcps_gp_destroy(*place);
    *place = gp;
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
  const int each = model->other_gp_count > 0 ? 1 : outputs;
  *result = FCPS_FIT_OK;
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    fcps_fit_result ending;
    const fcps_status status = fcps_gp_fit(fcps_model_gp(model, i), &model->settings.prior, model->settings.norm,
                                           settings, rows, each, y + (size_t)i * (size_t)rows, rng, &ending);
    if (status != FCPS_OK) return status;
    if (ending > *result) *result = ending;
  }
  return FCPS_OK;
}

/* One belief of several outputs, each from its own GP. */
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
  return model->other_gp_count > 0 ? condition_each(model, norm, rows, y, result)
                                   : fcps_gp_condition(model->gp, norm, rows, outputs, y, result);
}

/* -- Predictions -- */

fcps_status fcps_per_output_reserve(fcps_gp_work *work, const fcps_model *model, int points)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_model_gp_count(model) && status == FCPS_OK; i++)
    status = fcps_gp_work_reserve(work, fcps_model_gp(model, i), points);
  return status;
}

/* A block of points with one number each a part, spread to rows of all parts. */
static void spread(int count, int parts, int part, const double *from, double *to)
{
  for (int i = 0; i < count; i++)
    to[(size_t)i * (size_t)parts + (size_t)part] = from[i];
}

void fcps_per_output_predict(const fcps_model *model, const fcps_gp_outputs *outputs, int count, const double *points,
                             fcps_gp_work *work, double *mean, double *variance)
{
  enum { BLOCK = 64 };
  const int parts = fcps_model_gp_count(model);
  if (parts == 1) {
    fcps_gp_predict(model->gp, outputs, count, points, work, mean, variance);
    return;
  }
  double means[BLOCK], variances[BLOCK];
  for (int start = 0; start < count; start += BLOCK) {
    const int block = count - start < BLOCK ? count - start : BLOCK;
    const size_t place = (size_t)start * (size_t)parts;
    for (int i = 0; i < parts; i++) {
      const fcps_gp *gp = fcps_model_gp(model, i);
      const fcps_gp_outputs one = fcps_per_output_outputs(model, outputs, i);
      fcps_gp_predict(gp, &one, block, points + (size_t)start * (size_t)gp->dim, work, mean != NULL ? means : NULL,
                      variance != NULL ? variances : NULL);
      if (mean != NULL) spread(block, parts, i, means, mean + place);
      if (variance != NULL) spread(block, parts, i, variances, variance + place);
    }
  }
}

/* Several GPs have one work space between them: each looks when it is asked. */
int fcps_per_output_prefetch_count(const fcps_model *model, const fcps_gp_work *work)
{
  return model->other_gp_count > 0 ? 1 : fcps_gp_prefetch_count(model->gp, work);
}

void fcps_per_output_prefetch(const fcps_model *model, const fcps_gp_outputs *outputs, int count, const double *points,
                              bool with_variances, fcps_gp_work *work)
{
  if (model->other_gp_count == 0) fcps_gp_prefetch(model->gp, outputs, count, points, with_variances, work);
}

void fcps_per_output_gradient(const fcps_model *model, const fcps_gp_outputs *outputs, int place, const double *point,
                              fcps_gp_work *work, double *mean, double *variance, double *mean_gradient,
                              double *variance_gradient)
{
  const size_t dim = (size_t)model->gp->dim;
  if (model->other_gp_count == 0) {
    fcps_gp_gradient_at(model->gp, outputs, place, point, work, mean, variance, mean_gradient, variance_gradient);
    return;
  }
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    const fcps_gp_outputs part = fcps_per_output_outputs(model, outputs, i);
    fcps_gp_predict_gradient(fcps_model_gp(model, i), &part, point, work, mean + i,
                             variance != NULL ? variance + i : NULL, mean_gradient + (size_t)i * dim,
                             variance_gradient != NULL ? variance_gradient + (size_t)i * dim : NULL);
  }
}
