/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior of a model whose GP predicts outcomes: the outcome is Gaussian, and the reward, which is known, is
 * expected exactly (reward/expected_reward.h). A utility is summed over the nodes of the quadrature.
 *
 * Pending trials will tell something, and nobody knows what. So they lower the deviation of a reward, and leave its mean
 * as it is: averaged over all that they may tell, the expected reward is today's. To take the mean with the smaller
 * variance would draw every further trial towards the pending ones, because a reward such as -|miss| is expected to be
 * larger where the outcome is surer.
 *
 * So moments are computed twice, with and without the rows that have no result, from one factorization: the leading
 * block of a factor is the factor of the leading rows. docs/lab/outcome.md compares this with a believer, local
 * penalization and a joint draw. EI, and acquisitions that draw, use the pending rows. */
#include "base/memory.h"
#include "model/posterior/posterior_ops.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct outcome_posterior {
  fcps_output_posterior outputs;
  fcps_failure_penalty penalty;
  fcps_expected_reward *reward;
} outcome_posterior;

static void destroy(fcps_posterior *posterior)
{
  outcome_posterior *o = posterior->state;
  fcps_output_posterior_destroy(&o->outputs);
  fcps_failure_penalty_destroy(&o->penalty);
  fcps_expected_reward_destroy(o->reward);
}

/* -- Contexts -- */

static fcps_status set_environments(fcps_posterior *posterior, int count, const double *environments)
{
  const outcome_posterior *o = posterior->state;
  return fcps_expected_reward_set_environments(o->reward, count, environments, posterior->error);
}

static void select_context(fcps_posterior *posterior, int environment_index, const double *target)
{
  const outcome_posterior *o = posterior->state;
  fcps_expected_reward_select_environment(o->reward, environment_index);
  fcps_expected_reward_set_target(o->reward, target, o->penalty.reward_range.worst);
}

/* -- Questions -- */

/* What was predicted, from point `first` of the last question on. */
static fcps_outcomes predicted(const fcps_posterior *posterior, int first, int count, const double *x)
{
  const outcome_posterior *o = posterior->state;
  const int gps = fcps_model_gp_count(posterior->model);
  return (fcps_outcomes){.count = count,
                         .x = x,
                         .means = o->outputs.means + first * o->outputs.outputs.outputs,
                         .variances = o->outputs.variances + first * gps,
                         .gp_count = gps};
}

static fcps_outcomes predict(fcps_posterior *posterior, int count, const double *x)
{
  outcome_posterior *o = posterior->state;
  fcps_output_posterior_embed_all(&o->outputs, count, x);
  fcps_output_posterior_predict(&o->outputs, FCPS_VARIANCE_EXACT, count, o->outputs.means, o->outputs.variances);
  return predicted(posterior, 0, count, x);
}

/* The expected rewards as if no trial were pending. */
static void means_of_results(fcps_posterior *posterior, int count, const double *x, double *mean)
{
  outcome_posterior *o = posterior->state;
  o->outputs.has_results_only = true;
  const fcps_outcomes outcomes = predict(posterior, count, x);
  o->outputs.has_results_only = false;
  fcps_posterior_note(posterior, fcps_expected_reward_moments(o->reward, &outcomes, mean, NULL, posterior->error));
}

/* The outcome of a trial has noise, so the expected reward is less if it has a kink. The widening for a fit that
 * is too sure belongs to the deviation and does not move the mean. */
void fcps_posterior_reward_moments(fcps_posterior *posterior, int first, int count, const double *x, double *mean,
                                   double *deviation)
{
  outcome_posterior *o = posterior->state;
  double unused[FCPS_POSTERIOR_BLOCK];
  const bool is_trial = o->outputs.widening > 0.0;
  const fcps_outcomes outcomes = predicted(posterior, first, count, x);
  if (is_trial) fcps_output_posterior_add_noise(&o->outputs, first, count);
  fcps_posterior_note(posterior, fcps_expected_reward_moments(o->reward, &outcomes, mean, deviation, posterior->error));
  if (deviation == NULL || !is_trial) return;
  fcps_output_posterior_widen(&o->outputs, first, count);
  fcps_posterior_note(posterior,
                      fcps_expected_reward_moments(o->reward, &outcomes, unused, deviation, posterior->error));
}

static void moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  outcome_posterior *o = posterior->state;
  fcps_expected_reward_set_hopes(o->reward, !o->penalty.view.is_sober);
  predict(posterior, count, x);
  fcps_posterior_reward_moments(posterior, 0, count, x, mean, deviation);
  if (fcps_output_posterior_has_pending(&o->outputs)) means_of_results(posterior, count, x, mean);
  fcps_posterior_note(posterior, fcps_failure_penalty_apply(&o->penalty, count, x, mean, deviation));
}

/* Point `index` of the outputs' last question. */
static fcps_outcome_slope predict_slope(fcps_posterior *posterior, int index, const double *x)
{
  outcome_posterior *o = posterior->state;
  const int gps = fcps_model_gp_count(posterior->model);
  fcps_output_posterior_slopes(&o->outputs, index, x, true);
  return (fcps_outcome_slope){.x = x,
                              .mean = o->outputs.means + index * o->outputs.outputs.outputs,
                              .variances = o->outputs.variances + index * gps,
                              .mean_gradients = o->outputs.slopes,
                              .variance_gradients = fcps_output_posterior_variance_slopes(&o->outputs),
                              .gp_count = gps};
}

/* The moments of the reward at points that are embedded, not yet weighed by the penalty. */
static void reward_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient)
{
  outcome_posterior *o = posterior->state;
  const int p = posterior->model->layout.parameters.count;
  fcps_output_posterior_gradients(&o->outputs, count, true);
  const fcps_outcomes outcomes = predicted(posterior, 0, count, x);
  fcps_posterior_note(posterior, fcps_expected_reward_ahead(o->reward, &outcomes, posterior->error));
  for (int i = 0; i < count; i++) {
    fcps_outcome_slope at = predict_slope(posterior, i, x + i * p);
    at.place = i + 1;
    double unused;
    fcps_posterior_note(
        posterior, fcps_expected_reward_gradient(
                       o->reward, &at, mean + i, deviation != NULL ? deviation + i : &unused, mean_gradient + i * p,
                       deviation_gradient != NULL ? deviation_gradient + i * p : NULL, posterior->error));
  }
}

static void gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                      double *mean_gradient, double *deviation_gradient)
{
  outcome_posterior *o = posterior->state;
  const int p = posterior->model->layout.parameters.count;
  fcps_expected_reward_set_hopes(o->reward, !o->penalty.view.is_sober);
  fcps_output_posterior_embed_all(&o->outputs, count, x);
  reward_gradients(posterior, count, x, mean, deviation, mean_gradient, deviation_gradient);
  if (fcps_output_posterior_has_pending(&o->outputs)) {
    o->outputs.has_results_only = true;
    reward_gradients(posterior, count, x, mean, NULL, mean_gradient, NULL);
    o->outputs.has_results_only = false;
  }
  for (int i = 0; i < count; i++)
    fcps_posterior_note(
        posterior, fcps_failure_penalty_apply_gradient(&o->penalty, x + i * p, mean + i,
                                                       deviation != NULL ? deviation + i : NULL, mean_gradient + i * p,
                                                       deviation_gradient != NULL ? deviation_gradient + i * p : NULL));
}

static void expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values)
{
  outcome_posterior *o = posterior->state;
  const fcps_outcomes outcomes = predict(posterior, count, x);
  fcps_posterior_note(posterior, fcps_expected_reward_utility(o->reward, &outcomes, utility, values, posterior->error));
  fcps_posterior_note(posterior, fcps_failure_penalty_mix(&o->penalty, utility, count, x, values));
  fcps_posterior_note(posterior, fcps_failure_penalty_scale(&o->penalty, count, x, values));
}

static double expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient)
{
  outcome_posterior *o = posterior->state;
  double value = 0.0;
  fcps_output_posterior_embed(&o->outputs, 0, x);
  fcps_output_posterior_gradients(&o->outputs, 1, true);
  const fcps_outcome_slope at = predict_slope(posterior, 0, x);
  fcps_posterior_note(
      posterior, fcps_expected_reward_utility_gradient(o->reward, &at, utility, &value, gradient, posterior->error));
  fcps_posterior_note(posterior, fcps_failure_penalty_mix_gradient(&o->penalty, utility, x, &value, gradient));
  fcps_posterior_note(posterior, fcps_failure_penalty_scale_gradient(&o->penalty, x, &value, gradient));
  return value;
}

static fcps_status draw(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards)
{
  outcome_posterior *o = posterior->state;
  double *outcomes = fcps_allocate((size_t)count * (size_t)o->outputs.outputs.outputs, sizeof(double));
  if (outcomes == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = fcps_output_posterior_draw(&o->outputs, count, x, normals, outcomes);
  if (status == FCPS_OK) status = fcps_expected_reward_exact(o->reward, count, x, outcomes, rewards, posterior->error);
  if (status == FCPS_OK) fcps_posterior_penalize(posterior, count, x, rewards);
  free(outcomes);
  return status == FCPS_OK ? posterior->failure : status;
}

static bool outcome(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  outcome_posterior *o = posterior->state;
  const fcps_outcomes at = predict(posterior, count, x);
  const int q = o->outputs.outputs.outputs;
  if (o->outputs.widening > 0.0) {
    fcps_output_posterior_add_noise(&o->outputs, 0, count);
    fcps_output_posterior_widen(&o->outputs, 0, count);
  }
  for (int i = 0; i < count; i++, mean += q, deviation += q) {
    for (int j = 0; j < q; j++) {
      mean[j] = fcps_dimension_clip(posterior->model->problem->outcome.dims + j, at.means[i * q + j]);
      deviation[j] = o->outputs.outputs.scale[j] * sqrt(at.variances[i * at.gp_count + (at.gp_count > 1 ? j : 0)]);
    }
    fcps_failure_penalty_mix_outcome(&o->penalty, x + i * posterior->model->layout.parameters.count, mean, deviation);
  }
  return true;
}

/* The form of a distance has a value everywhere. */
static bool has_value(fcps_posterior *posterior, const double *x)
{
  const outcome_posterior *o = posterior->state;
  if (fcps_expected_reward_is_closed(o->reward)) return true;
  const fcps_outcomes at = predict(posterior, 1, x);
  bool answer = true;
  fcps_posterior_note(posterior, fcps_expected_reward_has_value(o->reward, x, at.means, &answer, posterior->error));
  return answer;
}

static const fcps_posterior_ops ops = {.moments = moments,
                                       .gradients = gradients,
                                       .expect = expect,
                                       .expect_gradient = expect_gradient,
                                       .draw = draw,
                                       .outcome = outcome,
                                       .has_value = has_value,
                                       .set_environments = set_environments,
                                       .select = select_context,
                                       .destroy = destroy};

fcps_expected_reward *fcps_posterior_expected_reward(const fcps_posterior *posterior)
{
  return posterior->ops == &ops ? ((const outcome_posterior *)posterior->state)->reward : NULL;
}

/* -- Life -- */

/* An outcome that may happen: the mean one, or if the mean of what the GPs see is not an outcome, one that did. */
static void find_typical(const fcps_model *model, const fcps_gp_outputs *outputs, double *typical)
{
  memcpy(typical, outputs->offset, (size_t)outputs->outputs * sizeof(double));
  if (model->description.changes_outputs && model->training.count > 0)
    fcps_layout_outcome(&model->layout, &model->training, 0, typical);
}

/* How outcomes become rewards in the posterior's context, and the penalty there. */
static fcps_status create_reward(fcps_posterior *posterior, const double *target, const double *environment)
{
  outcome_posterior *o = posterior->state;
  fcps_reward_range range;
  fcps_status status =
      fcps_posterior_find_reward_range(posterior->model, target, environment, &range, posterior->error);
  if (status != FCPS_OK) return status;
  /* a closed distance needs the same uncertainty in all directions */
  const fcps_expected_reward_path path =
      fcps_model_gp_count(posterior->model) > 1 ? FCPS_EXPECTED_REWARD_NODES : FCPS_EXPECTED_REWARD_AUTO;
  double typical[FCPS_SPACE_MAX];
  find_typical(posterior->model, &o->outputs.outputs, typical);
  status = fcps_expected_reward_create(&o->reward, posterior->model->problem, target, environment,
                                       o->outputs.outputs.scale, typical, range.worst, path, posterior->error);
  if (status == FCPS_OK) status = fcps_posterior_begin_penalty(posterior, environment, &range, o->reward);
  return status;
}

fcps_status fcps_posterior_create_of_outcomes(fcps_posterior **posterior, const fcps_model *parent,
                                              const fcps_model *model, const double *target, const double *environment,
                                              fcps_error *error)
{
  fcps_status status = fcps_posterior_begin(posterior, &ops, sizeof(outcome_posterior), parent, model, error);
  if (status != FCPS_OK) return status;
  outcome_posterior *o = (*posterior)->state;
  (*posterior)->outputs = &o->outputs;
  (*posterior)->penalty = &o->penalty;
  status = fcps_output_posterior_create(&o->outputs, model, target, environment, error);
  if (status == FCPS_OK) status = create_reward(*posterior, target, environment);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_posterior_destroy(*posterior);
  *posterior = NULL;
  return status;
}
