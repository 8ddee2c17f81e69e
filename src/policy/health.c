/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a policy's model for users: its noise and lengths, and whether its fit went well. */
#include "policy/policy_impl.h"

#include "base/memory.h"
#include "model/surprises.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>

/* Returns the change of an input, in its length-scales, that changes the process by about the spread of its outputs (in
 * root mean square): 2 sf^2 (1 - phi(s)) = 1. If the deviation of the signal is many spreads, as for a nearly straight
 * process, a small part of a length-scale is enough. If the signal has less than half of the outputs' variance, no
 * change is enough. The result then grows as the share of the signal falls, so that no input seems to matter much to an
 * outcome that is mostly noise. */
static double lengths_to_spread(const fcps_model *model, const fcps_gp *gp)
{
  const bool is_scaled = model->settings.norm.scaling != FCPS_SCALING_NONE;
  const double signal = is_scaled ? fcps_gp_signal_variance(gp) : 1.0, wanted = fmax(0.5, 1.0 - 0.5 / signal);
  double lower = 0.0, upper = 100.0; /* bounds of the squared change s; every kernel falls to a half long before 100 */
  for (int i = 0; i < 60; i++) {
    const double s = 0.5 * (lower + upper);
    double phi;
    gp->kernel->eval(1, &s, &phi, NULL);
    if (phi > wanted)
      lower = s;
    else
      upper = s;
  }
  return sqrt(upper) * fmax(1.0, 0.5 / signal);
}

/* Writes `lengths` length-scales of an embedding's features as shares of the ranges of its dimensions, for the `count`
 * dimensions from `first` on. An angle is two features on a circle, whose circumference is pi for one period
 * (space/space.h); the shorter of their lengths counts. */
static void share_lengths(const fcps_embedding *embedding, double lengths, const double *log_lengths, int first,
                          int count, double *shares)
{
  static const double pi = 3.14159265358979323846;
  for (int i = 0; i < first + count; i++) {
    const double turns = embedding->turns[i];
    double length = exp(*log_lengths++);
    if (turns > 0) length = fmin(length, exp(*log_lengths++)) / (pi * turns);
    if (embedding->choices[i] != NULL) log_lengths += embedding->choices[i]->property_count;
    if (i >= first && shares != NULL) shares[i - first] = lengths * length;
  }
}

/* Returns the name of the context dimension along which the model has split. */
static const char *split_name(const fcps_model *model)
{
  const fcps_problem *problem = model->problem;
  const int i = fcps_model_split_dimension(model, NULL), environments = problem->environment.count;
  return i < environments ? problem->environment.dims[i].name : problem->target.dims[i - environments].name;
}

static const char *output_name(const fcps_model *model, int gp)
{
  if (!model->ops->predicts_outcomes) return "reward";
  const fcps_space *outcome = &model->problem->outcome;
  return fcps_model_gp_count(model) > 1 || outcome->count == 1 ? outcome->dims[gp].name : "outcome";
}

static void describe_lengths(const fcps_model *model, const fcps_gp *gp, fcps_health *health)
{
  const fcps_problem *problem = model->problem;
  const int environments = problem->environment.count, targets = problem->target.count;
  const bool knows_target = model->ops->has_target_inputs;
  const double lengths = lengths_to_spread(model, gp);
  share_lengths(&model->layout.context, lengths, gp->hyper, 0, environments, health->environment_lengths);
  if (knows_target)
    share_lengths(&model->layout.context, lengths, gp->hyper, environments, targets, health->target_lengths);
  for (int i = 0; i < targets && !knows_target && health->target_lengths != NULL; i++)
    health->target_lengths[i] = NAN;
  share_lengths(&model->layout.parameters, lengths, gp->hyper + model->layout.context.width, 0,
                problem->parameters.count, health->parameter_lengths);
}

static const char *step_text(const fcps_model *model)
{
  static const char *const steps[] = {
      [FCPS_FIT_OK] = NULL, [FCPS_FIT_KEPT] = "W_GP_FIT_KEPT", [FCPS_FIT_DEFAULT] = "W_GP_DEFAULTS"};
  return steps[model->ending];
}

/* -- Noise -- */

static double variance_of(int rows, const double *y)
{
  double mean = 0.0, sum = 0.0;
  for (int i = 0; i < rows; i++)
    mean += y[i] / rows;
  for (int i = 0; i < rows; i++)
    sum += (y[i] - mean) * (y[i] - mean);
  return sum;
}

/* Returns the spread of a pair of outputs in the frame of the GPs, divided by their spread as told. Multiplied by this
 * factor, a share of the first spread becomes a share of the second. */
static double find_spread(const fcps_model *model, const int *pair)
{
  const size_t rows = (size_t)model->training.count, q = (size_t)model->layout.outputs;
  double outcome[FCPS_SPACE_MAX], seen = 0.0, told = 0.0, *y = fcps_allocate(2 * rows * q, sizeof(double));
  if (y != NULL && model->ops->outputs(model, NULL, y, NULL) == FCPS_OK) {
    for (size_t i = 0; i < rows; i++) {
      fcps_layout_outcome(&model->layout, &model->training, (int)i, outcome);
      for (size_t o = 0; o < q; o++)
        y[rows * (q + o) + i] = outcome[o];
    }
    for (int i = 0; i < 2; i++) {
      seen += variance_of((int)rows, y + rows * (size_t)pair[i]);
      told += variance_of((int)rows, y + rows * (q + (size_t)pair[i]));
    }
  }
  free(y);
  return told > 0.0 ? sqrt(seen / told) : 1.0;
}

/* Returns the factor of find_spread for one GP: that of its first pair, 1 if no pair of its outputs turns. */
static double spread_of(const fcps_model *model, int index)
{
  const fcps_description *d = &model->description;
  for (int k = 0; k < d->pair_count; k++)
    if (d->gps == 1 || d->pairs[2 * k] == index || d->pairs[2 * k + 1] == index)
      return find_spread(model, d->pairs + 2 * k);
  return 1.0;
}

/* Describes the usual noise, and the least and most noise at the rollouts. */
static void describe_noise(const fcps_model *model, int index, fcps_health *health)
{
  const double spread = spread_of(model, index), usual = fcps_gp_noise(fcps_model_gp(model, index));
  double least = 0.0, most = 0.0;
  for (int i = 0; i < model->training.count; i++) {
    const double beyond = fcps_model_place_noise(model, index, i);
    least = fmin(least, beyond);
    most = fmax(most, beyond);
  }
  health->noise = sqrt(usual) * spread;
  health->least_noise = sqrt(fmax(0.0, usual + least)) * spread;
  health->most_noise = sqrt(usual + most) * spread;
}

/* -- Beliefs -- */

static void describe_beliefs(const fcps_model *model, fcps_health *health)
{
  /* The least log odds and the fewest rows with which a finding is claimed. */
  static const double claimed = 2.9957322735539909; /* log 20 */
  enum { LEAST_ROWS = 5 };
  health->finding_count = 0;
  for (int i = 0; i < FCPS_STRUCTURES && health->finding_count < FCPS_FINDINGS; i++) {
    fcps_finding *belief = health->findings + health->finding_count;
    fcps_model_proof proof;
    belief->name =
        fcps_model_describe_structure(model, i, sizeof belief->words, belief->words, &belief->log_odds, &proof);
    if (belief->name == NULL) continue;
    belief->is_claimed = proof == FCPS_MODEL_DECLARED || (proof == FCPS_MODEL_SHOWN && belief->log_odds >= claimed &&
                                                          model->training.count >= LEAST_ROWS);
    health->finding_count++;
  }
}

bool fcps_policy_health(const fcps_policy *policy, int index, fcps_health *health)
{
  if (policy == NULL || health == NULL || index < 0) return false;
  const fcps_model *parent = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  if (parent == NULL) return false;
  const int gps = fcps_model_gp_count(parent), sides = fcps_model_side_count(parent);
  const bool is_split = sides > 1;
  if (index < 0 || index >= sides * gps) return false;

  const fcps_model *model = fcps_model_side(parent, index / gps);
  const fcps_gp *gp = fcps_model_gp(model, index % gps);
  health->model = model->ops->name;
  health->output = output_name(model, index % gps);
  health->split_by = is_split ? split_name(parent) : NULL;
  health->is_upper_side = is_split && index / gps == 1;
  health->rollouts = model->training.count;
  health->others = parent->others.count;
  describe_noise(model, index % gps, health);
  health->is_noise_share = model->settings.norm.scaling != FCPS_SCALING_NONE;
  health->jitter = gp->jitter;
  health->fallback = step_text(is_split ? parent : model);
  describe_lengths(model, gp, health);
  describe_beliefs(model, health);
  return true;
}

bool fcps_policy_doubts(const fcps_policy *policy, const fcps_rollout *rollout)
{
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  return model != NULL && fcps_model_doubts(model, rollout);
}

bool fcps_policy_excuses(const fcps_policy *policy, const fcps_rollout *rollout)
{
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  return model != NULL && fcps_feasibility_excuses(&model->feasibility, &model->others, rollout);
}
