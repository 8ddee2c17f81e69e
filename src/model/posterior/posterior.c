/* SPDX-License-Identifier: Apache-2.0 */
/* Posteriors: who answers, and what does not depend on who does. */
#include "base/memory.h"
#include "model/posterior/posterior_ops.h"
#include "problem/formula/conditions.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Life -- */

static void project(void *user, const bool *held, const double *x, double *nearest)
{
  fcps_feasible_project(user, held, x, nearest);
}
static void settle(void *user, double *x)
{
  fcps_feasible_settle(user, x);
}
static void fill(void *user, fcps_rng *rng, int count, double *points)
{
  fcps_feasible_fill(user, rng, false, count, points);
}
static void rest(void *user, double *x)
{
  fcps_feasible_rest(user, x);
}
static void pull(void *user, const bool *held, const double *x, const double *nearest, double *gradient)
{
  fcps_feasible_pull(user, held, x, nearest, gradient);
}

static fcps_status take_constraints(fcps_posterior *posterior, const double *target, const double *environment,
                                    fcps_error *error)
{
  const fcps_status status =
      fcps_feasible_create(&posterior->feasible, posterior->model->problem, target, environment, error);
  const bool has_conditions = fcps_problem_has_conditions(posterior->model->problem);
  posterior->region = (fcps_region){project, pull, settle, fill, has_conditions ? rest : NULL, posterior->feasible};
  return status;
}

fcps_status fcps_posterior_create(fcps_posterior **posterior, const fcps_model *model, const double *target,
                                  const double *environment, fcps_error *error)
{
  *posterior = NULL;
  const fcps_model *child;
  const fcps_status status = fcps_split_model_child(model, target, environment, &child);
  if (status != FCPS_OK) return status;
  const bool has_samples = fcps_members_models(child) > 1;
  fcps_status made = (has_samples ? fcps_posterior_create_of_members
                                  : child->ops->create_posterior)(posterior, model, child, target, environment, error);
  if (made == FCPS_OK) made = take_constraints(*posterior, target, environment, error);
  return made == FCPS_OK ? fcps_posterior_take_limits(*posterior, target, environment) : made;
}

fcps_status fcps_posterior_begin(fcps_posterior **posterior, const fcps_posterior_ops *ops, size_t size,
                                 const fcps_model *parent, const fcps_model *model, fcps_error *error)
{
  const fcps_space *parameters = &model->problem->parameters;
  fcps_posterior *made = fcps_allocate(1, sizeof *made);
  *posterior = made;
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->ops = ops;
  made->parent = parent;
  made->model = model;
  made->error = error;
  made->state = fcps_allocate(1, size);
  made->wraps = fcps_allocate((size_t)parameters->count, sizeof(bool));
  made->levels = fcps_allocate((size_t)parameters->count, sizeof(double));
  if (made->state == NULL || made->wraps == NULL || made->levels == NULL) {
    fcps_posterior_destroy(made);
    *posterior = NULL;
    return FCPS_ERR_MEMORY;
  }
  fcps_space_wraps(parameters, made->wraps);
  if (!fcps_space_levels(parameters, made->levels)) {
    free(made->levels);
    made->levels = NULL;
  }
  return FCPS_OK;
}

void fcps_posterior_destroy(fcps_posterior *posterior)
{
  if (posterior == NULL) return;
  if (posterior->state != NULL) posterior->ops->destroy(posterior);
  free(posterior->state);
  fcps_feasible_destroy(posterior->feasible);
  fcps_posterior_drop_limits(posterior);
  free(posterior->wraps);
  free(posterior->levels);
  free(posterior);
}

void fcps_posterior_note(fcps_posterior *posterior, fcps_status status)
{
  if (posterior->failure == FCPS_OK) posterior->failure = status;
}

fcps_status fcps_posterior_failure(const fcps_posterior *posterior)
{
  return posterior->failure;
}

/* The members of an ensemble have a penalty each. */
void fcps_posterior_set_view(fcps_posterior *posterior, fcps_penalty_view view)
{
  for (fcps_posterior *p = posterior; p != NULL; p = p->next) {
    p->penalty->view = view;
    p->outputs->widening = view.widening;
  }
}

/* -- Contexts -- */

fcps_status fcps_posterior_set_environments(fcps_posterior *posterior, int count, const double *environments)
{
  fcps_status status = fcps_output_posterior_set_environments(posterior->outputs, NULL, count, environments);
  if (status == FCPS_OK) status = fcps_failure_penalty_set_environments(posterior->penalty, count, environments);
  if (status == FCPS_OK)
    fcps_failure_penalty_select(posterior->penalty, 0, posterior->outputs->context, &posterior->penalty->reward_range);
  if (status == FCPS_OK && posterior->ops->set_environments != NULL)
    status = posterior->ops->set_environments(posterior, count, environments);
  return status;
}

void fcps_posterior_select(fcps_posterior *posterior, int environment_index, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column)
{
  fcps_output_posterior *own = posterior->outputs;
  fcps_output_posterior_select(own, environment_index);
  fcps_failure_penalty_select(posterior->penalty, environment_index, own->context, reward_range);
  if (posterior->ops->select != NULL) posterior->ops->select(posterior, environment_index, target);
  if (outputs == NULL) return;
  const size_t rows = (size_t)outputs->count;
  if (rows > 0) memcpy(own->outputs.alpha, outputs->alpha + (size_t)column * rows, rows * sizeof(double));
  own->outputs.offset[0] = outputs->offset[column];
  own->outputs.scale[0] = outputs->scale[column];
}

/* -- Questions, block by block -- */

/* The parameters of a point. */
static const double *point(const fcps_posterior *posterior, const double *x, int i)
{
  return x + (size_t)i * (size_t)posterior->model->layout.parameters.count;
}

void fcps_posterior_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    posterior->ops->moments(posterior, fcps_posterior_block(count - i), point(posterior, x, i), mean + i,
                            deviation != NULL ? deviation + i : NULL);
  fcps_posterior_limit(posterior, count, x, mean, NULL);
}

bool fcps_posterior_has_bound(const fcps_posterior *posterior)
{
  return posterior->ops->bound != NULL;
}

bool fcps_posterior_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  if (!fcps_posterior_has_bound(posterior)) return false;
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    posterior->ops->bound(posterior, fcps_posterior_block(count - i), point(posterior, x, i), mean + i, deviation + i);
  return true;
}

void fcps_posterior_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient)
{
  posterior->ops->gradients(posterior, 1, x, mean, deviation, mean_gradient, deviation_gradient);
  fcps_posterior_limit(posterior, 1, x, mean, mean_gradient);
}

void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient)
{
  const size_t n = (size_t)posterior->model->layout.parameters.count;
  for (int i = 0; i < count; i += FCPS_POSTERIOR_GRADIENTS)
    posterior->ops->gradients(posterior, count - i < FCPS_POSTERIOR_GRADIENTS ? count - i : FCPS_POSTERIOR_GRADIENTS,
                              point(posterior, x, i), mean + i, deviation != NULL ? deviation + i : NULL,
                              mean_gradient + (size_t)i * n,
                              deviation_gradient != NULL ? deviation_gradient + (size_t)i * n : NULL);
  fcps_posterior_limit(posterior, count, x, mean, mean_gradient);
}

void fcps_posterior_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                           double *values)
{
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    posterior->ops->expect(posterior, utility, fcps_posterior_block(count - i), point(posterior, x, i), values + i);
  fcps_posterior_limit(posterior, count, x, values, NULL);
}

double fcps_posterior_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                      double *gradient)
{
  double value = posterior->ops->expect_gradient(posterior, utility, x, gradient);
  fcps_posterior_limit(posterior, 1, x, &value, gradient);
  return value;
}

fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards)
{
  const fcps_status status = posterior->ops->draw(posterior, count, x, normals, rewards);
  if (status == FCPS_OK) fcps_posterior_limit(posterior, count, x, rewards, NULL);
  return status;
}

bool fcps_posterior_outcome(fcps_posterior *posterior, const double *x, double *mean, double *deviation)
{
  double means[FCPS_SPACE_MAX], deviations[FCPS_SPACE_MAX];
  const size_t size = (size_t)posterior->model->problem->outcome.count * sizeof *means;
  if (posterior->ops->outcome == NULL || !posterior->ops->outcome(posterior, 1, x, means, deviations)) return false;
  if (mean != NULL) memcpy(mean, means, size);
  if (deviation != NULL) memcpy(deviation, deviations, size);
  return true;
}

bool fcps_posterior_has_value(fcps_posterior *posterior, const double *x)
{
  const fcps_reward_range *range = &posterior->penalty->reward_range;
  if (!range->has_rollouts) return true;
  return posterior->ops->has_value != NULL ? posterior->ops->has_value(posterior, x) : range->has_rewards;
}

void fcps_posterior_scale_by_feasibility(fcps_posterior *posterior, int count, const double *x, double *values)
{
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    fcps_failure_penalty_scale_by_feasibility(posterior->penalty, fcps_posterior_block(count - i),
                                              point(posterior, x, i), values + i);
}

void fcps_posterior_chances(fcps_posterior *posterior, int count, const double *x, double *outcome, double *success)
{
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    fcps_posterior_note(posterior, fcps_failure_penalty_chances(posterior->penalty, fcps_posterior_block(count - i),
                                                                point(posterior, x, i), outcome + i, success + i));
}

/* -- What basic posteriors share -- */

/* Finds the range of the rewards that were seen, without those of rows that are doubted: a slip of the pen is no reward that a
 * trial can have. */
fcps_status fcps_posterior_find_reward_range(const fcps_model *model, const double *target, const double *environment,
                                             fcps_reward_range *reward_range, fcps_error *error)
{
  int count = 0;
  double *rewards = fcps_allocate((size_t)model->training.count, sizeof(double));
  if (rewards == NULL) return FCPS_ERR_MEMORY;
  const fcps_status status = fcps_model_rewards(model, target, environment, rewards, error);
  for (int i = 0; i < model->training.count && status == FCPS_OK; i++)
    if (!fcps_description_doubts(&model->description, i)) rewards[count++] = rewards[i];
  if (status == FCPS_OK) *reward_range = fcps_failure_penalty_range(count, rewards);
  free(rewards);
  return status;
}

fcps_status fcps_posterior_begin_penalty(fcps_posterior *posterior, const double *environment,
                                         const fcps_reward_range *reward_range, fcps_expected_reward *expected_reward)
{
  const fcps_model *asked = posterior->parent;
  fcps_failure_penalty *penalty = posterior->penalty;
  fcps_status status = fcps_failure_penalty_create(penalty, &asked->layout, &asked->description, &asked->feasibility,
                                                   expected_reward, posterior->error);
  if (status == FCPS_OK) status = fcps_failure_penalty_set_environments(penalty, 1, environment);
  if (status == FCPS_OK) fcps_failure_penalty_select(penalty, 0, posterior->outputs->context, reward_range);
  return status;
}

void fcps_posterior_penalize(fcps_posterior *posterior, int count, const double *x, double *rewards)
{
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, fcps_posterior_block(count - i),
                                                              point(posterior, x, i), rewards + i, NULL));
}

/* -- What was tried -- */

/* The training rollout whose parameters have the largest mean, -1 for none; `x` is scratch for parameters. */
static int find_best_tried(fcps_posterior *posterior, double *x, double *best)
{
  const fcps_model *model = posterior->model;
  double mean;
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
  double best, x[FCPS_SPACE_MAX];
  return find_best_tried(posterior, x, &best) >= 0 ? best : posterior->penalty->reward_range.worst;
}

bool fcps_posterior_best_tried(fcps_posterior *posterior, double *x)
{
  const fcps_model *model = posterior->model;
  double best;
  const int row = find_best_tried(posterior, x, &best);
  if (row >= 0) fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, row), x);
  return row >= 0;
}

/* -- Facts -- */

const fcps_model *fcps_posterior_model(const fcps_posterior *posterior)
{
  return posterior->model;
}
const fcps_gp_outputs *fcps_posterior_outputs(const fcps_posterior *posterior)
{
  return &posterior->outputs->outputs;
}
const double *fcps_posterior_context(const fcps_posterior *posterior)
{
  return posterior->outputs->context;
}
fcps_posterior *fcps_posterior_next(const fcps_posterior *posterior)
{
  return posterior->next;
}
const bool *fcps_posterior_wraps(const fcps_posterior *posterior)
{
  return posterior->wraps;
}
const double *fcps_posterior_levels(const fcps_posterior *posterior)
{
  return posterior->levels;
}
const fcps_region *fcps_posterior_region(const fcps_posterior *posterior)
{
  return posterior->feasible != NULL ? &posterior->region : NULL;
}
double fcps_posterior_lead(const fcps_posterior *posterior)
{
  return posterior->penalty->reward_range.lead;
}

double fcps_posterior_value_scale(const fcps_posterior *posterior)
{
  return posterior->penalty->reward_range.spread;
}
