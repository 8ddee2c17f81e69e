/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior of a model whose GP predicts rewards (joint, rescored): the reward is Gaussian, with
 *
 *   deviation = scale sqrt(variance),     d deviation = scale^2 d variance/(2 deviation)
 *
 * and a utility has its closed form. */
#include "base/memory.h"
#include "model/posterior/posterior_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reward_posterior {
  fcps_output_posterior outputs;
  fcps_failure_penalty penalty;
  double deviations[FCPS_POSTERIOR_BLOCK]; /* scratch of utilities */
  double *deviation_gradient;              /* the same */
} reward_posterior;

static void destroy(fcps_posterior *posterior)
{
  reward_posterior *r = posterior->state;
  fcps_output_posterior_destroy(&r->outputs);
  fcps_failure_penalty_destroy(&r->penalty);
  free(r->deviation_gradient);
}

static void moments_of_kind(fcps_posterior *posterior, fcps_gp_variance_kind kind, int count, const double *x,
                            double *mean, double *deviation)
{
  reward_posterior *r = posterior->state;
  fcps_output_posterior_embed_all(&r->outputs, count, x);
  fcps_output_posterior_predict(&r->outputs, kind, count, mean, deviation);
  for (int i = 0; i < count && deviation != NULL; i++)
    deviation[i] = r->outputs.outputs.scale[0] * sqrt(deviation[i]);
  fcps_posterior_note(posterior, fcps_failure_penalty_apply(&r->penalty, count, x, mean, deviation));
}

static void moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  moments_of_kind(posterior, FCPS_VARIANCE_EXACT, count, x, mean, deviation);
}

static void bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  moments_of_kind(posterior, FCPS_VARIANCE_BOUND, count, x, mean, deviation);
}

/* Point `index` of the outputs' last question. */
static void answer(fcps_posterior *posterior, int index, const double *x, double *mean, double *deviation,
                   double *mean_gradient, double *deviation_gradient)
{
  reward_posterior *r = posterior->state;
  const fcps_output_posterior *o = &r->outputs;
  const int p = posterior->model->layout.parameters.count;
  const double scale = o->outputs.scale[0], *variance_slopes = fcps_output_posterior_variance_slopes(o);
  fcps_output_posterior_slopes(&r->outputs, index, x, deviation != NULL);
  *mean = o->means[index];
  memcpy(mean_gradient, o->slopes, (size_t)p * sizeof(double));
  if (deviation != NULL) {
    *deviation = scale * sqrt(o->variances[index]);
    for (int d = 0; d < p; d++)
      deviation_gradient[d] = scale * scale / (2.0 * *deviation) * variance_slopes[d];
  }
  fcps_posterior_note(posterior, fcps_failure_penalty_apply_gradient(&r->penalty, x, mean, deviation, mean_gradient,
                                                                     deviation_gradient));
}

static void gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                      double *mean_gradient, double *deviation_gradient)
{
  reward_posterior *r = posterior->state;
  const int p = posterior->model->layout.parameters.count;
  fcps_output_posterior_embed_all(&r->outputs, count, x);
  fcps_output_posterior_gradients(&r->outputs, count, deviation != NULL);
  for (int i = 0; i < count; i++)
    answer(posterior, i, x + i * p, mean + i, deviation != NULL ? deviation + i : NULL, mean_gradient + i * p,
           deviation_gradient != NULL ? deviation_gradient + i * p : NULL);
}

static void expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values)
{
  reward_posterior *r = posterior->state;
  moments(posterior, count, x, values, r->deviations);
  for (int i = 0; i < count; i++)
    values[i] = utility->of_gaussian(utility->user, values[i], r->deviations[i], NULL, NULL);
}

static double expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient)
{
  const reward_posterior *r = posterior->state;
  double mean, deviation, by_mean, by_deviation;
  gradients(posterior, 1, x, &mean, &deviation, gradient, r->deviation_gradient);
  const double value = utility->of_gaussian(utility->user, mean, deviation, &by_mean, &by_deviation);
  for (int d = 0; d < posterior->model->layout.parameters.count; d++)
    gradient[d] = by_mean * gradient[d] + by_deviation * r->deviation_gradient[d];
  return value;
}

static fcps_status draw(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards)
{
  reward_posterior *r = posterior->state;
  const fcps_status status = fcps_output_posterior_draw(&r->outputs, count, x, normals, rewards);
  if (status == FCPS_OK) fcps_posterior_penalize(posterior, count, x, rewards);
  return status == FCPS_OK ? posterior->failure : status;
}

static const fcps_posterior_ops ops = {.moments = moments,
                                       .gradients = gradients,
                                       .expect = expect,
                                       .expect_gradient = expect_gradient,
                                       .draw = draw,
                                       .bound = bound,
                                       .destroy = destroy};

fcps_status fcps_posterior_create_of_rewards(fcps_posterior **posterior, const fcps_model *parent,
                                             const fcps_model *model, const double *target, const double *environment,
                                             fcps_error *error)
{
  fcps_status status = fcps_posterior_begin(posterior, &ops, sizeof(reward_posterior), parent, model, error);
  if (status != FCPS_OK) return status;
  reward_posterior *r = (*posterior)->state;
  fcps_reward_range range;
  (*posterior)->outputs = &r->outputs;
  (*posterior)->penalty = &r->penalty;
  r->deviation_gradient = fcps_allocate((size_t)model->layout.parameters.count, sizeof(double));
  if (r->deviation_gradient == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_output_posterior_create(&r->outputs, model, target, environment, error);
  if (status == FCPS_OK) status = fcps_posterior_find_reward_range(model, target, environment, &range, error);
  if (status == FCPS_OK) status = fcps_posterior_begin_penalty(*posterior, environment, &range, NULL);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_posterior_destroy(*posterior);
  *posterior = NULL;
  return status;
}
