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
  fcps_per_output_predict(posterior->model, &posterior->outputs, count, posterior->features, &posterior->work,
                          posterior->means, posterior->variances);
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
    fcps_gp_predict(posterior->model->gp, &posterior->outputs, count, posterior->features, &posterior->work, mean,
                    deviation);
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
  fcps_gp_predict_bound(posterior->model->gp, &posterior->outputs, count, posterior->features, &posterior->work, mean,
                        deviation);
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

/* Looks at `count` points at once; then each of them can be asked about. */
static void look(fcps_posterior *posterior, int count, const double *x, bool with_variances)
{
  const fcps_model *model = posterior->model;
  for (int i = 0; i < count; i++)
    fcps_posterior_features(posterior, i, x + (size_t)i * (size_t)model->parameters.count);
  fcps_per_output_prefetch(model, &posterior->outputs, count, posterior->features, with_variances, &posterior->work);
}

/* Posterior of all outputs at the point of place `place`, with slopes in the parameters: view->means, view->variances
 * (one a part), and view->slopes (outputs x parameters, then the variances' where `with_variances`). */
static void outputs_slope(fcps_posterior *posterior, int place, const double *x, bool with_variances)
{
  const fcps_model *model = posterior->model;
  const int dim = model->gp->dim, first = model->context.width, width = posterior->outputs.outputs;
  const int p = model->parameters.count, rows = width + (with_variances ? fcps_model_gp_count(model) : 0);
  fcps_per_output_gradient(model, &posterior->outputs, place, posterior->features + (size_t)place * (size_t)dim,
                           &posterior->work, posterior->means, with_variances ? posterior->variances : NULL,
                           posterior->gradient, with_variances ? posterior->gradient + width * dim : NULL);
  for (int o = 0; o < rows; o++)
    fcps_embed_gradient(&model->parameters, x, posterior->gradient + o * dim + first, posterior->slopes + o * p);
}

/* Reward outputs: deviation = scale sqrt(variance), so its gradient is scale^2 dvariance / (2 deviation). */
static void reward_slope(fcps_posterior *posterior, int place, const double *x, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  const int p = posterior->model->parameters.count;
  const double scale = posterior->outputs.scale[0];
  outputs_slope(posterior, place, x, deviation != NULL);
  *mean = posterior->means[0];
  memcpy(mean_gradient, posterior->slopes, (size_t)p * sizeof(double));
  if (deviation == NULL) return;
  *deviation = scale * sqrt(posterior->variances[0]);
  for (int d = 0; d < p; d++)
    deviation_gradient[d] = scale * scale / (2.0 * *deviation) * posterior->slopes[p + d];
}

static fcps_outcome_slope outcome_slope(fcps_posterior *posterior, int place, const double *x)
{
  outputs_slope(posterior, place, x, true);
  return (fcps_outcome_slope){.x = x,
                              .mean = posterior->means,
                              .variances = posterior->variances,
                              .mean_gradients = posterior->slopes,
                              .variance_gradients =
                                  posterior->slopes + posterior->outputs.outputs * posterior->model->parameters.count,
                              .parts = fcps_model_gp_count(posterior->model)};
}

fcps_outcome_slope fcps_posterior_outcome_slope(fcps_posterior *posterior, const double *x)
{
  look(posterior, 1, x, true);
  return outcome_slope(posterior, 0, x);
}

/* The answer for the point of place `place` in the last look. */
static void answer_slope(fcps_posterior *posterior, int place, const double *x, double *mean, double *deviation,
                         double *mean_gradient, double *deviation_gradient)
{
  double unused;
  if (posterior->expected_reward == NULL) {
    reward_slope(posterior, place, x, mean, deviation, mean_gradient, deviation_gradient);
  } else {
    const fcps_outcome_slope at = outcome_slope(posterior, place, x);
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
  look(posterior, 1, x, deviation != NULL || posterior->expected_reward != NULL);
  answer_slope(posterior, 0, x, mean, deviation, mean_gradient, deviation_gradient);
}

void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient)
{
  const size_t n = (size_t)posterior->model->parameters.count;
  const int crowd = posterior->next == NULL ? fcps_per_output_prefetch_count(posterior->model, &posterior->work) : 1;
  for (int i = 0; i < count; i++) {
    const double *point = x + (size_t)i * n;
    double *deviation_i = deviation != NULL ? deviation + i : NULL, *mean_slope = mean_gradient + (size_t)i * n;
    double *deviation_slope = deviation_gradient != NULL ? deviation_gradient + (size_t)i * n : NULL;
    if (crowd == 1) {
      fcps_posterior_gradient(posterior, point, mean + i, deviation_i, mean_slope, deviation_slope);
      continue;
    }
    if (i % crowd == 0)
      look(posterior, count - i < crowd ? count - i : crowd, point,
           deviation != NULL || posterior->expected_reward != NULL);
    answer_slope(posterior, i % crowd, point, mean + i, deviation_i, mean_slope, deviation_slope);
  }
}
