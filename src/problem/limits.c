/* SPDX-License-Identifier: Apache-2.0 */
/* The chance that a margin is not negative, for an uncertain outcome: the margin is as uncertain as it changes, on the side of
 * the limit, when each number of the outcome moves by some deviations,
 *
 *   s^2 = sum_j max(0, m(y) - m(y +- k s_j e_j))^2 / k^2,    chance = T(m(y) / s),    k = 2.132
 *
 * T is Student's t with four degrees of freedom: a model is seldom as right as its deviations say. Near an edge 13 of 100
 * trials broke limits that a normal distribution kept in 97, and 4 those that it kept in 999 (seven problems, seeds 1001 to
 * 1004).
 *
 * Together limits are kept with the product of their chances: for chances near one that hardly differs from what is true, whatever
 * the outcomes have to do with each other, and far from them it still says which of two trials is better. */
#include "problem/limits.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/normal.h"
#include "problem/constraints.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double reach = 2.1318467863266495;

/* Larger deviations count as this one. */
static const double furthest = 1e50;

/* -- Reading -- */

typedef struct reader {
  fcps_problem_limits *limits;
  const char **names;
  const fcps_choices **choices;
  int count, context, before_outcome;
  fcps_error *error;
} reader;

static fcps_status name_values(reader *r)
{
  const fcps_problem *p = r->limits->problem;
  r->context = p->target.count + p->environment.count;
  r->before_outcome = r->context + p->parameters.count;
  r->count = fcps_problem_list_values(p, &r->names, &r->choices);
  return r->count >= 0 ? FCPS_OK : fcps_error_memory(r->error);
}

/* Adds sign * (level - number) as a margin, with a formula of its own. */
static fcps_status add_margin(const reader *r, int limit, const fcps_formula *number, int root,
                              const fcps_formula *level, double sign)
{
  fcps_problem_limits *l = r->limits;
  void *items = l->margins;
  if (!fcps_reserve(&items, &l->capacity, (size_t)l->count + 1, sizeof *l->margins)) return fcps_error_memory(r->error);
  l->margins = items;
  fcps_problem_margin *made = &l->margins[l->count++];
  *made = (fcps_problem_margin){.limit = limit};
  int a = fcps_formula_splice(&made->formula, level, level->count - 1, NULL);
  int b = fcps_formula_splice(&made->formula, number, root, NULL);
  if (sign < 0.0) {
    const int swapped = a;
    a = b;
    b = swapped;
  }
  const bool is_made = fcps_formula_add_operation(&made->formula, FCPS_FORMULA_SUBTRACT, a, b) >= 0;
  return is_made ? FCPS_OK : fcps_error_memory(r->error);
}

/* Adds the margins of a limit. max(a, b) <= level becomes a <= level and b <= level, and min(a, b) >= level likewise;
 * |a| <= level becomes -level <= a <= level. */
static fcps_status add_margins(const reader *r, int limit, fcps_formula *number, int root, fcps_formula *level,
                               double sign)
{
  const fcps_formula_step step = number->steps[root];
  const fcps_formula_step *first = number->steps + step.arguments[0];
  fcps_status status;
  if (fcps_formula_calls(&step, sign > 0.0 ? "max" : "min")) {
    const bool is_start = first->op == FCPS_FORMULA_CONSTANT && first->constant == step.function->start;
    status = is_start ? FCPS_OK : add_margins(r, limit, number, step.arguments[0], level, sign);
    return status == FCPS_OK ? add_margins(r, limit, number, step.arguments[1], level, sign) : status;
  }
  if (sign > 0.0 && fcps_formula_calls(&step, "abs")) {
    const int end = level->count - 1;
    status = add_margins(r, limit, number, step.arguments[0], level, 1.0);
    if (status != FCPS_OK) return status;
    fcps_formula below = {0};
    const int copy = fcps_formula_splice(&below, level, end, NULL);
    const bool is_made = fcps_formula_add_operation(&below, FCPS_FORMULA_NEGATE, copy, 0) >= 0;
    status = is_made ? add_margins(r, limit, number, step.arguments[0], &below, -1.0) : fcps_error_memory(r->error);
    fcps_formula_destroy(&below);
    return status;
  }
  return add_margin(r, limit, number, root, level, sign);
}

static fcps_status read_side(const reader *r, int limit, fcps_formula *number, const char *text, double sign)
{
  fcps_formula level = {0};
  if (text == NULL) return FCPS_OK;
  fcps_status status = fcps_formula_read(&level, text, r->count, r->names, r->choices, r->error);
  for (int i = r->context; i < r->count && status == FCPS_OK; i++)
    if (fcps_formula_uses(&level, i))
      status = fcps_error_set(
          r->error, FCPS_ERR_FORMAT, "limits",
          "the level uses '%s'; a level is a number, or a formula of targets and environment. Write what "
          "is limited under `of`.",
          r->names[i]);
  if (status == FCPS_OK) status = add_margins(r, limit, number, number->count - 1, &level, sign);
  fcps_formula_destroy(&level);
  return status;
}

static fcps_status read_limit(const reader *r, int index)
{
  const fcps_limit *limit = &r->limits->problem->limits[index];
  fcps_formula number = {0};
  if (limit->name == NULL) return fcps_error_null(r->error, "limits");
  if (limit->at_most == NULL && limit->at_least == NULL)
    return fcps_error_set(r->error, FCPS_ERR_FORMAT, "limits", "has no level; write at_most or at_least.");
  if (!(limit->chance > 0.5 && limit->chance < 1.0))
    return fcps_error_set(r->error, FCPS_ERR_BOUNDS, "limits",
                          "the chance %g is not between 0.5 and 1; 0.95 lets one trial in twenty break the limit.",
                          limit->chance);
  fcps_status status =
      fcps_formula_read(&number, limit->of != NULL ? limit->of : limit->name, r->count, r->names, r->choices, r->error);
  bool has_outcome = false;
  for (int i = r->before_outcome; i < r->count && status == FCPS_OK; i++)
    has_outcome = has_outcome || fcps_formula_uses(&number, i);
  if (status == FCPS_OK && !has_outcome)
    status = fcps_error_set(r->error, FCPS_ERR_FORMAT, "limits",
                            "uses no outcome; limit what is known before a trial by a constraint.");
  if (status == FCPS_OK) status = read_side(r, index, &number, limit->at_most, 1.0);
  if (status == FCPS_OK) status = read_side(r, index, &number, limit->at_least, -1.0);
  fcps_formula_destroy(&number);
  return status;
}

static fcps_status make_room(fcps_problem_limits *limits, int values)
{
  size_t work = 0;
  for (int k = 0; k < limits->count; k++) {
    const size_t needed = fcps_formula_work(&limits->margins[k].formula);
    work = needed > work ? needed : work;
  }
  limits->inputs = fcps_allocate((size_t)values, sizeof *limits->inputs);
  limits->work = fcps_allocate(work, sizeof *limits->work);
  return limits->inputs != NULL && limits->work != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

fcps_status fcps_problem_limits_read(fcps_problem_limits *limits, const fcps_problem *problem, fcps_error *error)
{
  *limits = (fcps_problem_limits){.problem = problem};
  if (problem->limit_count == 0) return FCPS_OK;
  if (problem->limits == NULL) return fcps_error_null(error, "limits");
  reader r = {.limits = limits, .error = error};
  fcps_status status = name_values(&r);
  for (int i = 0; i < problem->limit_count && status == FCPS_OK; i++) {
    status = read_limit(&r, i);
    if (status != FCPS_OK && status != FCPS_ERR_MEMORY && error != NULL && problem->limits[i].name != NULL)
      snprintf(error->field, sizeof error->field, "limits.%s", problem->limits[i].name);
  }
  if (status == FCPS_OK && make_room(limits, r.count) != FCPS_OK) status = fcps_error_memory(error);
  free(r.names);
  free(r.choices);
  if (status != FCPS_OK) fcps_problem_limits_free(limits);
  return status;
}

void fcps_problem_limits_free(fcps_problem_limits *limits)
{
  for (int k = 0; k < limits->count; k++)
    fcps_formula_destroy(&limits->margins[k].formula);
  free(limits->margins);
  free(limits->inputs);
  free(limits->work);
  *limits = (fcps_problem_limits){0};
}

/* -- Margins and chances -- */

static void place(fcps_problem_limits *l, const fcps_problem_trial *t, const double *outcome)
{
  const fcps_problem *p = l->problem;
  const struct {
    int count;
    const double *values;
  } parts[] = {{p->target.count, t->target},
               {p->environment.count, t->environment},
               {p->parameters.count, t->parameters},
               {p->outcome.count, outcome}};
  fcps_formula_input *input = l->inputs;
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < parts[s].count; i++)
      *input++ = (fcps_formula_input){parts[s].values + i, 0};
}

static double margin(const fcps_problem_limits *l, int k)
{
  return *fcps_formula_eval(&l->margins[k].formula, 1, l->inputs, l->work);
}

void fcps_problem_limits_margins(fcps_problem_limits *limits, const fcps_problem_trial *trial, double *values)
{
  place(limits, trial, trial->outcome);
  for (int k = 0; k < limits->count; k++)
    values[k] = margin(limits, k);
}

/* Returns by how many deviations a margin is kept. */
static double deviations_of(fcps_problem_limits *l, const fcps_problem_trial *t, int k)
{
  const fcps_problem *p = l->problem;
  const int first = p->target.count + p->environment.count + p->parameters.count;
  double outcome[FCPS_SPACE_MAX], squares = 0.0;
  memcpy(outcome, t->outcome, (size_t)p->outcome.count * sizeof *outcome);
  place(l, t, outcome);
  const double middle = margin(l, k);
  for (int j = 0; j < p->outcome.count; j++) {
    if (!fcps_formula_uses(&l->margins[k].formula, first + j) || t->deviation == NULL || !(t->deviation[j] > 0.0))
      continue;
    double least = middle;
    for (int side = -1; side <= 1; side += 2) {
      outcome[j] = t->outcome[j] + side * reach * t->deviation[j];
      const double moved = margin(l, k);
      least = isnan(moved) ? -INFINITY : fmin(least, moved);
    }
    outcome[j] = t->outcome[j];
    squares += (middle - least) * (middle - least);
  }
  if (isnan(middle)) return -INFINITY;
  return squares > 0.0 ? middle * reach / sqrt(squares) : middle >= 0.0 ? INFINITY : -INFINITY;
}

double fcps_problem_limits_chances(fcps_problem_limits *limits, const fcps_problem_trial *trial, double *chances)
{
  double all = 1.0;
  for (int i = 0; i < limits->problem->limit_count && chances != NULL; i++)
    chances[i] = 1.0;
  for (int k = 0; k < limits->count; k++) {
    const double chance = fcps_student_cdf(deviations_of(limits, trial, k));
    if (chances != NULL) chances[limits->margins[k].limit] *= chance;
    all *= chance;
  }
  return all;
}

/* Returns the deviations that correspond to a chance, which is given as its logarithm in nats. Far below one half, the
 * logarithm itself is used, so that the slope never vanishes. */
static double deviations_for(double nats)
{
  static const double deepest = -5.0;
  const double broken = -expm1(nats);
  if (nats < deepest) return fcps_student_quantile(exp(deepest)) + nats - deepest;
  return broken > 0.0 ? -fcps_student_quantile(broken) : INFINITY;
}

double fcps_problem_limits_slack(fcps_problem_limits *limits, const fcps_problem_trial *trial)
{
  const fcps_limit *list = limits->problem->limits;
  double nats[FCPS_SPACE_MAX] = {0}, all = 0.0, least = 1.0, slack = INFINITY;
  for (int k = 0; k < limits->count; k++) {
    const double kept = log(fcps_student_cdf(fmax(deviations_of(limits, trial, k), -furthest)));
    nats[limits->margins[k].limit] += kept;
    all += kept;
  }
  for (int i = 0; i < limits->problem->limit_count; i++) {
    slack = fmin(slack, deviations_for(nats[i]) - fcps_student_quantile(list[i].chance));
    least = fmin(least, list[i].chance);
  }
  return fmin(slack, deviations_for(all) - fcps_student_quantile(least));
}

fcps_status fcps_problem_limits_judge(const fcps_problem *problem, const fcps_problem_trial *trial, double *chance,
                                      bool *is_kept, fcps_error *error)
{
  static const double allowance = -0.01; /* in deviations: so that a chance which rounds to the wanted one is enough */
  fcps_problem_limits limits;
  *chance = 1.0;
  *is_kept = true;
  if (problem->limit_count == 0) return FCPS_OK;
  const fcps_status status = fcps_problem_limits_read(&limits, problem, error);
  if (status != FCPS_OK) return status;
  *chance = fcps_problem_limits_chances(&limits, trial, NULL);
  *is_kept = fcps_problem_limits_slack(&limits, trial) >= allowance;
  fcps_problem_limits_free(&limits);
  return FCPS_OK;
}

bool fcps_problem_limits_broken(const fcps_problem *problem, const fcps_rollout *rollout)
{
  double all = 1.0;
  const fcps_status status =
      fcps_problem_limit_chances(problem, rollout->target, rollout->environment, rollout->parameters,
                                 rollout->status == FCPS_ROLLOUT_OK ? rollout->outcome : NULL, NULL, NULL, &all, NULL);
  return status == FCPS_OK && all < 0.5;
}

/* -- As parts of a problem -- */

static bool is_of_context(const fcps_space *space, const double *values, const double *context)
{
  for (int d = 0; d < space->count; d++)
    if (!isnan(values[d]) && values[d] != context[d]) return false;
  return true;
}

void fcps_problem_limits_drop(fcps_problem *problem)
{
  for (int i = 0; i < problem->limit_count; i++) {
    const char *const texts[] = {problem->limits[i].name, problem->limits[i].of, problem->limits[i].at_most,
                                 problem->limits[i].at_least};
    for (int t = 0; t < 4; t++)
      free((char *)(uintptr_t)texts[t]);
  }
  for (int i = 0; i < problem->safe_count; i++)
    free((double *)(uintptr_t)problem->safe[i].target);
  free((fcps_limit *)(uintptr_t)problem->limits);
  free((fcps_safe_trial *)(uintptr_t)problem->safe);
  problem->limits = NULL;
  problem->safe = NULL;
  problem->limit_count = problem->safe_count = 0;
}

static bool copy_text(const char *text, const char **copy)
{
  *copy = fcps_copy_text(text);
  return text == NULL || *copy != NULL;
}

/* Copies a safe trial; its numbers are one block, which begins with the target. */
static bool copy_safe(const fcps_problem *p, const fcps_safe_trial *from, fcps_safe_trial *copy)
{
  const struct {
    int count;
    const double *values;
  } parts[] = {{p->target.count, from->target},
               {p->environment.count, from->environment},
               {p->parameters.count, from->parameters}};
  double *numbers =
      fcps_allocate((size_t)(p->target.count + p->environment.count + p->parameters.count), sizeof *numbers);
  if (numbers == NULL) return false;
  *copy = (fcps_safe_trial){numbers, numbers + parts[0].count, numbers + parts[0].count + parts[1].count};
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < parts[s].count; i++)
      *numbers++ = parts[s].values != NULL ? parts[s].values[i] : NAN;
  return true;
}

fcps_status fcps_problem_limits_copy(fcps_problem *problem, const fcps_problem *from)
{
  fcps_limit *limits = fcps_allocate((size_t)from->limit_count, sizeof *limits);
  fcps_safe_trial *safe = fcps_allocate((size_t)from->safe_count, sizeof *safe);
  bool is_done = limits != NULL && safe != NULL;
  problem->limits = limits;
  problem->safe = safe;
  problem->limit_count = problem->safe_count = 0;
  for (int i = 0; i < from->limit_count && is_done; i++) {
    const fcps_limit *l = &from->limits[i];
    problem->limit_count++;
    limits[i].chance = l->chance;
    is_done = copy_text(l->name, &limits[i].name) && copy_text(l->of, &limits[i].of) &&
              copy_text(l->at_most, &limits[i].at_most) && copy_text(l->at_least, &limits[i].at_least);
  }
  for (int i = 0; i < from->safe_count && is_done; i++) {
    is_done = copy_safe(from, &from->safe[i], &safe[i]);
    problem->safe_count += is_done;
  }
  return is_done ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Refuses a limit whose levels leave no value between them in any context. */
static fcps_status check_levels(const reader *r, const fcps_limit *limit)
{
  const fcps_problem *p = r->limits->problem;
  fcps_formula levels[2] = {{0}};
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], values[2];
  const double unused[FCPS_SPACE_MAX] = {0};
  const char *const texts[2] = {limit->at_least, limit->at_most};
  fcps_status status = FCPS_OK;
  for (int side = 0; side < 2 && status == FCPS_OK; side++)
    status = fcps_formula_read(&levels[side], texts[side], r->count, r->names, r->choices, r->error);
  double *work = status == FCPS_OK
                     ? fcps_allocate(fcps_formula_work(&levels[0]) + fcps_formula_work(&levels[1]), sizeof *work)
                     : NULL;
  if (status == FCPS_OK && work == NULL) status = fcps_error_memory(r->error);
  bool has_room = false;
  for (int i = 0; i < FCPS_CONTEXT_PROBES && status == FCPS_OK && !has_room; i++) {
    fcps_problem_probe_context(p, i, target, environment);
    place(r->limits, &(fcps_problem_trial){target, environment, unused, unused, NULL}, unused);
    for (int side = 0; side < 2; side++)
      values[side] = *fcps_formula_eval(&levels[side], 1, r->limits->inputs, work);
    has_room = !(values[0] > values[1]);
  }
  for (int side = 0; side < 2; side++)
    fcps_formula_destroy(&levels[side]);
  free(work);
  if (status != FCPS_OK || has_room) return status;
  return fcps_error_set(r->error, FCPS_ERR_BOUNDS, "limits",
                        "nothing is at least \"%.80s\" and at most \"%.80s\"; change one of them.", limit->at_least,
                        limit->at_most);
}

static fcps_status check_all_levels(fcps_problem_limits *limits, fcps_error *error)
{
  reader r = {.limits = limits, .error = error};
  fcps_status status = name_values(&r);
  for (int i = 0; i < limits->problem->limit_count && status == FCPS_OK; i++) {
    const fcps_limit *limit = &limits->problem->limits[i];
    if (limit->at_most != NULL && limit->at_least != NULL) status = check_levels(&r, limit);
    if (status == FCPS_ERR_BOUNDS && error != NULL)
      snprintf(error->field, sizeof error->field, "limits.%s", limit->name);
  }
  free(r.names);
  free(r.choices);
  return status;
}

int fcps_problem_next_safe(const fcps_problem *p, fcps_feasible *set, int first, const double *target,
                           const double *environment)
{
  double x[FCPS_SPACE_MAX];
  for (int i = first; i < p->safe_count; i++) {
    const fcps_safe_trial *safe = &p->safe[i];
    fcps_space_to_unit(&p->parameters, safe->parameters, x);
    if (fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE, NULL) &&
        is_of_context(&p->target, safe->target, target) &&
        is_of_context(&p->environment, safe->environment, environment))
      return i;
  }
  return -1;
}

bool fcps_problem_is_unsafe_word(const fcps_problem *p, int dimension, double word)
{
  for (int i = 0; i < p->safe_count; i++)
    if (p->safe[i].parameters[dimension] == word) return false;
  return p->limit_count > 0 && p->safe_count > 0;
}

bool fcps_problem_find_unsafe_word(const fcps_problem *p, int *dimension, double *word)
{
  for (int d = 0; d < p->parameters.count && p->limit_count > 0 && p->safe_count > 0; d++) {
    const fcps_choices *choices = p->parameters.dims[d].choices;
    for (int w = 0; choices != NULL && w < choices->count; w++) {
      *dimension = d;
      *word = w;
      if (fcps_problem_is_unsafe_word(p, d, w)) return true;
    }
  }
  return false;
}

/* Writes the context of a safe trial. Returns false if the trial leaves a part of the context open. */
static bool take_context(const fcps_space *space, const double *given, double *values)
{
  bool is_whole = true;
  for (int d = 0; d < space->count; d++) {
    values[d] = given != NULL ? given[d] : NAN;
    is_whole = is_whole && !isnan(values[d]);
  }
  return is_whole;
}

/* Refuses a safe trial that breaks a constraint in every context for which it is meant, if this can be known without
 * trying contexts. */
static fcps_status check_safe_constraints(const fcps_problem *p, const fcps_safe_trial *safe, fcps_error *error)
{
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  const bool has_target = take_context(&p->target, safe->target, target);
  const bool is_whole = take_context(&p->environment, safe->environment, environment) && has_target;
  if (!is_whole) fcps_problem_probe_context(p, 0, target, environment);
  fcps_problem alone = *p;
  alone.constraint_count = 1;
  for (int i = 0; i < p->constraint_count; i++) {
    fcps_constraints read;
    alone.constraints = p->constraints + i;
    fcps_status status = fcps_constraints_read(&read, &alone, error);
    if (status != FCPS_OK) return status;
    const bool is_open = fcps_constraints_use_context(&read, &alone) && !is_whole;
    int broken = -1;
    fcps_constraints_free(&read);
    if (is_open) continue;
    status = fcps_problem_find_broken(&alone, target, environment, safe->parameters, &broken, error);
    if (status == FCPS_ERR_MEMORY) return status;
    if (status != FCPS_OK || broken >= 0)
      return fcps_error_set(error, FCPS_ERR_BOUNDS, "safe", "this trial breaks the constraint \"%.200s\".",
                            p->constraints[i]);
  }
  return FCPS_OK;
}

static fcps_status check_safe(const fcps_problem *p, const fcps_safe_trial *safe, fcps_error *error)
{
  const fcps_status status = fcps_space_check_values(&p->parameters, "safe", safe->parameters, true, error);
  if (status != FCPS_OK) return status;
  const int off = fcps_space_find_off_step(&p->parameters, safe->parameters, 0);
  if (off >= 0)
    return fcps_error_set(error, FCPS_ERR_BOUNDS, "safe", "%s=%g is not on the steps of %s, which are %g apart.",
                          p->parameters.dims[off].name, safe->parameters[off], p->parameters.dims[off].name,
                          fcps_dimension_step(&p->parameters.dims[off]));
  return check_safe_constraints(p, safe, error);
}

fcps_status fcps_problem_limits_check(const fcps_problem *problem, fcps_error *error)
{
  fcps_problem_limits limits;
  if (problem->limit_count > FCPS_SPACE_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "limits", "there are %d; at most %d can be kept.",
                          problem->limit_count, FCPS_SPACE_MAX);
  fcps_status status = fcps_problem_limits_read(&limits, problem, error);
  if (status == FCPS_OK) status = check_all_levels(&limits, error);
  fcps_problem_limits_free(&limits);
  if (status == FCPS_OK && problem->safe_count > 0 && problem->safe == NULL) return fcps_error_null(error, "safe");
  for (int i = 0; i < problem->safe_count && status == FCPS_OK; i++) {
    status = check_safe(problem, &problem->safe[i], error);
    if (status != FCPS_OK && status != FCPS_ERR_MEMORY && error != NULL)
      snprintf(error->field, sizeof error->field, "safe.%d", i + 1);
  }
  return status;
}

/* -- The public face -- */

/* Whether all outcomes that a margin needs are numbers. */
static bool is_measured(const fcps_problem_limits *l, int k, const double *outcome)
{
  const fcps_problem *p = l->problem;
  const int first = p->target.count + p->environment.count + p->parameters.count;
  for (int o = 0; o < p->outcome.count; o++)
    if (isnan(outcome[o]) && fcps_formula_uses(&l->margins[k].formula, first + o)) return false;
  return true;
}

fcps_status fcps_problem_limit_chances(const fcps_problem *problem, const double *target, const double *environment,
                                       const double *parameters, const double *outcome, const double *deviation,
                                       double *chances, double *all, fcps_error *error)
{
  fcps_problem_limits limits;
  if (problem == NULL) return fcps_error_null(error, "problem");
  if (all == NULL) return fcps_error_null(error, "all");
  if (parameters == NULL) return fcps_error_null(error, "parameters");
  *all = 1.0;
  for (int i = 0; i < problem->limit_count && chances != NULL; i++)
    chances[i] = 1.0;
  if (outcome == NULL || problem->limit_count == 0) return FCPS_OK;
  const fcps_status status = fcps_problem_limits_read(&limits, problem, error);
  if (status != FCPS_OK) return status;
  const fcps_problem_trial trial = {target, environment, parameters, outcome, deviation};
  *all = fcps_problem_limits_chances(&limits, &trial, chances);
  for (int k = 0; k < limits.count; k++)
    if (!is_measured(&limits, k, outcome)) {
      *all = NAN;
      if (chances != NULL) chances[limits.margins[k].limit] = NAN;
    }
  fcps_problem_limits_free(&limits);
  return FCPS_OK;
}
