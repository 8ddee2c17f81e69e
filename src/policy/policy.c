/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions of policies: checks, the saved text, and the registry of kinds. */
#include "policy/policy_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/threads.h"
#include "problem/problem.h"
#include "problem/save.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The format of the saved text. It is raised when older programs cannot read a new text. Format 1 was never
 * released. */
enum { POLICY_FORMAT = 2 };

static const fcps_policy_ops *const kinds[] = {&fcps_policy_greedy, &fcps_policy_linear_gaussian,
                                               &fcps_policy_kernel_regression};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const fcps_policy_ops *find_kind(const char *name)
{
  for (int i = 0; i < KINDS; i++)
    if (name != NULL && strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

fcps_status fcps_policy_create(fcps_policy **policy, const fcps_policy_ops *ops, const fcps_problem *problem)
{
  *policy = NULL;
  fcps_policy *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->ops = ops;
  if (fcps_problem_copy(problem, &made->problem) != FCPS_OK) {
    free(made);
    return FCPS_ERR_MEMORY;
  }
  fcps_callbacks_unguard(&made->problem); /* the policy may outlive the handle that made it */
  fcps_callbacks_guard(&made->callbacks, &made->problem);
  *policy = made;
  return FCPS_OK;
}

void fcps_policy_destroy(fcps_policy *policy)
{
  if (policy == NULL || fcps_callbacks_check(&policy->callbacks, "policy", NULL) != FCPS_OK) return;
  policy->ops->destroy(policy->state);
  fcps_problem_free(&policy->problem);
  free(policy);
}

const fcps_error *fcps_policy_error(const fcps_policy *policy)
{
  static const fcps_error no_policy = {.status = FCPS_ERR_ARGUMENT, .field = "policy", .message = "must not be NULL"};
  return policy != NULL ? &policy->error : &no_policy;
}

bool fcps_policy_predicts_reward(const fcps_policy *policy)
{
  return policy != NULL && policy->ops->model != NULL;
}

void fcps_policy_set_log(fcps_policy *policy, fcps_log log)
{
  if (policy == NULL || fcps_callbacks_check(&policy->callbacks, "policy", NULL) != FCPS_OK) return;
  policy->log = fcps_callbacks_guard_log(&policy->callbacks, log);
}

void fcps_policy_set_strict(fcps_policy *policy, bool is_strict)
{
  if (policy == NULL || fcps_callbacks_check(&policy->callbacks, "policy", NULL) != FCPS_OK) return;
  policy->is_strict = is_strict;
}

double fcps_policy_set_caution(fcps_policy *policy, double caution)
{
  return policy->ops->set_caution != NULL ? policy->ops->set_caution(policy, caution) : 0.0;
}

/* Begins every public call that works on the policy: fails if it comes from within a callback. */
static fcps_status begin(fcps_policy *policy)
{
  return policy != NULL ? fcps_callbacks_begin(&policy->callbacks, "policy", &policy->error) : FCPS_ERR_ARGUMENT;
}

static fcps_status check_context(fcps_policy *policy, const double *target, const double *environment)
{
  const bool is_strict = policy->is_strict;
  const fcps_status status =
      fcps_space_check_values(&policy->problem.target, "target", target, is_strict, &policy->error);
  if (status != FCPS_OK) return status;
  return fcps_space_check_values(&policy->problem.environment, "environment", environment, is_strict, &policy->error);
}

fcps_status fcps_policy_check(fcps_policy *policy, const double *target, const double *environment)
{
  const fcps_status status = begin(policy);
  return status == FCPS_OK ? check_context(policy, target, environment) : status;
}

/* Widens the deviations of answers outside the bounds, and with few results. */
static fcps_status widen(fcps_policy *policy, const fcps_policy_answers *answers)
{
  const fcps_status status = fcps_policy_widen_few(policy, answers);
  return status == FCPS_OK ? fcps_policy_widen_outside(policy, answers) : status;
}

/* Makes a prediction say that nothing is predicted. */
static void clear(const fcps_policy *policy, fcps_prediction *prediction)
{
  prediction->has_reward = prediction->has_outcome = false;
  prediction->reward = prediction->reward_deviation = NAN;
  prediction->reducible_deviation = prediction->chance_of_success = prediction->chance_of_outcome = NAN;
  prediction->success_reward = prediction->success_reward_deviation = NAN;
  prediction->lacking_results = fcps_policy_lacking_results(policy);
}

static fcps_status widen_prediction(fcps_policy *policy, const double *target, const double *environment,
                                    fcps_prediction *prediction)
{
  const fcps_policy_answers answer = {
      .count = 1,
      .targets = target,
      .environments = environment,
      .predictions = {.rewards = &prediction->reward,
                      .reward_deviations = &prediction->reward_deviation,
                      .reducible_deviations = &prediction->reducible_deviation,
                      .success_reward_deviations = &prediction->success_reward_deviation},
      .single = prediction};
  return widen(policy, &answer);
}

/* Queries with a predicted outcome, which the limits need even if the caller does not want the outcome. */
static fcps_status query_with_outcome(fcps_policy *policy, const double *target, const double *environment,
                                      double *parameters, fcps_prediction *prediction)
{
  double outcome[FCPS_SPACE_MAX], deviation[FCPS_SPACE_MAX];
  prediction->outcome = outcome;
  prediction->outcome_deviation = deviation;
  const fcps_status status = fcps_policy_query(policy, target, environment, parameters, prediction);
  prediction->outcome = prediction->outcome_deviation = NULL;
  prediction->has_outcome = false;
  return status;
}

fcps_status fcps_policy_query(fcps_policy *policy, const double *target, const double *environment, double *parameters,
                              fcps_prediction *prediction)
{
  fcps_prediction ignored = {0};
  fcps_prediction *wanted = prediction != NULL ? prediction : &ignored;
  if (policy != NULL && policy->problem.limit_count > 0 && wanted->outcome == NULL)
    return query_with_outcome(policy, target, environment, parameters, wanted);
  clear(policy, wanted);
  fcps_status status = fcps_policy_check(policy, target, environment);
  if (status != FCPS_OK) return status;
  if (parameters == NULL) return fcps_error_null(&policy->error, "parameters");
  status = policy->ops->query(policy, target, environment, false, parameters, wanted, &policy->error);
  if (status == FCPS_OK)
    status = fcps_problem_keep_constraints(&policy->problem, target, environment, parameters, &policy->error);
  if (status == FCPS_OK) status = widen_prediction(policy, target, environment, wanted);
  double chance;
  bool is_kept = true;
  if (status == FCPS_OK)
    status =
        fcps_policy_judge_limits(policy, target, environment, parameters, wanted, &chance, &is_kept, &policy->error);
  return status == FCPS_OK ? fcps_policy_report_limits(policy, 1, !is_kept, chance) : status;
}

fcps_status fcps_policy_predict_at(fcps_policy *policy, const double *target, const double *environment,
                                   const double *parameters, fcps_prediction *prediction)
{
  double given[FCPS_SPACE_MAX];
  memcpy(given, parameters, (size_t)policy->problem.parameters.count * sizeof *given);
  clear(policy, prediction);
  fcps_status status = fcps_policy_check(policy, target, environment);
  if (status == FCPS_OK)
    status = policy->ops->query(policy, target, environment, true, given, prediction, &policy->error);
  return status == FCPS_OK ? widen_prediction(policy, target, environment, prediction) : status;
}

const double *fcps_policy_row(const double *rows, const fcps_space *space, int row)
{
  return space->count > 0 && rows != NULL ? rows + (size_t)row * (size_t)space->count : NULL;
}

static void put(double *values, int index, double value)
{
  if (values != NULL) values[index] = value;
}

fcps_status fcps_policy_query_each(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error)
{
  const fcps_problem *problem = &policy->problem;
  const fcps_predictions *predictions = &answers->predictions;
  double outcome[FCPS_SPACE_MAX], deviation[FCPS_SPACE_MAX], least = 1.0;
  int broken = 0, impossible = 0;
  for (int i = 0; i < answers->count; i++) {
    fcps_prediction prediction = {.outcome = problem->limit_count > 0 ? outcome : NULL,
                                  .outcome_deviation = problem->limit_count > 0 ? deviation : NULL,
                                  .reward = NAN,
                                  .reward_deviation = NAN,
                                  .reducible_deviation = NAN,
                                  .chance_of_success = NAN,
                                  .chance_of_outcome = NAN,
                                  .success_reward = NAN,
                                  .success_reward_deviation = NAN};
    const double *target = fcps_policy_row(answers->targets, &problem->target, i),
                 *environment = fcps_policy_row(answers->environments, &problem->environment, i);
    double *parameters = answers->parameters + (size_t)i * (size_t)problem->parameters.count, chance;
    bool is_kept = true, is_possible = true;
    fcps_status status = policy->ops->query(policy, target, environment, false, parameters, &prediction, error);
    if (status == FCPS_ERR_BOUNDS && answers->count > 1 && !policy->is_strict) {
      is_possible = fcps_problem_has_parameters(problem, target, environment);
      if (!is_possible) status = FCPS_OK;
    }
    impossible += !is_possible;
    for (int d = 0; d < problem->parameters.count && !is_possible; d++)
      parameters[d] = NAN;
    chance = NAN;
    if (status == FCPS_OK && is_possible)
      status = fcps_policy_judge_limits(policy, target, environment, parameters, &prediction, &chance, &is_kept, error);
    if (status != FCPS_OK) return status;
    put(predictions->chances_of_limits, i, chance);
    broken += !is_kept;
    if (!is_kept) least = fmin(least, chance);
    put(predictions->rewards, i, prediction.reward);
    put(predictions->reward_deviations, i, prediction.reward_deviation);
    put(predictions->reducible_deviations, i, prediction.reducible_deviation);
    put(predictions->chances_of_success, i, prediction.chance_of_success);
    put(predictions->chances_of_outcome, i, prediction.chance_of_outcome);
    put(predictions->success_rewards, i, prediction.success_reward);
    put(predictions->success_reward_deviations, i, prediction.success_reward_deviation);
  }
  if (impossible > 0)
    fcps_log_say(&policy->log, FCPS_LOG_WARNING, "W_NO_PARAMETERS",
                 "no parameters keep the constraints in %d of %d contexts: there is no answer for them", impossible,
                 answers->count);
  return fcps_policy_report_limits(policy, answers->count, broken, least);
}

fcps_status fcps_policy_query_batch(fcps_policy *policy, int count, const double *targets, const double *environments,
                                    double *parameters, double *rewards, double *deviations)
{
  const fcps_predictions predictions = {.rewards = rewards, .reward_deviations = deviations};
  return fcps_policy_predict_batch(policy, count, targets, environments, parameters, &predictions);
}

fcps_status fcps_policy_predict_batch(fcps_policy *policy, int count, const double *targets, const double *environments,
                                      double *parameters, const fcps_predictions *predictions)
{
  static const fcps_predictions none = {0};
  fcps_status status = begin(policy);
  if (status != FCPS_OK) return status;
  const fcps_problem *problem = &policy->problem;
  if (count < 0)
    return fcps_error_set(&policy->error, FCPS_ERR_ARGUMENT, "count",
                          "the number of contexts must not be negative; it is %d", count);
  if (count > 0 && parameters == NULL) return fcps_error_null(&policy->error, "parameters");
  for (int i = 0; i < count; i++) {
    status = check_context(policy, fcps_policy_row(targets, &problem->target, i),
                           fcps_policy_row(environments, &problem->environment, i));
    if (status != FCPS_OK) return status;
  }
  fcps_policy_answers answers = {.count = count,
                                 .targets = targets,
                                 .environments = environments,
                                 .parameters = parameters,
                                 .predictions = predictions != NULL ? *predictions : none};
  fcps_predictions *wanted = &answers.predictions;
  double *room = NULL;
  const bool has_deviations = wanted->reward_deviations != NULL || wanted->reducible_deviations != NULL ||
                              wanted->success_reward_deviations != NULL;
  if (wanted->rewards == NULL && has_deviations && fcps_policy_has_few_results(policy)) {
    wanted->rewards = room = fcps_allocate((size_t)count, sizeof *room);
    if (room == NULL) return fcps_error_memory(&policy->error);
  }
  status = (policy->ops->query_batch != NULL ? policy->ops->query_batch : fcps_policy_query_each)(policy, &answers,
                                                                                                  &policy->error);
  for (int i = 0; i < count && status == FCPS_OK && fcps_problem_restricts(problem); i++)
    if (!isnan(parameters[(size_t)i * (size_t)problem->parameters.count]))
      status =
          fcps_problem_keep_constraints(problem, fcps_policy_row(targets, &problem->target, i),
                                        fcps_policy_row(environments, &problem->environment, i),
                                        parameters + (size_t)i * (size_t)problem->parameters.count, &policy->error);
  if (status == FCPS_OK) status = widen(policy, &answers);
  free(room);
  return status;
}

fcps_status fcps_policy_save(const fcps_policy *policy, char **text, fcps_error *error)
{
  if (text == NULL) return fcps_error_null(error, "text");
  *text = NULL;
  if (policy == NULL) return fcps_error_null(error, "policy");
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "fcps_policy", fcps_json_from_integer(POLICY_FORMAT));
  fcps_json_put(&json, "kind", fcps_json_from_text(policy->ops->name));
  fcps_json_put(&json, "spaces", fcps_problem_write_spaces(&policy->problem));
  fcps_json_put(&json, "policy", policy->ops->write(policy));
  *text = fcps_json_finish(json);
  return *text != NULL ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status refuse_kind(const char *kind, fcps_error *error)
{
  const char *names[KINDS];
  char hint[128];
  for (int i = 0; i < KINDS; i++)
    names[i] = kinds[i]->name;
  if (kind == NULL) kind = "";
  return fcps_error_set(error, FCPS_ERR_FORMAT, "kind", "there is no policy of kind \"%.64s\"; %s", kind,
                        fcps_name_hint(kind, KINDS, names, sizeof hint, hint));
}

/* Loads a policy from a parsed text. */
static fcps_status load_json(fcps_policy **policy, const fcps_problem *problem, const fcps_json *json,
                             fcps_error *error)
{
  int64_t format = 0;
  if (!fcps_json_integer(fcps_json_get(json, "fcps_policy"), &format))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "policy", "this text is not a saved policy");
  if (format != POLICY_FORMAT)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "policy",
                          "this policy was saved by another version of fcps (format %lld, this one reads %d); "
                          "use that version",
                          (long long)format, POLICY_FORMAT);
  const fcps_policy_ops *ops = find_kind(fcps_json_text(fcps_json_get(json, "kind")));
  if (ops == NULL) return refuse_kind(fcps_json_text(fcps_json_get(json, "kind")), error);
  fcps_status status = fcps_problem_match_spaces(problem, fcps_json_get(json, "spaces"), error);
  if (status != FCPS_OK) return status;
  if (fcps_policy_create(policy, ops, problem) != FCPS_OK) return fcps_error_memory(error);
  status = fcps_problem_take_constraints(&(*policy)->problem, fcps_json_get(json, "spaces"), error);
  if (status == FCPS_OK) status = ops->read(*policy, fcps_json_get(json, "policy"), error);
  if (status != FCPS_OK) {
    fcps_policy_destroy(*policy);
    *policy = NULL;
  }
  return status;
}

fcps_status fcps_policy_load(fcps_policy **policy, const fcps_problem *problem, const char *text, fcps_error *error)
{
  if (policy == NULL) return fcps_error_null(error, "policy");
  *policy = NULL;
  if (text == NULL) return fcps_error_null(error, "text");
  fcps_status status = fcps_problem_check(problem, error);
  if (status != FCPS_OK) return status;
  fcps_json *json = NULL;
  status = fcps_blas_reserve(error);
  if (status == FCPS_OK) status = fcps_json_read(&json, text, strlen(text), "saved policy", error);
  if (status == FCPS_OK) status = load_json(policy, problem, json, error);
  fcps_json_destroy(json);
  return status;
}
