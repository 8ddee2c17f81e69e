/* SPDX-License-Identifier: Apache-2.0 */
/* The ask/tell contract: checks arguments, stores ids, pending asks and rollouts, and calls the algorithm. */
#include "learner/learner_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "learner/learner.h"
#include "linalg/threads.h"
#include "problem/formula/conditions.h"
#include "problem/problem.h"
#include "problem/rollouts.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the name of the first dimension whose values are words, NULL if there is none. */
static const char *find_words(const fcps_problem *problem)
{
  const fcps_space *const spaces[] = {&problem->target, &problem->environment, &problem->parameters};
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < spaces[s]->count; i++)
      if (spaces[s]->dims[i].choices != NULL) return spaces[s]->dims[i].name;
  return NULL;
}

fcps_status fcps_learner_create(fcps_learner **learner, const fcps_problem *problem, const char *name,
                                const fcps_setting *settings, uint64_t seed, fcps_error *error)
{
  if (learner == NULL) return fcps_error_null(error, "learner");
  *learner = NULL;
  fcps_status status = fcps_problem_check(problem, error);
  if (status != FCPS_OK) return status;
  const fcps_learner_entry *entry = fcps_learner_entry_find(name, error);
  if (entry == NULL) return FCPS_ERR_UNKNOWN_NAME;
  if (entry->info.needs_reward && problem->reward == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "reward",
                          "%s scores old rollouts again for new targets and needs the reward as a function; give one, "
                          "or use bo-cps, for which told rewards are enough",
                          entry->info.name);

  if (problem->limit_count > 0 && entry->ops->model == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "limits",
                          "%s has no model of outcomes, so it cannot keep limits; use the learner outcome",
                          entry->info.name);
  if (fcps_problem_has_conditions(problem) && entry->ops->model == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "when",
                          "%s varies all parameters in every trial, also those that do not apply; use the learner "
                          "outcome",
                          entry->info.name);
  const char *words = find_words(problem);
  if (words != NULL && entry->ops->model == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, words,
                          "%s would treat words as evenly spaced numbers; use the learner outcome", entry->info.name);

  status = fcps_blas_reserve(error);
  if (status != FCPS_OK) return status;
  fcps_learner *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->entry = entry;
  made->seed = seed;
  made->next_id = 1;
  status = fcps_problem_copy(problem, &made->problem);
  if (status != FCPS_OK) fcps_error_memory(error);
  fcps_callbacks_guard(&made->callbacks, &made->problem);
  fcps_rollouts_init(&made->rollouts, problem);
  if (status == FCPS_OK)
    status = fcps_settings_create(&made->settings, entry->info.settings, entry->info.defaults, settings, error);
  if (status == FCPS_OK) status = entry->ops->create(made, error);
  if (status != FCPS_OK) {
    fcps_learner_destroy(made);
    return status;
  }
  *learner = made;
  return FCPS_OK;
}

void fcps_learner_destroy(fcps_learner *learner)
{
  if (learner == NULL || fcps_callbacks_check(&learner->callbacks, "learner", NULL) != FCPS_OK) return;
  learner->entry->ops->destroy(learner->state);
  for (int i = 0; i < learner->pending_count; i++)
    free(learner->pending[i].target);
  free(learner->pending);
  fcps_rollouts_free(&learner->rollouts);
  free(learner->settings);
  fcps_problem_free(&learner->problem);
  free(learner);
}

void fcps_learner_set_log(fcps_learner *learner, fcps_log log)
{
  if (learner != NULL) learner->log = fcps_callbacks_guard_log(&learner->callbacks, log);
}
void fcps_learner_set_strict(fcps_learner *learner, bool is_strict)
{
  learner->is_strict = is_strict;
}
const fcps_error *fcps_learner_error(const fcps_learner *learner)
{
  static const fcps_error no_learner = {.status = FCPS_ERR_ARGUMENT, .field = "learner", .message = "must not be NULL"};
  return learner != NULL ? &learner->error : &no_learner;
}
int fcps_learner_rollout_count(const fcps_learner *learner)
{
  return learner != NULL ? learner->rollouts.count : 0;
}
int fcps_learner_pending_count(const fcps_learner *learner)
{
  return learner != NULL ? learner->pending_count : 0;
}
bool fcps_learner_is_active(const fcps_learner *learner)
{
  return learner != NULL && learner->entry->info.is_active;
}

/* Begins every public call that may change the learner: fails if it comes from within a callback. */
static fcps_status begin(fcps_learner *learner)
{
  return learner != NULL ? fcps_callbacks_begin(&learner->callbacks, "learner", &learner->error) : FCPS_ERR_ARGUMENT;
}

fcps_status fcps_learner_store_pending(fcps_learner *learner, int64_t id, const double *target,
                                       const double *environment, const double *parameters, fcps_error *error)
{
  const fcps_problem *problem = &learner->problem;
  const size_t targets = (size_t)problem->target.count, environments = (size_t)problem->environment.count;
  const size_t parameter_count = (size_t)problem->parameters.count;
  void *items = learner->pending;
  if (!fcps_reserve(&items, &learner->pending_capacity, (size_t)learner->pending_count + 1, sizeof(fcps_pending)))
    return fcps_error_memory(error);
  learner->pending = items;
  double *numbers = fcps_allocate(targets + environments + parameter_count, sizeof(double));
  if (numbers == NULL) return fcps_error_memory(error);
  fcps_pending *pending = learner->pending + learner->pending_count++;
  *pending = (fcps_pending){id, numbers, numbers + targets, numbers + targets + environments};
  if (targets > 0) memcpy(pending->target, target, targets * sizeof(double));
  if (environments > 0) memcpy(pending->environment, environment, environments * sizeof(double));
  memcpy(pending->parameters, parameters, parameter_count * sizeof(double));
  return FCPS_OK;
}

bool fcps_learner_follow(fcps_learner *learner, int64_t id)
{
  if (id < 1 || id >= FCPS_LEARNER_MOST_ASKS) return false;
  if (learner->next_id <= id) learner->next_id = id + 1;
  return true;
}

int fcps_learner_find_pending(const fcps_learner *learner, int64_t id)
{
  for (int i = 0; i < learner->pending_count; i++)
    if (learner->pending[i].id == id) return i;
  return -1;
}

static void drop_pending(fcps_learner *learner, int index)
{
  free(learner->pending[index].target);
  learner->pending_count--;
  memmove(learner->pending + index, learner->pending + index + 1,
          (size_t)(learner->pending_count - index) * sizeof(fcps_pending));
}

/* Stores the chosen parameters as a pending ask, and writes its id. */
static fcps_status hand_out(fcps_learner *learner, const double *target, const double *environment,
                            const double *parameters, int64_t *id)
{
  const fcps_status status =
      fcps_learner_store_pending(learner, learner->next_id, target, environment, parameters, &learner->error);
  if (status == FCPS_OK) *id = learner->next_id++;
  return status;
}

static fcps_status check_answer(const double *parameters, const int64_t *id, fcps_error *error)
{
  return parameters == NULL ? fcps_error_null(error, "parameters")
         : id == NULL       ? fcps_error_null(error, "id")
                            : FCPS_OK;
}

fcps_status fcps_learner_ask(fcps_learner *learner, const double *target, const double *environment, double *parameters,
                             int64_t *id)
{
  fcps_status status = begin(learner);
  if (status != FCPS_OK) return status;
  fcps_error *error = &learner->error;
  status = fcps_space_check_values(&learner->problem.target, "target", target, true, error);
  if (status == FCPS_OK)
    status = fcps_space_check_values(&learner->problem.environment, "environment", environment, true, error);
  if (status == FCPS_OK) status = check_answer(parameters, id, error);
  if (status == FCPS_OK)
    status = learner->entry->ops->ask(learner, learner->next_id, target, environment, parameters, error);
  if (status == FCPS_OK)
    status = fcps_problem_keep_constraints(&learner->problem, target, environment, parameters, error);
  return status == FCPS_OK ? hand_out(learner, target, environment, parameters, id) : status;
}

/* Checks that fixed dimensions have usable values, and that `values` is not NULL, because free ones are written to
 * it. */
static fcps_status check_fixed(const fcps_space *space, const char *label, const bool *is_free, const double *values,
                               fcps_error *error)
{
  if (values == NULL) return fcps_space_check_values(space, label, NULL, true, error);
  for (int i = 0; i < space->count && is_free != NULL; i++) {
    if (is_free[i]) continue;
    const fcps_space one = {1, space->dims + i};
    const fcps_status status = fcps_space_check_values(&one, label, values + i, true, error);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

fcps_status fcps_learner_choose(fcps_learner *learner, const fcps_free_dimensions *free_dimensions, double *target,
                                double *environment, double *parameters, int64_t *id)
{
  fcps_status status = begin(learner);
  if (status != FCPS_OK) return status;
  fcps_error *error = &learner->error;
  const fcps_free_dimensions all = {0}, *wanted = free_dimensions != NULL ? free_dimensions : &all;
  if (!fcps_learner_is_active(learner))
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "learner",
                          "%s does not choose contexts: give it one with ask, or use an active learner",
                          learner->entry->info.name);
  status = check_fixed(&learner->problem.target, "target", wanted->target, target, error);
  if (status == FCPS_OK)
    status = check_fixed(&learner->problem.environment, "environment", wanted->environment, environment, error);
  if (status == FCPS_OK) status = check_answer(parameters, id, error);
  if (status == FCPS_OK)
    status = learner->entry->ops->choose(learner, learner->next_id, wanted, target, environment, parameters, error);
  /* An active choice may break limits. So only its context is used, and an ordinary ask chooses the parameters. */
  if (status == FCPS_OK && learner->problem.limit_count > 0)
    status = learner->entry->ops->ask(learner, learner->next_id, target, environment, parameters, error);
  if (status == FCPS_OK)
    status = fcps_problem_keep_constraints(&learner->problem, target, environment, parameters, error);
  return status == FCPS_OK ? hand_out(learner, target, environment, parameters, id) : status;
}

fcps_status fcps_learner_store_rollout(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error)
{
  if (fcps_rollouts_add(&learner->rollouts, rollout) != FCPS_OK) return fcps_error_memory(error);
  const fcps_status status = learner->entry->ops->absorb(learner, rollout, error);
  if (status != FCPS_OK) learner->rollouts.count--;
  return status;
}

/* Computes the reward for the rollout's own target if the reward is a function; else the told reward stays. */
static fcps_status own_reward(const fcps_learner *learner, fcps_rollout *rollout, fcps_error *error)
{
  const fcps_problem *problem = &learner->problem;
  if (problem->reward == NULL) return FCPS_OK;
  rollout->reward = rollout->hindsight_reward = NAN;
  const bool present = rollout->outcome != NULL;
  if (rollout->status != FCPS_ROLLOUT_OK ||
      (present && !fcps_rollout_values_usable(problem->outcome.count, rollout->outcome)))
    return FCPS_OK;
  double *absent = fcps_allocate((size_t)problem->outcome.count, sizeof(double));
  if (absent == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_problem_score(problem, 1, rollout->target, rollout->environment, rollout->parameters,
                                                present ? rollout->outcome : absent, &present, &rollout->reward, error);
  free(absent);
  return status;
}

fcps_status fcps_learner_tell(fcps_learner *learner, int64_t id, const fcps_rollout *rollout)
{
  fcps_status status = begin(learner);
  if (status != FCPS_OK) return status;
  fcps_error *error = &learner->error;
  const fcps_problem *problem = &learner->problem;
  if (rollout == NULL) return fcps_error_null(error, "rollout");
  const int asked = id == FCPS_NOT_ASKED ? -1 : fcps_learner_find_pending(learner, id);
  if (id != FCPS_NOT_ASKED && asked < 0)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "id",
                          "no ask with id %lld is pending; use FCPS_NOT_ASKED for a rollout without an ask",
                          (long long)id);
  status = fcps_space_check_values(&problem->target, "target", rollout->target, false, error);
  if (status == FCPS_OK)
    status = fcps_space_check_values(&problem->environment, "environment", rollout->environment, false, error);
  double parameters[FCPS_SPACE_MAX];
  fcps_rollout stored = *rollout;
  if (status == FCPS_OK && rollout->parameters != NULL) {
    memcpy(parameters, rollout->parameters, (size_t)problem->parameters.count * sizeof *parameters);
    stored.parameters = parameters;
    status = fcps_problem_take_parameters(problem, "parameters", stored.target, stored.environment, parameters, error);
  }
  if (status == FCPS_OK)
    status = fcps_space_check_values(&problem->parameters, "parameters", stored.parameters, false, error);
  if (status == FCPS_OK && ((int)rollout->status < 0 || rollout->status >= FCPS_ROLLOUT_STATUS_COUNT))
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "status", "%d is not a rollout status", (int)rollout->status);
  if (status == FCPS_OK) status = fcps_rollout_check_deviation(problem, rollout, error);
  if (status != FCPS_OK) return status;

  status = own_reward(learner, &stored, error);
  if (status == FCPS_OK) status = fcps_learner_store_rollout(learner, &stored, error);
  if (status == FCPS_OK && asked >= 0) drop_pending(learner, asked);
  return status;
}

fcps_status fcps_learner_forget(fcps_learner *learner, int64_t id)
{
  const fcps_status status = begin(learner);
  if (status != FCPS_OK) return status;
  const int index = fcps_learner_find_pending(learner, id);
  if (index < 0)
    return fcps_error_set(&learner->error, FCPS_ERR_UNKNOWN_ASK, "id", "no ask with id %lld is pending", (long long)id);
  drop_pending(learner, index);
  return FCPS_OK;
}

fcps_status fcps_learner_policy(fcps_learner *learner, fcps_policy **policy)
{
  if (policy == NULL) return learner != NULL ? fcps_error_null(&learner->error, "policy") : FCPS_ERR_ARGUMENT;
  *policy = NULL;
  fcps_status status = begin(learner);
  if (status != FCPS_OK) return status;
  learner->callbacks.is_held = true; /* the policy may call functions of the user, which must not use the learner */
  status = learner->entry->ops->policy(learner, policy, &learner->error);
  learner->callbacks.is_held = false;
  return status;
}

/* -- Beliefs -- */

fcps_status fcps_learner_expect(fcps_learner *learner, const double *target, const double *environment,
                                const double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  prediction->has_reward = prediction->has_outcome = false;
  if (learner->entry->ops->expect == NULL) return FCPS_OK;
  fcps_status status = fcps_callbacks_begin(&learner->callbacks, "learner", error);
  if (status != FCPS_OK) return status;
  learner->callbacks.is_held = true; /* the policy may call functions of the user, which must not use the learner */
  status = learner->entry->ops->expect(learner, target, environment, parameters, prediction, error);
  learner->callbacks.is_held = false;
  if (status != FCPS_OK) prediction->has_reward = prediction->has_outcome = false;
  /* An ask must not fail because the model cannot be used or there is no expectation. */
  return status == FCPS_ERR_CALLBACK || status == FCPS_ERR_MEMORY ? status : FCPS_OK;
}

bool fcps_learner_can_doubt(const char *name)
{
  const fcps_learner_entry *entry = fcps_learner_entry_find(name, NULL);
  return entry != NULL && entry->ops->surprises != NULL;
}

bool fcps_learner_habits_of(const fcps_learner *learner, fcps_learner_habits *habits)
{
  if (learner->entry->ops->habits == NULL) return false;
  learner->entry->ops->habits(learner, habits);
  return true;
}

const fcps_model *fcps_learner_model(const fcps_learner *learner)
{
  return learner->entry->ops->model != NULL ? learner->entry->ops->model(learner) : NULL;
}

fcps_status fcps_learner_find_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error)
{
  if (learner->entry->ops->surprises == NULL) return FCPS_OK;
  const fcps_status status = fcps_callbacks_begin(&learner->callbacks, "learner", error);
  return status == FCPS_OK ? learner->entry->ops->surprises(learner, found, error) : status;
}
