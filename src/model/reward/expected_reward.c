/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards of uncertain outcomes in batches; gradients are in scoring_gradient.c, distances in scoring_distance.c. */
#include "base/error.h"
#include "base/memory.h"
#include "model/reward/expected_reward_impl.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows the reward is asked for at once, at least. */
enum { LEAST_ROWS = 2048 };

static bool allocate(fcps_expected_reward *s)
{
  const fcps_problem *problem = s->problem;
  const size_t q = (size_t)s->outcomes, p = (size_t)s->parameters, e = (size_t)problem->environment.count;
  const size_t nodes = (size_t)s->quadrature.count;
  const size_t differences = nodes * (1 + 2 * q + 2 * p); /* a gradient by differences is one call */
  const size_t rows = differences > LEAST_ROWS ? differences : LEAST_ROWS;
  s->capacity = (int)rows;
  s->target = fcps_allocate((size_t)problem->target.count, sizeof(double));
  s->typical = fcps_allocate(q, sizeof(double));
  s->scale = fcps_allocate(q, sizeof(double));
  s->row_environments = fcps_allocate(rows * e, sizeof(double));
  s->row_parameters = fcps_allocate(rows * p, sizeof(double));
  s->row_outcomes = fcps_allocate(rows * q, sizeof(double));
  s->row_rewards = fcps_allocate(rows, sizeof(double));
  s->all_present = fcps_allocate(rows, sizeof(bool));
  s->none_present = fcps_allocate(rows, sizeof(bool));
  s->node_rewards = fcps_allocate(nodes, sizeof(double));
  s->node_gradients = fcps_allocate(nodes * p, sizeof(double));
  s->outcome_gradients = fcps_allocate(nodes * q, sizeof(double));
  s->parameter_gradients = fcps_allocate(nodes * p, sizeof(double));
  s->parameter_slopes = fcps_allocate(p, sizeof(double));
  s->middle = fcps_allocate(p, sizeof(double));
  return s->target != NULL && s->typical != NULL && s->scale != NULL && s->row_environments != NULL &&
         s->row_parameters != NULL && s->row_outcomes != NULL && s->row_rewards != NULL && s->all_present != NULL &&
         s->none_present != NULL && s->node_rewards != NULL && s->node_gradients != NULL &&
         s->outcome_gradients != NULL && s->parameter_gradients != NULL && s->parameter_slopes != NULL &&
         s->middle != NULL;
}

static void fill(fcps_expected_reward *s, const double *target, const double *scale, const double *typical)
{
  const size_t q = (size_t)s->outcomes, t = (size_t)s->problem->target.count;
  if (t > 0) memcpy(s->target, target, t * sizeof(double));
  memcpy(s->scale, scale, q * sizeof(double));
  memcpy(s->typical, typical, q * sizeof(double));
  for (int i = 0; i < s->capacity; i++)
    s->all_present[i] = true;
}

fcps_status fcps_expected_reward_create(fcps_expected_reward **expected_reward, const fcps_problem *problem,
                                        const double *target, const double *environment, const double *scale,
                                        const double *typical, double worst, fcps_expected_reward_path path,
                                        fcps_error *error)
{
  *expected_reward = NULL;
  fcps_expected_reward *s = fcps_allocate(1, sizeof *s);
  if (s == NULL) return fcps_error_memory(error);
  s->problem = problem;
  s->outcomes = problem->outcome.count;
  s->parameters = problem->parameters.count;
  s->path = path;
  s->worst = worst;
  fcps_status status = fcps_quadrature_create(&s->quadrature, s->outcomes);
  if (status == FCPS_OK && !allocate(s)) status = FCPS_ERR_MEMORY;
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  if (status == FCPS_OK) {
    fill(s, target, scale, typical);
    status = fcps_expected_reward_set_environments(s, 1, environment, error);
  }
  if (status != FCPS_OK) {
    fcps_expected_reward_destroy(s);
    return status;
  }
  *expected_reward = s;
  return FCPS_OK;
}

static void leave_places(fcps_expected_reward *s)
{
  for (int i = 0; i < s->places; i++)
    fcps_distance_form_destroy(&s->forms[i]);
  free(s->forms);
  free(s->environments);
}

fcps_status fcps_expected_reward_set_environments(fcps_expected_reward *s, int count, const double *environments,
                                                  fcps_error *error)
{
  const size_t size = (size_t)count * (size_t)s->problem->environment.count;
  fcps_distance_form *forms = fcps_allocate((size_t)count, sizeof *forms);
  double *copy = fcps_allocate(size, sizeof(double));
  if (forms == NULL || copy == NULL) {
    free(forms);
    free(copy);
    return fcps_error_memory(error);
  }
  if (size > 0) memcpy(copy, environments, size * sizeof(double));
  leave_places(s);
  s->places = count;
  s->forms = forms;
  s->form = NULL;
  s->environments = copy;
  fcps_status status = FCPS_OK;
  for (int i = count - 1; i >= 0; i--) { /* ends at the first */
    fcps_expected_reward_select_environment(s, i);
    if (status == FCPS_OK && s->path == FCPS_EXPECTED_REWARD_AUTO) status = fcps_distance_form_find(s, error);
  }
  return status;
}

void fcps_expected_reward_select_environment(fcps_expected_reward *s, int place)
{
  if (s->form == &s->forms[place]) return;
  s->form = &s->forms[place];
  s->environment = s->environments + (size_t)place * (size_t)s->problem->environment.count;
  s->filled = 0;
}

void fcps_expected_reward_destroy(fcps_expected_reward *s)
{
  if (s == NULL) return;
  fcps_quadrature_destroy(&s->quadrature);
  leave_places(s);
  free(s->target);
  free(s->typical);
  free(s->scale);
  free(s->row_environments);
  free(s->row_parameters);
  free(s->row_outcomes);
  free(s->row_rewards);
  free(s->all_present);
  free(s->none_present);
  free(s->node_rewards);
  free(s->node_gradients);
  free(s->outcome_gradients);
  free(s->parameter_gradients);
  free(s->parameter_slopes);
  free(s->middle);
  free(s);
}

void fcps_expected_reward_set_target(fcps_expected_reward *s, const double *target, double worst)
{
  const size_t count = (size_t)s->problem->target.count;
  if (count > 0) memcpy(s->target, target, count * sizeof(double));
  s->worst = worst;
}

bool fcps_expected_reward_is_closed(const fcps_expected_reward *expected_reward)
{
  return expected_reward->form->k > 0;
}

bool fcps_expected_reward_is_closed_everywhere(const fcps_expected_reward *expected_reward)
{
  for (int i = 0; i < expected_reward->places; i++)
    if (expected_reward->forms[i].k == 0) return false;
  return true;
}

const double *fcps_expected_reward_environments(fcps_expected_reward *s, int count)
{
  const size_t e = (size_t)s->problem->environment.count;
  for (; s->filled < count; s->filled++)
    if (e > 0) memcpy(s->row_environments + (size_t)s->filled * e, s->environment, e * sizeof(double));
  return s->row_environments;
}

fcps_status fcps_expected_reward_rows(fcps_expected_reward *s, int count, const double *target, const bool *present,
                                      fcps_error *error)
{
  const fcps_status status = fcps_problem_score(s->problem, count, target, fcps_expected_reward_environments(s, count),
                                                s->row_parameters, s->row_outcomes, present, s->row_rewards, error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (isnan(s->row_rewards[i])) s->row_rewards[i] = s->worst;
  return status;
}

void fcps_expected_reward_set_parameters(fcps_expected_reward *s, int row, const double *x)
{
  fcps_space_from_unit(&s->problem->parameters, x, s->row_parameters + (size_t)row * (size_t)s->parameters);
}

void fcps_expected_reward_node(const fcps_expected_reward *s, int node, const double *mean, const double *variances,
                               int parts, double *outcome, bool *is_free)
{
  const double *z = s->quadrature.nodes + (size_t)node * (size_t)s->outcomes;
  double deviation = sqrt(variances[0]);
  for (int j = 0; j < s->outcomes; j++) {
    if (parts > 1) deviation = sqrt(variances[j]);
    const double value = mean[j] + s->scale[j] * deviation * z[j];
    outcome[j] = fcps_dimension_clip(s->problem->outcome.dims + j, value);
    if (is_free != NULL) is_free[j] = outcome[j] == value;
  }
}

/* What becomes of the rewards at the nodes of one point. */
typedef void reduce_fn(const fcps_expected_reward *s, const double *rewards, const fcps_utility *utility, double *first,
                       double *second);

static void reduce_moments(const fcps_expected_reward *s, const double *rewards, const fcps_utility *utility,
                           double *mean, double *deviation)
{
  (void)utility;
  const double *w = s->quadrature.weights;
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < s->quadrature.count; k++)
    sum += w[k] * rewards[k];
  for (int k = 0; k < s->quadrature.count; k++)
    squares += w[k] * (rewards[k] - sum) * (rewards[k] - sum);
  *mean = sum;
  if (deviation != NULL) *deviation = sqrt(squares);
}

static void reduce_utility(const fcps_expected_reward *s, const double *rewards, const fcps_utility *utility,
                           double *value, double *unused)
{
  (void)unused;
  *value = 0.0;
  for (int k = 0; k < s->quadrature.count; k++)
    *value += s->quadrature.weights[k] * utility->of_reward(utility->user, rewards[k], NULL);
}

/* Scores the nodes of as many points at once as there are rows for. */
static fcps_status score_nodes(fcps_expected_reward *s, const fcps_outcomes *o, reduce_fn *reduce,
                               const fcps_utility *utility, double *first, double *second, fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, parts = o->parts > 1 ? q : 1;
  const int nodes = s->quadrature.count, at_once = s->capacity / nodes;
  for (int start = 0; start < o->count; start += at_once) {
    const int block = o->count - start < at_once ? o->count - start : at_once;
    for (int i = 0; i < block; i++) {
      const size_t point = (size_t)(start + i), base = (size_t)i * (size_t)nodes;
      fcps_expected_reward_set_parameters(s, i * nodes, o->x + point * p);
      for (int k = 0; k < nodes; k++) {
        if (k > 0) memcpy(s->row_parameters + (base + (size_t)k) * p, s->row_parameters + base * p, p * sizeof(double));
        fcps_expected_reward_node(s, k, o->means + point * q, o->variances + point * parts, o->parts,
                                  s->row_outcomes + (base + (size_t)k) * q, NULL);
      }
    }
    const fcps_status status = fcps_expected_reward_rows(s, block * nodes, s->target, s->all_present, error);
    if (status != FCPS_OK) return status;
    for (int i = 0; i < block; i++)
      reduce(s, s->row_rewards + (size_t)i * (size_t)nodes, utility, first + start + i,
             second != NULL ? second + start + i : NULL);
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                         double *deviation, fcps_error *error)
{
  return fcps_expected_reward_is_closed(s) ? fcps_distance_form_moments(s, outcomes, mean, deviation, error)
                                           : score_nodes(s, outcomes, reduce_moments, NULL, mean, deviation, error);
}

fcps_status fcps_expected_reward_utility(fcps_expected_reward *s, const fcps_outcomes *outcomes,
                                         const fcps_utility *utility, double *values, fcps_error *error)
{
  return score_nodes(s, outcomes, reduce_utility, utility, values, NULL, error);
}

/* Rewards of `count` points with outcomes as given, or absent where `outcomes` is NULL. */
static fcps_status score_points(fcps_expected_reward *s, int count, const double *x, const double *outcomes,
                                double *rewards, fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes;
  for (int start = 0; start < count; start += s->capacity) {
    const int block = count - start < s->capacity ? count - start : s->capacity;
    for (int i = 0; i < block; i++)
      fcps_expected_reward_set_parameters(s, i, x + (size_t)(start + i) * p);
    if (outcomes != NULL)
      memcpy(s->row_outcomes, outcomes + (size_t)start * q, (size_t)block * q * sizeof(double));
    else
      memset(s->row_outcomes, 0, (size_t)block * q * sizeof(double));
    const fcps_status status =
        fcps_expected_reward_rows(s, block, s->target, outcomes != NULL ? s->all_present : s->none_present, error);
    if (status != FCPS_OK) return status;
    memcpy(rewards + start, s->row_rewards, (size_t)block * sizeof(double));
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_exact(fcps_expected_reward *s, int count, const double *x, const double *outcomes,
                                       double *rewards, fcps_error *error)
{
  return score_points(s, count, x, outcomes, rewards, error);
}

fcps_status fcps_expected_reward_absent(fcps_expected_reward *s, int count, const double *x, double *rewards,
                                        fcps_error *error)
{
  return score_points(s, count, x, NULL, rewards, error);
}
