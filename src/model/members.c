/* SPDX-License-Identifier: Apache-2.0 */
/* Samples are drawn instead of a fit and kept as numbers; a refresh makes members of them.
 *
 * Samples of hyper-parameters belong to the model, because sampling is a way to fit. The average over them is a
 * posterior (posterior/ensemble.c), which only knows members and shares. Rivals, descriptions close to the believed
 * one, are members too. */
#include "model/model.h"

#include "base/memory.h"
#include "gp/fit.h"

#include <stdlib.h>
#include <string.h>

/* Sweeps that are dropped when a chain begins at the optimum. */
enum { BURN = 20 };

void fcps_members_end(fcps_model *model)
{
  fcps_members *m = &model->members;
  for (int i = 0; i < m->count; i++)
    fcps_model_destroy(m->models[i]);
  free(m->models);
  free(m->weights);
  m->models = NULL;
  m->weights = NULL;
  m->count = 0;
}

void fcps_members_drop(fcps_model *model)
{
  fcps_members_end(model);
  free(model->members.hyper);
  model->members.hyper = NULL;
  model->members.earlier_count = 0;
}

static size_t hyper_count(const fcps_model *model)
{
  return (size_t)FCPS_HYPER_COUNT(model->description.inputs);
}

fcps_status fcps_members_copy(const fcps_model *model, fcps_model *copy)
{
  const size_t numbers = (size_t)model->members.earlier_count * hyper_count(model);
  double *hyper = fcps_copy(model->members.hyper, numbers, sizeof(double));
  if (hyper == NULL) return FCPS_ERR_MEMORY;
  fcps_members_drop(copy);
  copy->members.hyper = hyper;
  copy->members.earlier_count = model->members.earlier_count;
  return FCPS_OK;
}

/* -- Samples -- */

fcps_status fcps_members_sample(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                fcps_fit_result *result)
{
  const fcps_fit_settings *fit = &model->settings.fit;
  const size_t n = hyper_count(model), count = (size_t)fit->samples;
  const fcps_hyper_prior prior = fcps_description_prior(&model->description);
  const fcps_gp_data data = {rows, outputs, y, fcps_model_norm(model), &prior};
  fcps_gp *gp = model->gps.gp[0];
  const bool is_new = model->members.earlier_count == 0;
  *result = FCPS_FIT_OK;
  fcps_status status = is_new ? fcps_gp_fit(gp, &data, *fit, rng, result) : FCPS_OK;
  if (status != FCPS_OK) return status;
  double *samples = fcps_allocate(count * n, sizeof(double));
  if (samples == NULL) return FCPS_ERR_MEMORY;
  rng.index = UINT64_C(1) << 32; /* so that the random numbers differ from those of the fit */
  status = fcps_gp_sample(gp, &data, gp->hyper, is_new ? BURN : 0, fit->samples, rng, samples);
  if (status != FCPS_OK) {
    free(samples);
    return status;
  }
  fcps_members_drop(model);
  model->members.hyper = samples;
  model->members.earlier_count = fit->samples - 1;
  fcps_gp_set_hyper(gp, samples + (count - 1) * n);
  return fcps_gp_factorize(gp, rows);
}

/* -- Members -- */

/* Copies the model without its members. The copy becomes a member when its hyper-parameters or description change. */
static fcps_status begin_member(const fcps_model *model, fcps_model **member)
{
  const fcps_status status = fcps_model_copy(model, model->problem, member);
  if (status != FCPS_OK) return status;
  fcps_members_drop(*member);
  (*member)->parent = model->parent;
  return FCPS_OK;
}

static fcps_status make_sample(const fcps_model *model, int index, fcps_model *member)
{
  fcps_gp *gp = member->gps.gp[0];
  fcps_gp_set_hyper(gp, model->members.hyper + (size_t)index * hyper_count(model));
  return fcps_gp_factorize(gp, gp->count);
}

static fcps_status make_rival(const fcps_model *model, const fcps_rival *rival, fcps_model *member)
{
  const fcps_candidate *candidate = model->contests.of[rival->kind].candidates + rival->candidate;
  fcps_description with;
  fcps_status status =
      fcps_description_with(&model->description, &model->layout, rival->kind, &candidate->structure, &with);
  if (status != FCPS_OK) return status;
  const bool fits = candidate->hyper_count == with.gps * FCPS_HYPER_COUNT(with.inputs);
  fcps_description_destroy(&member->description);
  member->description = with;
  status = fits ? fcps_model_rebuild(member, candidate->hyper, NULL) : FCPS_ERR_NOT_FINITE;
  return status == FCPS_OK ? fcps_gps_factorize(&member->gps, member->training.count) : status;
}

/* Adds a member: `rival`, or if it is NULL a sample. Leaves out one whose matrix cannot be factorized. */
static fcps_status add_member(fcps_model *model, int sample, const fcps_rival *rival)
{
  fcps_members *m = &model->members;
  fcps_model *member = NULL;
  fcps_status status = begin_member(model, &member);
  if (status == FCPS_OK) status = rival != NULL ? make_rival(model, rival, member) : make_sample(model, sample, member);
  if (status == FCPS_OK) {
    m->weights[m->count] = rival != NULL ? rival->weight : 1.0;
    m->models[m->count++] = member;
    return FCPS_OK;
  }
  fcps_model_destroy(member);
  return status == FCPS_ERR_MEMORY ? status : FCPS_OK;
}

fcps_status fcps_members_refresh(fcps_model *model)
{
  fcps_members *m = &model->members;
  fcps_rival rivals[FCPS_RIVALS];
  if (m->count > 0 && m->models[0]->training.count == model->training.count) return FCPS_OK;
  fcps_members_end(model);
  const int rival_count =
      m->earlier_count == 0 ? fcps_contests_rivals(&model->contests, &model->description, rivals) : 0;
  const int count = m->earlier_count + rival_count;
  if (count == 0) return FCPS_OK;
  m->models = fcps_allocate((size_t)count, sizeof(fcps_model *));
  m->weights = fcps_allocate((size_t)count, sizeof(double));
  fcps_status status = m->models != NULL && m->weights != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = add_member(model, i, rival_count > 0 ? rivals + i : NULL);
  return status;
}

int fcps_members_models(const fcps_model *model)
{
  return 1 + model->members.count;
}

const fcps_model *fcps_members_model(const fcps_model *model, int index)
{
  return index == 0 ? model : model->members.models[index - 1];
}

double fcps_members_share(const fcps_model *model, int index)
{
  double sum = 1.0;
  for (int i = 0; i < model->members.count; i++)
    sum += model->members.weights[i];
  return (index == 0 ? 1.0 : model->members.weights[index - 1]) / sum;
}

/* -- State -- */

fcps_json *fcps_members_write(const fcps_model *model)
{
  return fcps_json_from_numbers(model->members.earlier_count * (int)hyper_count(model), model->members.hyper);
}

fcps_status fcps_members_read(fcps_model *model, const fcps_json *json)
{
  const int n = (int)hyper_count(model), numbers = fcps_json_count(json);
  if (numbers % n != 0) return FCPS_ERR_FORMAT;
  fcps_members_drop(model);
  model->members.hyper = fcps_allocate((size_t)numbers, sizeof(double));
  if (model->members.hyper == NULL) return FCPS_ERR_MEMORY;
  if (numbers > 0 &&
      (!fcps_json_numbers(json, numbers, model->members.hyper) || !fcps_gp_hyper_usable(numbers, model->members.hyper)))
    return FCPS_ERR_FORMAT;
  model->members.earlier_count = numbers / n;
  return FCPS_OK;
}
