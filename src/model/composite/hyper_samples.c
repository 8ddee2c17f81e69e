/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of hyper-parameters: drawn in place of a fit, kept as numbers, made into members by a refresh. */
#include "model/composite/hyper_samples.h"

#include "base/memory.h"
#include "gp/slice.h"
#include "model/composite/frame_rivals.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* Sweeps that a chain forgets when it begins at the optimum. */
enum { BURN = 20 };

void fcps_hyper_samples_drop_members(fcps_model *model)
{
  fcps_hyper_samples *samples = &model->samples;
  for (int i = 0; i < samples->member_count; i++)
    fcps_model_destroy(samples->members[i]);
  free(samples->members);
  samples->members = NULL;
  samples->member_count = 0;
}

void fcps_hyper_samples_drop(fcps_model *model)
{
  fcps_hyper_samples_drop_members(model);
  free(model->samples.hyper);
  model->samples.hyper = NULL;
  model->samples.earlier_count = 0;
}

fcps_status fcps_hyper_samples_copy(const fcps_model *model, fcps_model *copy)
{
  const size_t numbers = (size_t)model->samples.earlier_count * (size_t)FCPS_HYPER_COUNT(model->gp->dim);
  double *hyper = fcps_allocate(numbers, sizeof(double));
  if (hyper == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0) memcpy(hyper, model->samples.hyper, numbers * sizeof(double));
  fcps_hyper_samples_drop(copy);
  copy->samples.hyper = hyper;
  copy->samples.earlier_count = model->samples.earlier_count;
  return FCPS_OK;
}

fcps_status fcps_hyper_samples_fit(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                   fcps_fit_result *result)
{
  const fcps_model_settings *s = &model->settings;
  const size_t n = (size_t)FCPS_HYPER_COUNT(model->gp->dim), count = (size_t)s->fit.samples;
  const fcps_gp_data data = {rows, outputs, y, s->norm, &s->prior};
  fcps_status status = FCPS_OK;
  *result = FCPS_FIT_OK;
  if (model->samples.earlier_count == 0) status = fcps_gp_fit(model->gp, &data, s->fit, rng, result);
  if (status != FCPS_OK) return status;
  double *samples = fcps_allocate(count * n, sizeof(double));
  if (samples == NULL) return FCPS_ERR_MEMORY;
  rng.index = UINT64_C(1) << 32; /* far from the numbers of the fit */
  status = fcps_gp_sample(model->gp, &data, model->gp->hyper, model->samples.earlier_count == 0 ? BURN : 0,
                          s->fit.samples, rng, samples);
  if (status != FCPS_OK) {
    free(samples);
    return status;
  }
  fcps_hyper_samples_drop(model);
  model->samples.hyper = samples;
  model->samples.earlier_count = s->fit.samples - 1;
  fcps_gp_set_hyper(model->gp, samples + (count - 1) * n);
  return fcps_gp_factorize(model->gp, rows);
}

static fcps_status make_member(const fcps_model *model, const double *hyper, fcps_model **member)
{
  fcps_status status = fcps_model_copy(model, model->problem, member);
  if (status != FCPS_OK) return status;
  fcps_hyper_samples_drop(*member);
  (*member)->parent = model->parent;
  fcps_gp_set_hyper((*member)->gp, hyper);
  status = fcps_gp_factorize((*member)->gp, (*member)->gp->count);
  if (status != FCPS_OK) {
    fcps_model_destroy(*member);
    *member = NULL;
  }
  return status;
}

/* Without samples the members are the rivals of the model's frame. */
static fcps_status make_rivals(fcps_model *model)
{
  fcps_hyper_samples *samples = &model->samples;
  if (fcps_frame_rivals_count(model) == 0) return FCPS_OK;
  samples->members = fcps_allocate(FCPS_FRAME_RIVALS, sizeof(fcps_model *));
  if (samples->members == NULL) return FCPS_ERR_MEMORY;
  return fcps_frame_rivals_make(model, samples->members, &samples->member_count);
}

fcps_status fcps_hyper_samples_refresh(fcps_model *model)
{
  fcps_hyper_samples *samples = &model->samples;
  const size_t n = (size_t)FCPS_HYPER_COUNT(model->gp->dim);
  if (samples->member_count > 0 && samples->members[0]->gp->count == model->gp->count) return FCPS_OK;
  fcps_hyper_samples_drop_members(model);
  if (samples->earlier_count == 0) return make_rivals(model);
  samples->members = fcps_allocate((size_t)samples->earlier_count, sizeof(fcps_model *));
  if (samples->members == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < samples->earlier_count; i++) {
    fcps_model *member = NULL;
    const fcps_status status = make_member(model, samples->hyper + (size_t)i * n, &member);
    if (status == FCPS_ERR_MEMORY) return status;
    if (status == FCPS_OK) samples->members[samples->member_count++] = member;
  }
  return FCPS_OK;
}

int fcps_hyper_samples_models(const fcps_model *model)
{
  return 1 + model->samples.member_count;
}

const fcps_model *fcps_hyper_samples_model(const fcps_model *model, int index)
{
  return index == 0 ? model : model->samples.members[index - 1];
}

double fcps_hyper_samples_share(const fcps_model *model, int index)
{
  double sum = 0.0;
  for (int i = 0; i < fcps_hyper_samples_models(model); i++)
    sum += fcps_frame_rivals_weight(model, fcps_hyper_samples_model(model, i));
  return fcps_frame_rivals_weight(model, fcps_hyper_samples_model(model, index)) / sum;
}

fcps_json *fcps_hyper_samples_write(const fcps_model *model)
{
  return fcps_json_from_numbers(model->samples.earlier_count * FCPS_HYPER_COUNT(model->gp->dim), model->samples.hyper);
}

fcps_status fcps_hyper_samples_read(fcps_model *model, const fcps_json *json)
{
  const int n = FCPS_HYPER_COUNT(model->gp->dim), numbers = fcps_json_count(json), count = numbers / n;
  if (numbers % n != 0) return FCPS_ERR_FORMAT;
  fcps_hyper_samples_drop(model);
  model->samples.hyper = fcps_allocate((size_t)numbers, sizeof(double));
  if (model->samples.hyper == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0 &&
      (!fcps_json_numbers(json, numbers, model->samples.hyper) || !fcps_gp_hyper_usable(numbers, model->samples.hyper)))
    return FCPS_ERR_FORMAT;
  model->samples.earlier_count = count;
  return FCPS_OK;
}
