/* SPDX-License-Identifier: Apache-2.0 */
/* What a view answers: predictions and their slopes, weighed by what may go wrong (view_weigh.c). */
#include "model/composite/ensemble.h"
#include "model/composite/per_output.h"
#include "space/space.h"

#include <math.h>
#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

void fcps_posterior_note(fcps_posterior *posterior, fcps_status status)
{
  if (posterior->failure == FCPS_OK) posterior->failure = status;
}

/* Row `row` of view->features: the context's, then those of the parameters. */
double *fcps_posterior_features(fcps_posterior *posterior, int row, const double *x)
{
  const fcps_model *model = posterior->model;
  double *features = posterior->features + (size_t)row * (size_t)model->gp->dim;
  memcpy(features, posterior->context, (size_t)model->context.width * sizeof(double));
  fcps_embed(&model->parameters, x, features + model->context.width);
  return features;
}

/* -- Prediction -- */

/* Outcomes of a block, in view->means and view->variances. */
fcps_outcomes fcps_posterior_outcomes(fcps_posterior *posterior, int count, const double *x)
{
  const fcps_gp_query query = {
      .count = count, .points = posterior->features, .mean = posterior->means, .variance = posterior->variances};
  fcps_per_output_predict(posterior->model, &posterior->outputs, &query, &posterior->work);
  return (fcps_outcomes){count, x, posterior->means, posterior->variances, fcps_model_gp_count(posterior->model)};
}

static void to_deviations(const fcps_posterior *posterior, int count, double *variances)
{
  for (int i = 0; i < count; i++)
    variances[i] = posterior->outputs.scale[0] * sqrt(variances[i]);
}

static void predict_block(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  if (posterior->expected_reward == NULL) {
    const fcps_gp_query query = {.count = count, .points = posterior->features, .mean = mean, .variance = deviation};
    fcps_gp_predict(posterior->model->gp, &posterior->outputs, &query, &posterior->work);
    if (deviation != NULL) to_deviations(posterior, count, deviation);
  } else {
    const fcps_outcomes outcomes = fcps_posterior_outcomes(posterior, count, x);
    fcps_posterior_note(posterior, fcps_expected_reward_moments(posterior->expected_reward, &outcomes, mean, deviation,
                                                                posterior->error));
  }
}

static void bound_block(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  (void)x;
  const fcps_gp_query query = {.count = count,
                               .points = posterior->features,
                               .variance_kind = FCPS_VARIANCE_BOUND,
                               .mean = mean,
                               .variance = deviation};
  fcps_gp_predict(posterior->model->gp, &posterior->outputs, &query, &posterior->work);
  to_deviations(posterior, count, deviation);
}

/* Answers block by block, then weighs. */
static void in_blocks(fcps_posterior *posterior,
                      void (*answer)(fcps_posterior *, int, const double *, double *, double *), int count,
                      const double *x, double *mean, double *deviation)
{
  const size_t width = (size_t)posterior->model->parameters.count;
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    const double *points = x + (size_t)start * width;
    double *block_deviation = deviation != NULL ? deviation + start : NULL;
    for (int i = 0; i < block; i++)
      fcps_posterior_features(posterior, i, points + (size_t)i * width);
    answer(posterior, block, points, mean + start, block_deviation);
    fcps_failure_penalty(posterior, block, points, mean + start, block_deviation);
  }
}

void fcps_posterior_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  if (posterior->next != NULL)
    fcps_ensemble_predict(posterior, count, x, mean, deviation);
  else
    in_blocks(posterior, predict_block, count, x, mean, deviation);
}

bool fcps_posterior_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  if (posterior->expected_reward != NULL || posterior->next != NULL) return false;
  in_blocks(posterior, bound_block, count, x, mean, deviation);
  return true;
}

bool fcps_posterior_outcome(fcps_posterior *posterior, const double *x, double *mean, double *deviation)
{
  if (posterior->expected_reward == NULL) return false;
  fcps_posterior_features(posterior, 0, x);
  fcps_posterior_outcomes(posterior, 1, x);
  for (int j = 0; j < posterior->outputs.outputs; j++) {
    if (mean != NULL) mean[j] = fcps_dimension_clip(posterior->model->problem->outcome.dims + j, posterior->means[j]);
    const int part = fcps_model_gp_count(posterior->model) > 1 ? j : 0;
    if (deviation != NULL) deviation[j] = posterior->outputs.scale[j] * sqrt(posterior->variances[part]);
  }
  return true;
}

/* -- Gradients -- */

/* Gradients of the variances with respect to features: behind those of all outputs. */
static double *variance_gradients(const fcps_posterior *posterior)
{
  return posterior->gradient +
         (size_t)FCPS_POSTERIOR_GRADIENTS * (size_t)posterior->outputs.outputs * (size_t)posterior->model->gp->dim;
}

/* Asks for all outputs at `count` <= FCPS_POSTERIOR_GRADIENTS points, with gradients with respect to features. */
static void ask_gradients(fcps_posterior *posterior, int count, const double *x, bool with_variances)
{
  const fcps_model *model = posterior->model;
  const fcps_gp_query query = {.count = count,
                               .points = posterior->features,
                               .mean = posterior->means,
                               .variance = with_variances ? posterior->variances : NULL,
                               .mean_gradient = posterior->gradient,
                               .variance_gradient = with_variances ? variance_gradients(posterior) : NULL};
  for (int i = 0; i < count; i++)
    fcps_posterior_features(posterior, i, x + (size_t)i * (size_t)model->parameters.count);
  fcps_per_output_predict(model, &posterior->outputs, &query, &posterior->work);
}

/* posterior->slopes := gradients in the parameters at point `index` of the last question: outputs x parameters, then the
 * variances' where `with_variances`. */
static void outputs_slope(fcps_posterior *posterior, int index, const double *x, bool with_variances)
{
  const fcps_model *model = posterior->model;
  const int dim = model->gp->dim, first = model->context.width, p = model->parameters.count;
  const int width = posterior->outputs.outputs, parts = with_variances ? fcps_model_gp_count(model) : 0;
  const double *by_feature = posterior->gradient + (size_t)index * (size_t)(width * dim);
  for (int o = 0; o < width; o++)
    fcps_embed_gradient(&model->parameters, x, by_feature + o * dim + first, posterior->slopes + o * p);
  by_feature = variance_gradients(posterior) + (size_t)index * (size_t)(parts * dim);
  for (int i = 0; i < parts; i++)
    fcps_embed_gradient(&model->parameters, x, by_feature + i * dim + first, posterior->slopes + (width + i) * p);
}

/* Reward outputs: deviation = scale sqrt(variance), so its gradient is scale^2 dvariance / (2 deviation). */
static void reward_slope(fcps_posterior *posterior, int index, const double *x, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  const int p = posterior->model->parameters.count;
  const double scale = posterior->outputs.scale[0];
  outputs_slope(posterior, index, x, deviation != NULL);
  *mean = posterior->means[index];
  memcpy(mean_gradient, posterior->slopes, (size_t)p * sizeof(double));
  if (deviation == NULL) return;
  *deviation = scale * sqrt(posterior->variances[index]);
  for (int d = 0; d < p; d++)
    deviation_gradient[d] = scale * scale / (2.0 * *deviation) * posterior->slopes[p + d];
}

static fcps_outcome_slope outcome_slope(fcps_posterior *posterior, int index, const double *x)
{
  const int q = posterior->outputs.outputs, parts = fcps_model_gp_count(posterior->model);
  outputs_slope(posterior, index, x, true);
  return (fcps_outcome_slope){.x = x,
                              .mean = posterior->means + index * q,
                              .variances = posterior->variances + index * parts,
                              .mean_gradients = posterior->slopes,
                              .variance_gradients = posterior->slopes + q * posterior->model->parameters.count,
                              .parts = parts};
}

fcps_outcome_slope fcps_posterior_outcome_slope(fcps_posterior *posterior, const double *x)
{
  ask_gradients(posterior, 1, x, true);
  return outcome_slope(posterior, 0, x);
}

/* The answer for point `index` of the last question. */
static void answer_slope(fcps_posterior *posterior, int index, const double *x, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  double unused;
  if (posterior->expected_reward == NULL) {
    reward_slope(posterior, index, x, mean, deviation, mean_gradient, deviation_gradient);
  } else {
    const fcps_outcome_slope at = outcome_slope(posterior, index, x);
    fcps_posterior_note(posterior, fcps_expected_reward_gradient(posterior->expected_reward, &at, mean,
                                                                 deviation != NULL ? deviation : &unused, mean_gradient,
                                                                 deviation_gradient, posterior->error));
  }
  fcps_failure_penalty_gradient(posterior, x, mean, deviation, mean_gradient, deviation_gradient);
}

void fcps_posterior_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient)
{
  if (posterior->next != NULL) {
    fcps_ensemble_gradient(posterior, x, mean, deviation, mean_gradient, deviation_gradient);
    return;
  }
  ask_gradients(posterior, 1, x, deviation != NULL || posterior->expected_reward != NULL);
  answer_slope(posterior, 0, x, mean, deviation, mean_gradient, deviation_gradient);
}

void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient)
{
  const size_t n = (size_t)posterior->model->parameters.count;
  const int pass = posterior->next == NULL ? FCPS_POSTERIOR_GRADIENTS : 1;
  for (int i = 0; i < count; i++) {
    const double *point = x + (size_t)i * n;
    double *deviation_i = deviation != NULL ? deviation + i : NULL, *mean_slope = mean_gradient + (size_t)i * n;
    double *deviation_slope = deviation_gradient != NULL ? deviation_gradient + (size_t)i * n : NULL;
    if (pass == 1) {
      fcps_posterior_gradient(posterior, point, mean + i, deviation_i, mean_slope, deviation_slope);
      continue;
    }
    if (i % pass == 0)
      ask_gradients(posterior, count - i < pass ? count - i : pass, point,
                    deviation != NULL || posterior->expected_reward != NULL);
    answer_slope(posterior, i % pass, point, mean + i, deviation_i, mean_slope, deviation_slope);
  }
}
