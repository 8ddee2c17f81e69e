/* SPDX-License-Identifier: Apache-2.0 */
/* Tells, chooses, drops and confirms results. Each result is stored before it is acknowledged. Telling a result again
 * is harmless: it is recognized by its ask or, if it has no ask, by its key.
 *
 * An import is one request and not a tell for each row. Equal rows of a table are repeated trials, but equal tells are
 * one trial that was told twice. So the study must know that the rows come from one table. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "operation/call.h"
#include "problem/rollouts.h"
#include "study/import/import.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_MOST = 4000 };

/* -- Telling -- */

/* Checks the standard deviations that were told. A request with a wrong deviation is refused, because its sender can
 * correct it. (In the answer of a program only the deviation would be left out.) */
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
  for (int i = 0; i < 5 && status == FCPS_OK; i++) {
    const fcps_json *part = fcps_json_get(body, keys[i]);
    if (part != NULL) status = fcps_call_check_names(p, spaces[i], keys[i], part, true, error);
  }
  static const char *const rewards[] = {"reward", "hindsight_reward"};
  for (int i = 0; i < 2 && status == FCPS_OK && p->reward != NULL; i++)
    if (fcps_json_get(body, rewards[i]) != NULL)
      status = fcps_error_set(error, FCPS_ERR_ARGUMENT, rewards[i],
                              "the reward of this study is a formula, which scores the outcome; leave out \"%s\"",
                              rewards[i]);
  if (status == FCPS_OK && p->reward == NULL && fcps_json_get(body, "reward") == NULL &&
      fcps_json_get(body, "failed") == NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "reward", "the rewards of this study are told; give \"reward\"");
  return status;
}

static bool find_ask(const fcps_study *study, int64_t id, fcps_ask *ask)
{
  for (int i = fcps_study_ask_count(study) - 1; i >= 0; i--) {
    fcps_study_ask_at(study, i, ask);
    if (ask->id == id) return true;
  }
  return false;
}

/* Reads how the trial ended: "failed" is a reason or true; "status" is the name of an ending. */
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

/* Reads the target of a trial without an ask. If the reward is a formula, the target may be left out: the outcome does
 * not depend on it, so the formula can score the trial for any target. */
static fcps_status read_target(const fcps_call *call, const fcps_problem *p, double *target, fcps_error *error)
{
  const fcps_json *told = fcps_json_get(call->request, "target");
  if (p->target.count == 0) return FCPS_OK;
  if (p->reward == NULL || (told != NULL && !fcps_json_is_null(told)))
    return fcps_wire_numbers_read(&p->target, "target", told, target, error);
  for (int i = 0; i < p->target.count; i++)
    target[i] = p->target.dims[i].choices != NULL ? 0 : 0.5 * (p->target.dims[i].lower + p->target.dims[i].upper);
  fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_NO_TARGET",
               "no target was given. No outcome depends on it: the result is stored with the middle of the targets' "
               "ranges, and scored for every other target when it is needed.");
  return FCPS_OK;
}

/* Reads a trial without an ask. The request must have all its numbers; only the target may be unknown. */
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
  result->key = fcps_call_text(call, "key");
  if (status == FCPS_OK && id != FCPS_NOT_ASKED && result->key != NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "key", "an ask does not need a \"key\": its number is its key");
  if (status == FCPS_OK && id != FCPS_NOT_ASKED && fcps_json_get(call->request, "target") != NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "target", "the target comes from the ask; it is not measured");
  result->client = fcps_call_text(call, "client");
  /* A server refuses the client names of runs. Without a server they are allowed, so that a person can tell a result of
   * a run again. */
  if (status == FCPS_OK && call->server != NULL) status = fcps_call_client(call, &result->client, error);
  return status;
}

/* If the request gives only some of the numbers of a space, adds the others from its ask. The caller destroys the copy;
 * NULL: nothing had to be added. */
static fcps_json *complete_request(const fcps_call *call, int64_t id)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  fcps_ask ask;
  if (fcps_call_get(call, "executed") == NULL && fcps_call_get(call, "environment") == NULL) return NULL;
  if (!find_ask(call->study, id, &ask)) return NULL;
  fcps_json *request = fcps_json_copy(call->request);
  double shown[FCPS_SPACE_MAX];
  fcps_wire_part_complete(&p->parameters, "executed",
                          fcps_wire_shown(p, ask.target, ask.environment, ask.parameters, shown), &request);
  fcps_wire_part_complete(&p->environment, "environment", ask.environment, &request);
  return request;
}

/* Warns if another client made the ask: its number may be mistyped, or somebody tells the result for that client on
 * purpose. */
static void warn_of_client(const fcps_call *call, int64_t id)
{
  const char *client = fcps_call_text(call, "client");
  fcps_ask ask;
  if (client == NULL || id == FCPS_NOT_ASKED || !find_ask(call->study, id, &ask)) return;
  if (*ask.client == '\0' || strcmp(ask.client, client) == 0) return;
  fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_OTHER_CLIENT",
               "ask %lld was given to %s, not to %s. Its result is stored; if the number is wrong, take it "
               "out with amend --drop.",
               (long long)id, ask.client, client);
}

/* Warns of what the sender should know about the stored result. */
static void warn_of_result(const fcps_call *call, const fcps_receipt *receipt)
{
  fcps_stored_result stored = {0};
  if (!fcps_study_result_of(call->study, receipt->ask, &stored) && !receipt->is_repeated)
    fcps_study_result_at(call->study, fcps_study_result_count(call->study) - 1, &stored);
  if (receipt->is_late)
    fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_TELL_LATE",
                 "ask %lld had been given up or timed out; its result is stored and will be used.",
                 (long long)receipt->ask);
  if (receipt->is_misplaced)
    fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_ENVIRONMENT_NOT_FINITE",
                 "the measured environment is NaN, infinite or beyond 1e100. The result is "
                 "stored with the environment of the ask, but the model does not use it.");
  else if (receipt->is_flagged && fcps_json_is_null(fcps_json_get(call->request, "outcome")))
    fcps_wire_warn_no_reward(&call->log);
  else if (receipt->is_flagged)
    fcps_wire_warn_unusable(&call->log, "this result", call->study, &stored);
  if (!receipt->is_repeated) warn_of_client(call, receipt->ask);
}

static fcps_status tell(fcps_call *call, int64_t id, double *numbers, fcps_error *error)
{
  fcps_result result;
  fcps_receipt receipt;
  const fcps_run_patience *patience = call->patience;
  fcps_status status = read_result(call, id, numbers, &result, error);
  if (status == FCPS_OK)
    status = patience != NULL ? fcps_run_tell(call->study, id, &result, patience, &receipt, error)
                              : fcps_study_tell(call->study, id, &result, &receipt, error);
  if (status != FCPS_OK) return status;
  warn_of_result(call, &receipt);
  call->json = fcps_wire_receipt_write(&receipt);
  return FCPS_OK;
}

/* Refuses a result for another study: it may have waited so long that its address now belongs to another one. */
static fcps_status check_identity(const fcps_call *call, fcps_error *error)
{
  const char *wanted = fcps_call_text(call, "identity"), *own = fcps_study_identity(call->study);
  if (wanted == NULL || own == NULL || strcmp(wanted, own) == 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "identity", "it belongs to another study that had this address");
}

fcps_status fcps_operation_tell(fcps_call *call, fcps_error *error)
{
  const int64_t id = fcps_call_integer(call, "ask", FCPS_NOT_ASKED);
  const fcps_json *given = call->request;
  fcps_status status = fcps_study_refresh(call->study, error);
  if (status == FCPS_OK) status = check_identity(call, error);
  if (status != FCPS_OK) return status;
  const fcps_problem *p = fcps_study_problem(call->study);
  double *numbers = fcps_allocate((size_t)(fcps_wire_result_width(p) + p->target.count), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  fcps_json *whole = complete_request(call, id);
  if (whole != NULL) call->request = whole;
  status = tell(call, id, numbers, error);
  call->request = given;
  fcps_json_destroy(whole);
  free(numbers);
  return status;
}

/* -- Which results count -- */

/* Finds a result by its name, as warnings, errors and `fcps study log` write it: "7.2" is the second result of ask 7.
 * Returns 0 if there is no such result. */
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

/* Returns the number and the name of a result, as in {"result": 12, "name": "7.1"}. */
static fcps_json *name_result(const fcps_study *study, int64_t sequence)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "result", fcps_json_from_integer(sequence));
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (stored.sequence == sequence) fcps_wire_result_name_put(&object, &stored);
  }
  return object;
}

static fcps_status read_name(const fcps_call *call, const char *name, int64_t *sequence, fcps_error *error)
{
  const fcps_status status = fcps_study_refresh(call->study, error);
  if (status != FCPS_OK) return status;
  *sequence = find_named(call->study, name);
  if (*sequence > 0) return FCPS_OK;
  fcps_stored_result counting;
  int64_t ask = 0;
  if (fcps_integer_read(name, &ask) && fcps_study_result_of(call->study, ask, &counting))
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "result",
                          "there is no result \"%s\"; the result of ask %s is called %s.%d", name, name, name,
                          counting.result_number);
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "result",
                        "there is no result \"%.40s\"; 7.2 is the second of ask 7, and `fcps study log` lists them",
                        name);
}

/* Reads which result the request means: by its number, as in the list of rollouts, or by its name. */
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
  call->json = name_result(call->study, sequence);
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
  call->json = name_result(call->study, sequence);
  fcps_json_put(&call->json, "confirmed", fcps_json_from_bool(true));
  return FCPS_OK;
}

/* -- Notes -- */

/* Writes the code under which a note is stored: "note", or "note.7.2" if it is about a result. */
static fcps_status note_code(const fcps_call *call, size_t size, char *code, fcps_error *error)
{
  int64_t sequence = 0;
  snprintf(code, size, "note");
  if (fcps_call_get(call, "result") == NULL) return FCPS_OK;
  const fcps_status status = read_number(call, &sequence, error);
  if (status != FCPS_OK) return status;
  fcps_json *named = name_result(call->study, sequence);
  const char *name = fcps_json_text(fcps_json_get(named, "name"));
  if (name != NULL) snprintf(code, size, "note.%s", name);
  fcps_json_destroy(named);
  if (name != NULL) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "result", "there is no result %lld; `fcps study log` lists them",
                        (long long)sequence);
}

static bool is_noted(const fcps_study *study, const char *code, const char *text)
{
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++)
    if (strcmp(event->code, code) == 0 && strcmp(event->text, text) == 0) return true;
  return false;
}

fcps_status fcps_operation_note(fcps_call *call, fcps_error *error)
{
  const char *text = fcps_call_text(call, "text");
  char code[FCPS_WIRE_RESULT_NAME_SIZE + 8];
  if (text[strspn(text, " \t\r\n")] == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "text", "the note is empty; write a few words");
  if (strlen(text) > NOTE_MOST)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "text", "a note has at most %d bytes; this one has %zu", NOTE_MOST,
                          strlen(text));
  fcps_status status = fcps_study_refresh(call->study, error);
  if (status == FCPS_OK) status = note_code(call, sizeof code, code, error);
  if (status != FCPS_OK) return status;
  const bool is_repeated = is_noted(call->study, code, text);
  if (!is_repeated) status = fcps_study_note(call->study, code, text, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "stored", fcps_json_from_bool(true));
  fcps_json_put(&call->json, "code", fcps_json_from_text(code));
  fcps_json_put(&call->json, "repeated", fcps_json_from_bool(is_repeated));
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
