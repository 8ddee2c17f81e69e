/* SPDX-License-Identifier: Apache-2.0 */
#include "model/chain.h"

#include "base/memory.h"
#include "gp/slice.h"

#include <stdlib.h>
#include <string.h>

/* Sweeps that a chain forgets when it begins at the optimum. */
enum { BURN = 20 };

void fcps_chain_drop_twins(fcps_model *model)
{
  for (int i = 0; i < model->twin_count; i++) {
    fcps_gp_destroy(model->twins[i]->gp);
    free(model->twins[i]);
  }
  free(model->twins);
  model->twins = NULL;
  model->twin_count = 0;
}

void fcps_chain_drop(fcps_model *model)
{
  fcps_chain_drop_twins(model);
  free(model->chain);
  model->chain = NULL;
  model->chain_count = 0;
}

fcps_status fcps_chain_copy(const fcps_model *model, fcps_model *copy)
{
  const size_t numbers = (size_t)model->chain_count * (size_t)FCPS_HYPER_COUNT(model->gp->dim);
  double *chain = fcps_allocate(numbers, sizeof(double));
  if (chain == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0) memcpy(chain, model->chain, numbers * sizeof(double));
  fcps_chain_drop(copy);
  copy->chain = chain;
  copy->chain_count = model->chain_count;
  return FCPS_OK;
}

fcps_status fcps_chain_fit(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                           fcps_fit_result *result)
{
  const fcps_model_settings *s = &model->settings;
  const size_t n = (size_t)FCPS_HYPER_COUNT(model->gp->dim), count = (size_t)s->fit.samples;
  fcps_status status = FCPS_OK;
  *result = FCPS_FIT_OK;
  if (model->chain_count == 0)
    status = fcps_gp_fit(model->gp, &s->prior, s->norm, s->fit, rows, outputs, y, rng, result);
  if (status != FCPS_OK) return status;
  double *samples = fcps_allocate(count * n, sizeof(double));
  if (samples == NULL) return FCPS_ERR_MEMORY;
  rng.index = UINT64_C(1) << 32; // far from the numbers of the fit
  status = fcps_gp_sample(model->gp, &s->prior, s->norm, rows, outputs, y, model->gp->hyper,
                          model->chain_count == 0 ? BURN : 0, s->fit.samples, rng, samples);
  if (status != FCPS_OK) {
    free(samples);
    return status;
  }
  fcps_chain_drop(model);
  model->chain = samples;
  model->chain_count = s->fit.samples - 1;
  fcps_gp_set_hyper(model->gp, samples + (count - 1) * n);
  return fcps_gp_factorize(model->gp, rows);
}

/* A twin with a GP of its own; NULL where there is no memory. */
static fcps_model *make_twin(const fcps_model *model)
{
  fcps_model *twin = fcps_allocate(1, sizeof *twin);
  if (twin == NULL || fcps_gp_copy(model->gp, &twin->gp) != FCPS_OK) {
    free(twin);
    return NULL;
  }
  return twin;
}

/* Everything but the GP is the model's own, which may have moved since. */
static void follow(const fcps_model *model, fcps_model *twin)
{
  fcps_gp *gp = twin->gp;
  *twin = *model;
  twin->gp = gp;
  twin->chain = NULL;
  twin->twins = NULL;
  twin->chain_count = twin->twin_count = 0;
}

fcps_status fcps_chain_refresh(fcps_model *model)
{
  const size_t n = (size_t)FCPS_HYPER_COUNT(model->gp->dim);
  if (model->twin_count > 0 && model->twins[0]->gp->count == model->gp->count) {
    for (int i = 0; i < model->twin_count; i++)
      follow(model, model->twins[i]);
    return FCPS_OK;
  }
  fcps_chain_drop_twins(model);
  if (model->chain_count == 0) return FCPS_OK;
  model->twins = fcps_allocate((size_t)model->chain_count, sizeof(fcps_model *));
  if (model->twins == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < model->chain_count; i++) {
    fcps_model *twin = make_twin(model);
    if (twin == NULL) return FCPS_ERR_MEMORY;
    fcps_gp_set_hyper(twin->gp, model->chain + (size_t)i * n);
    const fcps_status status = fcps_gp_factorize(twin->gp, twin->gp->count);
    follow(model, twin);
    model->twins[model->twin_count++] = twin;
    if (status == FCPS_ERR_MEMORY) return status;
    if (status == FCPS_OK) continue;
    fcps_gp_destroy(twin->gp);
    free(twin);
    model->twin_count--;
  }
  return FCPS_OK;
}

bool fcps_model_is_sampled(const fcps_model *model)
{
  return model->twin_count > 0 || (model->leaf[0] != NULL && model->leaf[0]->twin_count > 0) ||
         (model->leaf[1] != NULL && model->leaf[1]->twin_count > 0);
}

fcps_json *fcps_chain_write(const fcps_model *model)
{
  return fcps_json_from_numbers(model->chain_count * FCPS_HYPER_COUNT(model->gp->dim), model->chain);
}

fcps_status fcps_chain_read(fcps_model *model, const fcps_json *json)
{
  const int n = FCPS_HYPER_COUNT(model->gp->dim), numbers = fcps_json_count(json), count = numbers / n;
  if (numbers % n != 0) return FCPS_ERR_FORMAT;
  fcps_chain_drop(model);
  model->chain = fcps_allocate((size_t)numbers, sizeof(double));
  if (model->chain == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0 && !fcps_json_numbers(json, numbers, model->chain)) return FCPS_ERR_FORMAT;
  model->chain_count = count;
  return FCPS_OK;
}
