/* SPDX-License-Identifier: Apache-2.0 */
/* Results that the model does not believe: marked in the index, and said when they are told.
 *
 * Invariants: looking changes nothing that is stored, and nothing that the learner does later. A tell has stored its
 * result before anybody looks at it, so whatever goes wrong here is no failure of the tell, and is said by the next call
 * that needs the learner.
 */
#include "base/error.h"
#include "base/memory.h"
#include "learner/learner.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <math.h>
#include <stdio.h>

void fcps_study_name_result(const fcps_stored_result *stored, char name[STUDY_RESULT_NAME_SIZE])
{
  if (stored->ask != FCPS_NOT_ASKED)
    snprintf(name, STUDY_RESULT_NAME_SIZE, "%lld.%d", (long long)stored->ask, stored->result_number);
  else
    snprintf(name, STUDY_RESULT_NAME_SIZE, "%lld", (long long)stored->sequence);
}

/* Two digits of the deviation, and as many places of what was expected. */
void fcps_study_surprise_text(const fcps_study *study, const fcps_stored_result *result, char text[FCPS_SURPRISE_SIZE])
{
  if (text == NULL) return;
  text[0] = '\0';
  if (study == NULL || result == NULL || !result->is_suspect || result->result.rollout.outcome == NULL) return;
  const fcps_dimension *dim = study->problem.outcome.dims + result->suspect_outcome;
  const double magnitude = floor(log10(result->expected_deviation)), most = 9.0;
  const int places = (int)fmin(fmax(1.0 - magnitude, 0.0), most);
  const bool is_plain = magnitude >= -6.0 && fabs(result->expected) < 1e9;
  char expected[2][40];
  snprintf(expected[0], sizeof expected[0], is_plain ? "%.*f" : "%.*g", is_plain ? places : 4, result->expected);
  snprintf(expected[1], sizeof expected[1], "%.2g", result->expected_deviation);
  snprintf(text, FCPS_SURPRISE_SIZE, "%.100s=%.6g where %s +- %s was expected", dim->name,
           result->result.rollout.outcome[result->suspect_outcome], expected[0], expected[1]);
}

/* -- Marks -- */

study_mark *fcps_study_find_mark(const fcps_study *s, int64_t sequence)
{
  for (size_t i = 0; i < s->mark_count; i++)
    if (s->marks[i].sequence == sequence) return &s->marks[i];
  return NULL;
}

/* Notes the spell that a suspect is in. Without memory there is no mark: it is said again, or as a typo. */
static void note_spell(fcps_study *s, int64_t sequence, const fcps_row_spell *spell)
{
  study_mark *mark = fcps_study_find_mark(s, sequence);
  if (mark == NULL && fcps_reserve((void **)&s->marks, &s->mark_capacity, s->mark_count + 1, sizeof *s->marks)) {
    mark = &s->marks[s->mark_count++];
    *mark = (study_mark){.sequence = sequence};
  }
  if (mark == NULL) return;
  mark->factor = spell->factor;
  mark->outcome = spell->output;
}

static int mark(fcps_study *s, const fcps_surprises *found)
{
  int count = 0;
  for (size_t i = 0; i < s->mark_count; i++)
    s->marks[i].factor = 0.0;
  for (size_t i = 0; i < s->result_count; i++) {
    fcps_stored_result *stored = &s->results[i];
    const bool counts = stored->is_used && !stored->is_misplaced && stored->result.rollout.status == FCPS_ROLLOUT_OK;
    const fcps_surprise *surprise = counts ? fcps_surprises_of(found, &stored->result.rollout) : NULL;
    stored->is_suspect = surprise != NULL;
    if (surprise != NULL) note_spell(s, stored->sequence, &surprise->spell);
    stored->suspect_outcome = surprise != NULL ? surprise->output : 0;
    stored->expected = surprise != NULL ? surprise->expected : 0.0;
    stored->expected_deviation = surprise != NULL ? surprise->deviation : 0.0;
    stored->is_in_other_unit = surprise != NULL && surprise->spell.factor > 0.0;
    count += stored->is_suspect;
  }
  return count;
}

/* Lets the learner, brought up to date, say whom it does not believe. Of more results than a model judges a look says nothing
 * new, and takes minutes. */
static fcps_status judge(fcps_study *s, bool is_brief, int *count, fcps_error *error)
{
  fcps_surprises found = {0};
  *count = 0;
  if (!fcps_learner_can_doubt(s->learner_name) || s->result_count > FCPS_MOST_JUDGED) return FCPS_OK;
  fcps_status status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = fcps_study_read_learner(s, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) status = fcps_study_catch_up(s, error);
  if (status == FCPS_OK) status = fcps_learner_find_surprises(s->learner, is_brief, &found, error);
  /* a brief look that finds nothing says nothing about earlier results */
  if (status == FCPS_OK && (!is_brief || found.rollouts.count > 0)) *count = mark(s, &found);
  if (status == FCPS_OK && !is_brief) s->marks_sequence = s->sequence;
  fcps_surprises_destroy(&found);
  return status;
}

fcps_status fcps_study_find_suspects(fcps_study *study, int *count, fcps_error *error)
{
  int unwanted;
  fcps_status status = fcps_study_enter(study, error);
  if (status == FCPS_OK) status = judge(study, false, count != NULL ? count : &unwanted, error);
  if (status == FCPS_OK && fcps_learner_can_doubt(study->learner_name)) fcps_study_look_for_unit(study);
  return status;
}

void fcps_study_refresh_marks(fcps_study *s)
{
  int unwanted;
  if (s->marks_sequence != s->sequence) (void)judge(s, false, &unwanted, NULL);
}

/* -- Telling -- */

/* Who tells one result of a small study has time for a long look, which fits a model; who tells many has not. Who
 * imports a file looks once, at all of them. */
enum { FEW_RESULTS = 100, MANY_RESULTS = 500, FITTED_RESULTS = 30, LISTED = 5 };

/* Whether the learner, as it is stored, has fitted its model: then a brief look sees as much as a long one. */
static bool was_fitted(const fcps_study *s)
{
  const int64_t asked = s->ask_count > 0 ? s->asks[s->ask_count - 1].sequence : 0;
  int seen = 0;
  for (size_t i = 0; i < s->result_count; i++)
    seen += s->results[i].is_used && s->results[i].sequence < asked;
  return seen >= FITTED_RESULTS;
}

/* Says that a result is a suspect, once, and not where the remark about its unit says it. Returns whether it did. */
static bool warn_of(const fcps_study *s, const fcps_stored_result *suspect)
{
  char text[FCPS_SURPRISE_SIZE], name[STUDY_RESULT_NAME_SIZE];
  study_mark *mark = fcps_study_find_mark(s, suspect->sequence);
  if (mark != NULL && (mark->factor > 0.0 || mark->is_said)) return false;
  if (mark != NULL) mark->is_said = true;
  fcps_study_surprise_text(s, suspect, text);
  fcps_study_name_result(suspect, name);
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_SURPRISE",
               "%s; a typo? fcps study amend %.200s --drop %s, or --confirm %s", text, fcps_study_word(s), name, name);
  return true;
}

/* Says who became a suspect since the last look. A look of a process that has not looked before says nothing about results
 * that others have told. */
static void warn_of_new(fcps_study *s, bool is_first)
{
  for (size_t i = 0; i < s->result_count; i++) {
    study_mark *mark = s->results[i].is_suspect ? fcps_study_find_mark(s, s->results[i].sequence) : NULL;
    if (mark == NULL) continue;
    if (is_first && mark->factor == 0.0)
      mark->is_said = true;
    else
      warn_of(s, &s->results[i]);
  }
}

bool fcps_study_doubts(fcps_study *s, int64_t sequence)
{
  const fcps_stored_result *stored = fcps_study_find_result(s, sequence);
  int count;
  if (stored == NULL || stored->result.rollout.outcome == NULL) return false;
  const size_t most = was_fitted(s) ? FEW_RESULTS : MANY_RESULTS;
  const bool is_first = s->learner == NULL, is_brief = !is_first || s->result_count > most;
  const fcps_status status = judge(s, is_brief, &count, NULL);
  if (status != FCPS_OK || !fcps_learner_can_doubt(s->learner_name)) return false;
  if (!is_brief || count > 0) fcps_study_look_for_unit(s);
  stored = fcps_study_find_result(s, sequence);
  const bool is_suspect = stored != NULL && stored->is_suspect;
  if (is_suspect) warn_of(s, stored);
  warn_of_new(s, is_first);
  return is_suspect;
}

void fcps_study_warn_of_suspects(fcps_study *s, int64_t sequence)
{
  int count, said = 0, more = 0;
  if (!fcps_learner_can_doubt(s->learner_name)) return;
  if (s->result_count > MANY_RESULTS) {
    fcps_log_say(&s->options.log, FCPS_LOG_INFO, "I_NOT_COMPARED",
                 "with more than %d results it takes time to look for typing errors: fcps study status does it",
                 MANY_RESULTS);
    return;
  }
  if (judge(s, false, &count, NULL) != FCPS_OK) return;
  fcps_study_look_for_unit(s);
  for (size_t i = 0; i < s->result_count; i++) {
    if (s->results[i].sequence <= sequence || !s->results[i].is_suspect) continue;
    const study_mark *mark = fcps_study_find_mark(s, s->results[i].sequence);
    if (mark != NULL && mark->factor > 0.0) continue;
    if (said >= LISTED)
      more++;
    else if (warn_of(s, &s->results[i]))
      said++;
  }
  if (more > 0)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_SURPRISE",
                 "%d more results surprise the model: fcps study status", more);
}
