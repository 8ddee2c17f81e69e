/* SPDX-License-Identifier: Apache-2.0 */
/* The chances of a trial in a view's context: that there is an outcome, that it does not fail. */
#include "model/feasibility/label_classifier.h"
#include "model/posterior/posterior_impl.h"
#include "problem/problem.h"
#include "space/space.h"

#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

/* The inputs of chances, as rows: features of the environment, then of the parameters; the target is none of them. */
static void fill_chance_features(fcps_posterior *posterior, int count, const double *x)
{
  const fcps_model *model = posterior->parent;
  const int dim = fcps_model_feasibility_dim(model), first = dim - model->parameters.width;
  for (int i = 0; i < count; i++) {
    double *features = posterior->chance_features + (size_t)i * (size_t)dim;
    memcpy(features, posterior->context, (size_t)first * sizeof(double));
    fcps_embed(&model->parameters, x + (size_t)i * (size_t)model->parameters.count, features + first);
  }
}

/* view->chances by the problem's own rule. */
static void ask_rule(fcps_posterior *posterior, int count, const double *x)
{
  const fcps_problem *problem = posterior->parent->problem;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  double *environments = posterior->row, *parameters = posterior->row + e * PASS;
  for (size_t i = 0; i < (size_t)count; i++) {
    if (e > 0) memcpy(environments + i * e, posterior->environment, e * sizeof(double));
    fcps_space_from_unit(&problem->parameters, x + i * p, parameters + i * p);
  }
  fcps_posterior_note(posterior, fcps_problem_ask_presence(problem, count, environments, parameters, posterior->rule,
                                                           posterior->error));
  for (int i = 0; i < count; i++)
    posterior->chances[i] = posterior->rule[i] ? 1.0 : 0.0;
}

bool fcps_posterior_presence(fcps_posterior *posterior, int count, const double *x)
{
  const fcps_model *model = posterior->parent;
  if (posterior->expected_reward == NULL) return false;
  if (model->problem->presence != NULL) {
    ask_rule(posterior, count, x);
    return true;
  }
  if (model->present == NULL) return false;
  if (model->is_presence_of_environment) {
    fcps_label_classifier_predict(model->present, 1, posterior->context, posterior->chances);
    for (int i = 1; i < count; i++)
      posterior->chances[i] = posterior->chances[0];
  } else {
    fill_chance_features(posterior, count, x);
    fcps_label_classifier_predict(model->present, count, posterior->chance_features, posterior->chances);
  }
  return true;
}

bool fcps_posterior_feasibility(fcps_posterior *posterior, int count, const double *x)
{
  if (posterior->parent->feasibility == NULL) return false;
  fill_chance_features(posterior, count, x);
  fcps_label_classifier_predict(posterior->parent->feasibility, count, posterior->chance_features, posterior->chances);
  return true;
}

void fcps_posterior_weigh_by_feasibility(fcps_posterior *posterior, int count, const double *x, double *values)
{
  const size_t width = (size_t)posterior->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    if (!fcps_posterior_feasibility(posterior, block, x + (size_t)start * width)) return;
    for (int i = 0; i < block; i++)
      values[start + i] *= posterior->chances[i];
  }
}

/* A chance at one point with its gradient in the parameters (view->chance_gradient, after the features). */
static const double *chance_slope(fcps_posterior *posterior, fcps_label_classifier *chance, const double *x, double *p)
{
  const fcps_model *model = posterior->parent;
  const int dim = fcps_model_feasibility_dim(model);
  double *slope = posterior->chance_gradient + dim;
  fill_chance_features(posterior, 1, x);
  fcps_label_classifier_gradient(chance, posterior->chance_features, p, posterior->chance_gradient);
  fcps_embed_gradient(&model->parameters, x, posterior->chance_gradient + dim - model->parameters.width, slope);
  return slope;
}

const double *fcps_posterior_presence_gradient(fcps_posterior *posterior, const double *x, double *p)
{
  const fcps_model *model = posterior->parent;
  if (model->problem->presence == NULL && !model->is_presence_of_environment)
    return chance_slope(posterior, model->present, x, p);
  *p = posterior->chances[0];
  return NULL;
}

const double *fcps_posterior_feasibility_gradient(fcps_posterior *posterior, const double *x, double *p)
{
  return chance_slope(posterior, posterior->parent->feasibility, x, p);
}
