/* SPDX-License-Identifier: Apache-2.0 */
/* Writes results in all their forms: as stored (one line each, for the log and exports), as episodes of a run, as
 * receipts, as requests to a server, and as results that wait to be stored. Reads the last kind. */
#include "base/error.h"
#include "problem/deviation.h"
#include "problem/formula/conditions.h"
#include "store/store.h"
#include "wire/status.h"
#include "wire/wire.h"

#include <math.h>
#include <string.h>

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

/* Reads the numbers under `key` into `values` and points *part at them. *part stays NULL if the key is missing. */
static fcps_status read_part(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                             const double **part, fcps_error *error)
{
  const fcps_json *object = fcps_json_get(json, key);
  if (object == NULL || fcps_json_is_null(object)) return FCPS_OK;
  const fcps_status status = fcps_wire_numbers_read(space, key, object, values, error);
  if (status == FCPS_OK) *part = values;
  return status;
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

static fcps_status read_reward(const char *key, const fcps_json *json, double *reward, fcps_error *error)
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
  if (status == FCPS_OK) status = read_part(&p->target, "target", json, numbers, &r->target, error);
  if (status == FCPS_OK) status = read_part(&p->environment, "environment", json, environment, &r->environment, error);
  if (status == FCPS_OK) status = read_part(&p->parameters, "executed", json, parameters, &r->parameters, error);
  if (status == FCPS_OK) status = read_part(&p->outcome, "outcome", json, outcome, &r->outcome, error);
  if (status == FCPS_OK)
    status = read_part(&p->outcome, "outcome_sd", json, outcome + p->outcome.count, &r->outcome_deviation, error);
  if (status == FCPS_OK) status = read_reward("reward", json, &r->reward, error);
  if (status == FCPS_OK) status = read_reward("hindsight_reward", json, &r->hindsight_reward, error);
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
    if (status == FCPS_OK) status = read_part(&p->target, "target", json, numbers, &ask->target, error);
    if (status == FCPS_OK)
      status = read_part(&p->environment, "environment", json, environment, &ask->environment, error);
    if (status == FCPS_OK) status = read_part(&p->parameters, "parameters", json, parameters, &ask->parameters, error);
    if (status == FCPS_OK) status = fcps_problem_rest(p, numbers, environment, parameters, error);
  }
  return status == FCPS_OK ? read_told(p, fcps_json_get(json, "told"), parameters + p->parameters.count, result, error)
                           : status;
}

char *fcps_wire_told_folder(void)
{
  return fcps_store_state_path("told", "");
}
