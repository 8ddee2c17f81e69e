/* SPDX-License-Identifier: Apache-2.0 */
/* The list of remarks, and the table of their kinds. A remark that was withdrawn stays in the list, so that it is not
 * logged again if it comes back. */
#include "study/remarks/remarks.h"

#include "base/error.h"
#include "base/memory.h"
#include "policy/policy_impl.h"
#include "problem/problem.h"
#include "study/study_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct study_remark {
  fcps_study_remark remark;
  char *subject, *text;
  bool stands;
};

/* A kind of remark: its code; the function that looks for it (NULL: the check needs a fit, so the stopping rule calls
 * it itself); whether the remark keeps the study from being called good enough; and whether only the policy of an
 * outcome model can cause it. Each function looks for all codes of its kind at once. */
static const struct remark_kind {
  const char *code;
  fcps_study_look *look;
  bool holds_back, is_of_outcome_models;
} kinds[] = {
    {"W_REWARD_CONSTANT", fcps_study_look_at_reward, true, false},
    {"W_REWARD_NO_OUTCOME", fcps_study_look_at_reward, false, false},
    {"W_REWARD_NO_TARGET", fcps_study_look_at_reward, false, false},
    {"W_REWARD_GROWS", fcps_study_look_at_reward, false, false},
    {"W_REWARD_UNITS", fcps_study_look_at_reward, true, false},
    {"W_REWARD_LIMIT", fcps_study_look_at_reward, false, false},
    {"W_EXACT_OUTCOME", fcps_study_look_for_exactness, true, true},
    {"W_SAME_OUTCOME", fcps_study_look_for_same_outcomes, true, false},
    {"W_SAME_REWARD", fcps_study_look_for_same_rewards, true, false},
    {"W_TWO_VALUES", fcps_study_look_for_two_values, true, true},
    {"W_OUTSIDE_RANGE", fcps_study_look_at_ranges, true, false},
    {"W_OUTSIDE_BOUNDS", fcps_study_look_at_bounds, false, false},
    {"W_UNIT", fcps_study_look_for_unit, true, false},
    {"W_MODEL", NULL, true, true},
    {"W_OVERCONFIDENT", NULL, true, true},
    {"W_BLIND", NULL, false, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool fcps_study_has_outcome(const fcps_study *s, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  return stored->is_used && !stored->is_misplaced && r->status == FCPS_ROLLOUT_OK && r->outcome != NULL &&
         fcps_rollout_values_usable(s->problem.outcome.count, r->outcome);
}

void fcps_study_withdraw_remarks(fcps_study *s, const char *code)
{
  for (size_t i = 0; i < s->remark_count; i++)
    if (strcmp(s->remarks[i].remark.code, code) == 0) s->remarks[i].stands = false;
}

static bool predicts_outcomes(const fcps_policy *policy)
{
  fcps_health health = {0};
  return policy != NULL && fcps_policy_health(policy, 0, &health) && strcmp(health.model, "outcome") == 0;
}

void fcps_study_look_again(fcps_study *s, fcps_study_look *look, const fcps_policy *policy)
{
  bool is_possible = true;
  for (int i = 0; i < KINDS; i++) {
    if (kinds[i].look != look) continue;
    fcps_study_withdraw_remarks(s, kinds[i].code);
    is_possible = !kinds[i].is_of_outcome_models || predicts_outcomes(policy);
  }
  if (is_possible) look(s);
}

void fcps_study_look_at_all(fcps_study *s, const fcps_policy *policy)
{
  for (int i = 0; i < KINDS; i++)
    if (kinds[i].look != NULL && (i == 0 || kinds[i].look != kinds[i - 1].look))
      fcps_study_look_again(s, kinds[i].look, policy);
}

/* -- The list -- */

static bool holds_back(const char *code)
{
  for (int i = 0; i < KINDS; i++)
    if (strcmp(kinds[i].code, code) == 0) return kinds[i].holds_back;
  return false;
}

static study_remark *find_remark(const fcps_study *s, const char *code, const char *subject)
{
  for (size_t i = 0; i < s->remark_count; i++)
    if (strcmp(s->remarks[i].remark.code, code) == 0 && strcmp(s->remarks[i].subject, subject) == 0)
      return &s->remarks[i];
  return NULL;
}

/* Adds a remark. Returns NULL if memory runs out. */
static study_remark *add_remark(fcps_study *s, const char *code, const char *subject)
{
  char *own = fcps_copy_text(subject);
  if (own == NULL ||
      !fcps_reserve((void **)&s->remarks, &s->remark_capacity, s->remark_count + 1, sizeof *s->remarks)) {
    free(own);
    return NULL;
  }
  study_remark *r = &s->remarks[s->remark_count++];
  *r = (study_remark){.remark = {.code = code, .text = ""}, .subject = own};
  return r;
}

bool fcps_study_make_remark(fcps_study *s, const char *code, const char *subject, const char *format, ...)
{
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  study_remark *r = find_remark(s, code, subject);
  const bool is_new = r == NULL;
  if (is_new) r = add_remark(s, code, subject);
  char *own = r != NULL ? fcps_copy_text(text) : NULL;
  if (own != NULL) {
    free(r->text);
    r->text = own;
    r->remark.text = own;
    r->remark.holds_back = holds_back(code);
    r->stands = true;
  }
  if (is_new) fcps_log_say(&s->options.log, FCPS_LOG_WARNING, code, "%s", text);
  return is_new;
}

void fcps_study_repeat_remark(const fcps_study *s, const char *code, const char *subject)
{
  const study_remark *r = find_remark(s, code, subject);
  if (r != NULL) fcps_log_say(&s->options.log, FCPS_LOG_WARNING, code, "%s", r->remark.text);
}

const fcps_study_remark *fcps_study_remark_at(const fcps_study *s, int index)
{
  for (size_t i = 0; s != NULL && index >= 0 && i < s->remark_count; i++)
    if (s->remarks[i].stands && index-- == 0) return &s->remarks[i].remark;
  return NULL;
}

int fcps_study_count_remarks(const fcps_study *s)
{
  int count = 0;
  for (size_t i = 0; i < s->remark_count; i++)
    count += s->remarks[i].stands && s->remarks[i].remark.holds_back;
  return count;
}

void fcps_study_free_remarks(fcps_study *s)
{
  for (size_t i = 0; i < s->remark_count; i++) {
    free(s->remarks[i].subject);
    free(s->remarks[i].text);
  }
  free(s->remarks);
}

/* -- Names of results -- */

/* The number by which ranges of names are ordered: the result's ask, or its sequence if it has no ask. */
static int64_t place_of(const fcps_stored_result *r)
{
  return r->ask != FCPS_NOT_ASKED ? r->ask : r->sequence;
}

static bool is_same_kind(const fcps_stored_result *a, const fcps_stored_result *b)
{
  return (a->ask != FCPS_NOT_ASKED) == (b->ask != FCPS_NOT_ASKED) &&
         (a->ask == FCPS_NOT_ASKED || a->result_number == b->result_number);
}

/* Whether a range from one result to the other would name no third result. */
static bool may_join(const fcps_study *s, const fcps_stored_result *from, const fcps_stored_result *to)
{
  if (!is_same_kind(from, to) || place_of(from) >= place_of(to)) return false;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *r = &s->results[i];
    if (is_same_kind(from, r) && place_of(r) > place_of(from) && place_of(r) < place_of(to)) return false;
  }
  return true;
}

static void append(size_t size, char *text, const char *mark, const fcps_stored_result *stored)
{
  char name[STUDY_RESULT_NAME_SIZE];
  const size_t used = strlen(text);
  fcps_study_name_result(stored, name);
  snprintf(text + used, size - used, "%s%s", mark, name);
}

int fcps_study_list_names(const fcps_study *s, fcps_study_is_named *is_named, const void *user, int most, size_t size,
                          char *text)
{
  const fcps_stored_result *begin = NULL, *end = NULL;
  int parts = 0, count = 0;
  text[0] = '\0';
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    if (!is_named(user, stored)) continue;
    if (begin == NULL || !may_join(s, end, stored)) {
      if (parts == most || strlen(text) + 2 * FCPS_STUDY_NAME_PART > size) break;
      if (begin != end) append(size, text, "-", end);
      append(size, text, parts++ > 0 ? "," : "", stored);
      begin = stored;
    }
    end = stored;
    count++;
  }
  if (begin != end) append(size, text, "-", end);
  return count;
}
