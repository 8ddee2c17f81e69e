/* SPDX-License-Identifier: Apache-2.0 */
/* The chances of a trial in a view's context: that there is an outcome, that it does not fail. */
#include "model/chance.h"
#include "model/view_impl.h"
#include "problem/problem.h"
#include "space/space.h"

#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

/* The inputs of chances, as rows: features of the environment, then of the parameters; the target is none of them. */
static void fill_chance_features(fcps_view *view, int count, const double *unit)
{
  const fcps_model *model = view->whole;
  const int dim = fcps_model_chance_dim(model), first = dim - model->parameters.width;
  for (int i = 0; i < count; i++) {
    double *features = view->chance_features + (size_t)i * (size_t)dim;
    memcpy(features, view->context, (size_t)first * sizeof(double));
    fcps_embed(&model->parameters, unit + (size_t)i * (size_t)model->parameters.count, features + first);
  }
}

/* view->chances by the problem's own rule. */
static void ask_rule(fcps_view *view, int count, const double *unit)
{
  const fcps_problem *problem = view->whole->problem;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  double *environments = view->row, *parameters = view->row + e * PASS;
  for (size_t i = 0; i < (size_t)count; i++) {
    if (e > 0) memcpy(environments + i * e, view->environment, e * sizeof(double));
    fcps_space_from_unit(&problem->parameters, unit + i * p, parameters + i * p);
  }
  fcps_view_note(view, fcps_problem_ask_presence(problem, count, environments, parameters, view->rule, view->error));
  for (int i = 0; i < count; i++)
    view->chances[i] = view->rule[i] ? 1.0 : 0.0;
}

bool fcps_view_presence(fcps_view *view, int count, const double *unit)
{
  const fcps_model *model = view->whole;
  if (view->scoring == NULL) return false;
  if (model->problem->presence != NULL) {
    ask_rule(view, count, unit);
    return true;
  }
  if (model->present == NULL) return false;
  if (model->is_presence_of_environment) {
    fcps_chance_predict(model->present, 1, view->context, view->chances);
    for (int i = 1; i < count; i++)
      view->chances[i] = view->chances[0];
  } else {
    fill_chance_features(view, count, unit);
    fcps_chance_predict(model->present, count, view->chance_features, view->chances);
  }
  return true;
}

bool fcps_view_feasibility(fcps_view *view, int count, const double *unit)
{
  if (view->whole->feasible == NULL) return false;
  fill_chance_features(view, count, unit);
  fcps_chance_predict(view->whole->feasible, count, view->chance_features, view->chances);
  return true;
}

void fcps_view_discount(fcps_view *view, int count, const double *unit, double *values)
{
  const size_t width = (size_t)view->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    if (!fcps_view_feasibility(view, block, unit + (size_t)start * width)) return;
    for (int i = 0; i < block; i++)
      values[start + i] *= view->chances[i];
  }
}

/* A chance at one point with its gradient in the parameters (view->chance_gradient, after the features). */
static const double *chance_slope(fcps_view *view, fcps_chance *chance, const double *unit, double *p)
{
  const fcps_model *model = view->whole;
  const int dim = fcps_model_chance_dim(model);
  double *slope = view->chance_gradient + dim;
  fill_chance_features(view, 1, unit);
  fcps_chance_gradient(chance, view->chance_features, p, view->chance_gradient);
  fcps_embed_gradient(&model->parameters, unit, view->chance_gradient + dim - model->parameters.width, slope);
  return slope;
}

const double *fcps_view_presence_slope(fcps_view *view, const double *unit, double *p)
{
  const fcps_model *model = view->whole;
  if (model->problem->presence == NULL && !model->is_presence_of_environment)
    return chance_slope(view, model->present, unit, p);
  *p = view->chances[0];
  return NULL;
}

const double *fcps_view_feasibility_slope(fcps_view *view, const double *unit, double *p)
{
  return chance_slope(view, view->whole->feasible, unit, p);
}
