/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of reward and achieved read one array of values, in which every dimension has its index. To score a row
 * is to copy it into that array and evaluate the reward. */
#include "problem/reward.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `values` is the array that all formulas read, and the integers are the first index of each space in it. Environment
 * and outcome come first: an achieved formula may use these two alone. */
struct fcps_reward {
  const fcps_problem *problem;
  int environment, outcome, target, parameters, present, distance, count;
  const char **names;
  double *values;
  fcps_expression *reward;
  bool needs_outcome;         /* the reward is NaN without one */
  fcps_expression **achieved; /* one per target dimension, or NULL */
};

static void name_space(fcps_reward *r, const fcps_space *space, int *first)
{
  *first = r->count;
  for (int i = 0; i < space->count; i++)
    r->names[r->count++] = space->dims[i].name;
}

static fcps_status name_values(fcps_reward *r, bool has_achieved)
{
  const fcps_problem *p = r->problem;
  const int total = p->target.count + p->environment.count + p->parameters.count + p->outcome.count + 2;
  r->names = fcps_allocate((size_t)total, sizeof *r->names);
  r->values = fcps_allocate((size_t)total, sizeof *r->values);
  if (r->names == NULL || r->values == NULL) return FCPS_ERR_MEMORY;

  name_space(r, &p->environment, &r->environment);
  name_space(r, &p->outcome, &r->outcome);
  name_space(r, &p->target, &r->target);
  name_space(r, &p->parameters, &r->parameters);
  r->present = r->count;
  r->names[r->count++] = "present";
  r->distance = r->count;
  if (has_achieved) r->names[r->count++] = "distance";
  return FCPS_OK;
}

/* Copies row `row` of `values` into the array that the formulas read. `values` may be NULL for an empty space. */
static void put(const fcps_reward *r, int first, const fcps_space *space, const double *values, int row)
{
  const size_t width = (size_t)space->count;
  if (width) memcpy(r->values + first, values + (size_t)row * width, width * sizeof *values);
}

/* Computes the achieved target from the environment and outcome in r->values. */
static void achieve(const fcps_reward *r, double *target)
{
  for (int t = 0; t < r->problem->target.count; t++)
    target[t] = fcps_expression_eval(r->achieved[t]);
}

static double distance(const fcps_reward *r)
{
  double length = 0.0;
  for (int t = 0; t < r->problem->target.count; t++) {
    const double period = r->problem->target.dims[t].period;
    double gap = r->values[r->target + t] - fcps_expression_eval(r->achieved[t]);
    if (period > 0.0) gap -= period * round(gap / period);
    length += gap * gap;
  }
  return sqrt(length);
}

/* Puts one rollout into the array that the formulas read. */
static void put_rollout(const fcps_reward *r, const fcps_rollout *rollout)
{
  const fcps_problem *p = r->problem;
  put(r, r->target, &p->target, rollout->target, 0);
  put(r, r->environment, &p->environment, rollout->environment, 0);
  put(r, r->parameters, &p->parameters, rollout->parameters, 0);
  if (rollout->outcome != NULL) put(r, r->outcome, &p->outcome, rollout->outcome, 0);
  for (int o = 0; rollout->outcome == NULL && o < p->outcome.count; o++)
    r->values[r->outcome + o] = NAN;
  r->values[r->present] = rollout->outcome != NULL ? 1.0 : 0.0;
  if (r->achieved != NULL) r->values[r->distance] = rollout->outcome != NULL ? distance(r) : NAN;
}

char *fcps_reward_blame(fcps_reward *r, const char *formula, const fcps_rollout *rollout, size_t size, char *words)
{
  const fcps_expression_names names = {r->count, r->names, r->values};
  put_rollout(r, rollout);
  return fcps_expression_blame(formula, &names, size, words);
}

static fcps_status score(void *user, int count, const double *target, const double *environments,
                         const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const fcps_reward *r = user;
  const fcps_problem *p = r->problem;
  const bool uses_distance = r->achieved != NULL && fcps_expression_uses(r->reward, r->distance);

  put(r, r->target, &p->target, target, 0);
  for (int i = 0; i < count; i++) {
    put(r, r->environment, &p->environment, environments, i);
    put(r, r->parameters, &p->parameters, parameters, i);
    r->values[r->present] = present[i] ? 1.0 : 0.0;
    if (present[i]) put(r, r->outcome, &p->outcome, outcomes, i);
    for (int o = 0; !present[i] && o < p->outcome.count; o++)
      r->values[r->outcome + o] = NAN;
    if (uses_distance) r->values[r->distance] = present[i] ? distance(r) : NAN;
    rewards[i] = present[i] || !r->needs_outcome ? fcps_expression_eval(r->reward) : NAN;
  }
  return FCPS_OK;
}

static fcps_status achieved_targets(void *user, int count, const double *environments, const double *outcomes,
                                    double *targets)
{
  const fcps_reward *r = user;
  const fcps_problem *p = r->problem;
  for (int i = 0; i < count; i++) {
    put(r, r->environment, &p->environment, environments, i);
    put(r, r->outcome, &p->outcome, outcomes, i);
    achieve(r, targets + (size_t)i * (size_t)p->target.count);
  }
  return FCPS_OK;
}

/* Whether the formula is -distance + (terms in environment and parameters). It must begin with -distance, continue with
 * + or -, have no operator that binds less strongly, and use nothing else. */
static bool is_distance_and_cost(const fcps_reward *r, const char *text)
{
  while (isspace((unsigned char)*text))
    text++;
  if (*text++ != '-') return false;
  while (isspace((unsigned char)*text))
    text++;
  static const char word[] = "distance";
  if (strncmp(text, word, sizeof word - 1) != 0) return false;
  text += sizeof word - 1;
  while (isspace((unsigned char)*text))
    text++;
  if (*text && *text != '+' && *text != '-') return false;

  if (strpbrk(text, "<>=!&|?:") != NULL || strstr(text, word) != NULL) return false;
  for (int i = 0; i < r->count; i++) {
    const bool may_use = i < r->outcome || (i >= r->parameters && i < r->present) || i == r->distance;
    if (!may_use && fcps_expression_uses(r->reward, i)) return false;
  }
  for (int t = 0; t < r->problem->target.count; t++)
    if (r->problem->target.dims[t].period > 0.0) return false;
  return true;
}

static fcps_status compile_achieved(fcps_reward *r, const char *const *achieved, fcps_error *error)
{
  const fcps_space *target = &r->problem->target;
  r->achieved = fcps_allocate((size_t)target->count, sizeof(fcps_expression *));
  if (r->achieved == NULL) return fcps_error_memory(error);
  for (int t = 0; t < target->count; t++) {
    const fcps_status status =
        fcps_expression_create(&r->achieved[t], achieved[t], r->target, r->names, r->values, error);
    if (status != FCPS_OK && error != NULL)
      snprintf(error->field, sizeof error->field, "achieved.%s", target->dims[t].name);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

/* Whether the reward uses the outcome without testing `present`. The reward's value cannot reveal that: a comparison
 * with NaN is false, and false is a number. */
static bool needs_outcome(const fcps_reward *r)
{
  if (fcps_expression_uses(r->reward, r->present)) return false;
  for (int i = r->outcome; i < r->target; i++)
    if (fcps_expression_uses(r->reward, i)) return true;
  return r->achieved != NULL && fcps_expression_uses(r->reward, r->distance);
}

static fcps_status compile(fcps_reward *r, const char *reward, const char *const *achieved, fcps_error *error)
{
  if (name_values(r, achieved != NULL) != FCPS_OK) return fcps_error_memory(error);
  fcps_status status = achieved != NULL ? compile_achieved(r, achieved, error) : FCPS_OK;
  if (status != FCPS_OK || reward == NULL) return status;
  status = fcps_expression_create(&r->reward, reward, r->count, r->names, r->values, error);
  if (status != FCPS_OK && error != NULL) strcpy(error->field, "reward");
  if (status == FCPS_OK) r->needs_outcome = needs_outcome(r);
  return status;
}

fcps_status fcps_reward_create(fcps_reward **handle, fcps_problem *problem, const char *reward,
                               const char *const *achieved, fcps_error *error)
{
  *handle = NULL;
  fcps_reward *r = fcps_allocate(1, sizeof *r);
  if (r == NULL) return fcps_error_memory(error);
  r->problem = problem;
  const fcps_status status = compile(r, reward, achieved, error);
  if (status != FCPS_OK) {
    fcps_reward_destroy(r);
    return status;
  }
  problem->reward = reward != NULL ? score : NULL;
  problem->achieved = achieved != NULL ? achieved_targets : NULL;
  problem->is_distance = reward != NULL && achieved != NULL && is_distance_and_cost(r, reward);
  problem->user = r;
  *handle = r;
  return FCPS_OK;
}

void fcps_reward_destroy(fcps_reward *r)
{
  if (r == NULL) return;
  for (int t = 0; r->achieved != NULL && t < r->problem->target.count; t++)
    fcps_expression_destroy(r->achieved[t]);
  free(r->achieved);
  fcps_expression_destroy(r->reward);
  free(r->names);
  free(r->values);
  free(r);
}
