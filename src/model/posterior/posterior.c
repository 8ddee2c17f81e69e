/* SPDX-License-Identifier: Apache-2.0 */
/* A model seen from one context: the context's features stay, the parameters vary. Questions are in view_predict.c. */
#include "base/error.h"
#include "base/memory.h"
#include "model/composite/per_output.h"
#include "model/composite/split_model.h"
#include "model/posterior/posterior_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

static bool allocate(fcps_posterior *posterior)
{
  const fcps_model *model = posterior->model;
  const size_t dim = (size_t)model->gp->dim, width = (size_t)model->ops->width(model->problem);
  const size_t parameters = (size_t)model->parameters.count, parts = (size_t)fcps_model_gp_count(model);
  const size_t chance_dim = (size_t)fcps_model_feasibility_dim(model);
  posterior->features = fcps_allocate(dim * PASS, sizeof(double));
  posterior->gradient = fcps_allocate((width + parts) * dim * FCPS_POSTERIOR_GRADIENTS, sizeof(double));
  posterior->wraps = fcps_allocate(parameters, sizeof(bool));
  posterior->levels = fcps_allocate(parameters, sizeof(double));
  posterior->target = fcps_allocate((size_t)model->problem->target.count, sizeof(double));
  posterior->means = fcps_allocate(width * PASS, sizeof(double));
  posterior->variances = fcps_allocate(parts * PASS, sizeof(double));
  posterior->slopes = fcps_allocate((width + parts + 1) * parameters, sizeof(double));
  posterior->chance_features = fcps_allocate(chance_dim * PASS, sizeof(double));
  posterior->chances = fcps_allocate(PASS, sizeof(double));
  posterior->absent = fcps_allocate(PASS, sizeof(double));
  posterior->chance_gradient = fcps_allocate(chance_dim + 2 * parameters, sizeof(double));
  posterior->rule = fcps_allocate(PASS, sizeof(bool));
  posterior->mixed = fcps_allocate(2 * (PASS > parameters ? PASS : parameters), sizeof(double));
  posterior->row = fcps_allocate((size_t)model->problem->environment.count + parameters, sizeof(double) * PASS);
  return posterior->features != NULL && posterior->gradient != NULL && posterior->wraps != NULL &&
         posterior->levels != NULL && posterior->target != NULL && posterior->means != NULL &&
         posterior->variances != NULL && posterior->slopes != NULL && posterior->chance_features != NULL &&
         posterior->chances != NULL && posterior->absent != NULL && posterior->chance_gradient != NULL &&
         posterior->rule != NULL && posterior->row != NULL && posterior->mixed != NULL;
}

static void set_target(fcps_posterior *posterior, const double *target)
{
  for (int i = 0; i < posterior->model->problem->target.count; i++)
    posterior->target[i] = target[i];
}

static void stand_in(fcps_posterior *posterior, int place)
{
  posterior->context = posterior->contexts + (size_t)place * (size_t)posterior->model->context.width;
  posterior->environment =
      posterior->environments + (size_t)place * (size_t)posterior->model->problem->environment.count;
}

fcps_status fcps_posterior_set_environments(fcps_posterior *posterior, int count, const double *environments)
{
  const fcps_model *model = posterior->model;
  const size_t width = (size_t)model->context.width, e = (size_t)model->problem->environment.count;
  double *contexts = fcps_allocate((size_t)count * width, sizeof(double));
  double *copy = fcps_allocate((size_t)count * e, sizeof(double));
  fcps_status status = contexts != NULL && copy != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++) {
    if (e > 0) memcpy(copy + i * e, environments + i * e, e * sizeof(double));
    status = fcps_model_context(model, posterior->target, copy + i * e, contexts + i * width);
  }
  if (status == FCPS_OK && posterior->expected_reward != NULL)
    status = fcps_expected_reward_set_environments(posterior->expected_reward, count, copy, posterior->error);
  if (status != FCPS_OK) {
    free(contexts);
    free(copy);
    return status;
  }
  free(posterior->contexts);
  free(posterior->environments);
  posterior->contexts = contexts;
  posterior->environments = copy;
  stand_in(posterior, 0);
  return FCPS_OK;
}

/* The outputs for this target with their weights, the stakes, and how outcomes become rewards. */
static fcps_status condition(fcps_posterior *posterior)
{
  const fcps_model *model = posterior->model;
  fcps_status status = fcps_model_condition(model, 1, posterior->target, &posterior->outputs, posterior->error);
  if (status == FCPS_OK)
    status = fcps_posterior_find_reward_range(posterior, posterior->target, posterior->environment,
                                              &posterior->reward_range);
  if (status != FCPS_OK || !model->ops->has_outcome_outputs) return status;
  /* a closed distance needs the same uncertainty in all directions */
  const fcps_expected_reward_path path =
      fcps_model_gp_count(model) > 1 ? FCPS_EXPECTED_REWARD_NODES : FCPS_EXPECTED_REWARD_AUTO;
  return fcps_expected_reward_create(&posterior->expected_reward, model->problem, posterior->target,
                                     posterior->environment, posterior->outputs.scale, posterior->outputs.offset,
                                     posterior->reward_range.worst, path, posterior->error);
}

void fcps_posterior_select(fcps_posterior *posterior, int place, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column)
{
  stand_in(posterior, place);
  set_target(posterior, target);
  posterior->reward_range = *reward_range;
  if (posterior->expected_reward != NULL) {
    fcps_expected_reward_select_environment(posterior->expected_reward, place);
    fcps_expected_reward_set_target(posterior->expected_reward, target, reward_range->worst);
  }
  if (outputs == NULL) return;
  const size_t rows = (size_t)outputs->count;
  if (rows > 0) memcpy(posterior->outputs.alpha, outputs->alpha + (size_t)column * rows, rows * sizeof(double));
  posterior->outputs.offset[0] = outputs->offset[column];
  posterior->outputs.scale[0] = outputs->scale[column];
}

/* A view of one side with one sample of the hyper-parameters. */
static fcps_status see(fcps_posterior **posterior, const fcps_model *parent, const fcps_model *side,
                       const double *target, const double *environment, fcps_error *error)
{
  fcps_posterior *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->parent = parent;
  made->model = side;
  made->error = error;
  fcps_status status = allocate(made) ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_per_output_reserve(&made->work, made->model, PASS);
  if (status == FCPS_OK) {
    set_target(made, target);
    fcps_space_wraps(&side->problem->parameters, made->wraps);
    made->has_levels = fcps_space_levels(&side->problem->parameters, made->levels);
    status = fcps_posterior_set_environments(made, 1, environment);
  }
  if (status == FCPS_OK) status = condition(made);
  if (status != FCPS_OK) {
    fcps_posterior_destroy(made);
    return status;
  }
  *posterior = made;
  return FCPS_OK;
}

fcps_status fcps_posterior_create(fcps_posterior **posterior, const fcps_model *model, const double *target,
                                  const double *environment, fcps_error *error)
{
  *posterior = NULL;
  const fcps_model *side;
  fcps_status status = fcps_split_model_child(model, target, environment, &side);
  if (status == FCPS_OK) status = see(posterior, model, side, target, environment, error);
  fcps_posterior *last = *posterior;
  for (int i = 0; status == FCPS_OK && i < side->member_count; i++, last = last->next)
    status = see(&last->next, model, side->members[i], target, environment, error);
  if (status != FCPS_OK) {
    fcps_posterior_destroy(*posterior);
    *posterior = NULL;
  }
  return status;
}

void fcps_posterior_destroy(fcps_posterior *posterior)
{
  if (posterior == NULL) return;
  fcps_gp_outputs_destroy(&posterior->outputs);
  fcps_gp_work_destroy(&posterior->work);
  fcps_expected_reward_destroy(posterior->expected_reward);
  free(posterior->contexts);
  free(posterior->features);
  free(posterior->gradient);
  free(posterior->wraps);
  free(posterior->levels);
  free(posterior->target);
  free(posterior->environments);
  free(posterior->means);
  free(posterior->variances);
  free(posterior->slopes);
  free(posterior->chance_features);
  free(posterior->chances);
  free(posterior->absent);
  free(posterior->chance_gradient);
  free(posterior->rule);
  free(posterior->row);
  free(posterior->mixed);
  fcps_posterior_destroy(posterior->next);
  free(posterior);
}

const fcps_model *fcps_posterior_model(const fcps_posterior *posterior)
{
  return posterior->model;
}
const fcps_gp_outputs *fcps_posterior_outputs(const fcps_posterior *posterior)
{
  return &posterior->outputs;
}
const double *fcps_posterior_context(const fcps_posterior *posterior)
{
  return posterior->context;
}
fcps_posterior *fcps_posterior_next(const fcps_posterior *posterior)
{
  return posterior->next;
}
int fcps_posterior_rows(const fcps_posterior *posterior)
{
  return posterior->outputs.count;
}
int fcps_posterior_dim(const fcps_posterior *posterior)
{
  return posterior->model->gp->dim;
}
int fcps_posterior_outputs_count(const fcps_posterior *posterior)
{
  return posterior->outputs.outputs;
}
int fcps_posterior_parameters(const fcps_posterior *posterior)
{
  return posterior->model->parameters.count;
}
const bool *fcps_posterior_wraps(const fcps_posterior *posterior)
{
  return posterior->wraps;
}
const double *fcps_posterior_levels(const fcps_posterior *posterior)
{
  return posterior->has_levels ? posterior->levels : NULL;
}
fcps_status fcps_posterior_failure(const fcps_posterior *posterior)
{
  return posterior->failure;
}
