/* SPDX-License-Identifier: Apache-2.0 */
/* Problems. The four spaces are numbered in the order target, environment, parameters, outcome. A callback never fails
 * silently: its status becomes FCPS_ERR_CALLBACK, and unusable numbers become NaN. */
#include "problem/problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "problem/constraints.h"
#include "problem/feasible.h"
#include "problem/formula/conditions.h"
#include "problem/limits.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fcps_rollout_values_usable(int count, const double *values)
{
  for (int i = 0; i < count; i++)
    if (!(fabs(values[i]) <= FCPS_VALUE_LIMIT)) return false;
  return true;
}

static const char *const labels[] = {"target", "environment", "parameters", "outcome"};

static const fcps_space *space_of(const fcps_problem *problem, int index)
{
  const fcps_space *spaces[] = {&problem->target, &problem->environment, &problem->parameters, &problem->outcome};
  return spaces[index];
}

/* Refuses a name that two dimensions share, because a reward formula sees the names of all spaces. */
static fcps_status check_names_differ(const fcps_problem *problem, fcps_error *error)
{
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++)
      for (int i = 0; i < space_of(problem, a)->count; i++) {
        const char *name = space_of(problem, a)->dims[i].name;
        if (fcps_space_find(space_of(problem, b), name) >= 0)
          return fcps_error_set(error, FCPS_ERR_ARGUMENT, name,
                                "the name is used by %s and by %s; give each dimension its own name", labels[a],
                                labels[b]);
      }
  return FCPS_OK;
}

void fcps_problem_probe_context(const fcps_problem *problem, int index, double *target, double *environment)
{
  double x[2 * FCPS_SPACE_MAX];
  const int width = problem->target.count + problem->environment.count;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_DESIGN, 0);
  if (index > 0) fcps_points_halton(&rng, width, index, 1, x);
  for (int d = 0; d < width && index == 0; d++)
    x[d] = 0.5;
  fcps_space_from_unit(&problem->target, x, target);
  fcps_space_from_unit(&problem->environment, x + problem->target.count, environment);
}

fcps_status fcps_problem_check_constraints(const fcps_problem *problem, fcps_error *error)
{
  if (problem->constraint_count == 0) return FCPS_OK;
  if (problem->constraints == NULL) return fcps_error_null(error, "constraints");
  fcps_constraints constraints;
  fcps_feasible *set = NULL;
  fcps_status status = fcps_constraints_read(&constraints, problem, error);
  if (status != FCPS_OK) return status;
  const int contexts = fcps_constraints_use_context(&constraints, problem) ? FCPS_CONTEXT_PROBES : 1;
  for (int i = 0; i < contexts && set == NULL && status != FCPS_ERR_MEMORY; i++) {
    double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
    fcps_problem_probe_context(problem, i, target, environment);
    status = fcps_feasible_create(&set, problem, target, environment, error);
  }
  fcps_feasible_destroy(set);
  fcps_constraints_free(&constraints);
  return status;
}

fcps_status fcps_problem_check_rules(const fcps_problem *problem, fcps_error *error)
{
  fcps_status status = fcps_problem_check_constraints(problem, error);
  const bool has_limits = problem->limit_count > 0 || problem->safe_count > 0;
  if (status == FCPS_OK && has_limits) status = fcps_problem_limits_check(problem, error);
  if (status == FCPS_OK && problem->cost != NULL) status = fcps_problem_cost_check(problem, error);
  return status;
}

fcps_status fcps_problem_check(const fcps_problem *problem, fcps_error *error)
{
  if (problem == NULL) return fcps_error_set(error, FCPS_ERR_ARGUMENT, "problem", "no problem was given (NULL)");
  for (int i = 0; i < 4; i++) {
    const bool is_outcome = i == 3;
    const fcps_status status = fcps_space_check(space_of(problem, i), labels[i], is_outcome, error);
    if (status != FCPS_OK) return status;
  }
  if (problem->parameters.count == 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "parameters",
                          "a problem needs at least one parameter; without one there is nothing to learn");
  if (problem->achieved != NULL && problem->outcome.count == 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "achieved", "an achieved target needs an outcome to come from");
  int which;
  fcps_status status = check_names_differ(problem, error);
  if (status == FCPS_OK) status = fcps_problem_check_conditions(problem, &which, error);
  if (status != FCPS_OK) return status;
  return fcps_problem_check_rules(problem, error);
}

fcps_status fcps_problem_check_context(const fcps_problem *problem, const double *target, const double *environment,
                                       fcps_error *error)
{
  if (problem == NULL) return fcps_error_null(error, "problem");
  const fcps_status status = fcps_space_check_values(&problem->target, "target", target, true, error);
  return status == FCPS_OK ? fcps_space_check_values(&problem->environment, "environment", environment, true, error)
                           : status;
}

fcps_status fcps_problem_find_broken(const fcps_problem *problem, const double *target, const double *environment,
                                     const double *parameters, int *broken, fcps_error *error)
{
  fcps_feasible *set = NULL;
  double x[FCPS_SPACE_MAX], rested[FCPS_SPACE_MAX];
  if (problem == NULL) return fcps_error_null(error, "problem");
  if (parameters == NULL) return fcps_error_null(error, "parameters");
  if (broken == NULL) return fcps_error_null(error, "broken");
  *broken = -1;
  memcpy(rested, parameters, (size_t)problem->parameters.count * sizeof *parameters);
  fcps_status status = fcps_problem_rest(problem, target, environment, rested, error);
  if (status == FCPS_OK) status = fcps_feasible_create(&set, problem, target, environment, error);
  if (set != NULL) {
    fcps_space_to_unit(&problem->parameters, rested, x);
    fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE_TOLD, broken);
  }
  fcps_feasible_destroy(set);
  return status;
}

bool fcps_problem_has_conditions(const fcps_problem *problem)
{
  for (int d = 0; d < problem->parameters.count; d++)
    if (problem->parameters.dims[d].when != NULL) return true;
  return false;
}

bool fcps_problem_restricts(const fcps_problem *problem)
{
  return problem->constraint_count > 0 || fcps_problem_has_conditions(problem);
}

bool fcps_problem_has_parameters(const fcps_problem *problem, const double *target, const double *environment)
{
  fcps_feasible *set = NULL;
  fcps_error error;
  const fcps_status status = fcps_feasible_create(&set, problem, target, environment, &error);
  fcps_feasible_destroy(set);
  return status != FCPS_ERR_BOUNDS;
}

fcps_status fcps_problem_keep_constraints(const fcps_problem *problem, const double *target, const double *environment,
                                          double *parameters, fcps_error *error)
{
  fcps_feasible *set = NULL;
  double x[FCPS_SPACE_MAX];
  const fcps_status status = fcps_feasible_create(&set, problem, target, environment, error);
  if (set == NULL) return status;
  fcps_space_to_unit(&problem->parameters, parameters, x);
  if (!fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE, NULL)) {
    fcps_feasible_settle(set, x);
    fcps_space_from_unit(&problem->parameters, x, parameters);
  }
  fcps_feasible_destroy(set);
  return FCPS_OK;
}

/* -- Copies -- */

fcps_status fcps_problem_copy_constraints(fcps_problem *problem, int count, const char *const *texts)
{
  problem->constraint_count = 0;
  problem->constraints = NULL;
  if (count == 0) return FCPS_OK;
  char **copies = fcps_allocate((size_t)count, sizeof *copies);
  if (copies == NULL) return FCPS_ERR_MEMORY;
  problem->constraints = (const char *const *)copies;
  for (int i = 0; i < count; i++) {
    if ((copies[i] = fcps_copy_text(texts[i])) == NULL) return FCPS_ERR_MEMORY;
    problem->constraint_count++;
  }
  return FCPS_OK;
}

void fcps_problem_free_constraints(fcps_problem *problem)
{
  char **copies = (char **)(uintptr_t)problem->constraints;
  for (int i = 0; i < problem->constraint_count; i++)
    free(copies[i]);
  free(copies);
  problem->constraints = NULL;
  problem->constraint_count = 0;
}

void fcps_problem_free(fcps_problem *problem)
{
  free((char *)(uintptr_t)problem->cost);
  problem->cost = NULL;
  fcps_problem_free_constraints(problem);
  fcps_problem_limits_drop(problem);
  fcps_space_free(&problem->target);
  fcps_space_free(&problem->environment);
  fcps_space_free(&problem->parameters);
  fcps_space_free(&problem->outcome);
}

fcps_status fcps_problem_copy(const fcps_problem *problem, fcps_problem *copy)
{
  *copy = *problem;
  copy->target = copy->environment = copy->parameters = copy->outcome = (fcps_space){0};
  copy->limit_count = copy->safe_count = 0;
  copy->limits = NULL;
  copy->safe = NULL;
  copy->cost = problem->cost != NULL ? fcps_copy_text(problem->cost) : NULL;
  if ((copy->cost == NULL) != (problem->cost == NULL) ||
      fcps_problem_copy_constraints(copy, problem->constraint_count, problem->constraints) != FCPS_OK ||
      fcps_problem_limits_copy(copy, problem) != FCPS_OK) {
    fcps_problem_free(copy);
    return FCPS_ERR_MEMORY;
  }
  fcps_space *to[] = {&copy->target, &copy->environment, &copy->parameters, &copy->outcome};
  for (int i = 0; i < 4; i++) {
    const fcps_status status = fcps_space_copy(space_of(problem, i), to[i]);
    if (status != FCPS_OK) {
      fcps_problem_free(copy);
      return status;
    }
  }
  return FCPS_OK;
}

const char *fcps_problem_differing_space(const fcps_problem *problem, const fcps_problem *other)
{
  for (int i = 0; i < 4; i++)
    if (!fcps_space_equal(space_of(problem, i), space_of(other, i))) return labels[i];
  return NULL;
}

bool fcps_problem_same_names(const fcps_problem *problem, const fcps_problem *other)
{
  for (int s = 0; s < 4; s++) {
    const fcps_space *a = space_of(problem, s), *b = space_of(other, s);
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
      if (strcmp(a->dims[i].name, b->dims[i].name) != 0) return false;
  }
  return true;
}

int fcps_problem_list_values(const fcps_problem *p, const char ***names, const fcps_choices ***choices)
{
  const size_t total =
      (size_t)p->target.count + (size_t)p->environment.count + (size_t)p->parameters.count + (size_t)p->outcome.count;
  int count = 0;
  *names = fcps_allocate(total, sizeof **names);
  *choices = fcps_allocate(total, sizeof **choices);
  if (*names == NULL || *choices == NULL) return -1;
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < space_of(p, s)->count; i++) {
      (*names)[count] = space_of(p, s)->dims[i].name;
      (*choices)[count++] = space_of(p, s)->dims[i].choices;
    }
  return count;
}

fcps_status fcps_problem_score(const fcps_problem *problem, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards,
                               fcps_error *error)
{
  if (count == 0) return FCPS_OK;
  const fcps_status status =
      problem->reward(problem->user, count, target, environments, parameters, outcomes, present, rewards);
  if (status != FCPS_OK) return fcps_callbacks_fail(problem, FCPS_CALLBACK_REWARD, status, error);
  for (int i = 0; i < count; i++)
    if (!fcps_rollout_values_usable(1, rewards + i)) rewards[i] = NAN;
  return FCPS_OK;
}

fcps_status fcps_problem_ask_presence(const fcps_problem *problem, int count, const double *environments,
                                      const double *parameters, bool *present, fcps_error *error)
{
  const fcps_status status = problem->presence(problem->user, count, environments, parameters, present);
  return status == FCPS_OK ? FCPS_OK : fcps_callbacks_fail(problem, FCPS_CALLBACK_PRESENCE, status, error);
}

/* -- Contexts outside their bounds -- */

/* Finds value number *index, from 0, of those values of a space that are out of bounds. If there are fewer, returns
 * false, and lowers *index by their number. */
static bool find_outside(const fcps_space *space, const char *label, const double *values, int *index,
                         fcps_outside *outside)
{
  for (int i = -1; values != NULL && (i = fcps_space_find_outside(space, values, i + 1)) >= 0;) {
    if ((*index)-- > 0) continue;
    *outside = (fcps_outside){.space = label, .dimension = &space->dims[i], .value = values[i]};
    return true;
  }
  return false;
}

bool fcps_problem_outside(const fcps_problem *problem, const double *target, const double *environment, int index,
                          fcps_outside *outside)
{
  if (problem == NULL || outside == NULL || index < 0) return false;
  return find_outside(&problem->target, "target", target, &index, outside) ||
         find_outside(&problem->environment, "environment", environment, &index, outside);
}

char *fcps_outside_text(const fcps_outside *outside, size_t size, char *text)
{
  char value[FCPS_NUMBER_SIZE], lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  if (text == NULL || size == 0) return text;
  text[0] = '\0';
  if (outside == NULL || outside->space == NULL || outside->dimension == NULL) return text;
  snprintf(text, size, "%s.%s: %s lies outside [%s, %s]", outside->space, outside->dimension->name,
           fcps_number_write(outside->value, value), fcps_number_write(outside->dimension->lower, lower),
           fcps_number_write(outside->dimension->upper, upper));
  return text;
}

/* -- Guards of callbacks --
 *
 * A guard replaces a callback, has the same type, and gets the fcps_callbacks as its `user`. A guard may call another
 * guard. The innermost one calls the user's function, and all of them know that it runs. */

/* Marks that a callback runs from here on; false if none may be called now. */
static bool enter(fcps_callbacks *c)
{
  if (c->is_inside || c->failure != FCPS_OK) return false;
  c->is_inside = true;
  return true;
}

/* Returns the status of a guard that may not call its callback. */
static fcps_status refusal(const fcps_callbacks *c)
{
  return c->failure != FCPS_OK ? c->failure : FCPS_ERR_BUSY;
}

static fcps_status leave(fcps_callbacks *c, fcps_callback_kind kind, fcps_status status)
{
  c->is_inside = false;
  c->failure = status;
  c->failed = kind;
  return status;
}

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  fcps_callbacks *c = user;
  if (!enter(c)) return refusal(c);
  return leave(c, FCPS_CALLBACK_REWARD,
               c->reward(c->user, count, target, environments, parameters, outcomes, present, rewards));
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *outcome_gradients,
                            double *parameter_gradients)
{
  fcps_callbacks *c = user;
  if (!enter(c)) return refusal(c);
  return leave(
      c, FCPS_CALLBACK_GRADIENT,
      c->gradient(c->user, count, target, environments, parameters, outcomes, outcome_gradients, parameter_gradients));
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  fcps_callbacks *c = user;
  if (!enter(c)) return refusal(c);
  return leave(c, FCPS_CALLBACK_ACHIEVED, c->achieved(c->user, count, environments, outcomes, targets));
}

static fcps_status presence(void *user, int count, const double *environments, const double *parameters, bool *present)
{
  fcps_callbacks *c = user;
  if (!enter(c)) return refusal(c);
  return leave(c, FCPS_CALLBACK_PRESENCE, c->presence(c->user, count, environments, parameters, present));
}

static void write_log(void *user, fcps_log_level level, const char *code, const char *message)
{
  fcps_callbacks *c = user;
  const bool was_inside = c->is_inside;
  c->is_inside = true;
  c->log.write(c->log.user, level, code, message);
  c->is_inside = was_inside;
}

/* Returns the guard of a problem; NULL if it has none. */
static fcps_callbacks *guard_of(const fcps_problem *problem)
{
  const bool is_guarded = problem->reward == reward || problem->gradient == gradient || problem->achieved == achieved ||
                          problem->presence == presence;
  return is_guarded ? problem->user : NULL;
}

/* Gives the problem back the functions that it had before `c` guarded it. */
static void strip(fcps_problem *problem, const fcps_callbacks *c)
{
  problem->reward = c->reward;
  problem->gradient = c->gradient;
  problem->achieved = c->achieved;
  problem->presence = c->presence;
  problem->user = c->user;
}

void fcps_callbacks_guard(fcps_callbacks *c, fcps_problem *problem)
{
  c->reward = problem->reward;
  c->gradient = problem->gradient;
  c->achieved = problem->achieved;
  c->presence = problem->presence;
  c->user = problem->user;
  if (problem->reward != NULL) problem->reward = reward;
  if (problem->gradient != NULL) problem->gradient = gradient;
  if (problem->achieved != NULL) problem->achieved = achieved;
  if (problem->presence != NULL) problem->presence = presence;
  const bool has_any =
      problem->reward != NULL || problem->gradient != NULL || problem->achieved != NULL || problem->presence != NULL;
  if (has_any) problem->user = c;
}

void fcps_callbacks_unguard(fcps_problem *problem)
{
  for (const fcps_callbacks *c = guard_of(problem); c != NULL; c = guard_of(problem))
    strip(problem, c);
}

fcps_log fcps_callbacks_guard_log(fcps_callbacks *c, fcps_log log)
{
  c->log = log;
  return log.write != NULL ? (fcps_log){write_log, c} : (fcps_log){0};
}

fcps_status fcps_callbacks_check(const fcps_callbacks *c, const char *handle, fcps_error *error)
{
  if (!c->is_inside && !c->is_held) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_BUSY, handle,
                        "the %s is at work: a callback of its own must not use it. Return from the callback first",
                        handle);
}

fcps_status fcps_callbacks_begin(fcps_callbacks *c, const char *handle, fcps_error *error)
{
  const fcps_status status = fcps_callbacks_check(c, handle, error);
  if (status == FCPS_OK) c->failure = FCPS_OK;
  return status;
}

fcps_status fcps_callbacks_fail(const fcps_problem *problem, fcps_callback_kind kind, fcps_status status,
                                fcps_error *error)
{
  static const char *const fields[] = {"reward", "gradient", "achieved", "presence"};
  static const char *const names[] = {"reward function", "reward's gradient", "achieved-target function",
                                      "presence rule"};
  fcps_problem inner = *problem;
  for (const fcps_callbacks *c = guard_of(&inner); c != NULL; c = guard_of(&inner)) {
    if (c->failure != FCPS_OK) kind = c->failed;
    strip(&inner, c);
  }
  return fcps_error_set(error, FCPS_ERR_CALLBACK, fields[kind], "the %s returned \"%s\"", names[kind],
                        fcps_status_text(status));
}
