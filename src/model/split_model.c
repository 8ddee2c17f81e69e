/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a model: finds the side of a context or a rollout, searches for a threshold, and keeps the children, which
 * get the rollouts of the parent. The search compares likelihoods (gp/split.h) every few rows. */
#include "model/model.h"

#include "base/memory.h"

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

/* Marks the context features along which a model may split: numbers, neither half an angle nor rotated. */
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
