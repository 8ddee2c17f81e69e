/* SPDX-License-Identifier: Apache-2.0 */
/* What all models share: the registry of kinds, rollouts as rows of the GPs, fitting, growth, conditioning, pending
 * trials. */
#include "model/model.h"

#include "base/memory.h"
#include "model/reward/outcome_metric.h"
#include "model/told_noise.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fcps_model_ops *const kinds[] = {&fcps_model_joint, &fcps_model_rescored, &fcps_model_outcome};

const fcps_model_ops *fcps_model_kind_at(int index)
{
  const int count = (int)(sizeof kinds / sizeof *kinds);
  return index >= 0 && index < count ? kinds[index] : NULL;
}

const fcps_model_ops *fcps_model_kind_find(const char *name)
{
  for (int i = 0; name != NULL && fcps_model_kind_at(i) != NULL; i++)
    if (strcmp(fcps_model_kind_at(i)->name, name) == 0) return fcps_model_kind_at(i);
  return NULL;
}

/* -- Kinds -- */

bool fcps_model_kind_knows_target(const fcps_model_ops *kind)
{
  return kind->has_target_inputs;
}
bool fcps_model_kind_predicts_outcomes(const fcps_model_ops *kind)
{
  return kind->predicts_outcomes;
}
/* A target that is not an input comes in through the reward function: of predicted outcomes, or of those that were
 * seen, whose rewards are then outputs for this target alone. */
bool fcps_model_kind_needs_reward(const fcps_model_ops *kind)
{
  return !kind->has_target_inputs;
}
bool fcps_model_kind_has_outputs_per_target(const fcps_model_ops *kind)
{
  return !kind->has_target_inputs && !kind->predicts_outcomes;
}

/* -- Life -- */

/* The environment's features come first. */
static fcps_status stretch_lengths(fcps_model *model)
{
  model->stretch = fcps_allocate((size_t)model->gp->dim, sizeof(double));
  if (model->stretch == NULL) return FCPS_ERR_MEMORY;
  const int environment = fcps_model_feasibility_dim(model) - model->parameters.width;
  const double factor = model->settings.environment_stretch;
  for (int d = 0; d < model->gp->dim; d++)
    model->stretch[d] = d < environment && factor > 0 ? factor : 1.0;
  model->settings.prior.stretch = model->stretch;
  return FCPS_OK;
}

/* The weights of the outcomes, where the reward gives them any. */
static fcps_status weigh_outcomes(fcps_model *model)
{
  model->settings.norm.weights = NULL;
  model->settings.norm.aside_count = 0; /* suspects are the model's own, and so are pairs */
  model->settings.norm.pair_count = 0;
  if (!model->ops->predicts_outcomes || model->settings.norm.scaling != FCPS_SCALING_METRIC) return FCPS_OK;
  model->weights = fcps_allocate((size_t)model->problem->outcome.count, sizeof(double));
  if (model->weights == NULL) return FCPS_ERR_MEMORY;
  if (fcps_metric_find_weights(model->problem, model->weights)) model->settings.norm.weights = model->weights;
  return FCPS_OK;
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

  const fcps_space *context[] = {&problem->environment, &problem->target};
  const fcps_space *parameters[] = {&problem->parameters};
  fcps_status status =
      fcps_embedding_create(&made->context, ops->has_target_inputs ? 2 : 1, context, settings->circular);
  if (status == FCPS_OK) status = fcps_embedding_create(&made->parameters, 1, parameters, settings->circular);
  const int dim = made->context.width + made->parameters.width;
  if (status == FCPS_OK) status = fcps_gp_create(&made->gp, dim, settings->kernel);
  if (status == FCPS_OK) status = stretch_lengths(made);
  if (status == FCPS_OK) status = weigh_outcomes(made);
  if (status == FCPS_OK) status = fcps_frame_choice_create(made);
  if (status != FCPS_OK) {
    fcps_model_destroy(made);
    return status;
  }
  fcps_gp_hyper_centre(&made->settings.prior, dim, made->gp->hyper);
  status = fcps_per_output_create(made);
  if (status == FCPS_OK) status = fcps_input_noise_create(made);
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
  fcps_hyper_samples_drop(model);
  fcps_embedding_destroy(&model->context);
  fcps_embedding_destroy(&model->parameters);
  fcps_rollouts_free(&model->training);
  fcps_rollouts_free(&model->others);
  fcps_row_noise_destroy(model);
  fcps_per_output_destroy(model);
  fcps_input_noise_destroy(model);
  fcps_suspects_destroy(model);
  fcps_contact_destroy(model);
  fcps_uneven_noise_destroy(model);
  fcps_frame_choice_destroy(model);
  free(model->stretch);
  free(model->weights);
  free(model->told_before);
  fcps_model_forget_feasibility(model);
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

fcps_status fcps_model_copy(const fcps_model *model, const fcps_problem *problem, fcps_model **copy)
{
  fcps_status status = fcps_model_create(copy, model->ops, problem, &model->settings);
  if (status != FCPS_OK) return status;
  (*copy)->fitted = model->fitted;
  (*copy)->ending = model->ending;
  fcps_input_noise_copy(model, *copy);
  status = fcps_rollouts_copy(&model->training, &(*copy)->training);
  if (status == FCPS_OK) status = fcps_rollouts_copy(&model->others, &(*copy)->others);
  if (status == FCPS_OK) status = copy_order(model, *copy);
  if (status == FCPS_OK) status = fcps_per_output_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_frame_choice_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_row_noise_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_suspects_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_contact_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_uneven_noise_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_split_model_copy(model, *copy);
  if (status == FCPS_OK) status = fcps_hyper_samples_copy(model, *copy);
  if (status != FCPS_OK) {
    fcps_model_destroy(*copy);
    *copy = NULL;
  }
  return status;
}

/* -- Rows -- */

/* Features of environment and target (where it is an input). `scratch` holds their unit coordinates. */
static void context_of(const fcps_model *model, const double *target, const double *environment, double *scratch,
                       double *features)
{
  const fcps_problem *problem = model->problem;
  fcps_space_to_unit(&problem->environment, environment, scratch);
  if (model->ops->has_target_inputs) fcps_space_to_unit(&problem->target, target, scratch + problem->environment.count);
  fcps_embed(&model->context, scratch, features);
}

/* The inputs of a row: features of environment, target (where it is an input) and parameters. `scratch` holds the unit
 * coordinates of all three. */
static void row_of(const fcps_model *model, const double *target, const double *environment, const double *parameters,
                   double *scratch, double *row)
{
  context_of(model, target, environment, scratch, row);
  fcps_space_to_unit(&model->problem->parameters, parameters, scratch);
  fcps_embed(&model->parameters, scratch, row + model->context.width);
}

static size_t scratch_size(const fcps_model *model)
{
  const fcps_problem *problem = model->problem;
  return (size_t)(problem->environment.count + problem->target.count + problem->parameters.count);
}

static fcps_status add_row(fcps_model *model, const double *target, const double *environment, const double *parameters)
{
  double *row = fcps_allocate((size_t)model->gp->dim + scratch_size(model), sizeof(double));
  if (row == NULL) return FCPS_ERR_MEMORY;
  row_of(model, target, environment, parameters, row + model->gp->dim, row);
  fcps_frame_turn_row(&model->frame, model->gp->dim, row, row);
  const fcps_status status = fcps_per_output_add(model, row);
  free(row);
  return status;
}

fcps_status fcps_model_row(const fcps_model *model, const fcps_rollouts *rollouts, int index, double *row)
{
  double *scratch = fcps_allocate(scratch_size(model), sizeof(double));
  if (scratch == NULL) return FCPS_ERR_MEMORY;
  row_of(model, fcps_rollouts_target(rollouts, index), fcps_rollouts_environment(rollouts, index),
         fcps_rollouts_parameters(rollouts, index), scratch, row);
  free(scratch);
  return FCPS_OK;
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

fcps_status fcps_model_add(fcps_model *model, const fcps_rollout *rollout)
{
  if (!model->ops->is_usable(model->problem, rollout)) return add_other(model, rollout);
  const fcps_model_size before = fcps_model_size_of(model);
  fcps_model_clear_pending(model);
  const fcps_status status = add_row(model, rollout->target, rollout->environment, rollout->parameters);
  if (status != FCPS_OK) return status;
  if (fcps_rollouts_add(&model->training, rollout) != FCPS_OK) {
    fcps_per_output_truncate(model, model->training.count);
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

void fcps_model_truncate(fcps_model *model, fcps_model_size size)
{
  if (size.training < model->training.count) model->training.count = size.training;
  if (size.others < model->others.count) model->others.count = size.others;
  fcps_row_noise_truncate(model, size.training);
  if (model->feasibility.rows > model->training.count + model->others.count) fcps_model_forget_feasibility(model);
  fcps_suspects_truncate(model);
  fcps_contact_truncate(model);
  fcps_frame_choice_truncate(model);
  fcps_split_model_truncate(model);
  fcps_hyper_samples_drop_members(model);
  fcps_model_clear_pending(model);
}

/* -- Fitting -- */

/* The outputs for `count` targets one after the other (rows x width x count); *sets says for how many. To be freed. */
static fcps_status outputs_for(const fcps_model *model, int count, const double *targets, int *sets, double **y,
                               fcps_error *error)
{
  const size_t numbers = (size_t)model->training.count * (size_t)model->ops->width(model->problem);
  const size_t stride = (size_t)model->problem->target.count; /* 0: there are no targets, and `targets` may be NULL */
  *sets = fcps_model_kind_has_outputs_per_target(model->ops) ? count : 1;
  *y = fcps_allocate(numbers * (size_t)*sets + 1, sizeof(double));
  if (*y == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < (size_t)*sets && status == FCPS_OK; i++)
    status = model->ops->outputs(model, stride > 0 ? targets + i * stride : NULL, *y + i * numbers, error);
  if (status != FCPS_OK) {
    free(*y);
    *y = NULL;
  }
  return status;
}

static bool has_split(const fcps_model *model)
{
  return fcps_model_side_count(model) > 1;
}

/* From the last optimum alone where rows are not few, but for each time that the count of rows passes a multiple of
 * COLD_EVERY: often enough to leave a bad optimum, and known from the counts, so that a resumed model does the same. */
enum { FEW_ROWS = 30, COLD_EVERY = 25 };
static fcps_fit_settings starts_due(const fcps_model *model)
{
  fcps_fit_settings fit = model->settings.fit;
  const bool is_near = model->training.count / COLD_EVERY == model->fitted / COLD_EVERY;
  if (model->fitted >= FEW_ROWS && is_near) fit.starts = 1;
  return fit;
}

static fcps_status fit_hyper(fcps_model *model, int outputs, const double *y, fcps_rng rng, fcps_fit_result *result)
{
  const int rows = model->training.count;
  return model->settings.fit.samples > 1 ? fcps_hyper_samples_fit(model, rows, outputs, y, rng, result)
                                         : fcps_per_output_fit(model, starts_due(model), rows, outputs, y, rng, result);
}

/* The noise of inexact inputs follows from the fit, and the next fit from it; the first is therefore made twice. */
static fcps_status fit_believed(fcps_model *model, int outputs, const double *y, fcps_rng rng, fcps_fit_result *result)
{
  const bool is_inexact = model->input_noise.deviations != NULL;
  const int times = is_inexact && model->fitted == 0 ? 2 : 1;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < times && status == FCPS_OK; i++) {
    status = fit_hyper(model, outputs, y, rng, result);
    if (status == FCPS_OK && is_inexact) status = fcps_input_noise_update(model, outputs, y);
    if (status == FCPS_OK) status = fcps_uneven_noise_update(model, outputs, y);
  }
  return status;
}

/* Whether an outlier may be among the rows of all fits so far: before rows are many, and then sometimes. */
static bool may_hide_suspects(const fcps_model *model)
{
  return model->training.count < FEW_ROWS || model->fitted < FEW_ROWS ||
         model->training.count / COLD_EVERY != model->fitted / COLD_EVERY;
}

/* New rows are judged by the hyper-parameters that do not know them yet; after the fit all are judged by the new ones.
 * Where that changes who is a suspect, the fit is made again. */
static fcps_status fit_unsplit(fcps_model *model, int outputs, const double *y, fcps_rng rng, fcps_fit_result *result)
{
  enum { FITS = 4 };
  const bool is_judged = model->ops->predicts_outcomes;
  bool has_changed = is_judged;
  fcps_status status = is_judged && model->fitted > 0 ? fcps_per_output_grow(model) : FCPS_OK;
  if (status == FCPS_OK && is_judged && model->fitted > 0)
    status = fcps_suspects_review(model, outputs, y, model->fitted, &has_changed);
  if (status == FCPS_OK) status = fit_believed(model, outputs, y, rng, result);
  for (int i = 1; i < FITS && status == FCPS_OK && is_judged; i++) {
    status = fcps_suspects_review(model, outputs, y, model->training.count, &has_changed);
    if (status == FCPS_OK && !has_changed && may_hide_suspects(model))
      status = fcps_suspects_unmask(model, outputs, y, rng, &has_changed);
    if (status != FCPS_OK || !has_changed) break;
    status = fit_believed(model, outputs, y, rng, result);
  }
  return status;
}

/* Where noise depends on the place, or no longer seems to, the fit is made again. */
static fcps_status review_noise(fcps_model *model, int outputs, const double *y, fcps_rng rng, fcps_fit_result *result)
{
  bool has_changed = false;
  const fcps_status status = fcps_uneven_noise_review(model, outputs, y, &has_changed);
  return status == FCPS_OK && has_changed ? fit_believed(model, outputs, y, rng, result) : status;
}

fcps_status fcps_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng, fcps_fit_result *result,
                           fcps_error *error)
{
  fcps_model_clear_pending(model);
  const int rows = model->training.count, width = model->ops->width(model->problem);
  int sets;
  double *y;
  fcps_status status = fcps_told_noise_update(model, error);
  const int frame = model->frame_choice.active;
  if (status == FCPS_OK) status = fcps_frame_choice_update(model, error);
  if (status == FCPS_OK && model->frame_choice.active != frame) status = fcps_told_noise_update(model, error);
  if (status == FCPS_OK) status = fcps_contact_update(model, error);
  if (status == FCPS_OK) status = outputs_for(model, count, targets, &sets, &y, error);
  if (status != FCPS_OK) return status;
  status = fcps_split_model_search(model, width * sets, y);
  if (status == FCPS_OK && has_split(model))
    status = fcps_split_model_fit(model, count, targets, rng, result, error);
  else if (status == FCPS_OK)
    status = fit_unsplit(model, width * sets, y, rng, result);
  if (status == FCPS_OK) status = review_noise(model, width * sets, y, rng, result);
  if (status == FCPS_OK) status = fcps_own_lengths_review(model, rng, result, error);
  if (status == FCPS_OK) {
    model->fitted = rows;
    model->ending = *result;
  }
  free(y);
  return status;
}

/* -- Conditioning -- */

/* A child of a few rows has no scale of its own: divides y by that of its parent, and multiplies it in afterwards. */
static fcps_status condition_with_scale_of_parent(const fcps_model *model, int count, const double *targets, int sets,
                                                  double *y, fcps_gp_outputs *outputs, fcps_error *error)
{
  const fcps_gp_norm none = {.mean = model->settings.norm.mean, .scaling = FCPS_SCALING_NONE};
  const int rows = model->training.count, columns = model->ops->width(model->problem) * sets;
  int ignored;
  double *all, *scale = fcps_allocate(2 * (size_t)columns, sizeof(double));
  if (scale == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = outputs_for(model->parent, count, targets, &ignored, &all, error);
  if (status == FCPS_OK) {
    fcps_gp_normalize(model->parent->settings.norm, model->parent->training.count, columns, all, scale + columns,
                      scale);
    for (int i = 0; i < rows * columns; i++)
      y[i] /= scale[i / rows];
    status = fcps_per_output_condition(model, none, rows, columns, y, outputs);
    for (int o = 0; o < columns && status == FCPS_OK; o++) {
      outputs->offset[o] *= scale[o];
      outputs->scale[o] *= scale[o];
    }
    free(all);
  }
  free(scale);
  return status;
}

fcps_status fcps_model_condition(const fcps_model *model, int count, const double *targets, fcps_gp_outputs *outputs,
                                 fcps_error *error)
{
  const int rows = model->training.count;
  int sets;
  double *y;
  fcps_status status = outputs_for(model, count, targets, &sets, &y, error);
  if (status != FCPS_OK) return status;
  if (model->parent != NULL && rows < FCPS_SPLIT_MODEL_LEAST_ROWS)
    status = condition_with_scale_of_parent(model, count, targets, sets, y, outputs, error);
  else
    status = fcps_per_output_condition(model, model->settings.norm, rows, model->ops->width(model->problem) * sets, y,
                                       outputs);
  free(y);
  return status;
}

fcps_status fcps_model_context(const fcps_model *model, const double *target, const double *environment,
                               double *features)
{
  double *x = fcps_allocate(scratch_size(model), sizeof(double));
  if (x == NULL) return FCPS_ERR_MEMORY;
  context_of(model, target, environment, x, features);
  free(x);
  return FCPS_OK;
}

/* -- Growth -- */

fcps_status fcps_model_refresh(fcps_model *model)
{
  fcps_model_clear_pending(model);
  fcps_status status = fcps_told_noise_grow(model);
  if (status == FCPS_OK) status = fcps_contact_grow(model);
  if (status == FCPS_OK) status = fcps_uneven_noise_grow(model);
  if (status == FCPS_OK) status = has_split(model) ? fcps_split_model_refresh(model) : fcps_per_output_grow(model);
  if (status == FCPS_OK) status = fcps_model_learn_feasibility(model);
  return status == FCPS_OK && !has_split(model) ? fcps_hyper_samples_refresh(model) : status;
}

fcps_status fcps_model_restore(fcps_model *model, int gp, const double *hyper, int base)
{
  if (base < 0 || base > model->training.count) return FCPS_ERR_ARGUMENT;
  fcps_gp *restored = fcps_model_gp(model, gp);
  fcps_gp_set_hyper(restored, hyper);
  if (base == 0) return FCPS_OK;
  const fcps_status status = fcps_gp_factorize(restored, base);
  const bool is_complete =
      fcps_told_noise_is_complete(model) && fcps_contact_is_complete(model) && fcps_uneven_noise_is_complete(model);
  return status == FCPS_OK && is_complete ? fcps_gp_grow(restored) : status;
}

bool fcps_model_is_sampled(const fcps_model *model)
{
  bool is_sampled = false;
  for (int side = 0; side < fcps_model_side_count(model); side++)
    is_sampled = is_sampled || fcps_hyper_samples_models(fcps_model_side(model, side)) > 1;
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

/* Grows the factor by the last row; where it cannot be appended, does without it and without the fresh factorization it
 * caused. */
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
  if (has_split(model)) {
    fcps_split_model_add_pending(model, target, environment, parameters);
    return;
  }
  for (int i = 0; i < model->samples.member_count; i++)
    fcps_model_add_pending(model->samples.members[i], target, environment, parameters);
  const int rows = model->gp->count;
  if (model->gp->factored != rows || add_row(model, target, environment, parameters) != FCPS_OK) return;
  bool is_in = true;
  for (int i = 0; i < fcps_model_gp_count(model); i++)
    is_in = append_last(fcps_model_gp(model, i)) && is_in;
  if (!is_in) fcps_per_output_truncate(model, rows);
}

void fcps_model_clear_pending(fcps_model *model)
{
  fcps_per_output_truncate(model, model->training.count);
  for (int i = 0; i < model->samples.member_count; i++)
    fcps_model_clear_pending(model->samples.members[i]);
  for (int side = 0; side < 2; side++)
    if (model->split_model.child[side] != NULL) fcps_model_clear_pending(model->split_model.child[side]);
}
