/* SPDX-License-Identifier: Apache-2.0 */
/* Amendments of the problem and of the learner. A request that changes nothing is not stored, so repeating a request
 * adds nothing to the history. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "operation/call.h"
#include "space/space.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The reward -- */

/* The results by which a new reward is judged: those with an outcome or, if no result has one, all that did not fail.
 * (The formula may give a trial without an outcome a reward even if it is wrong for outcomes.) */
typedef struct scored {
  int count, finite;
  const char *which;
} scored;

static scored count_scored(const fcps_study_counts *c)
{
  const int ran = c->results - c->failed;
  return c->with_outcome > 0 ? (scored){c->with_outcome, c->with_reward, "with an outcome"}
                             : (scored){ran, ran - c->rewards_not_finite, "that did not fail"};
}

static void put_scored(fcps_json **answer, const fcps_study_counts *c)
{
  const int ran = c->results - c->failed, finite = ran - c->rewards_not_finite;
  const scored s = count_scored(c);
  char text[200];
  if (ran == 0) return;
  const int length = snprintf(
      text, sizeof text, "%d of the %d stored results that count and did not fail have a finite reward", finite, ran);
  if (s.finite == 0 && finite > 0)
    snprintf(text + length, sizeof text - (size_t)length, ", but none of the %d %s", s.count, s.which);
  fcps_json_put(answer, "scored", fcps_json_from_text(text));
}

/* Warns of results that have no reward by the new rule: the formula has no value for them, or rewards are now told and
 * theirs was not told. */
static void warn_flagged(const fcps_call *call)
{
  const int count = fcps_study_result_count(call->study);
  char why[300];
  int flagged = 0;
  for (int i = 0; i < count; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(call->study, i, &stored);
    flagged += stored.is_used && stored.is_flagged;
  }
  if (flagged == 0) return;
  fcps_study_explain(call->study, NULL, sizeof why, why);
  fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_NO_REWARD",
               "%d of the %d stored results have no reward under the new rule and are flagged: the model does not use "
               "their reward. The cause: %s. With `told`, only results that were told a reward have one.",
               flagged, count, why);
}

/* Replaces the reward. A formula that gives no result a finite reward is refused as a mistake, unless the client
 * insists. */
static fcps_status amend_reward(fcps_call *call, const char *reward, fcps_json **answer, fcps_error *error)
{
  const fcps_problem_file *file = fcps_study_file(call->study);
  const fcps_setting change = {"reward", reward};
  fcps_study_counts counts;
  char why[256];
  const bool is_there = file != NULL && file->reward != NULL && strcmp(file->reward, reward) == 0;
  fcps_status status = fcps_study_preview(call->study, &change, &counts, why, error);
  if (status != FCPS_OK) return status;
  const scored s = count_scored(&counts);
  if (s.count > 0 && s.finite == 0 && !is_there && !fcps_call_bool(call, "force"))
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "reward",
                          "none of the %d stored results %s would have a finite reward: %s. Nothing is changed; to "
                          "change it all the same, add \"force\": true",
                          s.count, s.which, why);
  if (!is_there) status = fcps_study_amend(call->study, "reward", reward, error);
  if (status != FCPS_OK) return status;
  put_scored(answer, &counts);
  warn_flagged(call);
  return FCPS_OK;
}

/* -- Bounds -- */

/* Replaces bounds, as in {"speed": [0.1, 6]}. */
static fcps_status amend_bounds(fcps_call *call, const fcps_json *bounds, fcps_error *error)
{
  const char *name = fcps_json_key(bounds, 0);
  double values[2];
  char what[FCPS_NAME_MAX + 16], value[2 * FCPS_NUMBER_SIZE + 2], lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  if (!fcps_json_is_object(bounds) || fcps_json_count(bounds) != 1 || name == NULL || strlen(name) > FCPS_NAME_MAX ||
      !fcps_json_numbers(fcps_json_get(bounds, name), 2, values))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "bounds", "give the bounds of one dimension: {\"speed\": [0.1, 6]}");
  snprintf(what, sizeof what, "bounds.%s", name);
  snprintf(value, sizeof value, "%s,%s", fcps_number_write(values[0], lower), fcps_number_write(values[1], upper));
  return fcps_study_amend(call->study, what, value, error);
}

/* -- Words -- */

/* Returns the words of a dimension; NULL if it has none, or if the problem has no such dimension. */
static const fcps_choices *find_choices(const fcps_problem *p, const char *name)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  for (int s = 0; s < 3; s++) {
    const int d = fcps_space_find(spaces[s], name);
    if (d >= 0) return spaces[s]->dims[d].choices;
  }
  return NULL;
}

/* Refuses a word that nearly equals another word: it is probably mistyped, and a word cannot be taken out later. */
static fcps_status check_word(const fcps_call *call, const char *name, const char *value, fcps_error *error)
{
  const fcps_choices *choices = find_choices(fcps_study_problem(call->study), name);
  char word[FCPS_WORD_MAX + 1];
  const char *start = value + strspn(value, "{ \"'"); /* The value may be JSON or YAML, as in {rwanda: {acid: 3}}. */
  const size_t length = value[0] == '{' ? strcspn(start, ":\"'") : strlen(value);
  snprintf(word, sizeof word, "%.*s", (int)length, value[0] == '{' ? start : value);
  const char *near =
      choices != NULL && length < sizeof word ? fcps_nearly_equal_name(word, choices->count, choices->words) : NULL;
  if (near == NULL || fcps_call_bool(call, "force")) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "add_choice",
                        "\"%s\" is new to %s; did you mean %s, which is there? A word cannot be taken back. Nothing is "
                        "changed; to add it all the same, add \"force\": true",
                        word, name, near);
}

/* Adds words, at most one to each dimension, as in {"gate": "ring"}. */
static fcps_status amend_choices(fcps_call *call, const fcps_json *added, fcps_json **answer, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  int known = 0;
  for (int i = 0; i < fcps_json_count(added) && status == FCPS_OK; i++) {
    const char *name = fcps_json_key(added, i);
    status = check_word(call, name, fcps_json_text(fcps_json_get(added, name)), error);
  }
  for (int i = 0; i < fcps_json_count(added) && status == FCPS_OK; i++) {
    const char *name = fcps_json_key(added, i), *word = fcps_json_text(fcps_json_get(added, name));
    char what[FCPS_NAME_MAX + 16];
    snprintf(what, sizeof what, "choices.%.63s", name);
    const bool is_there = fcps_choices_find(find_choices(fcps_study_problem(call->study), name), word) >= 0;
    known += is_there;
    if (!is_there) status = fcps_study_amend(call->study, what, word, error);
  }
  if (known > 0 && known == fcps_json_count(added)) fcps_json_put(answer, "repeated", fcps_json_from_bool(true));
  return status;
}

/* -- The learner -- */

/* Puts into the answer the settings of the old learner that no longer count. Another learner begins with its own
 * defaults, and the user must not believe that an old setting still works. */
static void put_gone(fcps_json **answer, const fcps_study *study, const fcps_json *old)
{
  fcps_json *gone = fcps_json_object();
  for (int i = 0; i < fcps_json_count(old); i++) {
    const char *name = fcps_json_key(old, i), *value = fcps_json_text(fcps_json_get(old, name));
    bool is_there = false;
    for (const fcps_setting *s = fcps_study_settings(study); s != NULL && s->name != NULL; s++)
      is_there = is_there || strcmp(s->name, name) == 0;
    if (!is_there) fcps_json_put(&gone, name, fcps_json_from_text(value));
  }
  if (fcps_json_count(gone) > 0)
    fcps_json_put(answer, "gone", gone);
  else
    fcps_json_destroy(gone);
}

static fcps_status amend_learner(fcps_call *call, const char *learner, fcps_json **answer, fcps_error *error)
{
  fcps_setting *settings = NULL;
  fcps_json *old = fcps_json_from_settings(fcps_study_settings(call->study));
  char *before = fcps_copy_text(fcps_study_learner(call->study));
  fcps_status status = old != NULL && before != NULL ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_call_settings(call, "settings", &settings, error);
  if (status == FCPS_OK) status = fcps_study_amend_learner(call->study, learner, settings, error);
  if (status == FCPS_OK) {
    fcps_json_put(answer, "learner", fcps_json_from_text(fcps_study_learner(call->study)));
    fcps_json_put(answer, "settings", fcps_wire_settings_write(call->study));
    if (strcmp(before, fcps_study_learner(call->study)) != 0) put_gone(answer, call->study, old);
  }
  free(settings);
  free(before);
  fcps_json_destroy(old);
  return status;
}

/* Replaces all constraints, all limits or all safe trials (`part`). The new ones are given as text in YAML or as JSON.
 * Besides the limits that now hold, the answer names those that were removed. */
static fcps_status amend_part(fcps_call *call, const char *part, fcps_json **answer, fcps_error *error)
{
  const fcps_json *given = fcps_call_get(call, part);
  char *text = fcps_json_text(given) != NULL ? fcps_copy_text(fcps_json_text(given)) : fcps_json_write(given);
  fcps_json *old = fcps_wire_limits_write(fcps_study_problem(call->study)), *gone = fcps_json_array();
  const fcps_status status = text != NULL ? fcps_study_amend(call->study, part, text, error) : fcps_error_memory(error);
  free(text);
  if (status == FCPS_OK && strcmp(part, "limits") == 0) {
    fcps_json *limits = fcps_wire_limits_write(fcps_study_problem(call->study));
    for (int i = 0; i < fcps_json_count(old); i++)
      if (fcps_json_get(limits, fcps_json_key(old, i)) == NULL)
        fcps_json_add(&gone, fcps_json_from_text(fcps_json_key(old, i)));
    fcps_json_put(answer, "no_longer_limited", gone);
    fcps_json_put(answer, "limits", limits);
    gone = NULL;
  }
  fcps_json_destroy(gone);
  fcps_json_destroy(old);
  return status;
}

fcps_status fcps_operation_amend(fcps_call *call, fcps_error *error)
{
  const char *reward = fcps_call_text(call, "reward"), *learner = fcps_call_text(call, "learner");
  static const char *const parts[] = {"constraints", "limits", "safe", "cost"};
  const char *part = NULL;
  int changes = 0;
  for (int i = 0; i < 4; i++) {
    if (fcps_call_get(call, parts[i]) == NULL) continue;
    part = parts[i];
    changes++;
  }
  const fcps_json *added = fcps_call_get(call, "add_choice");
  const fcps_json *bounds = fcps_call_get(call, "bounds"), *settings = fcps_call_get(call, "settings");
  fcps_json *answer = fcps_json_object();
  fcps_status status = FCPS_OK;
  changes += (reward != NULL) + (bounds != NULL) + (added != NULL) + (learner != NULL || settings != NULL);
  if (changes != 1)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "",
                            "give one change: \"reward\", \"constraints\", \"limits\", \"safe\", \"cost\", "
                            "\"bounds\", \"add_choice\", or \"learner\" with its \"settings\"");
  if (status == FCPS_OK) status = fcps_study_refresh(call->study, error);
  fcps_json_put(&answer, "amended", fcps_json_from_bool(true));
  fcps_json_put(&answer, "results", fcps_json_from_integer(fcps_study_result_count(call->study)));
  if (status == FCPS_OK && reward != NULL)
    status = amend_reward(call, reward, &answer, error);
  else if (status == FCPS_OK && part != NULL)
    status = amend_part(call, part, &answer, error);
  else if (status == FCPS_OK && added != NULL)
    status = amend_choices(call, added, &answer, error);
  else if (status == FCPS_OK && bounds != NULL)
    status = amend_bounds(call, bounds, error);
  else if (status == FCPS_OK)
    status = amend_learner(call, learner, &answer, error);
  if (status == FCPS_OK)
    call->json = answer;
  else
    fcps_json_destroy(answer);
  return status;
}
