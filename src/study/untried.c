/* SPDX-License-Identifier: Apache-2.0 */
/* Untried levels: words of a parameter or of the environment, or levels of a whole number with few levels, that have
 * no result.
 *
 * A model may be sure of them because it knows others, but that is no reason to stop. The possible gain of an
 * untried level is E[max(0, R - m)], where m is the believed reward of the policy's parameters, and R ~ N(m', s^2)
 * is the reward of the same parameters with this one level changed. The most promising level counts, in the mean
 * over the contexts. */
#include "study/untried.h"

#include "base/normal.h"
#include "base/number.h"
#include "policy/policy_impl.h"
#include "problem/formula/conditions.h"
#include "space/space.h"
#include "study/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A whole number with more levels counts as continuous. At most MOST_WEIGHED levels are weighed, those of the first
 * dimensions first. */
enum { FEW_LEVELS = 10, MOST_WEIGHED = 20 };

typedef struct untried {
  bool is_parameter; /* else it belongs to the environment */
  int dimension;
  double value;
} untried;

static int count_levels(const fcps_dimension *dim)
{
  if (dim->choices != NULL) return dim->choices->count;
  const double step = fcps_dimension_step(dim);
  if (!(step > 0.0) || !(dim->lower < dim->upper)) return 0;
  const double levels = nearbyint((dim->upper - dim->lower) / step) + 1.0;
  return levels <= FEW_LEVELS ? (int)levels : 0;
}

static double level_at(const fcps_dimension *dim, int level)
{
  return dim->lower + level * fcps_dimension_step(dim);
}

/* Whether a result counts for a dimension: a parameter that did not apply in it was not tried. */
static bool counts_for(const fcps_study *s, const fcps_stored_result *stored, bool is_parameter, int d,
                       fcps_conditions *conditions)
{
  const fcps_rollout *r = &stored->result.rollout;
  bool applies[FCPS_SPACE_MAX];
  if (!stored->is_used || !is_parameter || s->problem.parameters.dims[d].when == NULL || conditions == NULL)
    return stored->is_used;
  fcps_conditions_turn(conditions, r->target, r->environment);
  fcps_conditions_find(conditions, r->parameters, applies);
  return applies[d];
}

static bool has_result(const fcps_study *s, bool is_parameter, int d, double value, double step,
                       fcps_conditions *conditions)
{
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_rollout *r = &s->results[i].result.rollout;
    const double at = (is_parameter ? r->parameters : r->environment)[d];
    if (fabs(at - value) < 0.5 * step && counts_for(s, &s->results[i], is_parameter, d, conditions)) return true;
  }
  return false;
}

/* Appends the levels of a space that have no result; returns how many there are in all. */
static int add_untried(const fcps_study *s, bool is_parameter, int count, untried list[MOST_WEIGHED],
                       fcps_conditions *conditions)
{
  const fcps_space *space = is_parameter ? &s->problem.parameters : &s->problem.environment;
  for (int d = 0; d < space->count; d++) {
    const fcps_dimension *dim = &space->dims[d];
    for (int l = 0; l < count_levels(dim); l++) {
      const double value = level_at(dim, l);
      if (has_result(s, is_parameter, d, value, fcps_dimension_step(dim), conditions)) continue;
      if (count < MOST_WEIGHED) list[count] = (untried){is_parameter, d, value};
      count++;
    }
  }
  return count;
}

/* -1: there is no memory. */
static int find_untried(const fcps_study *s, untried list[MOST_WEIGHED])
{
  const double none[FCPS_SPACE_MAX] = {0};
  fcps_conditions *conditions;
  if (fcps_conditions_create(&conditions, &s->problem, none, none, NULL) != FCPS_OK) return -1;
  const int count = add_untried(s, false, add_untried(s, true, 0, list, conditions), list, conditions);
  fcps_conditions_destroy(conditions);
  return count;
}

bool fcps_study_name_untried(const fcps_study *s, size_t size, char *text)
{
  char value[FCPS_NUMBER_SIZE], more[48] = "";
  untried list[MOST_WEIGHED];
  const int count = find_untried(s, list);
  if (count <= 0) return false;
  const fcps_space *space = list[0].is_parameter ? &s->problem.parameters : &s->problem.environment;
  const fcps_dimension *dim = &space->dims[list[0].dimension];
  const char *word = fcps_dimension_word(dim, list[0].value);
  if (count > 1) snprintf(more, sizeof more, " and %d other%s", count - 1, count > 2 ? "s" : "");
  snprintf(text, size, "%.60s=%.60s%s never had a result", dim->name,
           word != NULL ? word : fcps_number_write(list[0].value, value), more);
  return true;
}

/* E[max(0, R - m)]. */
static double expect_gain(double by, double deviation)
{
  if (!(deviation > 0.0)) return fmax(0.0, by);
  const double z = by / deviation;
  return by * fcps_normal_cdf(z) + deviation * fcps_normal_density(z);
}

/* Finds the gain of the most promising level in one context. `parameters` are those of the policy; they are changed
 * and restored. */
static fcps_status weigh(fcps_policy *policy, int count, const untried *list, const double *target,
                         const double *environment, double reward, const double *parameters, double *gain)
{
  fcps_status status = FCPS_OK;
  *gain = 0.0;
  for (int i = 0; i < count && i < MOST_WEIGHED && status == FCPS_OK; i++) {
    fcps_prediction prediction = {0};
    bool applies[FCPS_SPACE_MAX];
    double changed[FCPS_SPACE_MAX];
    /* the policy cannot choose the environment; the outlook counts its deviations anyway */
    if (!list[i].is_parameter) continue;
    status = fcps_problem_applies(&policy->problem, target, environment, parameters, applies, NULL);
    if (status != FCPS_OK || !applies[list[i].dimension]) continue; /* it gains nothing here */
    memcpy(changed, parameters, (size_t)policy->problem.parameters.count * sizeof *changed);
    changed[list[i].dimension] = list[i].value;
    status = fcps_problem_rest(&policy->problem, target, environment, changed, NULL);
    if (status == FCPS_OK) status = fcps_policy_predict_at(policy, target, environment, changed, &prediction);
    if (status == FCPS_OK && isfinite(prediction.reward))
      *gain = fmax(*gain, expect_gain(prediction.reward - reward, prediction.reducible_deviation));
  }
  return status;
}

fcps_status fcps_study_weigh_untried(fcps_study *s, fcps_policy *policy, int contexts, const double *targets,
                                     const double *environments, const double *rewards, double *parameters,
                                     double *gain)
{
  const fcps_problem *p = &s->problem;
  untried list[MOST_WEIGHED];
  const int count = find_untried(s, list);
  fcps_status status = FCPS_OK;
  *gain = 0.0;
  if (count < 0) return FCPS_ERR_MEMORY;
  if (count == 0 || policy->ops->model == NULL) return FCPS_OK;
  const bool was_held = fcps_study_set_held(s, true); /* the policy may call functions of the user */
  int valued = 0;
  for (int i = 0; i < contexts; i++)
    valued += !isnan(rewards[i]);
  for (int i = 0; i < contexts && status == FCPS_OK; i++) {
    double most;
    if (isnan(rewards[i])) continue;
    status = weigh(policy, count, list, fcps_policy_row(targets, &p->target, i),
                   fcps_policy_row(environments, &p->environment, i), rewards[i],
                   parameters + (size_t)i * (size_t)p->parameters.count, &most);
    *gain += most / valued;
  }
  fcps_study_set_held(s, was_held);
  return status;
}
