/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how the trials of a study ended, and explains it if no trial ended well.
 *
 * A failed trial, or one without an outcome, is evidence about its parameters. But if no trial ever ends well, the
 * cause is probably something that all trials share, such as a broken machine. Only the user can know this. So the
 * study repeats the messages of the trials, and says how to take their results out. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/judge/judge.h"
#include "problem/problem.h"
#include "problem/reward.h"
#include "study/inside.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Counting -- */

/* Whether a trial ran and has every number that this problem measures. */
static bool has_outcome(const fcps_study *s, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK && (rollout->outcome != NULL || s->problem.outcome.count == 0);
}

static bool has_usable_outcome(const fcps_study *s, const fcps_rollout *rollout)
{
  return rollout->outcome == NULL || fcps_rollout_values_usable(s->problem.outcome.count, rollout->outcome);
}

void fcps_study_count(const fcps_study *s, fcps_study_counts *counts)
{
  if (counts == NULL) return;
  *counts = (fcps_study_counts){0};
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    const fcps_rollout *r = &stored.result.rollout;
    const bool has_failed = r->status != FCPS_ROLLOUT_OK;
    if (!stored.is_used) {
      counts->unused++;
      continue;
    }
    counts->results++;
    counts->failed += has_failed;
    counts->with_outcome += has_outcome(s, r);
    counts->without_outcome += !has_failed && !has_outcome(s, r);
    counts->outcomes_not_finite += !has_failed && !has_usable_outcome(s, r);
    counts->rewards_not_finite += !has_failed && !isfinite(r->reward);
    counts->usable += !has_failed && !stored.is_flagged;
    counts->with_reward += has_outcome(s, r) && isfinite(r->reward);
  }
}

/* -- The cost of trials -- */

/* Whether a stored result stands for its trial in the counts: it is the result that counts or, if none counts, the
 * first result of the trial. */
static bool stands_for_trial(const fcps_study *s, const fcps_stored_result *stored)
{
  if (stored->is_used || stored->ask == FCPS_NOT_ASKED) return true;
  const study_ask *ask = fcps_study_find_ask(s, stored->ask);
  return stored->result_number <= 1 && (ask == NULL || ask->used == 0);
}

/* Returns the numbers with which a trial was done. Those are the numbers of the result or, if the result is dropped, of
 * its ask, because a dropped result may have a mistyped number. */
static fcps_rollout as_done(const fcps_study *s, const fcps_stored_result *stored)
{
  fcps_rollout done = stored->result.rollout;
  const study_ask *ask = stored->is_used || stored->ask == FCPS_NOT_ASKED ? NULL : fcps_study_find_ask(s, stored->ask);
  if (ask == NULL) return done;
  done.target = ask->numbers;
  done.environment = ask->numbers + fcps_study_environment_offset(s);
  done.parameters = ask->numbers + fcps_study_parameters_offset(s);
  return done;
}

/* Returns the cost of a trial, or 0 if the formula has no usable value there because the trial was done out of
 * bounds. */
static double cost_of(fcps_cost *cost, const double *target, const double *environment, const double *parameters)
{
  fcps_cost_set_context(cost, target, environment);
  const double value = fcps_cost_of(cost, parameters);
  return isnan(value) ? 0.0 : value;
}

fcps_status fcps_study_cost(const fcps_study *s, fcps_study_costs *costs, fcps_error *error)
{
  fcps_cost *cost = NULL;
  if (s == NULL) return fcps_error_null(error, "study");
  if (costs == NULL) return fcps_error_null(error, "costs");
  *costs = (fcps_study_costs){0};
  const fcps_status status = fcps_cost_create(&cost, &s->problem, error);
  if (status != FCPS_OK || cost == NULL) return status;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_rollout r = as_done(s, &s->results[i]);
    if (!stands_for_trial(s, &s->results[i])) continue;
    costs->trials++;
    costs->spent += cost_of(cost, r.target, r.environment, r.parameters);
  }
  for (size_t i = 0; i < s->ask_count; i++) {
    const double *numbers = s->asks[i].numbers;
    if (s->asks[i].state == FCPS_ASK_PENDING)
      costs->pending +=
          cost_of(cost, numbers, numbers + fcps_study_environment_offset(s), numbers + fcps_study_parameters_offset(s));
  }
  fcps_cost_destroy(cost);
  return FCPS_OK;
}

/* -- Why a result cannot be used -- */

static bool explain_outcome(const fcps_study *s, const fcps_rollout *r, size_t size, char *text)
{
  for (int o = 0; r->outcome != NULL && o < s->problem.outcome.count; o++) {
    if (fcps_rollout_values_usable(1, r->outcome + o)) continue;
    snprintf(text, size, "outcome \"%s\" is %g", s->problem.outcome.dims[o].name, r->outcome[o]);
    return true;
  }
  return false;
}

static void explain_reward(const fcps_study *s, const fcps_rollout *r, size_t size, char *text)
{
  const char *formula = s->file != NULL ? s->file->reward : NULL;
  char why[200] = "";
  if (formula != NULL) fcps_reward_blame(s->file->problem.user, formula, r, sizeof why, why);
  const char *absent = r->outcome == NULL && s->problem.outcome.count > 0 ? "; the trial has no outcome" : "";
  if (formula != NULL && why[0] != '\0')
    snprintf(text, size, "reward %.120s%s: %s%s", formula, strlen(formula) > 120 ? "..." : "", why, absent);
  else if (s->problem.reward != NULL)
    snprintf(text, size, "the reward function has no usable value%s", absent);
  else
    snprintf(text, size, "no usable reward was told");
}

/* Ranks how well a flagged result explains why its reward cannot be used. A finite outcome is best, no outcome is
 * second. */
static int rank(const fcps_study *s, const fcps_stored_result *stored)
{
  if (!stored->is_used || !stored->is_flagged) return 0;
  if (stored->is_misplaced || !has_usable_outcome(s, &stored->result.rollout)) return 1;
  return stored->result.rollout.outcome == NULL ? 2 : 3;
}

/* Finds, among the flagged results, the latest one of the best rank. */
static bool find_telling(const fcps_study *s, fcps_stored_result *found)
{
  int best = 0;
  for (int i = fcps_study_result_count(s) - 1; i >= 0 && best < 3; i--) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    if (rank(s, &stored) <= best) continue;
    best = rank(s, &stored);
    *found = stored;
  }
  return best > 0;
}

char *fcps_study_explain(const fcps_study *s, const fcps_stored_result *result, size_t size, char *text)
{
  fcps_stored_result found;
  if (text == NULL || size == 0) return text;
  text[0] = '\0';
  if (s == NULL) return text;
  if (result == NULL && find_telling(s, &found)) result = &found;
  if (result == NULL || !result->is_flagged) return text;
  const fcps_rollout *r = &result->result.rollout;
  if (result->is_misplaced)
    snprintf(text, size, "the measured environment is not finite");
  else if (!explain_outcome(s, r, size, text))
    explain_reward(s, r, size, text);
  return text;
}

/* -- No trial ends well -- */

enum { MESSAGES = 3, MESSAGE_SHOWN = 60 };

static const char *failure_text(const fcps_stored_result *stored)
{
  const char *message = stored->result.message;
  return message != NULL && *message ? message : fcps_rollout_status_text(stored->result.rollout.status);
}

static bool is_failure(const fcps_stored_result *stored)
{
  return stored->is_used && stored->result.rollout.status != FCPS_ROLLOUT_OK;
}

/* Counts the failed trials with the same message as this one. Returns 0 if an earlier trial has this message, so that
 * each message is counted once. */
static int count_message(const fcps_study *s, size_t index)
{
  int count = 0;
  for (size_t i = 0; i < s->result_count; i++) {
    if (!is_failure(&s->results[i]) || strcmp(failure_text(&s->results[i]), failure_text(&s->results[index])) != 0)
      continue;
    if (i < index) return 0;
    count++;
  }
  return count;
}

/* Lists the first few messages of failed trials, as in: 3 x "no power", 1 x "fuse 2" and 1 more. */
static void list_messages(const fcps_study *s, int failed, size_t size, char *text)
{
  size_t used = 0;
  int shown = 0, left = failed;
  text[0] = '\0';
  for (size_t i = 0; i < s->result_count && shown < MESSAGES; i++) {
    const int count = is_failure(&s->results[i]) ? count_message(s, i) : 0;
    if (count == 0) continue;
    const char *message = failure_text(&s->results[i]);
    used += (size_t)snprintf(text + used, size - used, "%s%d x \"%.*s\"", shown++ > 0 ? ", " : "", count,
                             (int)strcspn(message, "\n") < MESSAGE_SHOWN ? (int)strcspn(message, "\n") : MESSAGE_SHOWN,
                             message);
    left -= count;
  }
  if (left > 0) snprintf(text + used, size - used, " and %d more", left);
}

/* Whether a usable reward was told in any result. If so, a trial without an outcome may have ended well. */
static bool has_told_reward(const fcps_study *s)
{
  for (size_t i = 0; i < s->result_count; i++)
    if (s->problem.reward == NULL && s->results[i].is_used && isfinite(s->results[i].result.rollout.reward))
      return true;
  return false;
}

bool fcps_study_complain(const fcps_study *s, size_t size, char *text)
{
  if (text == NULL || size == 0) return false;
  text[0] = '\0';
  fcps_study_counts c;
  fcps_study_count(s, &c);
  if (c.results == 0 || c.with_outcome > 0 || has_told_reward(s)) return false;
  char said[3 * (MESSAGE_SHOWN + 20) + 30], what[sizeof said + 100];
  list_messages(s, c.failed, sizeof said, said);
  if (c.without_outcome == 0)
    snprintf(what, sizeof what, "all %d trials failed: %s", c.failed, said);
  else
    snprintf(what, sizeof what, "none of the %d trials has an outcome%s%s", c.results, c.failed > 0 ? "; " : "", said);
  snprintf(text, size,
           "%s. If no trial ends well, the parameters are seldom the cause: look at the program or robot first. Then "
           "take these results out, so that good parameters are not avoided: fcps study amend %s --drop %s%s",
           what, fcps_study_word(s), c.without_outcome == 0 ? "failed" : "no-outcome",
           c.without_outcome > 0 && c.failed > 0 ? ", and once more with --drop failed" : "");
  return true;
}

/* -- Before an amendment -- */

fcps_status fcps_study_preview(fcps_study *s, const fcps_setting *change, fcps_study_counts *counts, char why[256],
                               fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (change == NULL || change->name == NULL || change->value == NULL) return fcps_error_null(error, "change");
  if (counts == NULL) return fcps_error_null(error, "counts");
  if (s->text == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, change->name,
                          "only a study made from a problem file can be amended.");
  status = fcps_study_refresh(s, error);
  if (status == FCPS_OK) status = fcps_study_read_problem(s, change, error);
  if (status != FCPS_OK) return status;
  fcps_study_count(s, counts);
  if (why != NULL) fcps_study_explain(s, NULL, 256, why);
  status = fcps_study_read_problem(s, NULL, error);
  fcps_study_drop_old_files(s);
  return status;
}
