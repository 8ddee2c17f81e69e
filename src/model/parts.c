/* SPDX-License-Identifier: Apache-2.0 */
/* Models that consist of several: the children of a model that has split, and members that answer together.
 *
 * The functions of a split find the side of a context or a rollout, search for a threshold, and manage the children,
 * which get the rollouts of the parent. The search compares likelihoods (gp/split.h) every few rows. */
#include "base/memory.h"
#include "gp/fit.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows between searches, and evaluations of the likelihood for each side of a gap that is examined closely. */
enum { SEARCH_EVERY = 5, SEARCH_BUDGET = 15 };

int fcps_model_side_count(const fcps_model *model)
{
  return model->split_model.split.input >= 0 ? 2 : 1;
}

const fcps_model *fcps_model_side(const fcps_model *model, int side)
{
  return model->split_model.split.input >= 0 ? model->split_model.child[side] : model;
}

/* A model only splits along features that are coordinates, so each feature belongs to one dimension. */
int fcps_model_split_dimension(const fcps_model *model, double *threshold)
{
  const fcps_split *split = &model->split_model.split;
  if (split->input < 0) return -1;
  int dimension = 0;
  for (int feature = 0; feature < split->input; dimension++)
    feature += fcps_embedding_width(&model->layout.context, dimension);
  if (threshold != NULL) *threshold = split->threshold;
  return dimension;
}

/* Returns the side of a training rollout. */
static int side_of_row(const fcps_model *model, fcps_split split, int row)
{
  return model->gps.gp[0]->inputs[(size_t)split.input * (size_t)model->gps.gp[0]->capacity + (size_t)row] >=
         split.threshold;
}

static fcps_status side_of_context(const fcps_model *model, const double *target, const double *environment, int *side)
{
  double *features = fcps_allocate((size_t)model->layout.context.width, sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  fcps_layout_context(&model->layout, target, environment, features);
  *side = features[model->split_model.split.input] >= model->split_model.split.threshold;
  free(features);
  return FCPS_OK;
}

fcps_status fcps_split_model_child(const fcps_model *model, const double *target, const double *environment,
                                   const fcps_model **child)
{
  int index = 0;
  *child = model;
  if (model->split_model.split.input < 0) return FCPS_OK;
  const fcps_status status = side_of_context(model, target, environment, &index);
  if (status == FCPS_OK) *child = model->split_model.child[index];
  return status;
}

void fcps_split_model_drop(fcps_model *model)
{
  for (int side = 0; side < 2; side++) {
    fcps_model_destroy(model->split_model.child[side]);
    model->split_model.child[side] = NULL;
  }
  model->split_model.split = FCPS_NO_SPLIT;
}

static fcps_status make_child(const fcps_model *model, fcps_split split, int side, fcps_model **child)
{
  fcps_model_settings settings = model->settings;
  settings.may_split = false; /* a child does not split again */
  fcps_status status = fcps_model_create(child, model->ops, model->problem, &settings);
  for (int i = 0; i < model->training.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&model->training, i);
    if (side_of_row(model, split, i) == side) status = fcps_model_add(*child, &rollout);
  }
  if (*child != NULL) (*child)->parent = model;
  return status;
}

/* Gives new children the hyper-parameters of the old: if the threshold moves a little, little is lost. */
static void keep_hyper(const fcps_model *model, fcps_split split, fcps_model *const child[2])
{
  if (model->split_model.split.input != split.input) return;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < fcps_model_gp_count(child[side]); i++)
      fcps_gp_set_hyper(fcps_model_gp(child[side], i), fcps_model_gp(model->split_model.child[side], i)->hyper);
}

fcps_status fcps_split_model_set(fcps_model *model, fcps_split split)
{
  if (split.input < 0) {
    fcps_split_model_drop(model);
    return FCPS_OK;
  }
  fcps_model *child[2] = {NULL, NULL};
  fcps_status status = make_child(model, split, 0, child);
  if (status == FCPS_OK) status = make_child(model, split, 1, child + 1);
  if (status != FCPS_OK) {
    fcps_model_destroy(child[0]);
    fcps_model_destroy(child[1]);
    return status;
  }
  keep_hyper(model, split, child);
  fcps_split_model_drop(model);
  model->split_model.split = split;
  memcpy(model->split_model.child, child, sizeof child);
  return FCPS_OK;
}

fcps_status fcps_split_model_copy(const fcps_model *model, fcps_model *copy)
{
  for (int side = 0; side < 2 && model->split_model.split.input >= 0; side++) {
    const fcps_status status =
        fcps_model_copy(model->split_model.child[side], copy->problem, copy->split_model.child + side);
    if (status != FCPS_OK) return status;
    copy->split_model.child[side]->parent = copy;
  }
  copy->split_model.split = model->split_model.split;
  copy->split_model.searched = model->split_model.searched;
  return FCPS_OK;
}

/* Marks the context features along which a model may split: numbers, but not coordinates of angles or rotated ones. */
static void mark_inputs(const fcps_model *model, bool *may_split)
{
  for (int i = 0, k = 0; i < model->layout.context.count; i++) {
    const int width = fcps_embedding_width(&model->layout.context, i);
    const bool is_number = width == 1 && model->layout.context.choices[i] == NULL;
    may_split[k] = is_number && !fcps_description_turns_feature(&model->description, k);
    k += width;
  }
}

fcps_status fcps_split_model_search(fcps_model *model, int outputs, const double *y)
{
  const int rows = model->training.count;
  if (!model->settings.may_split || rows - model->split_model.searched < SEARCH_EVERY) return FCPS_OK;
  bool *may_split = fcps_allocate((size_t)model->layout.features, sizeof(bool));
  if (may_split == NULL) return FCPS_ERR_MEMORY;
  mark_inputs(model, may_split);
  fcps_split split;
  const fcps_hyper_prior prior = fcps_description_prior(&model->description);
  const fcps_gp_data data = {rows, outputs, y, fcps_model_norm(model), &prior};
  fcps_status status = fcps_gp_split_find(model->gps.gp[0], &data, may_split, SEARCH_BUDGET, &split);
  free(may_split);
  if (status == FCPS_OK) status = fcps_split_model_set(model, split.gain > 0 ? split : FCPS_NO_SPLIT);
  if (status == FCPS_OK) model->split_model.searched = rows;
  return status;
}

fcps_status fcps_split_model_add(fcps_model *model, const fcps_rollout *rollout)
{
  if (model->split_model.split.input < 0) return FCPS_OK;
  return fcps_model_add(
      model->split_model.child[side_of_row(model, model->split_model.split, model->training.count - 1)], rollout);
}

void fcps_split_model_truncate(fcps_model *model)
{
  if (model->split_model.split.input < 0) return;
  int rows[2] = {0, 0};
  for (int i = 0; i < model->training.count; i++)
    rows[side_of_row(model, model->split_model.split, i)]++;
  for (int side = 0; side < 2; side++)
    fcps_model_truncate(model->split_model.child[side], (fcps_model_size){.training = rows[side]});
}

fcps_status fcps_split_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng,
                                 fcps_fit_result *result, fcps_error *error)
{
  *result = FCPS_FIT_OK;
  for (int side = 0; side < 2; side++) {
    fcps_model *child = model->split_model.child[side];
    fcps_fit_result ending = FCPS_FIT_OK;
    fcps_status status = FCPS_OK;
    if (child->training.count >= FCPS_SPLIT_MODEL_LEAST_ROWS)
      status = fcps_model_fit(child, count, targets, rng, &ending, error);
    else
      child->fitted = child->training.count;
    if (status != FCPS_OK) return status;
    if (ending > *result) *result = ending;
  }
  return FCPS_OK;
}

void fcps_split_model_add_pending(fcps_model *model, const double *target, const double *environment,
                                  const double *parameters)
{
  int side = 0;
  if (side_of_context(model, target, environment, &side) == FCPS_OK)
    fcps_model_add_pending(model->split_model.child[side], target, environment, parameters);
}

/* -- Members --
 *
 * Samples of the hyper-parameters are drawn instead of a fit, and stored as numbers. A refresh makes a member from each
 * of them.
 *
 * The samples belong to the model, because sampling is a way to fit. The average over members is a posterior
 * (posterior/ensemble.c), which only knows members and their shares. Rivals, descriptions that explain the rows nearly
 * as well as the believed one, are members too. */

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

/* -- Making members -- */

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

/* Adds the member of `rival`, or of the sample if `rival` is NULL. Adds none if its matrix cannot be factorized. */
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

/* -- The state of members -- */

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
