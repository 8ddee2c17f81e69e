/* SPDX-License-Identifier: Apache-2.0 */
/* Suspects: results that the model does not believe. They are marked in the index, and logged after the fit that
 * finds them.
 *
 * Invariants: looking changes nothing that is stored, and nothing that the learner does later. If a look fails, the
 * call that looks does not fail. Each result is announced once, even if several processes take turns: the results
 * that the stored learner doubts, and those that surprised their ask (expectation.h), were announced before.
 */
#include "base/error.h"
#include "base/memory.h"
#include "learner/learner.h"
#include "study/expectation.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"

#include <math.h>
#include <stdio.h>

/* The surprise of a suspect at the last look. */
static study_surprise surprise_of(const fcps_study *s, const fcps_stored_result *suspect)
{
  return (study_surprise){s->problem.outcome.dims[suspect->suspect_outcome].name,
                          suspect->result.rollout.outcome[suspect->suspect_outcome], suspect->expected,
                          suspect->expected_deviation};
}

void fcps_study_surprise_text(const fcps_study *study, const fcps_stored_result *result, char text[FCPS_SURPRISE_SIZE])
{
  if (text == NULL) return;
  text[0] = '\0';
  if (study == NULL || result == NULL || !result->is_suspect || result->result.rollout.outcome == NULL) return;
  const study_surprise surprise = surprise_of(study, result);
  fcps_study_describe_surprise(&surprise, text);
}

/* -- Marks -- */

study_mark *fcps_study_find_mark(const fcps_study *s, int64_t sequence)
{
  for (size_t i = 0; i < s->mark_count; i++)
    if (s->marks[i].sequence == sequence) return &s->marks[i];
  return NULL;
}

/* Finds or makes the mark of a result. NULL: there is no memory; then the result may be announced again. */
static study_mark *make_mark(fcps_study *s, int64_t sequence)
{
  study_mark *mark = fcps_study_find_mark(s, sequence);
  if (mark != NULL || !fcps_reserve((void **)&s->marks, &s->mark_capacity, s->mark_count + 1, sizeof *s->marks))
    return mark;
  mark = &s->marks[s->mark_count++];
  *mark = (study_mark){.sequence = sequence};
  return mark;
}

static bool counts(const fcps_stored_result *stored)
{
  return stored->is_used && !stored->is_misplaced && stored->result.rollout.status == FCPS_ROLLOUT_OK;
}

static int mark(fcps_study *s, const fcps_surprises *found)
{
  int count = 0;
  for (size_t i = 0; i < s->mark_count; i++)
    s->marks[i].factor = 0.0;
  for (size_t i = 0; i < s->result_count; i++) {
    fcps_stored_result *stored = &s->results[i];
    const fcps_surprise *surprise = counts(stored) ? fcps_surprises_of(found, &stored->result.rollout) : NULL;
    stored->is_suspect = surprise != NULL;
    study_mark *mark = surprise != NULL ? make_mark(s, stored->sequence) : NULL;
    if (mark != NULL) mark->factor = surprise->spell.factor;
    if (mark != NULL) mark->outcome = (int)surprise->spell.output;
    stored->suspect_outcome = surprise != NULL ? surprise->output : 0;
    stored->expected = surprise != NULL ? surprise->expected : 0.0;
    stored->expected_deviation = surprise != NULL ? surprise->deviation : 0.0;
    stored->is_in_other_unit = surprise != NULL && surprise->spell.factor > 0.0;
    count += stored->is_suspect;
  }
  return count;
}

/* Lets the learner, which is up to date, name the results that it does not believe. */
static fcps_status look(fcps_study *s, int *count, fcps_error *error)
{
  fcps_surprises found = {0};
  const fcps_status status = fcps_learner_find_surprises(s->learner, &found, error);
  if (status == FCPS_OK) *count = mark(s, &found);
  if (status == FCPS_OK) s->marks_sequence = s->learner_sequence;
  fcps_surprises_destroy(&found);
  return status;
}

/* Does the same with all stored results. With more results than a model judges, a look finds nothing new, and takes
 * minutes. */
static fcps_status judge(fcps_study *s, int *count, fcps_error *error)
{
  *count = 0;
  if (!fcps_learner_can_doubt(s->learner_name) || s->result_count > FCPS_MOST_JUDGED) return FCPS_OK;
  fcps_status status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = fcps_study_read_learner(s, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) status = fcps_study_catch_up(s, error);
  return status == FCPS_OK ? look(s, count, error) : status;
}

fcps_status fcps_study_find_suspects(fcps_study *study, int *count, fcps_error *error)
{
  int unwanted;
  fcps_status status = fcps_study_enter(study, error);
  if (status == FCPS_OK) status = judge(study, count != NULL ? count : &unwanted, error);
  if (status == FCPS_OK) fcps_study_look_again(study, fcps_study_look_for_unit, NULL);
  for (size_t i = 0; status == FCPS_OK && i < study->mark_count; i++)
    study->marks[i].is_said |= study->marks[i].factor == 0.0; /* the caller shows them */
  return status;
}

void fcps_study_refresh_marks(fcps_study *s)
{
  int unwanted;
  if (s->marks_sequence != s->sequence) (void)judge(s, &unwanted, NULL);
}

/* -- Announcing -- */

/* An import of more than MANY_RESULTS results does not wait for a fit; at most LISTED results are announced one by
 * one. */
enum { MANY_RESULTS = 500, LISTED = 5 };

/* Whether a result is announced for the first time, unless the remark about its unit names it; marks it as
 * announced. A result that surprised its ask was announced when it was told. */
static bool is_news(fcps_study *s, const fcps_stored_result *suspect)
{
  study_surprise unwanted;
  study_mark *mark = make_mark(s, suspect->sequence);
  const bool was_said =
      suspect->sequence <= s->heard_sequence || (mark != NULL && (mark->is_said || mark->factor > 0.0));
  if (mark != NULL && mark->factor == 0.0) mark->is_said = true;
  return !was_said && !fcps_study_is_surprising(s, suspect, &unwanted);
}

/* Announces the new suspects after a sequence: the first few one by one. */
static void say_news(fcps_study *s, int64_t sequence)
{
  int said = 0, more = 0;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    if (stored->sequence <= sequence || !stored->is_suspect || !is_news(s, stored)) continue;
    const study_surprise surprise = surprise_of(s, stored);
    if (said++ < LISTED)
      fcps_study_say_surprise(s, stored, &surprise);
    else
      more++;
  }
  if (more > 0)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_SURPRISE",
                 "%d more results surprise the model: fcps study status", more);
}

static bool is_doubted(const fcps_model *model, const fcps_stored_result *stored)
{
  return counts(stored) && fcps_model_doubts(model, &stored->result.rollout);
}

static bool has_doubts(const fcps_model *model)
{
  return model != NULL && model->ops->predicts_outcomes && fcps_model_has_suspects(model);
}

void fcps_study_hear_doubts(fcps_study *s, bool is_loaded)
{
  const fcps_model *model = fcps_learner_model(s->learner);
  if (!is_loaded) s->heard_sequence = s->ask_count > 0 ? s->asks[s->ask_count - 1].sequence : 0;
  if (!is_loaded || !has_doubts(model)) return;
  for (size_t i = 0; i < s->result_count; i++) {
    study_mark *mark = is_doubted(model, &s->results[i]) ? make_mark(s, s->results[i].sequence) : NULL;
    if (mark != NULL) mark->is_said = true;
  }
}

void fcps_study_say_doubts(fcps_study *s, const fcps_model *model)
{
  bool has_news = false;
  int unwanted;
  fcps_study_look_again(s, fcps_study_look_for_same_outcomes, NULL);
  if (!has_doubts(model)) return;
  for (size_t i = 0; i < s->result_count && !has_news; i++) {
    const study_mark *mark = fcps_study_find_mark(s, s->results[i].sequence);
    has_news = (mark == NULL || (!mark->is_said && mark->factor == 0.0)) && is_doubted(model, &s->results[i]);
  }
  if (!has_news || (s->marks_sequence != s->sequence && look(s, &unwanted, NULL) != FCPS_OK)) return;
  fcps_study_look_again(s, fcps_study_look_for_unit, NULL);
  say_news(s, 0);
  for (size_t i = 0; i < s->result_count; i++) /* also marks those that need no announcement */
    if (is_doubted(model, &s->results[i])) (void)is_news(s, &s->results[i]);
}

void fcps_study_warn_of_suspects(fcps_study *s, int64_t sequence)
{
  int count;
  if (!fcps_learner_can_doubt(s->learner_name)) return;
  if (s->result_count > MANY_RESULTS) {
    fcps_log_say(&s->options.log, FCPS_LOG_INFO, "I_NOT_COMPARED",
                 "with more than %d results the search for typing errors takes time; fcps study status does it",
                 MANY_RESULTS);
    return;
  }
  if (judge(s, &count, NULL) != FCPS_OK) return;
  fcps_study_look_again(s, fcps_study_look_for_unit, NULL);
  say_news(s, sequence);
}
