/* SPDX-License-Identifier: Apache-2.0 */
/* Results.
 *
 * Invariants: a result is acknowledged only after it is stored; the same result counts once, however often it is told;
 * a different result for the same trial is stored as evidence and refused, and only a choice of the user makes it
 * count; a result is never refused for what a model would make of it. The space that an ask has reserved is used when
 * the disk is full, and given back when no ask is unfinished.
 */
#include "base/error.h"
#include "base/memory.h"
#include "space/space.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what was tried and where must be numbers; `bounded`: within the problem's bounds */
static fcps_status check_numbers(const fcps_study *s, const double *numbers, bool bounded, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  fcps_status status = fcps_space_check_values(&p->target, "target", numbers, bounded, error);
  if (status == FCPS_OK)
    status =
        fcps_space_check_values(&p->environment, "environment", numbers + study_environment_offset(s), bounded, error);
  if (status == FCPS_OK)
    status =
        fcps_space_check_values(&p->parameters, "parameters", numbers + study_parameters_offset(s), bounded, error);
  return status;
}

/* a trial that went further than asked for is evidence; a slip of the pen looks the same */
static void warn_of_bounds(const fcps_study *s, const study_tell *tell)
{
  fcps_error outside;
  if (check_numbers(s, tell->numbers, true, &outside) != FCPS_OK)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_OUTSIDE_BOUNDS", "%s: %s. It is stored and used as it is",
                 outside.field, outside.message);
}

static fcps_status check_result(const fcps_study *s, const study_tell *tell, fcps_error *error)
{
  if (tell->status < 0 || tell->status >= FCPS_ROLLOUT_STATUS_COUNT)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "status", "no rollout has status %d.", (int)tell->status);
  return check_numbers(s, tell->numbers, false, error);
}

/* one part of the numbers: what the result says, else what was asked */
static fcps_status fill_part(const study_ask *ask, const char *label, int offset, int count, const double *told,
                             double *numbers, fcps_error *error)
{
  if (!count) return FCPS_OK;
  if (told == NULL && ask == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label, "a rollout that nobody asked for must say its %s.", label);
  memcpy(numbers + offset, told != NULL ? told : ask->numbers + offset, (size_t)count * sizeof *numbers);
  return FCPS_OK;
}

/* a sensor that broke must not cost a result: it is kept where it was asked for, and out of the model */
static bool is_misplaced(const fcps_study *s, const study_ask *ask, const fcps_study_result *result)
{
  return ask != NULL && result->environment != NULL &&
         fcps_space_check_values(&s->problem.environment, "environment", result->environment, false, NULL) != FCPS_OK;
}

static fcps_status fill_tell(const fcps_study *s, const study_ask *ask, const fcps_study_result *result,
                             study_tell *tell, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const int environment = study_environment_offset(s), parameters = study_parameters_offset(s);
  tell->is_misplaced = is_misplaced(s, ask, result);
  const double *measured = tell->is_misplaced ? NULL : result->environment;
  fcps_status status = fill_part(ask, "target", 0, p->target.count, result->target, tell->numbers, error);
  if (status == FCPS_OK)
    status = fill_part(ask, "environment", environment, p->environment.count, measured, tell->numbers, error);
  if (status == FCPS_OK)
    status = fill_part(ask, "parameters", parameters, p->parameters.count, result->parameters, tell->numbers, error);
  if (status != FCPS_OK) return status;
  tell->present = result->outcome != NULL;
  if (result->outcome != NULL && p->outcome.count)
    memcpy(tell->numbers + study_outcome_offset(s), result->outcome, (size_t)p->outcome.count * sizeof(double));
  tell->status = result->status;
  tell->reward = p->reward != NULL ? NAN : result->reward;
  tell->hindsight_reward = p->reward != NULL ? NAN : result->hindsight_reward;
  return check_result(s, tell, error);
}

static bool same_number(double a, double b)
{
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_result(const fcps_study *s, const study_tell *a, const study_tell *b)
{
  if (a->status != b->status || a->present != b->present || a->is_misplaced != b->is_misplaced) return false;
  if (!same_number(a->reward, b->reward) || !same_number(a->hindsight_reward, b->hindsight_reward)) return false;
  for (int i = 0; i < (a->present ? study_width(s) : study_outcome_offset(s)); i++)
    if (!same_number(a->numbers[i], b->numbers[i])) return false;
  return true;
}

static fcps_status write_tell(fcps_study *s, study_tell *tell, const char *client, const char *message,
                              fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  fcps_journal_record record = {
      .kind = FCPS_JOURNAL_TELL,
      .ask = tell->ask,
      .other = tell->result_number,
      .status = (int)tell->status,
      .reward = tell->reward,
      .hindsight_reward = tell->hindsight_reward,
      .target = {p->target.count, tell->numbers},
      .environment = {p->environment.count, tell->numbers + study_environment_offset(s)},
      .parameters = {p->parameters.count, tell->numbers + study_parameters_offset(s)},
      .outcome = {p->outcome.count, tell->present ? tell->numbers + study_outcome_offset(s) : NULL},
      .client = client,
      .text = message};
  if (tell->is_misplaced && (message == NULL || !*message))
    record.text = "the measured environment is not finite; the result is kept with the one that was asked for";
  const fcps_status status = fcps_study_write(s, &record, error);
  tell->sequence = record.sequence;
  if (status != FCPS_OK || !tell->is_misplaced) return status;
  fcps_journal_record note = {.kind = FCPS_JOURNAL_NOTE, .other = record.sequence, .client = STUDY_MISPLACED_CODE};
  return fcps_study_write(s, &note, error);
}

/* the result that counts for a key; NULL: none */
static const study_tell *find_keyed(const fcps_study *s, const char *key)
{
  for (size_t i = 0; key != NULL && i < s->tell_count; i++)
    if (s->tells[i].is_used && s->tells[i].key != NULL && strcmp(s->tells[i].key, key) == 0) return &s->tells[i];
  return NULL;
}

/* says why a result is not used, and how it could be */
static fcps_status conflict(const fcps_study *s, const study_tell *tell, const char *key, fcps_error *error)
{
  const study_ask *ask = fcps_study_find_ask(s, tell->ask);
  char why[120] = "this result was taken out of the study", name[48];
  if (ask != NULL && ask->used)
    snprintf(why, sizeof why, "ask %lld already has another result", (long long)ask->id);
  else if (find_keyed(s, key) != NULL)
    snprintf(why, sizeof why, "another result was told under the key \"%.60s\"", key);
  if (ask != NULL)
    snprintf(name, sizeof name, "%lld.%d", (long long)ask->id, tell->result_number);
  else
    snprintf(name, sizeof name, "%lld", (long long)tell->sequence);
  return fcps_error_set(error, FCPS_ERR_CONFLICT, ask != NULL ? "ask" : "key",
                        "%s. This one is kept as evidence %s and is not used. To use it: fcps study amend %s --use %s",
                        why, name, fcps_study_url(s) != NULL ? fcps_study_url(s) : "STUDY", name);
}

/* a result for an ask that has one: the same again, one that was late, or a contradiction */
static fcps_status tell_again(fcps_study *s, study_ask *ask, study_tell *tell, const fcps_study_result *result,
                              fcps_receipt *receipt, bool *is_conflict, fcps_error *error)
{
  for (int e = 1; e <= ask->result_count; e++) {
    const study_tell *earlier = fcps_study_find_tell(s, ask->id, e);
    if (earlier == NULL || !same_result(s, earlier, tell)) continue;
    tell->result_number = receipt->result_number = e;
    receipt->is_repeated = true;
    *is_conflict = !earlier->is_used;
    return FCPS_OK;
  }
  const study_tell *used = fcps_study_find_tell(s, ask->id, ask->used);
  receipt->is_late = used != NULL && used->status == FCPS_ROLLOUT_TIMEOUT && tell->status != FCPS_ROLLOUT_TIMEOUT;
  *is_conflict = used != NULL && !receipt->is_late; /* where the other was taken out there is none */
  tell->result_number = receipt->result_number = ask->result_count + 1;
  fcps_status status = write_tell(s, tell, result->client, result->message, error);
  if (status != FCPS_OK || *is_conflict) return status;
  fcps_journal_record use = {.kind = FCPS_JOURNAL_USE, .ask = ask->id, .other = tell->result_number};
  return fcps_study_write(s, &use, error);
}

/* the same result under the same key, else from the same client */
static const study_tell *find_same(const fcps_study *s, const study_tell *tell, const fcps_study_result *result)
{
  const char *client = result->client != NULL ? result->client : "";
  for (size_t i = 0; i < s->tell_count; i++) {
    const study_tell *earlier = &s->tells[i];
    if (earlier->ask != FCPS_NOT_ASKED || (earlier->key == NULL) != (result->key == NULL)) continue;
    const bool is_named =
        result->key != NULL ? strcmp(earlier->key, result->key) == 0 : strcmp(earlier->client, client) == 0;
    if (is_named && same_result(s, earlier, tell)) return earlier;
  }
  return NULL;
}

/* a result that nobody asked for */
static fcps_status tell_unasked(fcps_study *s, study_tell *tell, const fcps_study_result *result, fcps_receipt *receipt,
                                bool *is_conflict, fcps_error *error)
{
  const study_tell *same = find_same(s, tell, result);
  receipt->is_repeated = same != NULL;
  *is_conflict = same != NULL ? !same->is_used : find_keyed(s, result->key) != NULL;
  tell->result_number = receipt->result_number = *is_conflict ? 2 : 1;
  if (same != NULL) {
    tell->sequence = same->sequence;
    return FCPS_OK;
  }
  fcps_status status = write_tell(s, tell, result->client, result->message, error);
  if (status != FCPS_OK || result->key == NULL) return status;
  fcps_journal_record key = {
      .kind = FCPS_JOURNAL_NOTE, .other = tell->sequence, .client = STUDY_KEY_CODE, .text = result->key};
  return fcps_study_write(s, &key, error);
}

/* one transaction; a conflict is stored as well, and only then reported */
static fcps_status tell_once(fcps_study *s, int64_t id, study_tell *tell, const fcps_study_result *result,
                             fcps_receipt *receipt, fcps_error *error)
{
  bool is_conflict = false;
  *receipt = (fcps_receipt){.ask = id, .result_number = 1};
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  study_ask *ask = id == FCPS_NOT_ASKED ? NULL : fcps_study_find_ask(s, id);
  if (ask == NULL && id != FCPS_NOT_ASKED)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask", "there is no ask %lld in this study.", (long long)id);
  *tell = (study_tell){.ask = id, .result_number = 1, .numbers = tell->numbers};
  if (status == FCPS_OK) status = fill_tell(s, ask, result, tell, error);
  if (status == FCPS_OK) {
    receipt->is_flagged = !fcps_study_score(s, tell, &receipt->reward);
    receipt->is_misplaced = tell->is_misplaced;
    if (ask == NULL)
      status = tell_unasked(s, tell, result, receipt, &is_conflict, error);
    else if (ask->result_count)
      status = tell_again(s, ask, tell, result, receipt, &is_conflict, error);
    else {
      receipt->is_late = ask->state == FCPS_ASK_FORGOTTEN;
      status = write_tell(s, tell, result->client, result->message, error);
    }
  }
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK && !receipt->is_repeated) warn_of_bounds(s, tell);
  if (status == FCPS_OK && is_conflict) return conflict(s, tell, result->key, error);
  return status;
}

fcps_status fcps_study_store_unasked(fcps_study *s, const fcps_study_result *result, int64_t until, bool *is_known,
                                     fcps_error *error)
{
  study_tell tell = {.result_number = 1, .numbers = fcps_allocate((size_t)study_width(s), sizeof(double))};
  if (tell.numbers == NULL) return fcps_error_memory(error);
  fcps_status status = fill_tell(s, NULL, result, &tell, error);
  *is_known = false;
  for (size_t i = 0; status == FCPS_OK && i < s->tell_count && s->tells[i].sequence <= until; i++)
    *is_known |= strcmp(s->tells[i].client, result->client) == 0 && same_result(s, &s->tells[i], &tell);
  if (status == FCPS_OK && !*is_known) status = write_tell(s, &tell, result->client, result->message, error);
  if (status == FCPS_OK && !*is_known) warn_of_bounds(s, &tell);
  free(tell.numbers);
  return status;
}

static void give_space_back(fcps_study *s)
{
  for (size_t i = 0; i < s->ask_count; i++)
    if (s->asks[i].state == FCPS_ASK_PENDING) return;
  fcps_store_reserve(s->store, 0, NULL);
}

fcps_status fcps_study_tell(fcps_study *s, int64_t id, const fcps_study_result *result, fcps_receipt *receipt,
                            fcps_error *error)
{
  fcps_receipt unwanted;
  study_tell tell = {.numbers = fcps_allocate((size_t)study_width(s), sizeof(double))};
  if (tell.numbers == NULL) return fcps_error_memory(error);
  if (receipt == NULL) receipt = &unwanted;
  fcps_status status = tell_once(s, id, &tell, result, receipt, error);
  if (status == FCPS_ERR_STORE_FULL) {
    /* this is what the space was kept for */
    fcps_store_reserve(s->store, 0, NULL);
    status = tell_once(s, id, &tell, result, receipt, error);
  }
  free(tell.numbers);
  if (status == FCPS_OK) give_space_back(s);
  return status;
}
