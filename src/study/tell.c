/* SPDX-License-Identifier: Apache-2.0 */
/* Tells: each result is stored once, and is durable when fcps_study_end has committed it.
 *
 * Invariants: a result is acknowledged only after it is stored; the same result counts once, however often it is told;
 * a different result for the same trial is stored, but refused, and only the user can decide that it counts instead; a
 * result is never refused because a model cannot use it. If the disk is full, a tell uses the disk space that the ask
 * has reserved; the space is freed when no ask is unfinished. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/formula/conditions.h"
#include "problem/rollouts.h"
#include "space/space.h"
#include "study/import/import.h"
#include "study/inside.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the message to store: the whole message if it is short enough. Otherwise writes into `room` its beginning,
 * cut between two characters of UTF-8, and how long it was. */
static const char *stored_message(const char *message, char room[FCPS_STUDY_MESSAGE_SIZE])
{
  static const char form[] = "%.*s... (cut; it had %zu bytes)";
  const size_t length = message != NULL ? strlen(message) : 0;
  if (length < FCPS_STUDY_MESSAGE_SIZE) return message;
  size_t kept = FCPS_STUDY_MESSAGE_SIZE - 64;
  while (kept > 0 && ((unsigned char)message[kept] & 0xC0) == 0x80) /* Move back to the beginning of a character. */
    kept--;
  snprintf(room, FCPS_STUDY_MESSAGE_SIZE, form, (int)kept, message, length);
  return room;
}

/* Refuses names and keys that are too long. Unlike messages they must not be cut, because they are compared. */
static fcps_status check_label(const char *field, const char *text, fcps_error *error)
{
  if (text == NULL || strlen(text) <= FCPS_STUDY_LABEL_MAX) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "a %s has at most %d bytes, this one has %zu.", field,
                        (int)FCPS_STUDY_LABEL_MAX, strlen(text));
}

static fcps_status check_labels(const fcps_result *result, fcps_error *error)
{
  const fcps_status status = check_label("client", result->client, error);
  return status == FCPS_OK ? check_label("key", result->key, error) : status;
}

/* Checks that the context and the parameters are finite numbers. */
static fcps_status check_numbers(const fcps_study *s, const double *numbers, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  fcps_status status = fcps_space_check_values(&p->target, "target", numbers, false, error);
  if (status == FCPS_OK)
    status = fcps_space_check_values(&p->environment, "environment", numbers + fcps_study_environment_offset(s), false,
                                     error);
  if (status == FCPS_OK)
    status =
        fcps_space_check_values(&p->parameters, "parameters", numbers + fcps_study_parameters_offset(s), false, error);
  return status;
}

/* Warns of a parameter that lies between two of its steps. The machine cannot have used such a value. So the number is
 * probably mistyped, or the steps in the problem are not those of the machine. */
static void warn_of_step(const fcps_study *s, const fcps_stored_result *stored, int dimension)
{
  const fcps_dimension *dim = &s->problem.parameters.dims[dimension];
  char command[STUDY_COMMAND_SIZE];
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_OFF_STEP",
               "parameters.%s: %.10g lies between its steps, which are %.10g apart. It is stored and used as it is. "
               "If it is a mistake: %s",
               dim->name, stored->result.rollout.parameters[dimension], fcps_dimension_step(dim),
               fcps_study_drop_command(s, stored, command));
}

static bool is_off_step(const fcps_study *s, const fcps_stored_result *stored, int dimension)
{
  const double *values = stored->result.rollout.parameters;
  return values != NULL && fcps_space_find_off_step(&s->problem.parameters, values, dimension) == dimension;
}

/* Warns of such parameters in all results after a sequence, as those of an import, once for each dimension. */
static void warn_of_steps_since(const fcps_study *s, int64_t sequence)
{
  for (int d = 0; d < s->problem.parameters.count; d++) {
    const fcps_stored_result *first = NULL;
    int off = 0, all = 0;
    for (size_t i = 0; i < s->result_count; i++) {
      if (s->results[i].sequence <= sequence) continue;
      all++;
      if (!is_off_step(s, &s->results[i], d)) continue;
      if (off++ == 0) first = &s->results[i];
    }
    if (off == 1) warn_of_step(s, first, d);
    if (off <= 1) continue;
    const fcps_dimension *dim = &s->problem.parameters.dims[d];
    char name[STUDY_RESULT_NAME_SIZE];
    fcps_study_name_result(first, name);
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_OFF_STEP",
                 "parameters.%s: %d of %d results lie between its steps, which are %.10g apart; the first is %.10g in "
                 "result %s. They are stored and used as they are",
                 dim->name, off, all, fcps_dimension_step(dim), first->result.rollout.parameters[d], name);
  }
}

static void warn_of_cut(const fcps_study *s, const fcps_result *result)
{
  const size_t length = result->message != NULL ? strlen(result->message) : 0;
  if (length < FCPS_STUDY_MESSAGE_SIZE) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_TEXT_CUT",
               "the message of this result has %zu bytes; its first %d are stored. Keep long logs in a file, and tell "
               "its name.",
               length, FCPS_STUDY_MESSAGE_SIZE - 64);
}

static fcps_status check_result(const fcps_study *s, const fcps_stored_result *stored, fcps_error *error)
{
  const fcps_rollout *r = &stored->result.rollout;
  if ((int)r->status < 0 || r->status >= FCPS_ROLLOUT_STATUS_COUNT)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "status", "no rollout has status %d.", (int)r->status);
  const fcps_status status = check_numbers(s, r->target, error);
  if (status != FCPS_OK || r->outcome_deviation == NULL) return status;
  return fcps_rollout_check_deviation(&s->problem, r, error);
}

/* Fills one part of the numbers from the result, or from the ask if the result does not have this part. */
static fcps_status fill_part(const study_ask *ask, const char *label, int offset, int count, const double *told,
                             double *numbers, fcps_error *error)
{
  if (!count) return FCPS_OK;
  if (told == NULL && ask == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label, "a result without an ask must give its %s.", label);
  memcpy(numbers + offset, told != NULL ? told : ask->numbers + offset, (size_t)count * sizeof *numbers);
  return FCPS_OK;
}

/* Whether the measured environment is not usable. A broken sensor must not cost a result: the result is stored with the
 * ask's environment, and no model uses it. */
static bool is_misplaced(const fcps_study *s, const study_ask *ask, const fcps_result *result)
{
  const double *measured = result->rollout.environment;
  return ask != NULL && measured != NULL &&
         fcps_space_check_values(&s->problem.environment, "environment", measured, false, NULL) != FCPS_OK;
}

/* Gives parameters that turn out not to apply their value at rest if the ask had given them; refuses other values of
 * parameters that do not apply. */
static fcps_status settle_applying(const fcps_study *s, const study_ask *ask, double *numbers, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const int first = fcps_study_parameters_offset(s);
  const double *environment = numbers + fcps_study_environment_offset(s);
  double *parameters = numbers + first, rested[FCPS_SPACE_MAX];
  memcpy(rested, parameters, (size_t)p->parameters.count * sizeof *rested);
  const fcps_status status = fcps_problem_rest(p, numbers, environment, rested, error);
  for (int d = 0; d < p->parameters.count && status == FCPS_OK && ask != NULL; d++)
    if (parameters[d] == ask->numbers[first + d]) parameters[d] = rested[d];
  return status == FCPS_OK ? fcps_problem_take_parameters(p, "parameters", numbers, environment, parameters, error)
                           : status;
}

/* Fills in the result to be stored, and its numbers. Numbers that the caller did not tell are taken from the ask. */
static fcps_status fill_result(const fcps_study *s, const study_ask *ask, const fcps_result *result, double *numbers,
                               fcps_stored_result *stored, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const fcps_rollout *told = &result->rollout;
  const int environment = fcps_study_environment_offset(s), parameters = fcps_study_parameters_offset(s);
  stored->is_misplaced = is_misplaced(s, ask, result);
  const double *measured = stored->is_misplaced ? NULL : told->environment;
  fcps_status status = check_labels(result, error);
  if (status == FCPS_OK) status = fill_part(ask, "target", 0, p->target.count, told->target, numbers, error);
  if (status == FCPS_OK)
    status = fill_part(ask, "environment", environment, p->environment.count, measured, numbers, error);
  if (status == FCPS_OK)
    status = fill_part(ask, "parameters", parameters, p->parameters.count, told->parameters, numbers, error);
  if (status == FCPS_OK) status = settle_applying(s, ask, numbers, error);
  if (status != FCPS_OK) return status;
  if (told->outcome != NULL && p->outcome.count)
    memcpy(numbers + fcps_study_outcome_offset(s), told->outcome, (size_t)p->outcome.count * sizeof *numbers);
  stored->result = *result;
  /* Without an outcome, the deviations belong to nothing. */
  if (p->outcome.count == 0) stored->result.rollout.outcome_deviation = NULL;
  fcps_study_point(s, numbers, told->outcome != NULL, &stored->result.rollout);
  if (p->reward != NULL) stored->result.rollout.reward = stored->result.rollout.hindsight_reward = NAN;
  return check_result(s, stored, error);
}

static bool same_number(double a, double b)
{
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_deviation(const fcps_study *s, const fcps_rollout *r, const fcps_rollout *q)
{
  const double *a = r->outcome_deviation, *b = q->outcome_deviation;
  if (a == NULL || b == NULL) return a == b;
  for (int i = 0; i < s->problem.outcome.count; i++)
    if (!same_number(a[i], b[i])) return false;
  return true;
}

/* Whether two reports of a failed trial give the same reason. A later report without a reason agrees
 * with any earlier one. */
static bool same_reason(const fcps_result *earlier, const fcps_result *again)
{
  char room[FCPS_STUDY_MESSAGE_SIZE];
  const char *reason = stored_message(again->message, room);
  if (again->rollout.status == FCPS_ROLLOUT_OK || reason == NULL || *reason == '\0') return true;
  return earlier->message != NULL && strcmp(earlier->message, reason) == 0;
}

/* Whether two results are the same; `a` is stored already. */
static bool same_result(const fcps_study *s, const fcps_stored_result *a, const fcps_stored_result *b)
{
  const fcps_rollout *r = &a->result.rollout, *q = &b->result.rollout;
  const bool is_present = r->outcome != NULL;
  if (r->status != q->status || is_present != (q->outcome != NULL) || a->is_misplaced != b->is_misplaced) return false;
  if (!same_number(r->reward, q->reward) || !same_number(r->hindsight_reward, q->hindsight_reward)) return false;
  for (int i = 0; i < (is_present ? fcps_study_width(s) : fcps_study_outcome_offset(s)); i++)
    /* The array with all numbers begins at the target. */
    if (!same_number(r->target[i], q->target[i])) return false;
  return same_deviation(s, r, q) && same_reason(&a->result, &b->result);
}

/* Writes the notes about a result. They must follow the record of the result at once. */
static fcps_status write_marks(fcps_study *s, const fcps_stored_result *stored, fcps_error *error)
{
  const double *deviation = stored->result.rollout.outcome_deviation;
  fcps_journal_record exactness = {.kind = FCPS_JOURNAL_NOTE,
                                   .other = stored->sequence,
                                   .outcome = {s->problem.outcome.count, deviation},
                                   .client = STUDY_DEVIATION_CODE};
  fcps_journal_record place = {.kind = FCPS_JOURNAL_NOTE, .other = stored->sequence, .client = STUDY_MISPLACED_CODE};
  fcps_status status = FCPS_OK;
  if (deviation != NULL) status = fcps_study_write(s, &exactness, error);
  if (status == FCPS_OK && stored->is_misplaced) status = fcps_study_write(s, &place, error);
  return status;
}

static fcps_status write_result(fcps_study *s, fcps_stored_result *stored, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const fcps_rollout *r = &stored->result.rollout;
  char room[FCPS_STUDY_MESSAGE_SIZE];
  const char *message = stored_message(stored->result.message, room);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_TELL,
                                .ask = stored->ask,
                                .other = stored->result_number,
                                .status = (int)r->status,
                                .reward = r->reward,
                                .hindsight_reward = r->hindsight_reward,
                                .target = {p->target.count, r->target},
                                .environment = {p->environment.count, r->environment},
                                .parameters = {p->parameters.count, r->parameters},
                                .outcome = {p->outcome.count, r->outcome},
                                .client = stored->result.client,
                                .text = message};
  if (stored->is_misplaced && (message == NULL || !*message))
    record.text = "the measured environment is not finite; the result is stored with the environment of its ask";
  const fcps_status status = fcps_study_write(s, &record, error);
  stored->sequence = record.sequence;
  return status == FCPS_OK ? write_marks(s, stored, error) : status;
}

/* Returns the result that counts for a key; NULL if there is none. */
static const fcps_stored_result *find_keyed(const fcps_study *s, const char *key)
{
  for (size_t i = 0; key != NULL && i < s->result_count; i++)
    if (s->results[i].is_used && s->results[i].result.key != NULL && strcmp(s->results[i].result.key, key) == 0)
      return &s->results[i];
  return NULL;
}

/* Makes the error that says why a result is not used, and what the user can do so that it is used. */
static fcps_status conflict(const fcps_study *s, const fcps_stored_result *stored, fcps_error *error)
{
  const char *key = stored->result.key;
  const study_ask *ask = fcps_study_find_ask(s, stored->ask);
  char why[120] = "this result was taken out of the study", name[STUDY_RESULT_NAME_SIZE];
  if (ask != NULL && ask->used)
    snprintf(why, sizeof why, "ask %lld already has another result", (long long)ask->id);
  else if (find_keyed(s, key) != NULL)
    snprintf(why, sizeof why, "another result was told under the key \"%.60s\"", key);
  fcps_study_name_result(stored, name);
  return fcps_error_set(error, FCPS_ERR_CONFLICT, ask != NULL ? "ask" : "key",
                        "%s. This one is stored as result %s, but nothing learns from it. To use it instead: fcps "
                        "study amend %s --use %s",
                        why, name, fcps_study_word(s), name);
}

static bool is_finite_outcome(const fcps_study *s, const fcps_rollout *r)
{
  for (int i = 0; r->outcome != NULL && i < s->problem.outcome.count; i++)
    if (!(fabs(r->outcome[i]) <= FCPS_VALUE_LIMIT)) return false;
  return true;
}

/* Whether a result replaces one that could not be used because a measured number was not finite. If so, the two do not
 * contradict each other. */
static bool makes_up_for(const fcps_study *s, const fcps_stored_result *stored, const fcps_stored_result *used)
{
  const bool was_measured = is_finite_outcome(s, &used->result.rollout) && !used->is_misplaced;
  return !was_measured && used->result.rollout.status == FCPS_ROLLOUT_OK &&
         is_finite_outcome(s, &stored->result.rollout) && !stored->is_misplaced;
}

/* Decides about a result that is told again but does not count. It may have been refused because it contradicted
 * another result; if that result was taken out since, and no result counts for the trial now, it is accepted. If it was
 * itself taken out, it stays out, because repeating an old tell must not undo that. */
static fcps_status accept_refused(fcps_study *s, const fcps_stored_result *earlier, bool has_other, bool *is_conflict,
                                  fcps_error *error)
{
  *is_conflict = !earlier->is_used && (has_other || earlier->was_used);
  if (earlier->is_used || *is_conflict) return FCPS_OK;
  const bool is_unasked = earlier->ask == FCPS_NOT_ASKED;
  fcps_journal_record use = {
      .kind = FCPS_JOURNAL_USE, .ask = earlier->ask, .other = is_unasked ? earlier->sequence : earlier->result_number};
  return fcps_study_write(s, &use, error);
}

/* Tells a result for an ask that has one: the same result again, a late result, or a conflict. */
static fcps_status tell_again(fcps_study *s, study_ask *ask, fcps_stored_result *stored, fcps_receipt *receipt,
                              bool *is_conflict, fcps_error *error)
{
  for (int e = 1; e <= ask->result_count; e++) {
    const fcps_stored_result *earlier = fcps_study_find_numbered_result(s, ask->id, e);
    if (earlier == NULL || !same_result(s, earlier, stored)) continue;
    stored->result_number = receipt->result_number = e;
    receipt->is_repeated = true;
    return accept_refused(s, earlier, ask->used != 0, is_conflict, error);
  }
  const fcps_stored_result *used = fcps_study_find_numbered_result(s, ask->id, ask->used);
  receipt->is_late = used != NULL && used->result.rollout.status == FCPS_ROLLOUT_TIMEOUT &&
                     stored->result.rollout.status != FCPS_ROLLOUT_TIMEOUT;
  /* If the earlier result was taken out, nothing contradicts the new one. */
  *is_conflict = used != NULL && !receipt->is_late && !makes_up_for(s, stored, used);
  stored->result_number = receipt->result_number = ask->result_count + 1;
  fcps_status status = write_result(s, stored, error);
  if (status != FCPS_OK || *is_conflict) return status;
  fcps_journal_record use = {.kind = FCPS_JOURNAL_USE, .ask = ask->id, .other = stored->result_number};
  return fcps_study_write(s, &use, error);
}

/* Finds the same result if it was told before: under the same key or, without a key, by the same client. NULL if there
 * is none. */
static const fcps_stored_result *find_same(const fcps_study *s, const fcps_stored_result *stored)
{
  const char *client = stored->result.client != NULL ? stored->result.client : "", *key = stored->result.key;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *earlier = &s->results[i];
    if (earlier->ask != FCPS_NOT_ASKED || (earlier->result.key == NULL) != (key == NULL)) continue;
    const bool is_named =
        key != NULL ? strcmp(earlier->result.key, key) == 0 : strcmp(earlier->result.client, client) == 0;
    if (is_named && same_result(s, earlier, stored)) return earlier;
  }
  return NULL;
}

/* Tells a result without an ask. */
static fcps_status tell_unasked(fcps_study *s, fcps_stored_result *stored, fcps_receipt *receipt, bool *is_conflict,
                                fcps_error *error)
{
  const char *name = stored->result.key;
  const fcps_stored_result *same = find_same(s, stored);
  const fcps_stored_result *other = find_keyed(s, name);
  const bool is_better = other != NULL && makes_up_for(s, stored, other);
  fcps_status status = FCPS_OK;
  receipt->is_repeated = same != NULL;
  *is_conflict = other != NULL && !is_better;
  if (same != NULL) stored->sequence = same->sequence;
  if (same != NULL) status = accept_refused(s, same, other != NULL, is_conflict, error);
  stored->result_number = receipt->result_number = *is_conflict ? 2 : 1;
  if (same != NULL || status != FCPS_OK) return status;
  status = write_result(s, stored, error);
  if (status != FCPS_OK || name == NULL) return status;
  fcps_journal_record key = {
      .kind = FCPS_JOURNAL_NOTE, .other = stored->sequence, .client = STUDY_KEY_CODE, .text = name};
  status = fcps_study_write(s, &key, error);
  if (status != FCPS_OK || !is_better) return status;
  fcps_journal_record use = {.kind = FCPS_JOURNAL_USE, .ask = FCPS_NOT_ASKED, .other = stored->sequence};
  return fcps_study_write(s, &use, error);
}

/* Tells in one transaction. A contradicting result is stored, too, before the error is reported. */
static fcps_status tell_once(fcps_study *s, int64_t id, const fcps_result *result, double *numbers,
                             fcps_receipt *receipt, fcps_error *error)
{
  fcps_stored_result stored = {.ask = id, .result_number = 1};
  bool is_conflict = false;
  study_surprise surprise;
  *receipt = (fcps_receipt){.ask = id, .result_number = 1};
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  study_ask *ask = id == FCPS_NOT_ASKED ? NULL : fcps_study_find_ask(s, id);
  if (ask == NULL && id != FCPS_NOT_ASKED)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask",
                            "there is no ask %lld in this study; fcps study asks %.200s --state all lists them.",
                            (long long)id, fcps_study_word(s));
  if (status == FCPS_OK) status = fill_result(s, ask, result, numbers, &stored, error);
  if (status == FCPS_OK) {
    if (ask == NULL)
      status = tell_unasked(s, &stored, receipt, &is_conflict, error);
    else if (ask->result_count)
      status = tell_again(s, ask, &stored, receipt, &is_conflict, error);
    else {
      receipt->is_late = ask->state == FCPS_ASK_FORGOTTEN;
      status = write_result(s, &stored, error);
    }
  }
  if (status == FCPS_OK) fcps_study_give_space_back(s);
  status = fcps_study_end(s, status, error);
  if (status != FCPS_OK) return status;
  /* The reward function of the user is called after the commit, so that no other process has to wait for it. */
  receipt->is_flagged = !fcps_study_score(s, &stored, &receipt->reward);
  receipt->is_misplaced = stored.is_misplaced;
  /* A repeated or contradicting result is not used, so there are no warnings about its numbers. */
  if (!receipt->is_repeated && !is_conflict) {
    for (int i = 0; i < s->problem.parameters.count; i++)
      if (is_off_step(s, &stored, i)) warn_of_step(s, &stored, i);
    fcps_study_warn_of_bounds(s, &stored);
    fcps_study_warn_of_constraints(s, &stored);
    if (stored.result.rollout.outcome_deviation != NULL) fcps_study_warn_of_scatter(s, &stored.result.rollout);
    receipt->is_suspect = fcps_study_is_surprising(s, &stored, &surprise);
    if (receipt->is_suspect) fcps_study_say_surprise(s, &stored, &surprise);
  }
  if (!receipt->is_repeated) warn_of_cut(s, result);
  return is_conflict ? conflict(s, &stored, error) : FCPS_OK;
}

/* Whether a row of a table is the same trial as a stored result, whichever client told that result. */
static bool is_same_trial(const fcps_study *s, const study_known *known, const fcps_stored_result *earlier,
                          const fcps_stored_result *row)
{
  const fcps_rollout *r = &row->result.rollout, *q = &earlier->result.rollout;
  const bool is_present = r->outcome != NULL;
  const int first = known->lacks_targets ? fcps_study_environment_offset(s) : 0;
  if (r->status != q->status || is_present != (q->outcome != NULL) || !same_number(r->reward, q->reward)) return false;
  if (!known->lacks_hindsight && !same_number(r->hindsight_reward, q->hindsight_reward)) return false;
  for (int i = first; i < (is_present ? fcps_study_width(s) : fcps_study_outcome_offset(s)); i++)
    /* The array with all numbers begins at the target. */
    if (!same_number(r->target[i], q->target[i])) return false;
  return known->lacks_deviations || same_deviation(s, r, q);
}

static bool find_known(const fcps_study *s, study_known *known, const fcps_stored_result *row)
{
  const study_place *found;
  const size_t count = fcps_study_places_find(&known->places, s, &row->result.rollout, &found);
  for (size_t i = 0; i < count; i++) {
    const size_t index = found[i].index;
    if (known->is_found[index] || !is_same_trial(s, known, &s->results[index], row)) continue;
    known->is_found[index] = true;
    return true;
  }
  return false;
}

fcps_status fcps_study_store_unasked(fcps_study *s, const fcps_result *result, study_known *known, bool *is_known,
                                     fcps_error *error)
{
  fcps_stored_result stored = {.result_number = 1};
  double *numbers = fcps_allocate((size_t)fcps_study_width(s), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  fcps_status status = fill_result(s, NULL, result, numbers, &stored, error);
  *is_known = status == FCPS_OK && known != NULL && find_known(s, known, &stored);
  if (status == FCPS_OK && !*is_known) status = write_result(s, &stored, error);
  free(numbers);
  return status;
}

void fcps_study_warn_since(const fcps_study *s, int64_t sequence)
{
  fcps_study_warn_of_bounds_since(s, sequence);
  fcps_study_warn_of_constraints_since(s, sequence);
  warn_of_steps_since(s, sequence);
  fcps_study_warn_of_scatter_since(s, sequence);
}

fcps_status fcps_study_tell(fcps_study *s, int64_t id, const fcps_result *result, fcps_receipt *receipt,
                            fcps_error *error)
{
  fcps_receipt unwanted;
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (result == NULL) return fcps_error_null(error, "result");
  double *numbers = fcps_allocate((size_t)fcps_study_width(s), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  if (receipt == NULL) receipt = &unwanted;
  status = tell_once(s, id, result, numbers, receipt, error);
  if (status == FCPS_ERR_STORE_FULL) {
    /* The disk space was kept for this tell. */
    fcps_store_reserve(s->store, 0, NULL);
    status = tell_once(s, id, result, numbers, receipt, error);
  }
  free(numbers);
  fcps_study_keep_what_is_left(s);
  return status;
}
