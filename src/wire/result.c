/* SPDX-License-Identifier: Apache-2.0 */
/* Reads results from programs and people.
 *
 * Nothing in a result is ignored silently: an unused key causes a warning, and a value of a wrong kind is refused.
 * Environment and parameters are kept even if the trial failed or its outcome cannot be read. */
#include "base/error.h"
#include "problem/deviation.h"
#include "space/space.h"
#include "wire/wire.h"

#include <math.h>
#include <string.h>

int fcps_wire_result_width(const fcps_problem *p)
{
  return p->environment.count + p->parameters.count + 2 * p->outcome.count;
}

static const char *const used_keys[] = {"ask", "outcome", "outcome_sd", "failed", "environment", "executed"};
enum { USED_KEYS = sizeof used_keys / sizeof *used_keys };

/* Returns the reason why a key is not used; NULL if the key is used. */
static const char *unused_reason(const fcps_problem *p, const char *key)
{
  for (int i = 0; i < USED_KEYS; i++)
    if (strcmp(key, used_keys[i]) == 0) return NULL;
  if (strcmp(key, "reward") == 0 || strcmp(key, "hindsight_reward") == 0)
    return p->reward != NULL ? "the reward of this problem is a formula, which scores the outcome" : NULL;
  if (strcmp(key, "parameters") == 0) return "what was executed goes under \"executed\"";
  if (strcmp(key, "target") == 0) return "the target comes from the ask; it is not measured";
  return "no key of an answer has this name";
}

/* Warns of names in one part of an answer that its space does not have. Returns whether there was one. */
static bool warn_of_names(const fcps_space *space, const char *key, const fcps_json *json, const fcps_log *log)
{
  const fcps_json *part = fcps_json_get(json, key);
  bool has_warned = false;
  for (int i = 0; part != NULL && fcps_json_is_object(part) && i < fcps_json_count(part); i++) {
    const char *name = fcps_json_key(part, i);
    if (name == NULL || fcps_space_find(space, name) >= 0) continue;
    fcps_log_say(log, FCPS_LOG_WARNING, "W_ANSWER_KEY",
                 "the answer's \"%s.%.60s\" is not used: the problem has no such name there.", key, name);
    has_warned = true;
  }
  return has_warned;
}

/* Reads the numbers under `key` into `values` and points *part at them. *part stays NULL if the key is missing. */
static fcps_status read_part(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                             const double **part, fcps_error *error)
{
  const fcps_json *object = fcps_json_get(json, key);
  if (object == NULL) return FCPS_OK;
  const fcps_status status = fcps_wire_numbers_read(space, key, object, values, error);
  if (status == FCPS_OK) *part = values;
  return status;
}

/* Reads the deviation of the outcome into `values` and points the rollout at it; NULL if the deviation is unknown. */
static fcps_status read_deviation(const fcps_problem *p, const fcps_json *json, double *values, fcps_rollout *rollout,
                                  fcps_error *error)
{
  const fcps_json *told = fcps_json_get(json, "outcome_sd");
  if (told == NULL || fcps_json_is_null(told)) return FCPS_OK;
  fcps_rollout with = *rollout;
  fcps_status status = read_part(&p->outcome, "outcome_sd", json, values, &with.outcome_deviation, error);
  if (status == FCPS_OK) status = fcps_rollout_check_deviation(p, &with, error);
  if (status == FCPS_OK) *rollout = with;
  return status;
}

/* Warns of a deviation that cannot be used; the outcome then counts without a deviation. Returns whether there was one. */
static bool warn_of_deviation(const fcps_problem *p, const fcps_json *json, const fcps_log *log)
{
  double values[2 * FCPS_SPACE_MAX];
  fcps_rollout rollout = {.outcome = NULL};
  fcps_error error = {0};
  const fcps_json *outcome = fcps_json_get(json, "outcome");
  if (outcome == NULL) return false;
  if (!fcps_json_is_null(outcome) &&
      read_part(&p->outcome, "outcome", json, values, &rollout.outcome, &error) != FCPS_OK)
    return false;
  if (read_deviation(p, json, values + p->outcome.count, &rollout, &error) == FCPS_OK) return false;
  fcps_log_say(log, FCPS_LOG_WARNING, "W_DEVIATION", "%s: %s. The outcome counts without it.", error.field,
               error.message);
  return true;
}

/* Whether "failed" has neither an outcome nor a reward beside it. Then an empty text means a failure without a message;
 * otherwise an empty text means that nothing failed. */
static bool is_alone(const fcps_json *json)
{
  return fcps_json_get(json, "outcome") == NULL && fcps_json_get(json, "reward") == NULL;
}

/* Whether a program reports a failure. Many programs write null, false or an empty text if nothing failed. */
static bool says_failed(const fcps_json *json)
{
  const fcps_json *failed = fcps_json_get(json, "failed");
  const char *words = fcps_json_text(failed);
  bool is_failed = true;
  if (failed == NULL || fcps_json_is_null(failed)) return false;
  if (words != NULL) return *words != '\0' || is_alone(json);
  return !fcps_json_bool(failed, &is_failed) || is_failed;
}

/* Whether a reported failure also has an outcome. */
static bool contradicts(const fcps_json *json)
{
  const fcps_json *outcome = fcps_json_get(json, "outcome");
  return says_failed(json) && outcome != NULL && !fcps_json_is_null(outcome);
}

bool fcps_wire_result_warn(const fcps_problem *p, const fcps_json *json, const fcps_log *log)
{
  bool has_warned = false;
  for (int i = 0; i < fcps_json_count(json); i++) {
    const char *key = fcps_json_key(json, i), *reason = key != NULL ? unused_reason(p, key) : NULL;
    if (reason == NULL) continue;
    fcps_log_say(log, FCPS_LOG_WARNING, "W_ANSWER_KEY", "the answer's \"%.60s\" is not used: %s.", key, reason);
    has_warned = true;
  }
  has_warned |= warn_of_names(&p->outcome, "outcome", json, log);
  has_warned |= warn_of_names(&p->outcome, "outcome_sd", json, log);
  has_warned |= warn_of_names(&p->parameters, "executed", json, log);
  has_warned |= warn_of_names(&p->environment, "environment", json, log);
  has_warned |= warn_of_deviation(p, json, log);
  if (!contradicts(json)) return has_warned;
  fcps_log_say(
      log, FCPS_LOG_WARNING, "W_ANSWER_KEY",
      "the answer's \"outcome\" is not used: its \"failed\" says that the trial failed. Leave out one of them.");
  has_warned = true;
  return has_warned;
}

/* Whether an object has at least one number of the space, and nothing else. */
static bool is_part_of(const fcps_space *space, const fcps_json *part)
{
  double value;
  for (int i = 0; i < fcps_json_count(part); i++) {
    const char *name = fcps_json_key(part, i);
    const int index = name != NULL ? fcps_space_find(space, name) : -1;
    if (index < 0 || !fcps_wire_value_read(&space->dims[index], fcps_json_get(part, name), &value)) return false;
  }
  return fcps_json_is_object(part) && fcps_json_count(part) > 0;
}

void fcps_wire_part_complete(const fcps_space *space, const char *key, const double *asked, fcps_json **json)
{
  const fcps_json *part = fcps_json_get(*json, key);
  double values[FCPS_SPACE_MAX];
  if (part == NULL || !is_part_of(space, part)) return;
  for (int i = 0; i < space->count; i++)
    if (!fcps_wire_value_read(&space->dims[i], fcps_json_get(part, space->dims[i].name), &values[i]))
      values[i] = asked[i];
  fcps_json_put(json, key, fcps_wire_numbers_write(space, values));
}

/* Reads the executed parameters. Refuses parameters that are not finite, because no rollout can have them. */
static fcps_status read_executed(const fcps_space *space, const fcps_json *json, double *values, const double **part,
                                 fcps_error *error)
{
  double whole[FCPS_SPACE_MAX];
  fcps_status status = read_part(space, "executed", json, values, part, error);
  if (status != FCPS_OK || *part == NULL) return status;
  for (int d = 0; d < space->count;
       d++) /* a parameter that is missing is perhaps one that does not apply; the study checks this */
    whole[d] = space->dims[d].when != NULL && isnan(values[d]) ? space->dims[d].lower : values[d];
  status = fcps_space_check_values(space, "executed", whole, false, error);
  if (status != FCPS_OK) *part = NULL;
  return status;
}

/* Reads the reward under `key` if it is there. */
static fcps_status read_reward(const char *key, const fcps_json *json, double *reward, fcps_error *error)
{
  const fcps_json *told = fcps_json_get(json, key);
  if (told == NULL || fcps_json_number(told, reward)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the answer's \"%s\" is not a number", key);
}

static fcps_status refuse_empty(const fcps_json *json, fcps_error *error)
{
  char hint[120];
  fcps_wire_misspelt_hint(json, "outcome", USED_KEYS, used_keys, sizeof hint, hint);
  if (!*hint) fcps_wire_misspelt_hint(json, "failed", USED_KEYS, used_keys, sizeof hint, hint);
  return fcps_error_set(error, FCPS_ERR_FORMAT, "outcome", "the answer has neither \"outcome\" nor \"failed\"%s", hint);
}

/* Reads the outcome and the rewards of a trial that did not fail. */
static fcps_status read_success(const fcps_problem *p, const fcps_json *json, double *values, fcps_result *result,
                                fcps_error *error)
{
  const fcps_json *outcome = fcps_json_get(json, "outcome");
  fcps_status status = FCPS_OK;
  if (p->reward == NULL) status = read_reward("reward", json, &result->rollout.reward, error);
  if (status == FCPS_OK && p->reward == NULL)
    status = read_reward("hindsight_reward", json, &result->rollout.hindsight_reward, error);
  if (status == FCPS_OK && outcome == NULL && (p->reward != NULL || p->outcome.count))
    status = refuse_empty(json, error);
  if (status == FCPS_OK && !fcps_json_is_null(outcome))
    status = read_part(&p->outcome, "outcome", json, values, &result->rollout.outcome, error);
  /* an outcome counts even if its deviation is wrong; fcps_wire_result_warn reports the deviation */
  if (status == FCPS_OK) (void)read_deviation(p, json, values + p->outcome.count, &result->rollout, NULL);
  if (status == FCPS_OK) result->rollout.status = FCPS_ROLLOUT_OK;
  return status;
}

fcps_status fcps_wire_result_check(const fcps_problem *p, const fcps_json *json, fcps_error *error)
{
  const fcps_json *failed = fcps_json_get(json, "failed");
  double values[FCPS_SPACE_MAX];
  const double *part = NULL;
  bool is_failed;
  if (!says_failed(json)) return FCPS_OK; /* fcps_wire_result_read makes the same checks */
  if (fcps_json_text(failed) == NULL && !fcps_json_bool(failed, &is_failed))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "failed",
                          "\"failed\" is a text that says why, or true; leave it out if nothing failed");
  if (fcps_json_text(failed) != NULL && *fcps_json_text(failed) == '\0')
    return fcps_error_set(error, FCPS_ERR_FORMAT, "outcome",
                          "there is no \"outcome\", and an empty \"failed\" says that nothing failed; write a reason "
                          "there, or true");
  if (contradicts(json))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "failed",
                          "a trial has an \"outcome\" or has \"failed\", not both: leave out \"failed\" if the outcome "
                          "was measured, or \"outcome\" if nothing can be learnt from it");
  const fcps_json *reward = fcps_json_get(json, "reward");
  if (reward != NULL && !fcps_json_is_null(reward))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "reward",
                          "a trial that has \"failed\" has no reward; leave out one of them");
  fcps_status status = read_part(&p->environment, "environment", json, values, &part, error);
  return status == FCPS_OK ? read_executed(&p->parameters, json, values, &part, error) : status;
}

fcps_status fcps_wire_result_read(const fcps_problem *p, const fcps_json *json, double *numbers, fcps_result *result,
                                  fcps_error *error)
{
  double *environment = numbers, *executed = environment + p->environment.count;
  double *outcome = executed + p->parameters.count;
  *result = (fcps_result){.rollout = {.reward = NAN, .hindsight_reward = NAN, .status = FCPS_ROLLOUT_FAILED}};
  if (!fcps_json_is_object(json))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "", "the answer must be an object, such as {\"outcome\": ...}");

  fcps_status status =
      read_part(&p->environment, "environment", json, environment, &result->rollout.environment, error);
  if (status == FCPS_OK) status = read_executed(&p->parameters, json, executed, &result->rollout.parameters, error);
  if (says_failed(json)) {
    result->message = fcps_json_text(fcps_json_get(json, "failed"));
    return FCPS_OK; /* a failure counts even if other keys have errors */
  }
  return status == FCPS_OK ? read_success(p, json, outcome, result, error) : status;
}
