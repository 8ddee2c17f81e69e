/* SPDX-License-Identifier: Apache-2.0 */
/* Beyond moments: expected utilities, and rewards drawn jointly. */
#include "base/memory.h"
#include "gp/joint.h"
#include "model/composite/ensemble.h"
#include "model/composite/per_output.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

static void scale_by_chances(fcps_posterior *posterior, int count, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] *= posterior->chances[i];
}

/* By nodes; a trial that fails or has no outcome is worth nothing. */
static void expect_of_outcomes(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                               double *values)
{
  for (int i = 0; i < count; i++)
    fcps_posterior_features(posterior, i, x + (size_t)i * (size_t)posterior->model->parameters.count);
  const fcps_outcomes outcomes = fcps_posterior_outcomes(posterior, count, x);
  fcps_posterior_note(posterior, fcps_expected_reward_utility(posterior->expected_reward, &outcomes, utility, values,
                                                              posterior->error));
  if (fcps_posterior_presence(posterior, count, x)) scale_by_chances(posterior, count, values);
  if (fcps_posterior_feasibility(posterior, count, x)) scale_by_chances(posterior, count, values);
}

void fcps_posterior_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                           double *values)
{
  if (posterior->next != NULL) {
    fcps_ensemble_expect(posterior, utility, count, x, values);
    return;
  }
  const size_t width = (size_t)posterior->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    const double *from = x + (size_t)start * width;
    if (posterior->expected_reward != NULL) {
      expect_of_outcomes(posterior, utility, block, from, values + start);
      continue;
    }
    fcps_posterior_moments(posterior, block, from, values + start, posterior->variances);
    for (int i = 0; i < block; i++)
      values[start + i] = utility->of_gaussian(utility->user, values[start + i], posterior->variances[i], NULL, NULL);
  }
}

/* value and gradient := p value, with the slope of p (NULL: none). */
static void scale_slope(int n, double p, const double *slope, double *value, double *gradient)
{
  for (int d = 0; d < n; d++)
    gradient[d] = p * gradient[d] + (slope != NULL ? *value * slope[d] : 0.0);
  *value *= p;
}

double fcps_posterior_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                      double *gradient)
{
  if (posterior->next != NULL) return fcps_ensemble_expect_gradient(posterior, utility, x, gradient);
  const int n = posterior->model->parameters.count;
  double value = 0.0, p;
  if (posterior->expected_reward == NULL) {
    double mean, s, by_mean, by_s, *by_unit = posterior->absent; /* rewards have no absent outcomes: its room is free */
    fcps_posterior_gradient(posterior, x, &mean, &s, gradient, by_unit);
    value = utility->of_gaussian(utility->user, mean, s, &by_mean, &by_s);
    for (int d = 0; d < n; d++)
      gradient[d] = by_mean * gradient[d] + by_s * by_unit[d];
    return value;
  }
  const fcps_outcome_slope at = fcps_posterior_outcome_slope(posterior, x);
  fcps_posterior_note(posterior, fcps_expected_reward_utility_gradient(posterior->expected_reward, &at, utility, &value,
                                                                       gradient, posterior->error));
  if (fcps_posterior_presence(posterior, 1, x)) {
    const double *slope = fcps_posterior_presence_gradient(posterior, x, &p);
    scale_slope(n, p, slope, &value, gradient);
  }
  if (posterior->parent->feasibility != NULL) {
    const double *slope = fcps_posterior_feasibility_gradient(posterior, x, &p);
    scale_slope(n, p, slope, &value, gradient);
  }
  return value;
}

/* The row of the evidence whose parameters have the largest mean, -1 for none. */
static int best_row(fcps_posterior *posterior, double *best)
{
  const fcps_model *model = posterior->model;
  double *x = posterior->slopes, mean;
  int row = -1;
  *best = -INFINITY;
  for (int i = 0; i < model->training.count; i++) {
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, i), x);
    fcps_posterior_moments(posterior, 1, x, &mean, NULL);
    if (mean > *best) row = i;
    *best = fmax(*best, mean);
  }
  return row;
}

double fcps_posterior_incumbent(fcps_posterior *posterior)
{
  double best;
  return best_row(posterior, &best) >= 0 ? best : posterior->reward_range.worst;
}

bool fcps_posterior_best_tried(fcps_posterior *posterior, double *x)
{
  const fcps_model *model = posterior->model;
  double best;
  const int row = best_row(posterior, &best);
  if (row >= 0) fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, row), x);
  return row >= 0;
}

/* Draws of every output, one column an output, turned into rows of outcomes. */
static fcps_status draw_outputs(fcps_posterior *posterior, int count, const double *features, const double *normals,
                                double *column, double *rows)
{
  const int q = posterior->outputs.outputs;
  for (int o = 0; o < q; o++) {
    const int part = fcps_model_gp_count(posterior->model) > 1 ? o : 0;
    const fcps_gp_outputs outputs = fcps_per_output_outputs(posterior->model, &posterior->outputs, part);
    const fcps_status status = fcps_gp_draw(fcps_model_gp(posterior->model, part), &outputs, o - part, count, features,
                                            1, normals + (size_t)o * (size_t)count, column);
    if (status != FCPS_OK) return status;
    for (int i = 0; i < count; i++)
      rows[(size_t)i * (size_t)q + (size_t)o] = column[i];
  }
  return FCPS_OK;
}

/* Doubts as in prediction: towards what the trial earns otherwise. */
static void doubt(fcps_posterior *posterior, int count, const double *x, double *rewards)
{
  const size_t width = (size_t)posterior->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    fcps_failure_penalty(posterior, block, x + (size_t)start * width, rewards + start, NULL);
  }
}

fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards)
{
  const fcps_model *model = posterior->model;
  const size_t n = (size_t)count, dim = (size_t)model->gp->dim, p = (size_t)model->parameters.count;
  double *features = fcps_allocate(n * dim + n * (size_t)posterior->outputs.outputs, sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    memcpy(features + i * dim, fcps_posterior_features(posterior, 0, x + i * p), dim * sizeof(double));
  double *rows = features + n * dim;
  fcps_status status = draw_outputs(posterior, count, features, normals, rewards, rows);
  if (status == FCPS_OK && posterior->expected_reward != NULL)
    status = fcps_expected_reward_exact(posterior->expected_reward, count, x, rows, rewards, posterior->error);
  if (status == FCPS_OK) doubt(posterior, count, x, rewards);
  free(features);
  return status == FCPS_OK ? posterior->failure : status;
}
