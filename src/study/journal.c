/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a study's journal: asks, results and events in memory.
 *
 * Each record is read once, in order, and the index after record n depends on records 1 to n alone, so all processes
 * have the same index. A record that contradicts the problem or an earlier record is damage; a reference to a record
 * that a repair lost is not damage. Invariants: ids of asks grow; of the results of one trial (one ask, or one key)
 * at most one counts; `learner_reset_sequence` is the last record that makes earlier states of the learner void.
 */
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "problem/rollouts.h"
#include "study/study_impl.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest id of an ask. A double can represent every whole number up to it. */
static const int64_t most_asks = (int64_t)1 << 53;

/* -- Arrays of numbers -- */

int fcps_study_environment_offset(const fcps_study *s)
{
  return s->problem.target.count;
}

int fcps_study_parameters_offset(const fcps_study *s)
{
  return s->problem.target.count + s->problem.environment.count;
}

int fcps_study_outcome_offset(const fcps_study *s)
{
  const fcps_problem *p = &s->problem;
  return p->target.count + p->environment.count + p->parameters.count;
}

int fcps_study_width(const fcps_study *s)
{
  const fcps_problem *p = &s->problem;
  return p->target.count + p->environment.count + p->parameters.count + p->outcome.count;
}

void fcps_study_point(const fcps_study *s, const double *numbers, bool has_outcome, fcps_rollout *rollout)
{
  rollout->target = numbers;
  rollout->environment = numbers + fcps_study_environment_offset(s);
  rollout->parameters = numbers + fcps_study_parameters_offset(s);
  rollout->outcome = has_outcome ? numbers + fcps_study_outcome_offset(s) : NULL;
}

/* -- The index -- */

study_ask *fcps_study_find_ask(const fcps_study *s, int64_t id)
{
  /* Ids grow by one, so in an undamaged journal ask i is entry i - 1. */
  if (id >= 1 && (uint64_t)id <= s->ask_count && s->asks[id - 1].id == id) return &s->asks[id - 1];
  for (size_t i = 0; i < s->ask_count; i++)
    if (s->asks[i].id == id) return &s->asks[i];
  return NULL;
}

fcps_stored_result *fcps_study_find_numbered_result(const fcps_study *s, int64_t ask, int result_number)
{
  for (size_t i = s->result_count; i-- > 0;)
    if (s->results[i].ask == ask && s->results[i].result_number == result_number) return &s->results[i];
  return NULL;
}

fcps_stored_result *fcps_study_find_result(const fcps_study *s, int64_t sequence)
{
  for (size_t i = s->result_count; i-- > 0;)
    if (s->results[i].sequence == sequence) return &s->results[i];
  return NULL;
}

void fcps_study_name_result(const fcps_stored_result *stored, char name[STUDY_RESULT_NAME_SIZE])
{
  if (stored->ask != FCPS_NOT_ASKED)
    snprintf(name, STUDY_RESULT_NAME_SIZE, "%lld.%d", (long long)stored->ask, stored->result_number);
  else
    snprintf(name, STUDY_RESULT_NAME_SIZE, "%lld", (long long)stored->sequence);
}

static fcps_status damaged(const fcps_journal_record *record, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "record %lld of the study does not fit its problem. Nothing was changed.",
                        (long long)record->sequence);
}

/* Copies the numbers of target, environment, parameters and outcome into one array. */
static fcps_status join_numbers(const fcps_study *s, const fcps_journal_record *r, bool has_outcome, double **numbers,
                                fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const fcps_numbers *const parts[] = {&r->target, &r->environment, &r->parameters, &r->outcome};
  const int widths[] = {p->target.count, p->environment.count, p->parameters.count, p->outcome.count};
  double *joined = fcps_allocate((size_t)fcps_study_width(s), sizeof *joined);
  if (joined == NULL) return fcps_error_memory(error);
  int offset = 0;
  for (int i = 0; i < 3 + has_outcome; i++) {
    if (parts[i]->count != widths[i]) {
      free(joined);
      return damaged(r, error);
    }
    if (widths[i]) memcpy(joined + offset, parts[i]->values, (size_t)widths[i] * sizeof *joined);
    offset += widths[i];
  }
  *numbers = joined;
  return FCPS_OK;
}

/* Copies the expectation of an ask, if its record has one. */
static fcps_status copy_expected(const fcps_study *s, const fcps_journal_record *r, double **expected,
                                 fcps_error *error)
{
  if (r->outcome.values == NULL) return FCPS_OK;
  const size_t width = (size_t)fcps_study_expectation_width(s);
  if ((size_t)r->outcome.count != width) return damaged(r, error);
  *expected = fcps_allocate(width, sizeof **expected);
  if (*expected == NULL) return fcps_error_memory(error);
  memcpy(*expected, r->outcome.values, width * sizeof **expected);
  return FCPS_OK;
}

static void free_ask(study_ask *ask)
{
  free(ask->numbers);
  free(ask->expected);
  free(ask->client);
}

static fcps_status index_ask(fcps_study *s, const fcps_journal_record *r, fcps_error *error)
{
  if (r->ask < 1 || r->ask > most_asks || (s->ask_count && r->ask <= s->asks[s->ask_count - 1].id))
    return damaged(r, error);
  study_ask ask = {.id = r->ask, .learner_id = r->other, .sequence = r->sequence};
  if (!fcps_reserve((void **)&s->asks, &s->ask_capacity, s->ask_count + 1, sizeof *s->asks))
    return fcps_error_memory(error);
  fcps_status status = join_numbers(s, r, false, &ask.numbers, error);
  if (status == FCPS_OK) status = copy_expected(s, r, &ask.expected, error);
  if (status == FCPS_OK && (ask.client = fcps_copy_text(r->client)) == NULL) status = fcps_error_memory(error);
  if (status == FCPS_OK)
    s->asks[s->ask_count++] = ask;
  else
    free_ask(&ask);
  return status;
}

/* Frees everything that a result in the index owns. */
static void free_result(fcps_stored_result *stored)
{
  /* frees the array with all numbers of the result, which begins with the target */
  free((double *)stored->result.rollout.target);
  free((double *)stored->result.rollout.outcome_deviation);
  free((char *)stored->result.client);
  free((char *)stored->result.message);
  free((char *)stored->result.key);
}

static fcps_status index_tell(fcps_study *s, const fcps_journal_record *r, fcps_error *error)
{
  if (r->status < 0 || r->status >= FCPS_ROLLOUT_STATUS_COUNT || r->ask < 0 || r->ask > most_asks || r->other < 1 ||
      r->other > INT_MAX)
    return damaged(r, error);
  const bool has_outcome = r->outcome.values != NULL;
  double *numbers = NULL;
  fcps_stored_result stored = {.sequence = r->sequence,
                               .ask = r->ask,
                               .result_number = (int)r->other,
                               .is_used = r->other == 1,
                               .time_ms = r->time_ms,
                               .result.rollout = {.reward = r->reward,
                                                  .hindsight_reward = r->hindsight_reward,
                                                  .status = (fcps_rollout_status)r->status}};
  if (!fcps_reserve((void **)&s->results, &s->result_capacity, s->result_count + 1, sizeof *s->results))
    return fcps_error_memory(error);
  const fcps_status status = join_numbers(s, r, has_outcome, &numbers, error);
  if (status != FCPS_OK) return status;
  fcps_study_point(s, numbers, has_outcome, &stored.result.rollout);
  stored.result.client = fcps_copy_text(r->client);
  stored.result.message = fcps_copy_text(r->text);
  if (stored.result.client == NULL || stored.result.message == NULL) {
    free_result(&stored);
    return fcps_error_memory(error);
  }
  s->results[s->result_count++] = stored;
  study_ask *ask = fcps_study_find_ask(s, r->ask);
  if (ask != NULL) {
    ask->result_count++;
    ask->state = FCPS_ASK_TOLD;
    if (stored.is_used) ask->used = 1;
  }
  return FCPS_OK;
}

/* Whether two results belong to one trial: to the same ask, or to the same key. At most one of them counts. */
static bool is_same_trial(const fcps_stored_result *a, const fcps_stored_result *b)
{
  if (a->ask != b->ask) return false;
  return a->ask != FCPS_NOT_ASKED ||
         (a->result.key != NULL && b->result.key != NULL && strcmp(a->result.key, b->result.key) == 0);
}

static fcps_status add_event(fcps_study *s, const fcps_journal_record *r, const char *code, const char *text,
                             fcps_error *error)
{
  study_event event = {.event = {.sequence = r->sequence, .time_ms = r->time_ms},
                       .is_change = r->kind == FCPS_JOURNAL_CHANGE};
  event.code = fcps_copy_text(code);
  event.text = fcps_copy_text(text);
  if (event.code == NULL || event.text == NULL ||
      !fcps_reserve((void **)&s->events, &s->event_capacity, s->event_count + 1, sizeof *s->events)) {
    free(event.code);
    free(event.text);
    return fcps_error_memory(error);
  }
  event.event.code = event.code;
  event.event.text = event.text;
  s->events[s->event_count++] = event;
  return FCPS_OK;
}

/* Adds the event of a result that was chosen or taken out; its text is the result's name. */
static fcps_status add_choice(fcps_study *s, const fcps_journal_record *r, const fcps_stored_result *of,
                              fcps_error *error)
{
  char name[STUDY_RESULT_NAME_SIZE];
  fcps_study_name_result(of, name);
  return add_event(s, r, r->kind == FCPS_JOURNAL_USE ? STUDY_USED_CODE : STUDY_DROPPED_CODE, name, error);
}

static void take_out(fcps_stored_result *stored)
{
  stored->was_used |= stored->is_used;
  stored->is_used = false;
}

static fcps_status index_use(fcps_study *s, const fcps_journal_record *r, fcps_error *error)
{
  study_ask *ask = fcps_study_find_ask(s, r->ask);
  if (r->ask != FCPS_NOT_ASKED && (r->other < 1 || r->other > INT_MAX)) return damaged(r, error);
  fcps_stored_result *chosen = r->ask == FCPS_NOT_ASKED ? fcps_study_find_result(s, r->other)
                                                        : fcps_study_find_numbered_result(s, r->ask, (int)r->other);
  if (chosen != NULL && chosen->ask != r->ask) return damaged(r, error);
  const fcps_status status = chosen != NULL ? add_choice(s, r, chosen, error) : FCPS_OK;
  if (status != FCPS_OK) return status;
  for (size_t i = 0; i < s->result_count; i++) {
    /* Even if a repair has lost the chosen result, the other results of its trial do not count. */
    const bool is_other = chosen != NULL ? is_same_trial(&s->results[i], chosen)
                                         : r->ask != FCPS_NOT_ASKED && s->results[i].ask == r->ask;
    if (is_other && &s->results[i] != chosen) take_out(&s->results[i]);
  }
  if (chosen != NULL) chosen->is_used = true;
  if (ask != NULL) ask->used = chosen != NULL ? chosen->result_number : 0;
  s->learner_reset_sequence = r->sequence;
  return FCPS_OK;
}

static fcps_status index_drop(fcps_study *s, const fcps_journal_record *r, fcps_error *error)
{
  fcps_stored_result *dropped = fcps_study_find_result(s, r->other);
  if (dropped == NULL || !dropped->is_used) return FCPS_OK; /* A repair may have lost the result. */
  const fcps_status status = add_choice(s, r, dropped, error);
  if (status != FCPS_OK) return status;
  study_ask *ask = fcps_study_find_ask(s, dropped->ask);
  take_out(dropped);
  if (ask != NULL) ask->used = 0;
  s->learner_reset_sequence = r->sequence;
  return FCPS_OK;
}

static fcps_status index_key(fcps_stored_result *stored, const fcps_journal_record *r, fcps_error *error)
{
  if (stored->result.key != NULL) return FCPS_OK;
  stored->result.key = fcps_copy_text(r->text);
  return stored->result.key != NULL ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status index_deviation(const fcps_study *s, fcps_stored_result *stored, const fcps_journal_record *r,
                                   fcps_error *error)
{
  const int count = s->problem.outcome.count;
  fcps_rollout *rollout = &stored->result.rollout, told = *rollout;
  told.outcome_deviation = r->outcome.values;
  if (count == 0 || r->outcome.values == NULL || r->outcome.count != count || rollout->outcome_deviation != NULL ||
      fcps_rollout_check_deviation(&s->problem, &told, NULL) != FCPS_OK)
    return damaged(r, error);
  double *deviation = fcps_allocate((size_t)count, sizeof *deviation);
  if (deviation == NULL) return fcps_error_memory(error);
  memcpy(deviation, r->outcome.values, (size_t)count * sizeof *deviation);
  rollout->outcome_deviation = deviation;
  return FCPS_OK;
}

/* Reads a note about the last result, which was written right after that result. A repair may have lost the result; the
 * note is then ignored. Returns false if the record is another kind of note. */
static bool index_mark(fcps_study *s, const fcps_journal_record *r, fcps_status *status, fcps_error *error)
{
  const bool is_key = strcmp(r->client, STUDY_KEY_CODE) == 0;
  const bool is_misplaced = strcmp(r->client, STUDY_MISPLACED_CODE) == 0;
  const bool is_deviation = strcmp(r->client, STUDY_DEVIATION_CODE) == 0;
  fcps_stored_result *stored = s->result_count ? &s->results[s->result_count - 1] : NULL;
  *status = FCPS_OK;
  if (stored == NULL || stored->sequence != r->other) return is_key || is_misplaced || is_deviation;
  if (is_key) *status = index_key(stored, r, error);
  if (is_misplaced) stored->is_misplaced = true;
  if (is_deviation) *status = index_deviation(s, stored, r, error);
  return is_key || is_misplaced || is_deviation;
}

/* Adds a confirmation to the index. The learner is reset, because it must now learn from the result as from any
 * other. */
static void index_confirmation(fcps_study *s, const fcps_journal_record *r)
{
  fcps_stored_result *stored = fcps_study_find_result(s, r->other);
  if (stored == NULL || stored->result.rollout.is_confirmed) return; /* A repair may have lost the result. */
  stored->result.rollout.is_confirmed = true;
  stored->is_suspect = false;
  s->learner_reset_sequence = r->sequence;
}

static fcps_status index_event(fcps_study *s, const fcps_journal_record *r, fcps_error *error)
{
  fcps_status status;
  if (r->kind == FCPS_JOURNAL_NOTE && index_mark(s, r, &status, error)) return status;
  status = add_event(s, r, r->client, r->text, error);
  if (status != FCPS_OK) return status;
  const study_event *event = &s->events[s->event_count - 1];
  if (r->kind == FCPS_JOURNAL_NOTE && strcmp(event->code, STUDY_CONFIRMED_CODE) == 0) index_confirmation(s, r);
  if (event->is_change || strcmp(event->code, STUDY_REMADE_CODE) == 0) s->learner_reset_sequence = r->sequence;
  if (event->is_change && strcmp(event->code, "reward") == 0) s->reward_sequence = r->sequence;
  return FCPS_OK;
}

fcps_status fcps_study_index(fcps_study *s, const fcps_journal_record *r, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  study_ask *ask = NULL;
  switch (r->kind) {
  case FCPS_JOURNAL_ASK:
    status = index_ask(s, r, error);
    break;
  case FCPS_JOURNAL_TELL:
    status = index_tell(s, r, error);
    break;
  case FCPS_JOURNAL_USE:
    status = index_use(s, r, error);
    break;
  case FCPS_JOURNAL_DROP:
    status = index_drop(s, r, error);
    break;
  case FCPS_JOURNAL_CHANGE:
  case FCPS_JOURNAL_NOTE:
    status = index_event(s, r, error);
    break;
  case FCPS_JOURNAL_FORGET:
    ask = fcps_study_find_ask(s, r->ask);
    if (ask != NULL && ask->state == FCPS_ASK_PENDING) ask->state = FCPS_ASK_FORGOTTEN;
    break;
  default:
    status = damaged(r, error);
  }
  if (status == FCPS_OK) s->sequence = r->sequence;
  return status;
}

void fcps_study_clear_index(fcps_study *s)
{
  for (size_t i = 0; i < s->ask_count; i++)
    free_ask(&s->asks[i]);
  for (size_t i = 0; i < s->result_count; i++)
    free_result(&s->results[i]);
  for (size_t i = 0; i < s->event_count; i++) {
    free(s->events[i].code);
    free(s->events[i].text);
  }
  s->ask_count = s->result_count = s->event_count = 0;
  s->sequence = s->learner_reset_sequence = s->reward_sequence = s->marks_sequence = 0;
}

int fcps_study_ask_count(const fcps_study *s)
{
  return s != NULL ? (int)s->ask_count : 0;
}

void fcps_study_ask_at(const fcps_study *s, int index, fcps_ask *ask)
{
  if (ask == NULL) return;
  *ask = (fcps_ask){0};
  if (s == NULL || index < 0 || (size_t)index >= s->ask_count) return;
  const study_ask *stored = &s->asks[index];
  *ask = (fcps_ask){.id = stored->id,
                    .target = stored->numbers,
                    .environment = stored->numbers + fcps_study_environment_offset(s),
                    .parameters = stored->numbers + fcps_study_parameters_offset(s),
                    .client = stored->client,
                    .state = stored->state,
                    .expectation = fcps_study_expectation_of(s, stored)};
}

int fcps_study_result_count(const fcps_study *s)
{
  return s != NULL ? (int)s->result_count : 0;
}

bool fcps_study_score(const fcps_study *s, const fcps_stored_result *stored, double *reward)
{
  const fcps_rollout *r = &stored->result.rollout;
  const bool is_usable = r->outcome == NULL || fcps_rollout_values_usable(s->problem.outcome.count, r->outcome);
  const bool is_present = r->outcome != NULL && is_usable;
  *reward = NAN;
  if (stored->is_misplaced) return false;
  if (r->status != FCPS_ROLLOUT_OK) return true; /* A failed trial has no reward to check. */
  *reward = r->reward;
  if (s->problem.reward != NULL) {
    *reward = NAN;
    /* The array has room for the outcome even if the outcome is absent. */
    if (is_usable && fcps_problem_score(&s->guarded, 1, r->target, r->environment, r->parameters,
                                        r->target + fcps_study_outcome_offset(s), &is_present, reward, NULL) != FCPS_OK)
      *reward = NAN;
  }
  return is_usable && fcps_rollout_values_usable(1, reward);
}

/* Copies a result for the caller, with its reward by today's formula and with whether a model can use it. */
static void show_result(const fcps_study *s, const fcps_stored_result *stored, fcps_stored_result *shown)
{
  /* A callback must not call other functions of the user, so the reward is left unknown within a callback. */
  (void)fcps_callbacks_begin(s->callbacks, "study", NULL);
  *shown = *stored;
  shown->expectation =
      fcps_study_expectation_of(s, stored->ask != FCPS_NOT_ASKED ? fcps_study_find_ask(s, stored->ask) : NULL);
  shown->is_flagged = !fcps_study_score(s, stored, &shown->result.rollout.reward);
  if (stored->result.rollout.status != FCPS_ROLLOUT_OK) shown->result.rollout.hindsight_reward = NAN;
}

void fcps_study_result_at(const fcps_study *s, int index, fcps_stored_result *result)
{
  if (result == NULL) return;
  *result = (fcps_stored_result){0};
  if (s != NULL && index >= 0 && (size_t)index < s->result_count) show_result(s, &s->results[index], result);
}

bool fcps_study_result_of(const fcps_study *s, int64_t id, fcps_stored_result *result)
{
  if (s == NULL || result == NULL) return false;
  const study_ask *ask = fcps_study_find_ask(s, id);
  const fcps_stored_result *stored = ask != NULL ? fcps_study_find_numbered_result(s, id, ask->used) : NULL;
  if (stored != NULL) show_result(s, stored, result);
  return stored != NULL;
}

const fcps_study_event *fcps_study_event_at(const fcps_study *s, int index)
{
  return s != NULL && index >= 0 && (size_t)index < s->event_count ? &s->events[index].event : NULL;
}
