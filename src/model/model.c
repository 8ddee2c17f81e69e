/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that all kinds of model share: creation and copying, rollouts as rows of the GPs, pending trials, and
 * predictions in the user's frame. */
#include "model/model.h"

#include "base/memory.h"
#include "problem/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Life -- */

static fcps_status create_layout(fcps_model *model)
{
  const fcps_model_ops *ops = model->ops;
  const fcps_model_settings *s = &model->settings;
  model->layout = (fcps_layout){.problem = model->problem,
                                .has_target = ops->has_target_inputs,
                                .predicts_outcomes = ops->predicts_outcomes,
                                .outputs = ops->predicts_outcomes ? model->problem->outcome.count : 1};
  return fcps_layout_create(&model->layout, s->circular,
                            ops->predicts_outcomes && s->norm.scaling == FCPS_SCALING_METRIC);
}

/* Makes the description of a model without rollouts. */
static fcps_status begin_description(fcps_model *model)
{
  const fcps_model_settings *s = &model->settings;
  fcps_description *d = &model->description;
  *d = (fcps_description){.kernel = s->kernel,
                          .mean = s->norm.mean,
                          .usual_scaling = s->norm.scaling,
                          .usual_prior = s->prior,
                          .environment_stretch = s->environment_stretch};
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  const fcps_structure_kind *kind;
  fcps_status status = FCPS_OK;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL && status == FCPS_OK; i++) {
    if (kind->begin != NULL) status = kind->begin(&look, d->structures + i);
  }
  return status == FCPS_OK ? fcps_description_edit(d, &model->layout) : status;
}

fcps_status fcps_model_create(fcps_model **model, const fcps_model_ops *ops, const fcps_problem *problem,
                              const fcps_model_settings *settings)
{
  *model = NULL;
  fcps_model *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->ops = ops;
  made->problem = problem;
  made->settings = *settings;
  made->split_model.split = FCPS_NO_SPLIT;
  fcps_rollouts_init(&made->training, problem);
  fcps_rollouts_init(&made->others, problem);
  fcps_status status = create_layout(made);
  if (status == FCPS_OK) status = begin_description(made);
  if (status == FCPS_OK) status = fcps_model_remake(made, NULL);
  if (status != FCPS_OK) {
    fcps_model_destroy(made);
    return status;
  }
  *model = made;
  return FCPS_OK;
}

void fcps_model_destroy(fcps_model *model)
{
  if (model == NULL) return;
  fcps_split_model_drop(model);
  fcps_members_drop(model);
  fcps_rollouts_free(&model->training);
  fcps_rollouts_free(&model->others);
  fcps_gps_destroy(&model->gps);
  fcps_contests_destroy(&model->contests);
  fcps_description_destroy(&model->description);
  fcps_layout_destroy(&model->layout);
  free(model->told_before);
  fcps_feasibility_forget(&model->feasibility);
  free(model);
}

static fcps_status copy_order(const fcps_model *model, fcps_model *copy)
{
  const size_t count = (size_t)model->others.count;
  if (!fcps_reserve((void **)&copy->told_before, &copy->told_before_room, count, sizeof(int))) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < count; i++)
    copy->told_before[i] = model->told_before[i];
  return FCPS_OK;
}

static fcps_status copy_belief(const fcps_model *model, fcps_model *copy)
{
  fcps_description_destroy(&copy->description);
  fcps_gps_destroy(&copy->gps);
  fcps_status status = fcps_description_copy(&model->description, &copy->description);
  if (status == FCPS_OK) status = fcps_gps_copy(&model->gps, &copy->gps);
  return status == FCPS_OK ? fcps_contests_copy(&model->contests, &copy->contests) : status;
}

fcps_status fcps_model_copy(const fcps_model *model, const fcps_problem *problem, fcps_model **copy)
{
  fcps_status status = fcps_model_create(copy, model->ops, problem, &model->settings);
  if (status != FCPS_OK) return status;
  (*copy)->fitted = model->fitted;
  (*copy)->ending = model->ending;
  status = fcps_rollouts_copy(&model->training, &(*copy)->training);
  if (status == FCPS_OK) status = fcps_rollouts_copy(&model->others, &(*copy)->others);
  if (status == FCPS_OK) status = copy_order(model, *copy);
  if (status == FCPS_OK) status = copy_belief(model, *copy);
  if (status == FCPS_OK) status = fcps_split_model_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_members_copy(model, *copy);
  if (status != FCPS_OK) {
    fcps_model_destroy(*copy);
    *copy = NULL;
  }
  return status;
}

int fcps_model_gp_count(const fcps_model *model)
{
  return model->gps.count;
}

fcps_gp *fcps_model_gp(const fcps_model *model, int index)
{
  return model->gps.gp[index];
}

fcps_gp_norm fcps_model_norm(const fcps_model *model)
{
  return fcps_description_norm(&model->description, &model->layout);
}

fcps_trials fcps_model_trials(const fcps_model *model)
{
  return (fcps_trials){&model->layout, &model->description, &model->training, &model->others, model->told_before};
}

fcps_status fcps_model_rewards(const fcps_model *model, const double *target, const double *environment,
                               double *rewards, fcps_error *error)
{
  if (model->ops->has_target_inputs) return model->ops->outputs(model, target, rewards, error);
  return fcps_rollouts_rescore_in(&model->training, model->problem, target,
                                  model->ops->predicts_outcomes ? environment : NULL, rewards, error);
}

/* Returns how many sets of outputs `count` targets have: one for each target, or one for all targets. */
static int count_sets(const fcps_model *model, int count)
{
  return fcps_model_kind_has_outputs_per_target(model->ops) ? count : 1;
}

int fcps_model_columns(const fcps_model *model, int count)
{
  return model->layout.outputs * count_sets(model, count);
}

fcps_status fcps_model_outputs(const fcps_model *model, int count, const double *targets, double **y, fcps_error *error)
{
  const size_t numbers = (size_t)model->training.count * (size_t)model->layout.outputs;
  const size_t stride = (size_t)model->problem->target.count; /* may be 0; then `targets` may be NULL */
  const size_t sets = (size_t)count_sets(model, count);
  *y = fcps_allocate(numbers * sets + 1, sizeof(double));
  if (*y == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < sets && status == FCPS_OK; i++)
    status = model->ops->outputs(model, targets != NULL && stride > 0 ? targets + i * stride : NULL, *y + i * numbers,
                                 error);
  if (status == FCPS_OK) return FCPS_OK;
  free(*y);
  *y = NULL;
  return status;
}

/* -- Rows -- */

/* Adds a row to the inputs of the GPs. The number of the row is the number of rows that the GPs had before. */
static fcps_status add_row(fcps_model *model, const double *target, const double *environment, const double *parameters)
{
  const size_t features = (size_t)model->layout.features;
  double *row = fcps_allocate(features + (size_t)model->description.inputs, sizeof(double));
  if (row == NULL) return FCPS_ERR_MEMORY;
  fcps_layout_row(&model->layout, target, environment, parameters, row);
  fcps_description_see(&model->description, &model->layout, row, model->gps.gp[0]->count, row + features, NULL);
  const fcps_status status = fcps_gps_add(&model->gps, row + features);
  free(row);
  return status;
}

static fcps_status add_other(fcps_model *model, const fcps_rollout *rollout)
{
  const size_t count = (size_t)model->others.count;
  if (!fcps_reserve((void **)&model->told_before, &model->told_before_room, count + 1, sizeof(int)))
    return FCPS_ERR_MEMORY;
  const fcps_status status = fcps_rollouts_add(&model->others, rollout);
  if (status == FCPS_OK) model->told_before[count] = model->training.count;
  return status;
}

/* A result that broke a limit counts as confirmed: if it were doubted, the next trial could break the limit too. */
fcps_status fcps_model_add(fcps_model *model, const fcps_rollout *rollout)
{
  if (!model->ops->is_usable(model->problem, rollout)) return add_other(model, rollout);
  const fcps_model_size before = fcps_model_size_of(model);
  fcps_model_clear_pending(model);
  const fcps_status status = add_row(model, rollout->target, rollout->environment, rollout->parameters);
  if (status != FCPS_OK) return status;
  fcps_rollout believed = *rollout;
  believed.is_confirmed = rollout->is_confirmed || fcps_problem_limits_broken(model->problem, rollout);
  if (fcps_rollouts_add(&model->training, &believed) != FCPS_OK) {
    fcps_gps_truncate(&model->gps, model->training.count);
    return FCPS_ERR_MEMORY;
  }
  if (fcps_split_model_add(model, rollout) != FCPS_OK) {
    fcps_model_truncate(model, before);
    return FCPS_ERR_MEMORY;
  }
  return FCPS_OK;
}

fcps_model_size fcps_model_size_of(const fcps_model *model)
{
  return (fcps_model_size){.training = model->training.count, .others = model->others.count};
}

static void truncate_structures(fcps_model *model, int rows)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++)
    if (kind->truncate != NULL && fcps_description_has(&model->description, i))
      kind->truncate(model->description.structures + i, rows);
  fcps_description_set_aside(&model->description, &model->layout,
                             &model->training); /* if this fails, removed rows stay in the list, which is harmless */
}

void fcps_model_truncate(fcps_model *model, fcps_model_size size)
{
  if (size.training < model->training.count) model->training.count = size.training;
  if (size.others < model->others.count) model->others.count = size.others;
  fcps_gps_truncate_noise(&model->gps, size.training);
  if (model->feasibility.rows > model->training.count + model->others.count)
    fcps_feasibility_forget(&model->feasibility);
  truncate_structures(model, size.training);
  fcps_contests_truncate(&model->contests, model->training.count);
  fcps_split_model_truncate(model);
  fcps_members_end(model);
  fcps_model_clear_pending(model);
}

fcps_status fcps_model_remake(fcps_model *model, const double *hyper)
{
  const fcps_description *d = &model->description;
  const int k = FCPS_HYPER_COUNT(d->inputs), rows = model->training.count;
  const fcps_hyper_prior prior = fcps_description_prior(d);
  double *centre = fcps_allocate((size_t)k, sizeof(double));
  if (centre == NULL) return FCPS_ERR_MEMORY;
  fcps_gp_hyper_centre(&prior, d->inputs, centre);
  fcps_gps made;
  fcps_status status = fcps_gps_create(&made, d->gps, d->inputs, d->kernel, &d->tables, centre);
  free(centre);
  if (status != FCPS_OK) return status;
  fcps_gps_destroy(&model->gps);
  model->gps = made;
  for (int g = 0; g < d->gps && hyper != NULL; g++)
    fcps_gp_set_hyper(model->gps.gp[g], hyper + g * k);
  fcps_members_drop(model);
  fcps_feasibility_forget(&model->feasibility); /* other outcomes may be at rest now */
  for (int i = 0; i < rows && status == FCPS_OK; i++)
    status = add_row(model, fcps_rollouts_target(&model->training, i), fcps_rollouts_environment(&model->training, i),
                     fcps_rollouts_parameters(&model->training, i));
  const int input = model->split_model.split.input;
  if (status == FCPS_OK && input >= 0 && fcps_description_turns_feature(d, input)) fcps_split_model_drop(model);
  return status == FCPS_OK ? fcps_description_set_aside(&model->description, &model->layout, &model->training) : status;
}

bool fcps_model_is_sampled(const fcps_model *model)
{
  bool is_sampled = false;
  for (int side = 0; side < fcps_model_side_count(model); side++)
    is_sampled = is_sampled || fcps_members_models(fcps_model_side(model, side)) > 1;
  return is_sampled;
}

double fcps_model_jitter(const fcps_model *model)
{
  double largest = 0.0;
  for (int side = 0; side < fcps_model_side_count(model); side++)
    for (int i = 0; i < fcps_model_gp_count(model); i++)
      largest = fmax(largest, fcps_model_gp(fcps_model_side(model, side), i)->jitter);
  return largest;
}

/* -- Pending trials -- */

/* Extends the factor by the last row. If the row cannot be appended without a new full factorization, removes it,
 * restores the old factor and returns false. */
static bool append_last(fcps_gp *gp)
{
  const int rows = gp->count - 1, base = gp->base;
  if (fcps_gp_grow(gp) == FCPS_OK && gp->base == base) return true;
  fcps_gp_truncate(gp, rows);
  fcps_gp_factorize(gp, base);
  fcps_gp_grow(gp);
  return false;
}

void fcps_model_add_pending(fcps_model *model, const double *target, const double *environment,
                            const double *parameters)
{
  if (fcps_model_side_count(model) > 1) {
    fcps_split_model_add_pending(model, target, environment, parameters);
    return;
  }
  for (int i = 0; i < model->members.count; i++)
    fcps_model_add_pending(model->members.models[i], target, environment, parameters);
  const int rows = model->gps.gp[0]->count;
  if (model->gps.gp[0]->factored != rows || add_row(model, target, environment, parameters) != FCPS_OK) return;
  bool is_in = true;
  for (int i = 0; i < model->gps.count; i++)
    is_in = append_last(model->gps.gp[i]) && is_in;
  if (!is_in) fcps_gps_truncate(&model->gps, rows);
}

void fcps_model_clear_pending(fcps_model *model)
{
  fcps_gps_truncate(&model->gps, model->training.count);
  for (int i = 0; i < model->members.count; i++)
    fcps_model_clear_pending(model->members.models[i]);
  for (int side = 0; side < 2; side++)
    if (model->split_model.child[side] != NULL) fcps_model_clear_pending(model->split_model.child[side]);
}

/* -- Predictions: features become inputs of the GPs, and predictions are turned back into the user's frame -- */

void fcps_model_see(const fcps_model *model, const double *features, double *inputs)
{
  fcps_description_see(&model->description, &model->layout, features, model->training.count, inputs, NULL);
}

void fcps_model_see_outcome(const fcps_model *model, const double *features, double *outcome)
{
  fcps_description_see(&model->description, &model->layout, features, model->training.count, NULL, outcome);
}

void fcps_model_unsee_outcomes(const fcps_model *model, const double *features, size_t count, size_t stride,
                               double *outcomes)
{
  fcps_description_unsee_outcomes(&model->description, &model->layout, features, count, stride, outcomes);
}

static bool has_more_inputs(const fcps_model *model)
{
  return model->description.inputs > model->layout.features;
}

/* Returns how many numbers a point needs: its inputs and, if these exceed the features, gradients with respect to
 * them. */
static size_t numbers_of_point(const fcps_model *model)
{
  const size_t gradients = (size_t)(model->layout.outputs + model->gps.count);
  return (size_t)model->description.inputs * (has_more_inputs(model) ? 1 + gradients : 1);
}

fcps_status fcps_model_reserve(fcps_gp_work *work, const fcps_model *model, int points)
{
  fcps_status status = fcps_gps_reserve(work, &model->gps, points);
  const bool needs_inputs = model->description.changes_inputs || model->description.has_places;
  if (status == FCPS_OK && needs_inputs)
    status = fcps_gp_work_reserve_inputs(work, (size_t)points * numbers_of_point(model));
  return status;
}

/* Turns predictions back into the user's frame. */
static void unsee(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                  const double *features)
{
  const size_t inputs = (size_t)model->description.inputs, q = (size_t)outputs->outputs, gps = (size_t)model->gps.count;
  for (size_t i = 0; i < (size_t)query->count; i++) {
    const fcps_seen at = {.inputs = (int)inputs,
                          .outputs = (int)q,
                          .gps = (int)gps,
                          .scale = outputs->scale,
                          .mean = query->mean != NULL ? query->mean + i * q : NULL,
                          .variance = query->variance != NULL ? query->variance + i * gps : NULL,
                          .mean_gradient = query->mean_gradient != NULL ? query->mean_gradient + i * q * inputs : NULL,
                          .variance_gradient =
                              query->variance_gradient != NULL ? query->variance_gradient + i * gps * inputs : NULL};
    fcps_description_unsee(&model->description, &model->layout, features + i * (size_t)model->layout.features, &at);
  }
}

/* Copies `count` gradients with respect to inputs, and leaves out the inputs beyond the features. */
static void narrow(const fcps_model *model, size_t count, const double *from, double *to)
{
  const size_t features = (size_t)model->layout.features, inputs = (size_t)model->description.inputs;
  for (size_t i = 0; i < count && to != NULL; i++)
    memcpy(to + i * features, from + i * inputs, features * sizeof(double));
}

void fcps_model_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                        fcps_gp_work *work)
{
  const size_t features = (size_t)model->layout.features, inputs = (size_t)model->description.inputs;
  const size_t count = (size_t)query->count, means = count * (size_t)outputs->outputs;
  fcps_gp_query seen = *query;
  if (model->description.changes_inputs) {
    for (size_t i = 0; i < count; i++)
      fcps_model_see(model, query->points + i * features, work->inputs + i * inputs);
    seen.points = work->inputs;
  }
  if (has_more_inputs(model)) {
    if (query->mean_gradient != NULL) seen.mean_gradient = work->inputs + count * inputs;
    if (query->variance_gradient != NULL) seen.variance_gradient = work->inputs + (count + means) * inputs;
  }
  fcps_gps_predict(&model->gps, outputs, &seen, work);
  if (model->description.changes_outputs) unsee(model, outputs, &seen, query->points);
  if (!has_more_inputs(model)) return;
  narrow(model, means, seen.mean_gradient, query->mean_gradient);
  narrow(model, count * (size_t)model->gps.count, seen.variance_gradient, query->variance_gradient);
}
