/* SPDX-License-Identifier: Apache-2.0 */
/* A model seen from one context: the context's features stay, the parameters vary. Questions are in view_predict.c. */
#include "base/error.h"
#include "base/memory.h"
#include "model/leaves.h"
#include "model/parts.h"
#include "model/view_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

static bool allocate(fcps_view *view)
{
  const fcps_model *model = view->model;
  const size_t dim = (size_t)model->gp->dim, width = (size_t)model->ops->width(model->problem);
  const size_t parameters = (size_t)model->parameters.count, parts = (size_t)fcps_model_parts(model);
  const size_t chance_dim = (size_t)fcps_model_chance_dim(model);
  view->features = fcps_allocate(dim * PASS, sizeof(double));
  view->gradient = fcps_allocate((width + parts) * dim, sizeof(double));
  view->wraps = fcps_allocate(parameters, sizeof(bool));
  view->levels = fcps_allocate(parameters, sizeof(double));
  view->target = fcps_allocate((size_t)model->problem->target.count, sizeof(double));
  view->means = fcps_allocate(width * PASS, sizeof(double));
  view->variances = fcps_allocate(parts * PASS, sizeof(double));
  view->slopes = fcps_allocate((width + parts + 1) * parameters, sizeof(double));
  view->chance_features = fcps_allocate(chance_dim * PASS, sizeof(double));
  view->chances = fcps_allocate(PASS, sizeof(double));
  view->absent = fcps_allocate(PASS, sizeof(double));
  view->chance_gradient = fcps_allocate(chance_dim + 2 * parameters, sizeof(double));
  view->rule = fcps_allocate(PASS, sizeof(bool));
  view->mixed = fcps_allocate(2 * (PASS > parameters ? PASS : parameters), sizeof(double));
  view->row = fcps_allocate((size_t)model->problem->environment.count + parameters, sizeof(double) * PASS);
  return view->features != NULL && view->gradient != NULL && view->wraps != NULL && view->levels != NULL &&
         view->target != NULL && view->means != NULL && view->variances != NULL && view->slopes != NULL &&
         view->chance_features != NULL && view->chances != NULL && view->absent != NULL &&
         view->chance_gradient != NULL && view->rule != NULL && view->row != NULL && view->mixed != NULL;
}

static void set_target(fcps_view *view, const double *target)
{
  for (int i = 0; i < view->model->problem->target.count; i++)
    view->target[i] = target[i];
}

static void stand_in(fcps_view *view, int place)
{
  view->context = view->contexts + (size_t)place * (size_t)view->model->context.width;
  view->environment = view->environments + (size_t)place * (size_t)view->model->problem->environment.count;
}

fcps_status fcps_view_visit(fcps_view *view, int count, const double *environments)
{
  const fcps_model *model = view->model;
  const size_t width = (size_t)model->context.width, e = (size_t)model->problem->environment.count;
  double *contexts = fcps_allocate((size_t)count * width, sizeof(double));
  double *copy = fcps_allocate((size_t)count * e, sizeof(double));
  fcps_status status = contexts != NULL && copy != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++) {
    if (e > 0) memcpy(copy + i * e, environments + i * e, e * sizeof(double));
    status = fcps_model_context(model, view->target, copy + i * e, contexts + i * width);
  }
  if (status == FCPS_OK && view->scoring != NULL) status = fcps_scoring_visit(view->scoring, count, copy, view->error);
  if (status != FCPS_OK) {
    free(contexts);
    free(copy);
    return status;
  }
  free(view->contexts);
  free(view->environments);
  view->contexts = contexts;
  view->environments = copy;
  stand_in(view, 0);
  return FCPS_OK;
}

/* The outputs for this target with their weights, the stakes, and how outcomes become rewards. */
static fcps_status condition(fcps_view *view)
{
  const fcps_model *model = view->model;
  fcps_status status = fcps_model_condition(model, 1, view->target, &view->outputs, view->error);
  if (status == FCPS_OK) status = fcps_view_find_stakes(view, view->target, view->environment, &view->stakes);
  if (status != FCPS_OK || !model->ops->has_outcome_outputs) return status;
  // a closed distance needs the same uncertainty in all directions
  const fcps_scoring_path path = fcps_model_parts(model) > 1 ? FCPS_SCORING_NODES : FCPS_SCORING_AUTO;
  return fcps_scoring_create(&view->scoring, model->problem, view->target, view->environment, view->outputs.scale,
                             view->outputs.offset, view->stakes.worst, path, view->error);
}

void fcps_view_turn(fcps_view *view, int place, const double *target, const fcps_stakes *stakes,
                    const fcps_gp_outputs *outputs, int column)
{
  stand_in(view, place);
  set_target(view, target);
  view->stakes = *stakes;
  if (view->scoring != NULL) {
    fcps_scoring_move(view->scoring, place);
    fcps_scoring_aim(view->scoring, target, stakes->worst);
  }
  if (outputs == NULL) return;
  const size_t rows = (size_t)outputs->count;
  if (rows > 0) memcpy(view->outputs.alpha, outputs->alpha + (size_t)column * rows, rows * sizeof(double));
  view->outputs.offset[0] = outputs->offset[column];
  view->outputs.scale[0] = outputs->scale[column];
}

/* A view of one side with one sample of the hyper-parameters. */
static fcps_status see(fcps_view **view, const fcps_model *whole, const fcps_model *side, const double *target,
                       const double *environment, fcps_error *error)
{
  fcps_view *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->whole = whole;
  made->model = side;
  made->error = error;
  fcps_status status = allocate(made) ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_parts_reserve(&made->work, made->model, PASS);
  if (status == FCPS_OK) {
    set_target(made, target);
    fcps_space_wraps(&side->problem->parameters, made->wraps);
    made->has_levels = fcps_space_levels(&side->problem->parameters, made->levels);
    status = fcps_view_visit(made, 1, environment);
  }
  if (status == FCPS_OK) status = condition(made);
  if (status != FCPS_OK) {
    fcps_view_destroy(made);
    return status;
  }
  *view = made;
  return FCPS_OK;
}

fcps_status fcps_view_create(fcps_view **view, const fcps_model *model, const double *target, const double *environment,
                             fcps_error *error)
{
  *view = NULL;
  const fcps_model *side;
  fcps_status status = fcps_leaves_side(model, target, environment, &side);
  if (status == FCPS_OK) status = see(view, model, side, target, environment, error);
  fcps_view *last = *view;
  for (int i = 0; status == FCPS_OK && i < side->twin_count; i++, last = last->next)
    status = see(&last->next, model, side->twins[i], target, environment, error);
  if (status != FCPS_OK) {
    fcps_view_destroy(*view);
    *view = NULL;
  }
  return status;
}

void fcps_view_destroy(fcps_view *view)
{
  if (view == NULL) return;
  fcps_gp_outputs_destroy(&view->outputs);
  fcps_gp_work_destroy(&view->work);
  fcps_scoring_destroy(view->scoring);
  free(view->contexts);
  free(view->features);
  free(view->gradient);
  free(view->wraps);
  free(view->levels);
  free(view->target);
  free(view->environments);
  free(view->means);
  free(view->variances);
  free(view->slopes);
  free(view->chance_features);
  free(view->chances);
  free(view->absent);
  free(view->chance_gradient);
  free(view->rule);
  free(view->row);
  free(view->mixed);
  fcps_view_destroy(view->next);
  free(view);
}

const fcps_model *fcps_view_model(const fcps_view *view)
{
  return view->model;
}
const fcps_gp_outputs *fcps_view_outputs(const fcps_view *view)
{
  return &view->outputs;
}
const double *fcps_view_context(const fcps_view *view)
{
  return view->context;
}
fcps_view *fcps_view_next(const fcps_view *view)
{
  return view->next;
}
int fcps_view_rows(const fcps_view *view)
{
  return view->outputs.count;
}
int fcps_view_dim(const fcps_view *view)
{
  return view->model->gp->dim;
}
int fcps_view_outputs_count(const fcps_view *view)
{
  return view->outputs.outputs;
}
int fcps_view_parameters(const fcps_view *view)
{
  return view->model->parameters.count;
}
const bool *fcps_view_wraps(const fcps_view *view)
{
  return view->wraps;
}
const double *fcps_view_levels(const fcps_view *view)
{
  return view->has_levels ? view->levels : NULL;
}
fcps_status fcps_view_failure(const fcps_view *view)
{
  return view->failure;
}
