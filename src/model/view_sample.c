/* SPDX-License-Identifier: Apache-2.0 */
/* Beyond moments: expected improvement, and rewards drawn jointly. */
#include "base/memory.h"
#include "model/chain.h"
#include "model/parts.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

/* E max(y - best, 0) for y ~ N(mean, s^2) [mockus1978], and its derivatives in mean and s. */
static double gaussian_improvement(double mean, double s, double best, double *by_mean, double *by_s)
{
  const double z = (mean - best) / s, density = exp(-0.5 * z * z) / 2.5066282746310002;
  const double below = 0.5 * erfc(-z / 1.4142135623730951);
  *by_mean = below;
  *by_s = density;
  return (mean - best) * below + s * density;
}

static void scale_by_chances(fcps_view *view, int count, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] *= view->chances[i];
}

/* Improvements of outcomes by nodes; a trial that fails or has no outcome improves nothing. */
static void improve_outcomes(fcps_view *view, double best, int count, const double *unit, double *values)
{
  for (int i = 0; i < count; i++)
    fcps_view_features(view, i, unit + (size_t)i * (size_t)view->model->parameters.count);
  const fcps_outcomes outcomes = fcps_view_outcomes(view, count, unit);
  fcps_view_note(view, fcps_scoring_improvement(view->scoring, &outcomes, best, values, view->error));
  if (fcps_view_presence(view, count, unit)) scale_by_chances(view, count, values);
  if (fcps_view_feasibility(view, count, unit)) scale_by_chances(view, count, values);
}

void fcps_view_improvement(fcps_view *view, double best, int count, const double *unit, double *values)
{
  if (view->next != NULL) {
    fcps_mixture_improvement(view, best, count, unit, values);
    return;
  }
  const size_t width = (size_t)view->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    const double *from = unit + (size_t)start * width;
    if (view->scoring != NULL) {
      improve_outcomes(view, best, block, from, values + start);
      continue;
    }
    double by_mean, by_s;
    fcps_view_predict(view, block, from, values + start, view->variances);
    for (int i = 0; i < block; i++)
      values[start + i] = gaussian_improvement(values[start + i], view->variances[i], best, &by_mean, &by_s);
  }
}

/* value and gradient := p value, with the slope of p (NULL: none). */
static void scale_slope(int n, double p, const double *slope, double *value, double *gradient)
{
  for (int d = 0; d < n; d++)
    gradient[d] = p * gradient[d] + (slope != NULL ? *value * slope[d] : 0.0);
  *value *= p;
}

double fcps_view_improvement_gradient(fcps_view *view, double best, const double *unit, double *gradient)
{
  if (view->next != NULL) return fcps_mixture_improvement_gradient(view, best, unit, gradient);
  const int n = view->model->parameters.count;
  double value = 0.0, p;
  if (view->scoring == NULL) {
    double mean, s, by_mean, by_s, *by_unit = view->absent; // rewards have no absent outcomes: its room is free
    fcps_view_gradient(view, unit, &mean, &s, gradient, by_unit);
    value = gaussian_improvement(mean, s, best, &by_mean, &by_s);
    for (int d = 0; d < n; d++)
      gradient[d] = by_mean * gradient[d] + by_s * by_unit[d];
    return value;
  }
  const fcps_outcome_slope at = fcps_view_outcome_slope(view, unit);
  fcps_view_note(view, fcps_scoring_improvement_gradient(view->scoring, &at, best, &value, gradient, view->error));
  if (fcps_view_presence(view, 1, unit)) {
    const double *slope = fcps_view_presence_slope(view, unit, &p);
    scale_slope(n, p, slope, &value, gradient);
  }
  if (view->whole->feasible != NULL) {
    const double *slope = fcps_view_feasibility_slope(view, unit, &p);
    scale_slope(n, p, slope, &value, gradient);
  }
  return value;
}

/* The row of the evidence whose parameters have the largest mean, -1 for none. */
static int best_row(fcps_view *view, double *best)
{
  const fcps_model *model = view->model;
  double *unit = view->slopes, mean;
  int row = -1;
  *best = -INFINITY;
  for (int i = 0; i < model->evidence.count; i++) {
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->evidence, i), unit);
    fcps_view_predict(view, 1, unit, &mean, NULL);
    if (mean > *best) row = i;
    *best = fmax(*best, mean);
  }
  return row;
}

double fcps_view_incumbent(fcps_view *view)
{
  double best;
  return best_row(view, &best) >= 0 ? best : view->stakes.worst;
}

bool fcps_view_best_tried(fcps_view *view, double *unit)
{
  const fcps_model *model = view->model;
  double best;
  const int row = best_row(view, &best);
  if (row >= 0) fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->evidence, row), unit);
  return row >= 0;
}

/* Draws of every output, one column an output, turned into rows of outcomes. */
static fcps_status draw_outputs(fcps_view *view, int count, const double *features, const double *normals,
                                double *column, double *rows)
{
  const int q = view->outputs.outputs;
  for (int o = 0; o < q; o++) {
    const int part = fcps_model_parts(view->model) > 1 ? o : 0;
    const fcps_gp_outputs outputs = fcps_part_outputs(view->model, &view->outputs, part);
    const fcps_status status = fcps_gp_draw(fcps_model_part(view->model, part), &outputs, o - part, count, features, 1,
                                            normals + (size_t)o * (size_t)count, column);
    if (status != FCPS_OK) return status;
    for (int i = 0; i < count; i++)
      rows[(size_t)i * (size_t)q + (size_t)o] = column[i];
  }
  return FCPS_OK;
}

/* Doubts as in prediction: towards what the trial earns otherwise. */
static void doubt(fcps_view *view, int count, const double *unit, double *rewards)
{
  const size_t width = (size_t)view->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    fcps_view_weigh(view, block, unit + (size_t)start * width, rewards + start, NULL);
  }
}

fcps_status fcps_view_draw(fcps_view *view, int count, const double *unit, const double *normals, double *rewards)
{
  const fcps_model *model = view->model;
  const size_t n = (size_t)count, dim = (size_t)model->gp->dim, p = (size_t)model->parameters.count;
  double *features = fcps_allocate(n * dim + n * (size_t)view->outputs.outputs, sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    memcpy(features + i * dim, fcps_view_features(view, 0, unit + i * p), dim * sizeof(double));
  double *rows = features + n * dim;
  fcps_status status = draw_outputs(view, count, features, normals, rewards, rows);
  if (status == FCPS_OK && view->scoring != NULL)
    status = fcps_scoring_exact(view->scoring, count, unit, rows, rewards, view->error);
  if (status == FCPS_OK) doubt(view, count, unit, rewards);
  free(features);
  return status == FCPS_OK ? view->failure : status;
}
