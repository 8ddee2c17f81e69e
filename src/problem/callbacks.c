/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of callbacks. A guard has the type of the callback that it stands for, and its `user` is the fcps_callbacks. A
 * guard may wrap another guard: the innermost one calls the user's function, and all of them know that it runs. */
#include "problem/callbacks.h"

#include "base/error.h"

/* Marks that a callback runs from here on; false if none may be called now. */
static bool enter(fcps_callbacks *c)
{
  if (c->is_inside || c->failure != FCPS_OK) return false;
  c->is_inside = true;
  return true;
}

/* The status of a guard that may not call its callback. */
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

/* The guard of a problem; NULL: it has no guard. */
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
