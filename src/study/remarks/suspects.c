/* SPDX-License-Identifier: Apache-2.0 */
/* Suspects: results that the model does not believe. They are marked in the index, and logged after the fit that finds
 * them.
 *
 * Invariants: the search for suspects changes nothing that is stored, and nothing that the learner does later. If the
 * search fails, its caller does not. Each result is announced once, even if several processes take turns: a result
 * counts as announced if the stored learner doubts it, or if it surprised its ask (expectation.c). */
#include "base/error.h"
#include "base/memory.h"
#include "learner/learner.h"
#include "problem/quantity.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far a suspect was from what the model expected, at the last search. */
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

/* Finds or makes the mark of a result. Returns NULL if memory ran out; the result may then be announced again. */
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

/* Lets the learner, which must be up to date, name the results that it does not believe. */
static fcps_status look(fcps_study *s, int *count, fcps_error *error)
{
  fcps_surprises found = {0};
  const fcps_status status = fcps_learner_find_surprises(s->learner, &found, error);
  if (status == FCPS_OK) *count = mark(s, &found);
  if (status == FCPS_OK) s->marks_sequence = s->learner_sequence;
  fcps_surprises_destroy(&found);
  return status;
}

/* Brings the learner up to date with all stored results, and then does the same. With more results than a model judges,
 * the search would take minutes and find nothing new, so it is left out. */
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
    /* The caller shows the suspects, so they count as announced. */
    study->marks[i].is_said |= study->marks[i].factor == 0.0;
  return status;
}

void fcps_study_refresh_marks(fcps_study *s)
{
  int unwanted;
  if (s->marks_sequence != s->sequence) (void)judge(s, &unwanted, NULL);
}

/* -- Announcing -- */

/* After an import of more than MANY_RESULTS results, the study does not wait for a fit. At most LISTED results are
 * announced one by one. */
enum { MANY_RESULTS = 500, LISTED = 5 };

/* Whether a result must be announced; marks it as announced. A result need not be announced if it was before, if the
 * remark about its unit names it, or if it surprised its ask and was announced when it was told. */
static bool is_news(fcps_study *s, const fcps_stored_result *suspect)
{
  study_surprise unwanted;
  study_mark *mark = make_mark(s, suspect->sequence);
  const bool was_said =
      suspect->sequence <= s->heard_sequence || (mark != NULL && (mark->is_said || mark->factor > 0.0));
  if (mark != NULL && mark->factor == 0.0) mark->is_said = true;
  return !was_said && !fcps_study_is_surprising(s, suspect, &unwanted);
}

/* Announces the new suspects among the results after a sequence. Only the first few are announced one by one. */
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
  /* The other doubted results are marked as announced, too. */
  for (size_t i = 0; i < s->result_count; i++)
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

/* -- Results in another unit --
 *
 * Somebody may tell a thickness in micrometres after others in metres. A single wrong number is a suspect. If more than
 * a tenth of the numbers are wrong, the model itself becomes wrong and cannot suspect them. But it recognizes one cause
 * (model/structures/spells.c): a change of unit multiplies several results in a row by the same factor. These results
 * are suspects as well. They are named together here, with the unit if the factor is that of a known unit
 * (problem/quantity.h).
 *
 * Invariants: the search changes nothing. A remark about an outcome is repeated only when it concerns twice as many
 * results. */

#define CODE "W_UNIT"

/* A list of names has at most this many ranges. */
enum { MOST_PARTS = 12 };

/* The results that one remark names: those of one outcome with one factor. */
typedef struct unit_set {
  int outcome, count, said;
  double factor;
  const fcps_stored_result *first, *last;
  bool is_whole; /* between `first` and `last` no other result has an outcome */
  bool is_first, is_last;
} unit_set;

static study_mark *mark_in(const fcps_study *s, const unit_set *set, const fcps_stored_result *stored)
{
  study_mark *mark = stored->is_suspect ? fcps_study_find_mark(s, stored->sequence) : NULL;
  return mark != NULL && mark->factor == set->factor && mark->outcome == set->outcome ? mark : NULL;
}

/* Counts the results of a set, and finds their place among all results with an outcome. */
static void describe_set(const fcps_study *s, unit_set *set)
{
  int others = 0, others_before = 0, others_at_end = 0;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    const study_mark *mark = mark_in(s, set, stored);
    if (mark == NULL && !fcps_study_has_outcome(s, stored)) continue;
    if (mark == NULL) {
      others++;
      continue;
    }
    if (set->count == 0) others_before = others;
    set->first = set->count == 0 ? stored : set->first;
    set->last = stored;
    set->count++;
    set->said += mark->is_said;
    others_at_end = others;
  }
  set->is_whole = others_at_end == others_before;
  set->is_first = others_before == 0;
  set->is_last = others_at_end == others;
}

/* -- Words -- */

/* A set and its study, for the function that says whether a list has to name a result. */
typedef struct named_set {
  const fcps_study *study;
  const unit_set *set;
} named_set;

static bool is_in_set(const void *user, const fcps_stored_result *stored)
{
  const named_set *named = user;
  return mark_in(named->study, named->set, stored) != NULL;
}

/* Writes which results belong to a set, as in "the last 3 results of thickness, from 21.1 on," or "3 results of
 * thickness, from 21.1 to 23.1,". */
static void describe_place(const fcps_study *s, const unit_set *set, size_t size, char *text)
{
  char first[STUDY_RESULT_NAME_SIZE], last[STUDY_RESULT_NAME_SIZE];
  const char *outcome = s->problem.outcome.dims[set->outcome].name;
  fcps_study_name_result(set->first, first);
  fcps_study_name_result(set->last, last);
  if (set->is_whole && set->is_last)
    snprintf(text, size, "the last %d results of %.100s, from %s on,", set->count, outcome, first);
  else if (set->is_whole && set->is_first)
    snprintf(text, size, "the first %d results of %.100s, up to %s,", set->count, outcome, last);
  else
    snprintf(text, size, "%d results of %.100s, from %s to %s,", set->count, outcome, first, last);
}

/* Writes a factor as in "1000 times what" or "1/59.8 of what". A factor near a power of ten is written as that
 * power. */
static void describe_factor(double factor, bool is_exact, size_t size, char *text)
{
  static const double about = 0.05;
  const double power = pow(10.0, round(log10(factor)));
  const double shown = !is_exact && fabs(factor / power - 1.0) < about ? power : factor;
  const int digits = is_exact || shown == power ? 10 : 3;
  if (shown >= 1.0)
    snprintf(text, size, "about %.*g times what", digits, shown);
  else
    snprintf(text, size, "about 1/%.*g of what", digits, 1.0 / shown);
}

/* Writes "mm instead of m" if the factor is that of a known unit, or else "another unit". Returns whether the factor is
 * known; a known factor is replaced by its exact value. */
static bool name_unit(const char *right, double *factor, size_t size, char *text)
{
  char name[40];
  const bool is_known = fcps_quantity_name_ratio(right, factor, sizeof name, name);
  if (is_known)
    snprintf(text, size, "%s instead of %.60s", name, right);
  else
    snprintf(text, size, "another unit");
  return is_known;
}

static void say(fcps_study *s, const unit_set *set)
{
  char names[(MOST_PARTS + 2) * FCPS_STUDY_NAME_PART], factor[80], place[256], name[120];
  const named_set named = {s, set};
  const fcps_dimension *outcome = s->problem.outcome.dims + set->outcome;
  const char *subject = outcome->name;
  double ratio = set->factor;
  const bool is_exact = name_unit(outcome->unit, &ratio, sizeof name, name);
  fcps_study_list_names(s, is_in_set, &named, MOST_PARTS, sizeof names, names);
  describe_factor(ratio, is_exact, sizeof factor, factor);
  describe_place(s, set, sizeof place, place);
  const bool is_new =
      fcps_study_make_remark(s, CODE, subject,
                             "%s are %s the others say: %s? They hardly count. Take them out (fcps study amend %.200s "
                             "--drop %s) and tell them again in the unit of the others; if they are right, --confirm "
                             "%s. Either side may be wrong: if it is the others, drop those instead",
                             place, factor, name, fcps_study_word(s), names, names);
  if (!is_new && set->said > 0 && set->count < 2 * set->said) return;
  if (!is_new) fcps_study_repeat_remark(s, CODE, subject);
  for (size_t i = 0; i < s->result_count; i++) {
    study_mark *mark = mark_in(s, set, &s->results[i]);
    if (mark != NULL) mark->is_said = true;
  }
}

void fcps_study_look_for_unit(fcps_study *s)
{
  if (!fcps_learner_can_doubt(s->learner_name)) return;
  for (int o = 0; o < s->problem.outcome.count; o++) {
    unit_set largest = {0};
    for (size_t i = 0; i < s->mark_count; i++) {
      unit_set set = {.outcome = o, .factor = s->marks[i].factor};
      if (s->marks[i].outcome != o || set.factor == 0.0) continue;
      describe_set(s, &set);
      if (set.count > largest.count) largest = set;
    }
    if (largest.count > 0) say(s, &largest);
  }
}
