/* SPDX-License-Identifier: Apache-2.0 */
/* Whether results were told in another unit: thickness in micrometres where it was in metres before.
 *
 * A single wrong number is a suspect (surprise.c). Many of them are none: more than a tenth make the model wrong. But
 * one cause has a shape of its own, which the model recognizes (model/composite/units.h). Its rows are suspects as well;
 * here they are named together.
 *
 * Invariants: looking changes nothing. What is said of an outcome is said again only when it is about twice as many
 * results. */

#include "base/error.h"
#include "model/composite/units.h"
#include "problem/quantity.h"
#include "study/name_list.h"
#include "study/remarks.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CODE "W_UNIT"

/* Parts of the list of names; more are not listed. */
enum { MOST_PARTS = 12 };

/* The results that a remark is about: those of one outcome in one unit. */
typedef struct unit_set {
  int outcome, unit, count, said;
  const fcps_stored_result *first, *last;
  bool is_whole; /* no other result with an outcome is between them */
  bool is_first, is_last;
} unit_set;

static study_mark *mark_in(const fcps_study *s, const unit_set *set, const fcps_stored_result *stored)
{
  study_mark *mark = stored->is_suspect ? fcps_study_find_mark(s, stored->sequence) : NULL;
  return mark != NULL && mark->unit == set->unit && mark->unit_outcome == set->outcome ? mark : NULL;
}

/* Counts the set, and sees where it lies among the results with an outcome. */
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

/* Who is named by a set. */
typedef struct named_set {
  const fcps_study *study;
  const unit_set *set;
} named_set;

static bool is_in_set(const void *user, const fcps_stored_result *stored)
{
  const named_set *named = user;
  return mark_in(named->study, named->set, stored) != NULL;
}

/* "the last 3 results of thickness, from 21.1 on," or "3 results of thickness, from 21.1 to 23.1," */
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

/* "1000 times what" or "1/60 of what" */
static void describe_factor(const fcps_unit *unit, size_t size, char *text)
{
  if (unit->factor == 1.0)
    snprintf(text, size, "about %.6g %s than what", fabs(unit->shift), unit->shift > 0 ? "more" : "less");
  else if (unit->shift != 0.0)
    snprintf(text, size, "about %.3g times, %s %.3g, what", unit->factor, unit->shift > 0 ? "plus" : "minus",
             fabs(unit->shift));
  else if (unit->factor >= 1.0)
    snprintf(text, size, "about %.10g times what", unit->factor);
  else
    snprintf(text, size, "about 1/%.10g of what", 1.0 / unit->factor);
}

/* "minutes instead of seconds", but not of what is in metres. */
static const char *name_unit(const fcps_unit *unit, const fcps_dimension *outcome)
{
  static const char between[] = " instead of ";
  const char *right = strstr(unit->name, between);
  fcps_quantity named, declared;
  if (unit->name[0] == '\0') return "another unit";
  const bool is_foreign = right != NULL && fcps_quantity_read(&named, right + sizeof between - 1) &&
                          fcps_quantity_read(&declared, outcome->unit) && !fcps_quantity_is_of_kind(&named, &declared);
  return is_foreign ? "another unit" : unit->name;
}

static void say(fcps_study *s, const unit_set *set)
{
  char names[(MOST_PARTS + 2) * FCPS_STUDY_NAME_PART], factor[80], place[256];
  const named_set named = {s, set};
  const fcps_unit *unit = fcps_unit_at(set->unit);
  const char *name = name_unit(unit, s->problem.outcome.dims + set->outcome);
  const char *subject = s->problem.outcome.dims[set->outcome].name;
  fcps_study_list_names(s, is_in_set, &named, MOST_PARTS, sizeof names, names);
  describe_factor(unit, sizeof factor, factor);
  describe_place(s, set, sizeof place, place);
  const bool is_new =
      fcps_study_make_remark(s, CODE, subject, true,
                             "%s are %s the others say: %s? They hardly count. Take them out (fcps "
                             "study amend %.200s --drop %s) and tell them "
                             "again in the unit of the others; if they are right, --confirm %s. Either side may "
                             "be the wrong one: where it is the others, drop those instead",
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
  fcps_study_withdraw_remarks(s, CODE);
  for (int o = 0; o < s->problem.outcome.count; o++) {
    unit_set largest = {0};
    for (int unit = 1; fcps_unit_at(unit) != NULL && s->mark_count > 0; unit++) {
      unit_set set = {.outcome = o, .unit = unit};
      describe_set(s, &set);
      if (set.count > largest.count) largest = set;
    }
    if (largest.count > 0) say(s, &largest);
  }
}
