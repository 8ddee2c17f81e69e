/* SPDX-License-Identifier: Apache-2.0 */
/* A model seen from one context: the context's features stay, the parameters vary. */
#include "base/memory.h"
#include "model/leaves.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points predicted in one pass: their covariances with a few hundred rows still fit the cache. */
enum { PASS = 256 };

struct fcps_view {
  const fcps_model *model;
  fcps_gp_outputs outputs;
  fcps_gp_work work;
  double *context;  /* features of the context */
  double *features; /* PASS rows of features */
  double *gradient; /* two gradients with respect to features */
  bool *wraps;      /* which parameters are full circles */
};

static bool allocate(fcps_view *view)
{
  const size_t dim = (size_t)view->model->gp->dim, width = (size_t)view->model->context.width;
  view->context = fcps_allocate(width + 1, sizeof(double));
  view->features = fcps_allocate(dim * PASS, sizeof(double));
  view->gradient = fcps_allocate(2 * dim, sizeof(double));
  view->wraps = fcps_allocate((size_t)view->model->parameters.count, sizeof(bool));
  if (view->wraps != NULL) fcps_space_wraps(&view->model->problem->parameters, view->wraps);
  return view->context != NULL && view->features != NULL && view->gradient != NULL && view->wraps != NULL;
}

fcps_status fcps_view_create(fcps_view **view, const fcps_model *model, const double *target, const double *environment,
                             fcps_error *error)
{
  *view = NULL;
  fcps_view *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  const fcps_model *side;
  if (fcps_leaves_side(model, target, environment, &side) != FCPS_OK) {
    free(made);
    return FCPS_ERR_MEMORY;
  }
  made->model = side;
  fcps_status status = allocate(made) ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_gp_work_reserve(&made->work, side->gp, PASS);
  if (status == FCPS_OK) status = fcps_model_context(side, target, environment, made->context);
  if (status == FCPS_OK) status = fcps_model_condition(side, 1, target, &made->outputs, error);
  if (status != FCPS_OK) {
    fcps_view_destroy(made);
    return status;
  }
  *view = made;
  return FCPS_OK;
}

void fcps_view_destroy(fcps_view *view)
{
  if (view == NULL) return;
  fcps_gp_outputs_destroy(&view->outputs);
  fcps_gp_work_destroy(&view->work);
  free(view->context);
  free(view->features);
  free(view->gradient);
  free(view->wraps);
  free(view);
}

/* Row `row` of view->features: the context's, then those of the parameters. */
static double *features_of(fcps_view *view, int row, const double *unit)
{
  const fcps_model *model = view->model;
  double *features = view->features + (size_t)row * (size_t)model->gp->dim;
  memcpy(features, view->context, (size_t)model->context.width * sizeof(double));
  fcps_embed(&model->parameters, unit, features + model->context.width);
  return features;
}

void fcps_view_predict(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  const int width = view->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    for (int i = 0; i < block; i++)
      features_of(view, i, unit + (size_t)(start + i) * (size_t)width);
    double *variance = deviation != NULL ? deviation + start : NULL;
    fcps_gp_predict(view->model->gp, &view->outputs, block, view->features, &view->work, mean + start, variance);
    for (int i = 0; i < block && variance != NULL; i++)
      variance[i] = view->outputs.scale[0] * sqrt(variance[i]);
  }
}

void fcps_view_gradient(fcps_view *view, const double *unit, double *mean, double *deviation, double *mean_gradient,
                        double *deviation_gradient)
{
  const fcps_model *model = view->model;
  const int dim = model->gp->dim, first = model->context.width;
  double *dmean = view->gradient, *dvariance = view->gradient + dim;
  const double *features = features_of(view, 0, unit);
  fcps_gp_predict_gradient(model->gp, &view->outputs, features, &view->work, mean, deviation, dmean,
                           deviation != NULL ? dvariance : NULL);
  fcps_embed_gradient(&model->parameters, unit, dmean + first, mean_gradient);
  if (deviation == NULL) return;

  // deviation = scale sqrt(variance), so its gradient is scale^2 dvariance / (2 deviation)
  const double scale = view->outputs.scale[0];
  *deviation = scale * sqrt(*deviation);
  for (int d = 0; d < dim; d++)
    dvariance[d] *= scale * scale / (2.0 * *deviation);
  fcps_embed_gradient(&model->parameters, unit, dvariance + first, deviation_gradient);
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
int fcps_view_rows(const fcps_view *view)
{
  return view->outputs.count;
}
int fcps_view_dim(const fcps_view *view)
{
  return view->model->gp->dim;
}
int fcps_view_parameters(const fcps_view *view)
{
  return view->model->parameters.count;
}
const bool *fcps_view_wraps(const fcps_view *view)
{
  return view->wraps;
}
