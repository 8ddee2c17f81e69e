/* SPDX-License-Identifier: Apache-2.0 */
/* Reads results from programs and people, and writes them.
 *
 * Nothing in a result is ignored silently: an unused key causes a warning, and a value of a wrong kind is refused.
 * Environment and parameters are kept even if the trial failed or its outcome cannot be read. */
#include "base/error.h"
#include "problem/formula/conditions.h"
#include "problem/rollouts.h"
#include "space/space.h"
#include "store/store.h"
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

/* -- Forms of results --
 *
 * Results are written in these forms: as stored (one line each, for the log and exports), as episodes of a run, as
 * receipts, as requests to a server, and as results that wait to be stored. The last kind is also read. */

/* Puts the numbers of a rollout, which all forms share. */
static void put_numbers(fcps_json **object, const fcps_problem *p, const fcps_rollout *r)
{
  fcps_json_put(object, "target", fcps_wire_numbers_write(&p->target, r->target));
  fcps_json_put(object, "environment", fcps_wire_numbers_write(&p->environment, r->environment));
  fcps_json_put(object, "parameters", fcps_wire_parameters_write(p, r->target, r->environment, r->parameters));
  fcps_json_put(object, "outcome", fcps_wire_numbers_write(&p->outcome, r->outcome));
  if (r->outcome_deviation != NULL)
    fcps_json_put(object, "outcome_sd", fcps_wire_numbers_write(&p->outcome, r->outcome_deviation));
  fcps_wire_cost_put(object, p, r->target, r->environment, r->parameters);
}

/* Puts "suspect": {"outcome": "volume", "expected": 35, "deviation": 2}. */
static void put_suspicion(fcps_json **object, const fcps_problem *p, const fcps_stored_result *stored)
{
  fcps_json *suspicion = fcps_json_object();
  fcps_json_put(&suspicion, "outcome", fcps_json_from_text(p->outcome.dims[stored->suspect_outcome].name));
  fcps_json_put(&suspicion, "expected", fcps_json_from_number(stored->expected));
  fcps_json_put(&suspicion, "deviation", fcps_json_from_number(stored->expected_deviation));
  fcps_json_put(object, "suspect", suspicion);
}

fcps_json *fcps_wire_stored_result_write(const fcps_problem *p, const fcps_stored_result *stored)
{
  const fcps_result *result = &stored->result;
  const fcps_rollout *r = &result->rollout;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "result", fcps_json_from_integer(stored->sequence));
  fcps_wire_result_name_put(&object, stored);
  fcps_json_put(&object, "ask", stored->ask != FCPS_NOT_ASKED ? fcps_json_from_integer(stored->ask) : fcps_json_null());
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_ending_text(p, r)));
  put_numbers(&object, p, r);
  fcps_json_put(&object, "reward", isfinite(r->reward) ? fcps_json_from_number(r->reward) : fcps_json_null());
  fcps_wire_expectation_put(&object, p, r->target, r->environment, r->parameters, &stored->expectation);
  if (isfinite(r->hindsight_reward))
    fcps_json_put(&object, "hindsight_reward", fcps_json_from_number(r->hindsight_reward));
  fcps_json_put(&object, "evidence", fcps_json_from_integer(stored->result_number));
  fcps_json_put(&object, "used", fcps_json_from_bool(stored->is_used));
  fcps_json_put(&object, "flagged", fcps_json_from_bool(stored->is_flagged));
  if (stored->is_suspect) put_suspicion(&object, p, stored);
  if (stored->result.rollout.is_confirmed) fcps_json_put(&object, "confirmed", fcps_json_from_bool(true));
  fcps_json_put(&object, "client", fcps_json_from_text(result->client));
  fcps_json_put(&object, "message", fcps_json_from_text(result->message));
  fcps_json_put_text(&object, "key", result->key);
  return object;
}

fcps_json *fcps_wire_episode_write(const fcps_problem *p, int64_t episode, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "episode", fcps_json_from_integer(episode));
  fcps_json_put(&object, "ask", fcps_json_from_integer(stored->ask));
  put_numbers(&object, p, r);
  fcps_json_put(&object, "reward", fcps_json_from_known(r->reward));
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_ending_text(p, r)));
  return object;
}

/* -- Receipts -- */

fcps_json *fcps_wire_receipt_write(const fcps_receipt *receipt)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "ask", fcps_json_from_integer(receipt->ask));
  fcps_json_put(&object, "stored", fcps_json_from_bool(true));
  fcps_json_put(&object, "repeated", fcps_json_from_bool(receipt->is_repeated));
  fcps_json_put(&object, "late", fcps_json_from_bool(receipt->is_late));
  fcps_json_put(&object, "flagged", fcps_json_from_bool(receipt->is_flagged));
  if (receipt->result_number > 1) fcps_json_put(&object, "evidence", fcps_json_from_integer(receipt->result_number));
  if (receipt->is_misplaced) fcps_json_put(&object, "misplaced", fcps_json_from_bool(true));
  if (receipt->is_suspect) fcps_json_put(&object, "suspect", fcps_json_from_bool(true));
  fcps_json_put(&object, "reward",
                isfinite(receipt->reward) ? fcps_json_from_number(receipt->reward) : fcps_json_null());
  return object;
}

void fcps_wire_receipt_read(const fcps_json *json, int64_t id, fcps_receipt *receipt)
{
  *receipt = (fcps_receipt){.ask = id,
                            .result_number = (int)fcps_json_get_integer(json, "evidence", 1),
                            .is_misplaced = fcps_json_is_true(json, "misplaced"),
                            .is_repeated = fcps_json_is_true(json, "repeated"),
                            .is_late = fcps_json_is_true(json, "late"),
                            .is_flagged = fcps_json_is_true(json, "flagged"),
                            .is_suspect = fcps_json_is_true(json, "suspect"),
                            .reward = fcps_json_get_number(json, "reward", NAN)};
}

/* -- What is told -- */

/* A result as a request to a server: the form that fcps_wire_result_read reads, with the ask, the client and the
 * status. */

static void put_part(fcps_json **object, const char *key, const fcps_space *space, const double *values)
{
  if (values != NULL) fcps_json_put(object, key, fcps_wire_numbers_write(space, values));
}

static void put_some(fcps_json **object, const char *key, const fcps_space *space, const double *values)
{
  if (space->count > 0) put_part(object, key, space, values);
}

fcps_json *fcps_wire_told_write(const fcps_problem *p, int64_t ask, const fcps_result *result)
{
  const fcps_rollout *r = &result->rollout;
  fcps_json *object = fcps_json_object();
  if (ask != FCPS_NOT_ASKED) fcps_json_put(&object, "ask", fcps_json_from_integer(ask));
  if (ask == FCPS_NOT_ASKED) put_some(&object, "target", &p->target, r->target);
  put_some(&object, "environment", &p->environment, r->environment);
  put_some(&object, "executed", &p->parameters, r->parameters);
  const bool has_words = result->message != NULL && *result->message != '\0';
  if (r->status != FCPS_ROLLOUT_OK) /* an empty text would mean that nothing failed */
    fcps_json_put(&object, "failed", has_words ? fcps_json_from_text(result->message) : fcps_json_from_bool(true));
  else if (p->outcome.count > 0)
    fcps_json_put(&object, "outcome", fcps_wire_numbers_write(&p->outcome, r->outcome));
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_status_text(r->status)));
  if (r->status == FCPS_ROLLOUT_OK) put_some(&object, "outcome_sd", &p->outcome, r->outcome_deviation);
  if (p->reward == NULL && !isnan(r->reward)) fcps_json_put(&object, "reward", fcps_json_from_number(r->reward));
  if (p->reward == NULL && !isnan(r->hindsight_reward))
    fcps_json_put(&object, "hindsight_reward", fcps_json_from_number(r->hindsight_reward));
  if (result->client != NULL && *result->client != '\0')
    fcps_json_put(&object, "client", fcps_json_from_text(result->client));
  fcps_json_put_text(&object, "key", result->key);
  return object;
}

/* -- Results that wait -- */

/* Results that wait to be stored, with the ask as it was given.
 *
 * Reading gives the same result that was written, except for bytes of a message that are not UTF-8. The ask protects
 * against storing a result in another study: its numbers must be those of the study's ask with this id. */

int fcps_wire_kept_width(const fcps_problem *p)
{
  return 2 * (p->target.count + p->environment.count + p->parameters.count) + 2 * p->outcome.count;
}

static fcps_json *write_told(const fcps_problem *p, const fcps_result *result)
{
  const fcps_rollout *r = &result->rollout;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_status_text(r->status)));
  put_part(&object, "target", &p->target, r->target);
  put_part(&object, "environment", &p->environment, r->environment);
  put_part(&object, "executed", &p->parameters, r->parameters);
  put_part(&object, "outcome", &p->outcome, r->outcome);
  put_part(&object, "outcome_sd", &p->outcome, r->outcome_deviation);
  fcps_json_put(&object, "reward", fcps_json_from_known(r->reward));
  fcps_json_put(&object, "hindsight_reward", fcps_json_from_known(r->hindsight_reward));
  fcps_json_put_text(&object, "client", result->client);
  fcps_json_put_text(&object, "message", result->message);
  fcps_json_put_text(&object, "key", result->key);
  return object;
}

fcps_json *fcps_wire_kept_write(const fcps_problem *p, const fcps_ask *ask, const fcps_result *result)
{
  fcps_json *object = ask != NULL ? fcps_wire_trial_write(p, ask) : fcps_json_object();
  fcps_json_put(&object, "told", write_told(p, result));
  return object;
}

/* Reads the numbers under `key`, which may be null. */
static fcps_status read_kept_part(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                                  const double **part, fcps_error *error)
{
  return fcps_json_is_null(fcps_json_get(json, key)) ? FCPS_OK : read_part(space, key, json, values, part, error);
}

static fcps_status read_status(const fcps_json *json, fcps_rollout_status *status, fcps_error *error)
{
  const char *text = fcps_json_text(json);
  for (int i = 0; text != NULL && i < FCPS_ROLLOUT_STATUS_COUNT; i++)
    if (strcmp(text, fcps_rollout_status_text((fcps_rollout_status)i)) == 0) {
      *status = (fcps_rollout_status)i;
      return FCPS_OK;
    }
  return fcps_error_set(error, FCPS_ERR_FORMAT, "status", "the kept result has no status");
}

static fcps_status read_kept_reward(const char *key, const fcps_json *json, double *reward, fcps_error *error)
{
  const fcps_json *value = fcps_json_get(json, key);
  *reward = NAN;
  if (value == NULL || fcps_json_is_null(value) || fcps_json_number(value, reward)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the kept result's \"%s\" is not a number", key);
}

static fcps_status read_told(const fcps_problem *p, const fcps_json *json, double *numbers, fcps_result *result,
                             fcps_error *error)
{
  fcps_rollout *r = &result->rollout;
  double *environment = numbers + p->target.count, *parameters = environment + p->environment.count;
  double *outcome = parameters + p->parameters.count;
  fcps_status status = read_status(fcps_json_get(json, "status"), &r->status, error);
  if (status == FCPS_OK) status = read_kept_part(&p->target, "target", json, numbers, &r->target, error);
  if (status == FCPS_OK)
    status = read_kept_part(&p->environment, "environment", json, environment, &r->environment, error);
  if (status == FCPS_OK) status = read_kept_part(&p->parameters, "executed", json, parameters, &r->parameters, error);
  if (status == FCPS_OK) status = read_kept_part(&p->outcome, "outcome", json, outcome, &r->outcome, error);
  if (status == FCPS_OK)
    status = read_kept_part(&p->outcome, "outcome_sd", json, outcome + p->outcome.count, &r->outcome_deviation, error);
  if (status == FCPS_OK) status = read_kept_reward("reward", json, &r->reward, error);
  if (status == FCPS_OK) status = read_kept_reward("hindsight_reward", json, &r->hindsight_reward, error);
  result->client = fcps_json_text(fcps_json_get(json, "client"));
  result->message = fcps_json_text(fcps_json_get(json, "message"));
  result->key = fcps_json_text(fcps_json_get(json, "key"));
  return status;
}

fcps_status fcps_wire_kept_read(const fcps_problem *p, const fcps_json *json, double *numbers, fcps_ask *ask,
                                fcps_result *result, fcps_error *error)
{
  double *environment = numbers + p->target.count, *parameters = environment + p->environment.count;
  *ask = (fcps_ask){.id = FCPS_NOT_ASKED};
  *result = (fcps_result){.rollout = {.reward = NAN, .hindsight_reward = NAN}};
  if (!fcps_json_is_object(fcps_json_get(json, "told")))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "told", "this is not a kept result");
  fcps_status status = FCPS_OK;
  if (fcps_json_get(json, "ask") != NULL) {
    if (!fcps_json_integer(fcps_json_get(json, "ask"), &ask->id) || ask->id < 1)
      status = fcps_error_set(error, FCPS_ERR_FORMAT, "ask", "the kept result's \"ask\" is not the number of an ask");
    if (status == FCPS_OK) status = read_kept_part(&p->target, "target", json, numbers, &ask->target, error);
    if (status == FCPS_OK)
      status = read_kept_part(&p->environment, "environment", json, environment, &ask->environment, error);
    if (status == FCPS_OK)
      status = read_kept_part(&p->parameters, "parameters", json, parameters, &ask->parameters, error);
    if (status == FCPS_OK) status = fcps_problem_rest(p, numbers, environment, parameters, error);
  }
  return status == FCPS_OK ? read_told(p, fcps_json_get(json, "told"), parameters + p->parameters.count, result, error)
                           : status;
}

char *fcps_wire_told_folder(void)
{
  return fcps_store_state_path("told", "");
}
