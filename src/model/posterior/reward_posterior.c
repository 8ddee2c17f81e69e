/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior of a model whose GP predicts rewards (joint, rescored): the reward is Gaussian, with
 *
 *   deviation = scale sqrt(variance),     d deviation = scale^2 d variance/(2 deviation)
 *
 * and a utility has its closed form. */
#include "model/posterior/posterior_ops.h"

#include <math.h>
#include <string.h>

static void moments_of_kind(fcps_posterior *posterior, fcps_gp_variance_kind kind, int count, const double *x,
                            double *mean, double *deviation)
{
  fcps_output_posterior_embed_all(posterior->outputs, count, x);
  fcps_output_posterior_predict(posterior->outputs, kind, count, mean, deviation);
  for (int i = 0; i < count && deviation != NULL; i++)
    deviation[i] = posterior->outputs->outputs.scale[0] * sqrt(deviation[i]);
  fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, NULL, count, x, mean, deviation));
}

static void moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  moments_of_kind(posterior, FCPS_VARIANCE_EXACT, count, x, mean, deviation);
}

static void bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  moments_of_kind(posterior, FCPS_VARIANCE_BOUND, count, x, mean, deviation);
}

/* Computes the moments with gradients at point `index` of the last prediction. */
static void answer(fcps_posterior *posterior, int index, const double *x, double *mean, double *deviation,
                   double *mean_gradient, double *deviation_gradient)
{
  const fcps_output_posterior *o = posterior->outputs;
  const int p = posterior->model->layout.parameters.count;
  const double scale = o->outputs.scale[0], *variance_slopes = fcps_output_posterior_variance_slopes(o);
  fcps_output_posterior_slopes(posterior->outputs, index, x, deviation != NULL);
  *mean = o->means[index];
  memcpy(mean_gradient, o->slopes, (size_t)p * sizeof(double));
  if (deviation != NULL) {
    *deviation = scale * sqrt(o->variances[index]);
    for (int d = 0; d < p; d++)
      deviation_gradient[d] = scale * scale / (2.0 * *deviation) * variance_slopes[d];
  }
  fcps_posterior_note(posterior, fcps_failure_penalty_apply_gradient(posterior->penalty, NULL, x, mean, deviation,
                                                                     mean_gradient, deviation_gradient));
}

static void gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                      double *mean_gradient, double *deviation_gradient)
{
  const int p = posterior->model->layout.parameters.count;
  fcps_output_posterior_embed_all(posterior->outputs, count, x);
  fcps_output_posterior_gradients(posterior->outputs, count, deviation != NULL);
  for (int i = 0; i < count; i++)
    answer(posterior, i, x + i * p, mean + i, deviation != NULL ? deviation + i : NULL, mean_gradient + i * p,
           deviation_gradient != NULL ? deviation_gradient + i * p : NULL);
}

static void expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values)
{
  double deviations[FCPS_POSTERIOR_BLOCK];
  moments(posterior, count, x, values, deviations);
  for (int i = 0; i < count; i++)
    values[i] = utility->of_gaussian(utility->user, values[i], deviations[i], NULL, NULL);
}

static double expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient)
{
  double mean, deviation, by_mean, by_deviation, deviation_gradient[FCPS_SPACE_MAX];
  gradients(posterior, 1, x, &mean, &deviation, gradient, deviation_gradient);
  const double value = utility->of_gaussian(utility->user, mean, deviation, &by_mean, &by_deviation);
  for (int d = 0; d < posterior->model->layout.parameters.count; d++)
    gradient[d] = by_mean * gradient[d] + by_deviation * deviation_gradient[d];
  return value;
}

static fcps_status draw(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards)
{
  return fcps_output_posterior_draw(posterior->outputs, count, x, normals, rewards);
}

const fcps_posterior_ops fcps_posterior_of_rewards = {.moments = moments,
                                                      .gradients = gradients,
                                                      .expect = expect,
                                                      .expect_gradient = expect_gradient,
                                                      .draw = draw,
                                                      .bound = bound};
