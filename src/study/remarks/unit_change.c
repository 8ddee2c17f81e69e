/* SPDX-License-Identifier: Apache-2.0 */
/* Whether results were told in another unit: thickness in micrometres where it was in metres before.
 *
 * A single wrong number is a suspect (suspects.c). If more than a tenth are wrong, the model becomes wrong and
 * cannot suspect them. But the model recognizes one cause (model/structures/spells.c): a change of unit multiplies a
 * row of results by one factor. These rows are suspects as well; here they are named together, with the unit if the
 * factor is known (problem/quantity.h).
 *
 * Invariants: looking changes nothing. A remark about an outcome is repeated only when it concerns twice as many
 * results. */

#include "base/error.h"
#include "learner/learner.h"
#include "problem/quantity.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CODE "W_UNIT"

/* A list of names has at most this many parts. */
enum { MOST_PARTS = 12 };

/* The results of a remark: those of one outcome with one factor. */
typedef struct unit_set {
  int outcome, count, said;
  double factor;
  const fcps_stored_result *first, *last;
  bool is_whole; /* no other result with an outcome lies between them */
  bool is_first, is_last;
} unit_set;

static study_mark *mark_in(const fcps_study *s, const unit_set *set, const fcps_stored_result *stored)
{
  study_mark *mark = stored->is_suspect ? fcps_study_find_mark(s, stored->sequence) : NULL;
  return mark != NULL && mark->factor == set->factor && mark->outcome == set->outcome ? mark : NULL;
}

/* Counts the results of a set, and finds where they lie among the results with an outcome. */
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

/* Names the results of a set. */
typedef struct named_set {
  const fcps_study *study;
  const unit_set *set;
} named_set;

static bool is_in_set(const void *user, const fcps_stored_result *stored)
{
  const named_set *named = user;
  return mark_in(named->study, named->set, stored) != NULL;
}

/* Writes "the last 3 results of thickness, from 21.1 on," or "3 results of thickness, from 21.1 to 23.1,". */
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

/* Writes "1000 times what" or "1/59.8 of what"; a factor near a power of ten is written as that power. */
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

/* Writes "mm instead of m" if the factor is that of a known unit, or else "another unit". A known factor becomes
 * exact; returns whether it is known. */
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
