/* SPDX-License-Identifier: Apache-2.0 */
/* Makes posteriors, and has the functions that all kinds of posterior share. */
#include "base/memory.h"
#include "model/posterior/posterior_ops.h"
#include "problem/problem.h"
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

/* Finds an outcome that may happen: the mean of the outcomes. If structures change outputs, so that the mean of the
 * outputs is not an outcome, it is the first result. */
static void find_typical(const fcps_model *model, const fcps_gp_outputs *outputs, double *typical)
{
  memcpy(typical, outputs->offset, (size_t)outputs->outputs * sizeof(double));
  if (model->description.changes_outputs && model->training.count > 0)
    fcps_layout_outcome(&model->layout, &model->training, 0, typical);
}

/* Makes a posterior of one model: its outputs, its reward, and a failure penalty from the classifiers of the parent. */
static fcps_status create_basic(fcps_posterior *posterior, const double *target, const double *environment)
{
  const fcps_model *model = posterior->model, *asked = posterior->parent;
  fcps_output_posterior *outputs = posterior->outputs = &posterior->own_outputs;
  fcps_failure_penalty *penalty = posterior->penalty = &posterior->own_penalty;
  fcps_error *error = posterior->error;
  fcps_reward_range range;
  double typical[FCPS_SPACE_MAX];
  fcps_status status = fcps_output_posterior_create(outputs, model, target, environment, error);
  if (status == FCPS_OK) status = fcps_posterior_find_reward_range(model, target, environment, &range, error);
  if (status == FCPS_OK && model->ops->predicts_outcomes) {
    /* the closed form of a distance needs the same variance in all directions */
    const fcps_expected_reward_path path =
        fcps_model_gp_count(model) > 1 ? FCPS_EXPECTED_REWARD_NODES : FCPS_EXPECTED_REWARD_AUTO;
    find_typical(model, &outputs->outputs, typical);
    status = fcps_expected_reward_create(&posterior->reward, model->problem, target, environment,
                                         outputs->outputs.scale, typical, range.worst, path, error);
  }
  if (status == FCPS_OK)
    status = fcps_failure_penalty_create(penalty, &asked->layout, &asked->description, &asked->feasibility,
                                         posterior->reward, error);
  if (status == FCPS_OK) status = fcps_failure_penalty_set_environments(penalty, 1, environment);
  if (status == FCPS_OK) fcps_failure_penalty_select(penalty, 0, outputs->context, &range);
  return status;
}

/* Makes the posterior of `model`, which is `parent` or answers for it: an ensemble if `ops` says so, else a basic
 * one. */
static fcps_status create(fcps_posterior **posterior, const fcps_posterior_ops *ops, const fcps_model *parent,
                          const fcps_model *model, const double *target, const double *environment, fcps_error *error);

/* Makes the posteriors of all models that answer together, and links each to the next. */
static fcps_status create_members(fcps_posterior *posterior, const double *target, const double *environment)
{
  const fcps_model *model = posterior->model;
  const int count = fcps_members_models(model);
  posterior->members = fcps_allocate((size_t)count, sizeof(fcps_posterior *));
  posterior->shares = fcps_allocate((size_t)count, sizeof(double));
  if (posterior->members == NULL || posterior->shares == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < count; i++) {
    const fcps_model *member = fcps_members_model(model, i);
    const fcps_status status = create(posterior->members + i, member->ops->posterior, posterior->parent, member, target,
                                      environment, posterior->error);
    if (status != FCPS_OK) return status;
    posterior->member_count++;
    posterior->shares[i] = fcps_members_share(model, i);
    if (i > 0) posterior->members[i - 1]->next = posterior->members[i];
  }
  posterior->outputs = posterior->members[0]->outputs;
  posterior->penalty = posterior->members[0]->penalty;
  posterior->next = posterior->members[0]->next;
  return FCPS_OK;
}

static fcps_status create(fcps_posterior **posterior, const fcps_posterior_ops *ops, const fcps_model *parent,
                          const fcps_model *model, const double *target, const double *environment, fcps_error *error)
{
  const fcps_space *parameters = &model->problem->parameters;
  fcps_posterior *made = *posterior = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  *made = (fcps_posterior){.ops = ops, .parent = parent, .model = model, .error = error};
  made->wraps = fcps_allocate((size_t)parameters->count, sizeof(bool));
  made->levels = fcps_allocate((size_t)parameters->count, sizeof(double));
  fcps_status status = made->wraps != NULL && made->levels != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_space_wraps(parameters, made->wraps);
    if (!fcps_space_levels(parameters, made->levels)) {
      free(made->levels);
      made->levels = NULL;
    }
    status = (ops == &fcps_posterior_of_members ? create_members : create_basic)(made, target, environment);
  }
  if (status == FCPS_OK) return FCPS_OK;
  fcps_posterior_destroy(made);
  *posterior = NULL;
  return status;
}

fcps_status fcps_posterior_create(fcps_posterior **posterior, const fcps_model *model, const double *target,
                                  const double *environment, fcps_error *error)
{
  *posterior = NULL;
  const fcps_model *child;
  fcps_status status = fcps_split_model_child(model, target, environment, &child);
  if (status != FCPS_OK) return status;
  const fcps_posterior_ops *ops = fcps_members_models(child) > 1 ? &fcps_posterior_of_members : child->ops->posterior;
  status = create(posterior, ops, model, child, target, environment, error);
  if (status == FCPS_OK) status = take_constraints(*posterior, target, environment, error);
  return status == FCPS_OK ? fcps_posterior_take_limits(*posterior, target, environment) : status;
}

void fcps_posterior_destroy(fcps_posterior *posterior)
{
  if (posterior == NULL) return;
  for (int i = 0; i < posterior->member_count; i++)
    fcps_posterior_destroy(posterior->members[i]);
  free(posterior->members);
  free(posterior->shares);
  fcps_output_posterior_destroy(&posterior->own_outputs);
  fcps_failure_penalty_destroy(&posterior->own_penalty);
  fcps_expected_reward_destroy(posterior->reward);
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

/* Sets the view of every member, because each member of an ensemble has a penalty of its own. */
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
  if (status == FCPS_OK && posterior->reward != NULL)
    status = fcps_expected_reward_set_environments(posterior->reward, count, environments, posterior->error);
  return status;
}

void fcps_posterior_select(fcps_posterior *posterior, int environment_index, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column)
{
  fcps_output_posterior *own = posterior->outputs;
  fcps_output_posterior_select(own, environment_index);
  fcps_failure_penalty_select(posterior->penalty, environment_index, own->context, reward_range);
  if (posterior->reward != NULL) {
    fcps_expected_reward_select_environment(posterior->reward, environment_index);
    fcps_expected_reward_set_target(posterior->reward, target, reward_range->worst);
  }
  if (outputs == NULL) return;
  const size_t rows = (size_t)outputs->count;
  if (rows > 0) memcpy(own->outputs.alpha, outputs->alpha + (size_t)column * rows, rows * sizeof(double));
  own->outputs.offset[0] = outputs->offset[column];
  own->outputs.scale[0] = outputs->scale[column];
}

/* -- Questions, block by block -- */

/* Returns the parameters of point i. */
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

void fcps_posterior_penalize(fcps_posterior *posterior, int count, const double *x, double *rewards)
{
  for (int i = 0; i < count; i += FCPS_POSTERIOR_BLOCK)
    fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, NULL, fcps_posterior_block(count - i),
                                                              point(posterior, x, i), rewards + i, NULL));
}

fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards)
{
  const fcps_status status = posterior->ops->draw(posterior, count, x, normals, rewards);
  if (status != FCPS_OK) return status;
  fcps_posterior_penalize(posterior, count, x, rewards);
  if (posterior->failure == FCPS_OK) fcps_posterior_limit(posterior, count, x, rewards, NULL);
  return posterior->failure;
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

/* -- What was tried -- */

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

/* Finds the training rollout whose parameters have the largest mean reward. Returns its row, or -1 if there is none,
 * and writes the mean to *best. `x` is scratch for parameters. */
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
double fcps_posterior_credible(const fcps_posterior *posterior)
{
  return posterior->penalty->reward_range.credible;
}

double fcps_posterior_value_scale(const fcps_posterior *posterior)
{
  return posterior->penalty->reward_range.spread;
}
