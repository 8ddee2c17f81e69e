/* SPDX-License-Identifier: Apache-2.0 */
/* What a view answers: predictions and their slopes, weighed by what may go wrong (view_weigh.c). */
#include "model/chain.h"
#include "model/parts.h"
#include "space/space.h"

#include <math.h>
#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

void fcps_view_note(fcps_view *view, fcps_status status)
{
  if (view->failure == FCPS_OK) view->failure = status;
}

/* Row `row` of view->features: the context's, then those of the parameters. */
double *fcps_view_features(fcps_view *view, int row, const double *unit)
{
  const fcps_model *model = view->model;
  double *features = view->features + (size_t)row * (size_t)model->gp->dim;
  memcpy(features, view->context, (size_t)model->context.width * sizeof(double));
  fcps_embed(&model->parameters, unit, features + model->context.width);
  return features;
}

/* ------------------------------------------------------------------------------------------------- prediction */

/* Outcomes of a block, in view->means and view->variances. */
fcps_outcomes fcps_view_outcomes(fcps_view *view, int count, const double *unit)
{
  fcps_parts_predict(view->model, &view->outputs, count, view->features, &view->work, view->means, view->variances);
  return (fcps_outcomes){count, unit, view->means, view->variances, fcps_model_parts(view->model)};
}

static void to_deviations(const fcps_view *view, int count, double *variances)
{
  for (int i = 0; i < count; i++)
    variances[i] = view->outputs.scale[0] * sqrt(variances[i]);
}

static void predict_block(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  if (view->scoring == NULL) {
    fcps_gp_predict(view->model->gp, &view->outputs, count, view->features, &view->work, mean, deviation);
    if (deviation != NULL) to_deviations(view, count, deviation);
  } else {
    const fcps_outcomes outcomes = fcps_view_outcomes(view, count, unit);
    fcps_view_note(view, fcps_scoring_moments(view->scoring, &outcomes, mean, deviation, view->error));
  }
}

static void bound_block(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  (void)unit;
  fcps_gp_predict_bound(view->model->gp, &view->outputs, count, view->features, &view->work, mean, deviation);
  to_deviations(view, count, deviation);
}

/* Answers block by block, then weighs. */
static void in_blocks(fcps_view *view, void (*answer)(fcps_view *, int, const double *, double *, double *), int count,
                      const double *unit, double *mean, double *deviation)
{
  const size_t width = (size_t)view->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    const double *points = unit + (size_t)start * width;
    double *block_deviation = deviation != NULL ? deviation + start : NULL;
    for (int i = 0; i < block; i++)
      fcps_view_features(view, i, points + (size_t)i * width);
    answer(view, block, points, mean + start, block_deviation);
    fcps_view_weigh(view, block, points, mean + start, block_deviation);
  }
}

void fcps_view_predict(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  if (view->next != NULL)
    fcps_mixture_predict(view, count, unit, mean, deviation);
  else
    in_blocks(view, predict_block, count, unit, mean, deviation);
}

bool fcps_view_bound(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  if (view->scoring != NULL || view->next != NULL) return false;
  in_blocks(view, bound_block, count, unit, mean, deviation);
  return true;
}

bool fcps_view_outcome(fcps_view *view, const double *unit, double *mean, double *deviation)
{
  if (view->scoring == NULL) return false;
  fcps_view_features(view, 0, unit);
  fcps_view_outcomes(view, 1, unit);
  for (int j = 0; j < view->outputs.outputs; j++) {
    if (mean != NULL) mean[j] = fcps_dimension_clip(view->model->problem->outcome.dims + j, view->means[j]);
    const int part = fcps_model_parts(view->model) > 1 ? j : 0;
    if (deviation != NULL) deviation[j] = view->outputs.scale[j] * sqrt(view->variances[part]);
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------- gradients */

/* Looks at `count` points at once; then each of them can be asked about. */
static void look(fcps_view *view, int count, const double *unit, bool with_variances)
{
  const fcps_model *model = view->model;
  for (int i = 0; i < count; i++)
    fcps_view_features(view, i, unit + (size_t)i * (size_t)model->parameters.count);
  fcps_parts_look(model, &view->outputs, count, view->features, with_variances, &view->work);
}

/* Posterior of all outputs at the point of place `place`, with slopes in the parameters: view->means, view->variances
 * (one a part), and view->slopes (outputs x parameters, then the variances' where `with_variances`). */
static void outputs_slope(fcps_view *view, int place, const double *unit, bool with_variances)
{
  const fcps_model *model = view->model;
  const int dim = model->gp->dim, first = model->context.width, width = view->outputs.outputs;
  const int p = model->parameters.count, rows = width + (with_variances ? fcps_model_parts(model) : 0);
  fcps_parts_gradient(model, &view->outputs, place, view->features + (size_t)place * (size_t)dim, &view->work,
                      view->means, with_variances ? view->variances : NULL, view->gradient,
                      with_variances ? view->gradient + width * dim : NULL);
  for (int o = 0; o < rows; o++)
    fcps_embed_gradient(&model->parameters, unit, view->gradient + o * dim + first, view->slopes + o * p);
}

/* Reward outputs: deviation = scale sqrt(variance), so its gradient is scale^2 dvariance / (2 deviation). */
static void reward_slope(fcps_view *view, int place, const double *unit, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  const int p = view->model->parameters.count;
  const double scale = view->outputs.scale[0];
  outputs_slope(view, place, unit, deviation != NULL);
  *mean = view->means[0];
  memcpy(mean_gradient, view->slopes, (size_t)p * sizeof(double));
  if (deviation == NULL) return;
  *deviation = scale * sqrt(view->variances[0]);
  for (int d = 0; d < p; d++)
    deviation_gradient[d] = scale * scale / (2.0 * *deviation) * view->slopes[p + d];
}

static fcps_outcome_slope outcome_slope(fcps_view *view, int place, const double *unit)
{
  outputs_slope(view, place, unit, true);
  return (fcps_outcome_slope){.unit = unit,
                              .mean = view->means,
                              .variances = view->variances,
                              .mean_gradients = view->slopes,
                              .variance_gradients =
                                  view->slopes + view->outputs.outputs * view->model->parameters.count,
                              .parts = fcps_model_parts(view->model)};
}

fcps_outcome_slope fcps_view_outcome_slope(fcps_view *view, const double *unit)
{
  look(view, 1, unit, true);
  return outcome_slope(view, 0, unit);
}

/* The answer for the point of place `place` in the last look. */
static void answer_slope(fcps_view *view, int place, const double *unit, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  double unused;
  if (view->scoring == NULL) {
    reward_slope(view, place, unit, mean, deviation, mean_gradient, deviation_gradient);
  } else {
    const fcps_outcome_slope at = outcome_slope(view, place, unit);
    fcps_view_note(view, fcps_scoring_gradient(view->scoring, &at, mean, deviation != NULL ? deviation : &unused,
                                               mean_gradient, deviation_gradient, view->error));
  }
  fcps_view_weigh_slope(view, unit, mean, deviation, mean_gradient, deviation_gradient);
}

void fcps_view_gradient(fcps_view *view, const double *unit, double *mean, double *deviation, double *mean_gradient,
                        double *deviation_gradient)
{
  if (view->next != NULL) {
    fcps_mixture_gradient(view, unit, mean, deviation, mean_gradient, deviation_gradient);
    return;
  }
  look(view, 1, unit, deviation != NULL || view->scoring != NULL);
  answer_slope(view, 0, unit, mean, deviation, mean_gradient, deviation_gradient);
}

void fcps_view_gradients(fcps_view *view, int count, const double *unit, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  const size_t n = (size_t)view->model->parameters.count;
  const int crowd = view->next == NULL ? fcps_parts_crowd(view->model, &view->work) : 1;
  for (int i = 0; i < count; i++) {
    const double *point = unit + (size_t)i * n;
    double *deviation_i = deviation != NULL ? deviation + i : NULL, *mean_slope = mean_gradient + (size_t)i * n;
    double *deviation_slope = deviation_gradient != NULL ? deviation_gradient + (size_t)i * n : NULL;
    if (crowd == 1) {
      fcps_view_gradient(view, point, mean + i, deviation_i, mean_slope, deviation_slope);
      continue;
    }
    if (i % crowd == 0)
      look(view, count - i < crowd ? count - i : crowd, point, deviation != NULL || view->scoring != NULL);
    answer_slope(view, i % crowd, point, mean + i, deviation_i, mean_slope, deviation_slope);
  }
}
