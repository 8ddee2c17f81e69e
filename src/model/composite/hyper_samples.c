/* SPDX-License-Identifier: Apache-2.0 */
#include "model/composite/ensemble.h"

#include "base/memory.h"
#include "gp/slice.h"

#include <stdlib.h>
#include <string.h>

/* Sweeps that a chain forgets when it begins at the optimum. */
enum { BURN = 20 };

void fcps_hyper_samples_drop_members(fcps_model *model)
{
  for (int i = 0; i < model->member_count; i++) {
    fcps_gp_destroy(model->members[i]->gp);
    free(model->members[i]);
  }
  free(model->members);
  model->members = NULL;
  model->member_count = 0;
}

void fcps_hyper_samples_drop(fcps_model *model)
{
  fcps_hyper_samples_drop_members(model);
  free(model->hyper_samples);
  model->hyper_samples = NULL;
  model->hyper_sample_count = 0;
}

fcps_status fcps_hyper_samples_copy(const fcps_model *model, fcps_model *copy)
{
  const size_t numbers = (size_t)model->hyper_sample_count * (size_t)FCPS_HYPER_COUNT(model->gp->dim);
  double *hyper_samples = fcps_allocate(numbers, sizeof(double));
  if (hyper_samples == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0) memcpy(hyper_samples, model->hyper_samples, numbers * sizeof(double));
  fcps_hyper_samples_drop(copy);
  copy->hyper_samples = hyper_samples;
  copy->hyper_sample_count = model->hyper_sample_count;
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
  if (model->hyper_sample_count == 0) status = fcps_gp_fit(model->gp, &data, s->fit, rng, result);
  if (status != FCPS_OK) return status;
  double *samples = fcps_allocate(count * n, sizeof(double));
  if (samples == NULL) return FCPS_ERR_MEMORY;
  rng.index = UINT64_C(1) << 32; /* far from the numbers of the fit */
  status = fcps_gp_sample(model->gp, &data, model->gp->hyper, model->hyper_sample_count == 0 ? BURN : 0, s->fit.samples,
                          rng, samples);
  if (status != FCPS_OK) {
    free(samples);
    return status;
  }
  fcps_hyper_samples_drop(model);
  model->hyper_samples = samples;
  model->hyper_sample_count = s->fit.samples - 1;
  fcps_gp_set_hyper(model->gp, samples + (count - 1) * n);
  return fcps_gp_factorize(model->gp, rows);
}

/* A twin with a GP of its own; NULL where there is no memory. */
static fcps_model *make_twin(const fcps_model *model)
{
  fcps_model *member = fcps_allocate(1, sizeof *member);
  if (member == NULL || fcps_gp_copy(model->gp, &member->gp) != FCPS_OK) {
    free(member);
    return NULL;
  }
  return member;
}

/* Everything but the GP is the model's own, which may have moved since. */
static void follow(const fcps_model *model, fcps_model *member)
{
  fcps_gp *gp = member->gp;
  *member = *model;
  member->gp = gp;
  member->hyper_samples = NULL;
  member->members = NULL;
  member->hyper_sample_count = member->member_count = 0;
}

fcps_status fcps_hyper_samples_refresh(fcps_model *model)
{
  const size_t n = (size_t)FCPS_HYPER_COUNT(model->gp->dim);
  if (model->member_count > 0 && model->members[0]->gp->count == model->gp->count) {
    for (int i = 0; i < model->member_count; i++)
      follow(model, model->members[i]);
    return FCPS_OK;
  }
  fcps_hyper_samples_drop_members(model);
  if (model->hyper_sample_count == 0) return FCPS_OK;
  model->members = fcps_allocate((size_t)model->hyper_sample_count, sizeof(fcps_model *));
  if (model->members == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < model->hyper_sample_count; i++) {
    fcps_model *member = make_twin(model);
    if (member == NULL) return FCPS_ERR_MEMORY;
    fcps_gp_set_hyper(member->gp, model->hyper_samples + (size_t)i * n);
    const fcps_status status = fcps_gp_factorize(member->gp, member->gp->count);
    follow(model, member);
    model->members[model->member_count++] = member;
    if (status == FCPS_ERR_MEMORY) return status;
    if (status == FCPS_OK) continue;
    fcps_gp_destroy(member->gp);
    free(member);
    model->member_count--;
  }
  return FCPS_OK;
}

bool fcps_model_is_sampled(const fcps_model *model)
{
  return model->member_count > 0 || (model->child[0] != NULL && model->child[0]->member_count > 0) ||
         (model->child[1] != NULL && model->child[1]->member_count > 0);
}

fcps_json *fcps_hyper_samples_write(const fcps_model *model)
{
  return fcps_json_from_numbers(model->hyper_sample_count * FCPS_HYPER_COUNT(model->gp->dim), model->hyper_samples);
}

fcps_status fcps_hyper_samples_read(fcps_model *model, const fcps_json *json)
{
  const int n = FCPS_HYPER_COUNT(model->gp->dim), numbers = fcps_json_count(json), count = numbers / n;
  if (numbers % n != 0) return FCPS_ERR_FORMAT;
  fcps_hyper_samples_drop(model);
  model->hyper_samples = fcps_allocate((size_t)numbers, sizeof(double));
  if (model->hyper_samples == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0 && !fcps_json_numbers(json, numbers, model->hyper_samples)) return FCPS_ERR_FORMAT;
  model->hyper_sample_count = count;
  return FCPS_OK;
}
