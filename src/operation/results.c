/* SPDX-License-Identifier: Apache-2.0 */
/* Results. Each is stored before it is acknowledged, and to tell it again is harmless: by its ask, or, where nobody
 * asked for it, by its key. */
#include "base/error.h"
#include "base/memory.h"
#include "operation/functions.h"
#include "problem/deviation.h"
#include "study/import_text.h"
#include "wire/status.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

/* -- Telling -- */

/* Unlike a program's answer, a request is refused where a deviation is wrong: whoever sent it can send it again. */
static fcps_status check_deviation(const fcps_problem *p, const fcps_json *body, fcps_rollout *rollout,
                                   fcps_error *error)
{
  const fcps_json *told = fcps_json_get(body, "outcome_sd");
  double values[FCPS_SPACE_MAX];
  if (told == NULL || fcps_json_is_null(told) || rollout->outcome_deviation != NULL) return FCPS_OK;
  fcps_status status = fcps_wire_numbers_read(&p->outcome, "outcome_sd", told, values, error);
  fcps_rollout with = *rollout;
  with.outcome_deviation = values;
  if (status == FCPS_OK) status = fcps_rollout_check_deviation(p, &with, error);
  if (status == FCPS_OK)
    status = fcps_error_set(error, FCPS_ERR_FORMAT, "outcome_sd", "a trial that failed has no deviations");
  return status;
}

static fcps_status check_names(const fcps_problem *p, const fcps_json *body, fcps_error *error)
{
  static const char *const keys[] = {"target", "environment", "executed", "outcome", "outcome_sd"};
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome, &p->outcome};
  fcps_status status = FCPS_OK;
  for (int i = 0; i < 5 && status == FCPS_OK; i++)
    status = fcps_call_check_names(fcps_json_get(body, keys[i]), spaces[i], keys[i], error);
  static const char *const rewards[] = {"reward", "hindsight_reward"};
  for (int i = 0; i < 2 && status == FCPS_OK && p->reward != NULL; i++)
    if (fcps_json_get(body, rewards[i]) != NULL)
      status = fcps_error_set(error, FCPS_ERR_ARGUMENT, rewards[i],
                              "the reward of this study is a formula, which scores the outcome; leave out \"%s\"",
                              rewards[i]);
  return status;
}

/* "failed" is a reason, or true; "status" says in which way */
static fcps_status read_status(const fcps_call *call, fcps_rollout *rollout, fcps_error *error)
{
  const char *name = fcps_call_text(call, "status");
  if (name == NULL) return FCPS_OK;
  for (int i = 0; i < FCPS_ROLLOUT_STATUS_COUNT; i++) {
    if (strcmp(name, fcps_rollout_status_text((fcps_rollout_status)i)) != 0) continue;
    if ((rollout->status == FCPS_ROLLOUT_OK) != (i == FCPS_ROLLOUT_OK))
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "status", "\"status\" and \"failed\" contradict each other");
    rollout->status = (fcps_rollout_status)i;
    return FCPS_OK;
  }
  return FCPS_OK;
}

/* What happened does not depend on what was wanted, so a formula can score it for any target. */
static fcps_status read_target(const fcps_call *call, const fcps_problem *p, double *target, fcps_error *error)
{
  const fcps_json *told = fcps_json_get(call->request, "target");
  if (p->target.count == 0) return FCPS_OK;
  if (p->reward == NULL || (told != NULL && !fcps_json_is_null(told)))
    return fcps_wire_numbers_read(&p->target, "target", told, target, error);
  for (int i = 0; i < p->target.count; i++)
    target[i] = 0.5 * (p->target.dims[i].lower + p->target.dims[i].upper);
  fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_NO_TARGET",
               "no target was given. No outcome depends on it: the result is stored with the middle of the targets' "
               "ranges, and scored for every other target when it is needed.");
  return FCPS_OK;
}

/* a trial that nobody asked for brings all its numbers, but for the target where that is not known */
static fcps_status read_unasked(const fcps_call *call, const fcps_problem *p, double *target, fcps_rollout *rollout,
                                fcps_error *error)
{
  if (rollout->parameters == NULL || (p->environment.count > 0 && rollout->environment == NULL))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "ask",
                          "which ask? For a trial that nobody asked for give \"target\", \"environment\" and "
                          "\"executed\"");
  rollout->target = target;
  return read_target(call, p, target, error);
}

static fcps_status read_result(fcps_call *call, int64_t id, double *numbers, fcps_result *result, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  fcps_status status = check_names(p, call->request, error);
  if (status == FCPS_OK) status = fcps_wire_result_check(p, call->request, error);
  if (status == FCPS_OK) status = fcps_wire_result_read(p, call->request, numbers, result, error);
  if (status == FCPS_OK) status = check_deviation(p, call->request, &result->rollout, error);
  if (status == FCPS_OK) status = read_status(call, &result->rollout, error);
  if (status == FCPS_OK && id == FCPS_NOT_ASKED)
    status = read_unasked(call, p, numbers + fcps_wire_result_width(p), &result->rollout, error);
  if (status == FCPS_OK && id != FCPS_NOT_ASKED && fcps_json_get(call->request, "target") != NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "target", "the target comes from the ask; it is not measured");
  if (status == FCPS_OK) status = fcps_call_client(call, &result->client, error);
  result->key = fcps_call_text(call, "key");
  if (status == FCPS_OK && id != FCPS_NOT_ASKED && result->key != NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "key", "an ask does not need a key: its number is its key");
  return status;
}

fcps_status fcps_operation_tell(fcps_call *call, fcps_error *error)
{
  const int64_t id = fcps_call_integer(call, "ask", FCPS_NOT_ASKED);
  fcps_result result;
  fcps_receipt receipt;
  fcps_status status = fcps_study_refresh(call->study, error);
  if (status != FCPS_OK) return status;
  const fcps_problem *p = fcps_study_problem(call->study);
  double *numbers = fcps_allocate((size_t)(fcps_wire_result_width(p) + p->target.count), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  status = read_result(call, id, numbers, &result, error);
  if (status == FCPS_OK) status = fcps_study_tell(call->study, id, &result, &receipt, error);
  if (status == FCPS_OK) call->json = fcps_wire_receipt_write(&receipt);
  free(numbers);
  return status;
}

/* -- Which results count -- */

/* "7.2", as warnings, errors and `fcps study log` name the second result of ask 7; 0 where there is none */
static int64_t find_named(const fcps_study *study, const char *name)
{
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    char own[FCPS_WIRE_RESULT_NAME_SIZE];
    fcps_study_result_at(study, i, &stored);
    fcps_wire_result_name(&stored, own);
    if (strcmp(own, name) == 0) return stored.sequence;
  }
  return 0;
}

static fcps_status read_name(const fcps_call *call, const char *name, int64_t *sequence, fcps_error *error)
{
  const fcps_status status = fcps_study_refresh(call->study, error);
  if (status != FCPS_OK) return status;
  *sequence = find_named(call->study, name);
  if (*sequence > 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "result",
                        "there is no result \"%.40s\"; rollouts have their numbers, and 7.2 is the second of ask 7",
                        name);
}

/* the number of a stored result, as rollouts have it, or its name */
static fcps_status read_number(const fcps_call *call, int64_t *sequence, fcps_error *error)
{
  const char *name = fcps_call_text(call, "result");
  *sequence = fcps_call_integer(call, "result", 0);
  return name != NULL ? read_name(call, name, sequence, error) : FCPS_OK;
}

static fcps_status set_used(fcps_call *call, bool is_used, fcps_error *error)
{
  int64_t sequence = 0;
  fcps_status status = read_number(call, &sequence, error);
  if (status == FCPS_OK) status = fcps_study_use_result(call->study, sequence, is_used, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "result", fcps_json_from_integer(sequence));
  fcps_json_put(&call->json, "used", fcps_json_from_bool(is_used));
  return FCPS_OK;
}

fcps_status fcps_operation_use(fcps_call *call, fcps_error *error)
{
  return set_used(call, true, error);
}

fcps_status fcps_operation_drop(fcps_call *call, fcps_error *error)
{
  return set_used(call, false, error);
}

fcps_status fcps_operation_confirm(fcps_call *call, fcps_error *error)
{
  int64_t sequence = 0;
  fcps_status status = read_number(call, &sequence, error);
  if (status == FCPS_OK) status = fcps_study_confirm(call->study, sequence, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "result", fcps_json_from_integer(sequence));
  fcps_json_put(&call->json, "confirmed", fcps_json_from_bool(true));
  return FCPS_OK;
}

/* -- Old results from a table -- */

fcps_status fcps_operation_import(fcps_call *call, fcps_error *error)
{
  const char *file = fcps_call_text(call, "file");
  const fcps_import_text table = {
      .text = fcps_call_text(call, "csv"), .name = file != NULL ? file : "csv", .again = fcps_call_bool(call, "again")};
  int added = 0, skipped = 0;
  const fcps_status status = fcps_study_import_text(call->study, &table, &added, &skipped, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "added", fcps_json_from_integer(added));
  fcps_json_put(&call->json, "skipped", fcps_json_from_integer(skipped));
  return FCPS_OK;
}
