/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of model: which rollouts they learn from, which outputs their GPs predict, and how predicted outputs become
 * rewards (a posterior in one context). */
#include "base/memory.h"
#include "model/posterior/posterior_ops.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Joint: one GP over (environment, target, parameters) for the reward, as in BO-CPS [metzen2015]. It needs no reward
 * function: it can learn from rewards that are told. -- */

static bool has_reward(const fcps_problem *problem, const fcps_rollout *rollout)
{
  (void)problem;
  return rollout->status == FCPS_ROLLOUT_OK && fcps_rollout_values_usable(1, &rollout->reward);
}

static fcps_status told_rewards(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target, (void)error;
  for (int i = 0; i < model->training.count; i++)
    y[i] = model->training.rewards[i];
  return FCPS_OK;
}

const fcps_model_ops fcps_model_joint = {.name = "joint",
                                         .has_target_inputs = true,
                                         .is_usable = has_reward,
                                         .outputs = told_rewards,
                                         .posterior = &fcps_posterior_of_rewards};

/* -- Rescored: a GP over (environment, parameters) for the reward that each rollout would have earned for the queried
 * target [pinsler2019, Eqs. 4, 5]. The target is not an input, so one factorization serves all targets. -- */

static bool may_be_rescored(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK &&
         (rollout->outcome == NULL || fcps_rollout_values_usable(problem->outcome.count, rollout->outcome));
}

static fcps_status rescored_rewards(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  return fcps_rollouts_rescore(&model->training, model->problem, target, y, error);
}

const fcps_model_ops fcps_model_rescored = {.name = "rescored",
                                            .is_usable = may_be_rescored,
                                            .outputs = rescored_rewards,
                                            .posterior = &fcps_posterior_of_rewards};

/* -- Outcome: a GP over (environment, parameters) for each dimension of the outcome. All dimensions share one
 * factorization and one set of hyper-parameters; with separate=on each has its own. The reward is a known function of
 * the outcome. So a rollout also tells in which direction it missed, and one fit serves all targets. -- */

static bool has_outcome(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->outcome != NULL && may_be_rescored(problem, rollout);
}

static fcps_status seen_outcomes(const fcps_model *model, const double *target, double *y, fcps_error *error)
{
  (void)target, (void)error;
  return fcps_description_outcomes(&model->description, &model->layout, &model->training, model->training.count, y);
}

const fcps_model_ops fcps_model_outcome = {.name = "outcome",
                                           .predicts_outcomes = true,
                                           .is_usable = has_outcome,
                                           .outputs = seen_outcomes,
                                           .posterior = &fcps_posterior_of_outcomes};

/* -- Posteriors of models whose GP predicts rewards (joint, rescored) --
 *
 * The reward is Gaussian, with
 *
 *   deviation = scale sqrt(variance),     d deviation = scale^2 d variance/(2 deviation)
 *
 * and the expected utility has a closed form. */

static void moments_of_kind(fcps_posterior *posterior, fcps_gp_variance_kind kind, int count, const double *x,
                            double *mean, double *deviation)
{
  fcps_output_posterior_embed_all(posterior->outputs, count, x);
  fcps_output_posterior_predict(posterior->outputs, kind, count, mean, deviation);
  for (int i = 0; i < count && deviation != NULL; i++)
    deviation[i] = posterior->outputs->outputs.scale[0] * sqrt(deviation[i]);
  fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, NULL, count, x, mean, deviation));
}

static void gaussian_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  moments_of_kind(posterior, FCPS_VARIANCE_EXACT, count, x, mean, deviation);
}

static void gaussian_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  moments_of_kind(posterior, FCPS_VARIANCE_BOUND, count, x, mean, deviation);
}

/* Computes the moments with gradients at point `index` of the last prediction. */
static void gaussian_answer(fcps_posterior *posterior, int index, const double *x, double *mean, double *deviation,
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

static void gaussian_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                               double *mean_gradient, double *deviation_gradient)
{
  const int p = posterior->model->layout.parameters.count;
  fcps_output_posterior_embed_all(posterior->outputs, count, x);
  fcps_output_posterior_gradients(posterior->outputs, count, deviation != NULL);
  for (int i = 0; i < count; i++)
    gaussian_answer(posterior, i, x + i * p, mean + i, deviation != NULL ? deviation + i : NULL, mean_gradient + i * p,
                    deviation_gradient != NULL ? deviation_gradient + i * p : NULL);
}

static void gaussian_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                            double *values)
{
  double deviations[FCPS_POSTERIOR_BLOCK];
  gaussian_moments(posterior, count, x, values, deviations);
  for (int i = 0; i < count; i++)
    values[i] = utility->of_gaussian(utility->user, values[i], deviations[i], NULL, NULL);
}

static double gaussian_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                       double *gradient)
{
  double mean, deviation, by_mean, by_deviation, deviation_gradient[FCPS_SPACE_MAX];
  gaussian_gradients(posterior, 1, x, &mean, &deviation, gradient, deviation_gradient);
  const double value = utility->of_gaussian(utility->user, mean, deviation, &by_mean, &by_deviation);
  for (int d = 0; d < posterior->model->layout.parameters.count; d++)
    gradient[d] = by_mean * gradient[d] + by_deviation * deviation_gradient[d];
  return value;
}

static fcps_status gaussian_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                 double *rewards)
{
  return fcps_output_posterior_draw(posterior->outputs, count, x, normals, rewards);
}

const fcps_posterior_ops fcps_posterior_of_rewards = {.moments = gaussian_moments,
                                                      .gradients = gaussian_gradients,
                                                      .expect = gaussian_expect,
                                                      .expect_gradient = gaussian_expect_gradient,
                                                      .draw = gaussian_draw,
                                                      .bound = gaussian_bound};

/* -- Posteriors of models whose GP predicts outcomes --
 *
 * The outcome is Gaussian, and reward/expected_reward.h computes the expectation of its reward, a known function. A
 * utility is summed over the nodes of the quadrature.
 *
 * The results of pending trials are not known yet. So these trials lower the deviation of a reward and do not change
 * its mean: averaged over all results that they may have, the expected reward is the present one. A mean computed with
 * the smaller variance would draw every further trial towards the pending ones, because the expectation of a reward
 * such as -|miss| is larger if the outcome is more certain.
 *
 * So moments are computed twice, with and without the pending rows, from one factorization: the leading block of a
 * factor is the factor of the leading rows. docs/lab/outcome.md compares this with a believer, local penalization and a
 * joint draw. EI, and acquisitions that draw samples, always use the pending rows. */

/* Returns the outcomes of the last prediction, from point `first` on. */
static fcps_outcomes predicted(const fcps_posterior *posterior, int first, int count, const double *x)
{
  const fcps_output_posterior *o = posterior->outputs;
  const int gps = fcps_model_gp_count(posterior->model);
  return (fcps_outcomes){.count = count,
                         .x = x,
                         .means = o->means + first * o->outputs.outputs,
                         .variances = o->variances + first * gps,
                         .gp_count = gps};
}

static fcps_outcomes predict(fcps_posterior *posterior, int count, const double *x)
{
  fcps_output_posterior *o = posterior->outputs;
  fcps_output_posterior_embed_all(o, count, x);
  fcps_output_posterior_predict(o, FCPS_VARIANCE_EXACT, count, o->means, o->variances);
  return predicted(posterior, 0, count, x);
}

/* Computes the expected rewards as if no trial were pending. */
static void means_of_results(fcps_posterior *posterior, int count, const double *x, double *mean)
{
  fcps_output_posterior *o = posterior->outputs;
  o->has_results_only = true;
  const fcps_outcomes outcomes = predict(posterior, count, x);
  o->has_results_only = false;
  fcps_posterior_note(posterior,
                      fcps_expected_reward_moments(posterior->reward, &outcomes, mean, NULL, posterior->error));
}

/* Replaces the variances of predicted outcomes, from point `first` on, by those of trials. If all factors are equal,
 * the outcomes of a GP still share one variance, which a closed form needs. */
static void widen(fcps_output_posterior *o, int first, fcps_outcomes *outcomes)
{
  const int q = o->outputs.outputs;
  bool are_equal = outcomes->gp_count == 1;
  for (int j = 1; j < q; j++)
    are_equal = are_equal && o->widening[j] == o->widening[0];
  fcps_output_posterior_widen(o, first, outcomes->count);
  for (int i = first; i < first + outcomes->count && are_equal; i++)
    o->variances[i] = o->widened[i * q];
  if (are_equal) return;
  outcomes->variances = o->widened + first * q;
  outcomes->gp_count = q;
}

/* Noise of the outcome lowers the expected reward if the reward has a kink, so the mean includes noise. The widening
 * factors only correct the deviation, so the mean is computed without them. */
void fcps_posterior_reward_moments(fcps_posterior *posterior, int first, int count, const double *x, double *mean,
                                   double *deviation)
{
  fcps_output_posterior *o = posterior->outputs;
  double unused[FCPS_POSTERIOR_BLOCK];
  const bool is_trial = o->widening != NULL;
  fcps_outcomes outcomes = predicted(posterior, first, count, x);
  if (is_trial) fcps_output_posterior_add_noise(o, first, count);
  fcps_posterior_note(posterior,
                      fcps_expected_reward_moments(posterior->reward, &outcomes, mean, deviation, posterior->error));
  if (deviation == NULL || !is_trial) return;
  widen(o, first, &outcomes);
  fcps_posterior_note(posterior,
                      fcps_expected_reward_moments(posterior->reward, &outcomes, unused, deviation, posterior->error));
}

static void moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  fcps_output_posterior *o = posterior->outputs;
  fcps_expected_reward_set_hopes(posterior->reward, !posterior->penalty->view.is_sober);
  predict(posterior, count, x);
  fcps_posterior_reward_moments(posterior, 0, count, x, mean, deviation);
  if (fcps_output_posterior_has_pending(o)) means_of_results(posterior, count, x, mean);
  fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, NULL, count, x, mean, deviation));
}

/* Returns point `index` of the last prediction, with gradients with respect to the parameters. */
static fcps_outcome_slope predict_slope(fcps_posterior *posterior, int index, const double *x)
{
  fcps_output_posterior *o = posterior->outputs;
  const int gps = fcps_model_gp_count(posterior->model);
  fcps_output_posterior_slopes(o, index, x, true);
  return (fcps_outcome_slope){.x = x,
                              .mean = o->means + index * o->outputs.outputs,
                              .variances = o->variances + index * gps,
                              .mean_gradients = o->slopes,
                              .variance_gradients = fcps_output_posterior_variance_slopes(o),
                              .gp_count = gps};
}

/* Computes the moments of the reward with gradients at embedded points, before the penalty weighs them. */
static void reward_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient)
{
  fcps_output_posterior *o = posterior->outputs;
  const int p = posterior->model->layout.parameters.count;
  fcps_output_posterior_gradients(o, count, true);
  const fcps_outcomes outcomes = predicted(posterior, 0, count, x);
  fcps_posterior_note(posterior, fcps_expected_reward_ahead(posterior->reward, &outcomes, posterior->error));
  for (int i = 0; i < count; i++) {
    fcps_outcome_slope at = predict_slope(posterior, i, x + i * p);
    at.place = i + 1;
    double unused;
    fcps_posterior_note(
        posterior, fcps_expected_reward_gradient(posterior->reward, &at, mean + i,
                                                 deviation != NULL ? deviation + i : &unused, mean_gradient + i * p,
                                                 deviation_gradient != NULL ? deviation_gradient + i * p : NULL,
                                                 posterior->error));
  }
}

static void gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                      double *mean_gradient, double *deviation_gradient)
{
  fcps_output_posterior *o = posterior->outputs;
  const int p = posterior->model->layout.parameters.count;
  fcps_expected_reward_set_hopes(posterior->reward, !posterior->penalty->view.is_sober);
  fcps_output_posterior_embed_all(o, count, x);
  reward_gradients(posterior, count, x, mean, deviation, mean_gradient, deviation_gradient);
  if (fcps_output_posterior_has_pending(o)) {
    o->has_results_only = true;
    reward_gradients(posterior, count, x, mean, NULL, mean_gradient, NULL);
    o->has_results_only = false;
  }
  for (int i = 0; i < count; i++)
    fcps_posterior_note(
        posterior, fcps_failure_penalty_apply_gradient(posterior->penalty, NULL, x + i * p, mean + i,
                                                       deviation != NULL ? deviation + i : NULL, mean_gradient + i * p,
                                                       deviation_gradient != NULL ? deviation_gradient + i * p : NULL));
}

static void expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values)
{
  const fcps_outcomes outcomes = predict(posterior, count, x);
  fcps_posterior_note(posterior,
                      fcps_expected_reward_utility(posterior->reward, &outcomes, utility, values, posterior->error));
  fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, utility, count, x, values, NULL));
}

static double expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient)
{
  fcps_output_posterior *o = posterior->outputs;
  double value = 0.0;
  fcps_output_posterior_embed(o, 0, x);
  fcps_output_posterior_gradients(o, 1, true);
  const fcps_outcome_slope at = predict_slope(posterior, 0, x);
  fcps_posterior_note(posterior, fcps_expected_reward_utility_gradient(posterior->reward, &at, utility, &value,
                                                                       gradient, posterior->error));
  fcps_posterior_note(
      posterior, fcps_failure_penalty_apply_gradient(posterior->penalty, utility, x, &value, NULL, gradient, NULL));
  return value;
}

static fcps_status draw(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards)
{
  fcps_output_posterior *o = posterior->outputs;
  double *outcomes = fcps_allocate((size_t)count * (size_t)o->outputs.outputs, sizeof(double));
  if (outcomes == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = fcps_output_posterior_draw(o, count, x, normals, outcomes);
  if (status == FCPS_OK)
    status = fcps_expected_reward_exact(posterior->reward, count, x, outcomes, rewards, posterior->error);
  free(outcomes);
  return status;
}

static bool outcome(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  fcps_output_posterior *o = posterior->outputs;
  fcps_outcomes at = predict(posterior, count, x);
  const int q = o->outputs.outputs;
  if (o->widening != NULL) {
    fcps_output_posterior_add_noise(o, 0, count);
    widen(o, 0, &at);
  }
  for (int i = 0; i < count; i++, mean += q, deviation += q) {
    for (int j = 0; j < q; j++) {
      mean[j] = fcps_dimension_clip(posterior->model->problem->outcome.dims + j, at.means[i * q + j]);
      deviation[j] = o->outputs.scale[j] * sqrt(at.variances[i * at.gp_count + (at.gp_count > 1 ? j : 0)]);
    }
    fcps_failure_penalty_mix_outcome(posterior->penalty, x + i * posterior->model->layout.parameters.count, mean,
                                     deviation);
  }
  return true;
}

/* Whether the reward has a value at a point. A distance with a closed form has one everywhere. */
static bool has_value(fcps_posterior *posterior, const double *x)
{
  if (fcps_expected_reward_is_closed(posterior->reward)) return true;
  const fcps_outcomes at = predict(posterior, 1, x);
  bool answer = true;
  fcps_posterior_note(posterior,
                      fcps_expected_reward_has_value(posterior->reward, x, at.means, &answer, posterior->error));
  return answer;
}

const fcps_posterior_ops fcps_posterior_of_outcomes = {.moments = moments,
                                                       .gradients = gradients,
                                                       .expect = expect,
                                                       .expect_gradient = expect_gradient,
                                                       .draw = draw,
                                                       .outcome = outcome,
                                                       .has_value = has_value};

/* -- All kinds -- */

static const fcps_model_ops *const kinds[] = {&fcps_model_joint, &fcps_model_rescored, &fcps_model_outcome};

const fcps_model_ops *fcps_model_kind_at(int index)
{
  const int count = (int)(sizeof kinds / sizeof *kinds);
  return index >= 0 && index < count ? kinds[index] : NULL;
}

const fcps_model_ops *fcps_model_kind_find(const char *name)
{
  for (int i = 0; name != NULL && fcps_model_kind_at(i) != NULL; i++)
    if (strcmp(fcps_model_kind_at(i)->name, name) == 0) return fcps_model_kind_at(i);
  return NULL;
}

/* If the target is not an input, it enters through the reward function. A model of outcomes applies this function to
 * its predictions. Another model applies it to observed outcomes, so its outputs are rewards for one target only. */
bool fcps_model_kind_has_outputs_per_target(const fcps_model_ops *kind)
{
  return !kind->has_target_inputs && !kind->predicts_outcomes;
}
