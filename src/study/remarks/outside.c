/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings and remarks about results outside bounds or constraints.
 *
 * A result outside bounds causes a warning when it is told. A table causes one warning for each dimension. If many
 * results of the study lie outside, there is also a remark.
 *
 * It is seldom right that a whole column lies outside. If nearly all its numbers times a power of ten would be inside,
 * the unit is probably wrong, such as a fraction for a percentage or millimetres for metres: then the user is asked
 * about the unit. */
#include "base/error.h"
#include "base/number.h"
#include "problem/problem.h"
#include "space/space.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>

#define BOUNDS_CODE "W_OUTSIDE_BOUNDS"

/* A remark needs at least this share of the results outside, and at least this number. */
static const double too_many = 0.1;
enum { LEAST_OUTSIDE = 3, UNIT_SIZE = 120, SWAP_SIZE = 240 };

/* A factor is proposed only if it brings at least this share of the results inside. */
static const double nearly_all = 0.9;

/* A dimension with bounds, and the offset of its value in the numbers of a result. */
typedef struct bounded_dimension {
  const char *space;
  const fcps_dimension *dim;
  int offset;
  bool is_outcome;
} bounded_dimension;

/* Those results after a certain record that lie outside the bounds of a dimension. */
typedef struct outside_set {
  /* the set has results after the record `sequence`, up to the record `last` (0: up to the end) */
  int64_t sequence, last;
  int count, all;
  double least, most;
  const fcps_stored_result *first;
} outside_set;

/* Finds the dimension at an offset; false if there is none. */
static bool dimension_at(const fcps_study *s, int offset, bounded_dimension *found)
{
  static const char *const labels[] = {"target", "environment", "parameters", "outcome"};
  const fcps_problem *p = &s->problem;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  int index = offset;
  for (int i = 0; i < 4; i++) {
    if (index < spaces[i]->count) {
      *found = (bounded_dimension){labels[i], &spaces[i]->dims[index], offset, i == 3};
      return true;
    }
    index -= spaces[i]->count;
  }
  return false;
}

/* Whether a value is outside. A model clips an outcome to its range exactly, so outcomes have no tolerance. Contexts
 * and parameters may lie outside by a rounding error. */
static bool is_outside(const bounded_dimension *b, double value)
{
  const fcps_space one = {1, b->dim};
  if (!isfinite(value)) return false;
  return b->is_outcome ? fcps_dimension_clip(b->dim, value) != value : fcps_space_find_outside(&one, &value, 0) == 0;
}

/* The value in a result; NaN if the result has no outcome. */
static double value_of(const bounded_dimension *b, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  /* The array with all numbers of a result begins at the target. */
  return b->is_outcome && r->outcome == NULL ? NAN : r->target[b->offset];
}

/* -- The results outside, and the likely reason -- */

static bool is_looked_at(const outside_set *set, const fcps_stored_result *stored)
{
  return stored->sequence > set->sequence && (set->last == 0 || stored->sequence <= set->last) && stored->is_used &&
         !stored->result.rollout.is_confirmed;
}

static outside_set find_outside(const fcps_study *s, const bounded_dimension *b, int64_t sequence)
{
  outside_set set = {.sequence = sequence, .least = INFINITY, .most = -INFINITY};
  for (size_t i = 0; i < s->result_count; i++) {
    const double value = value_of(b, &s->results[i]);
    if (!is_looked_at(&set, &s->results[i]) || isnan(value)) continue;
    set.all++;
    if (!is_outside(b, value)) continue;
    if (set.count++ == 0) set.first = &s->results[i];
    set.least = fmin(set.least, value);
    set.most = fmax(set.most, value);
  }
  return set;
}

static int count_inside(const fcps_study *s, const bounded_dimension *b, const outside_set *set, double factor)
{
  int inside = 0;
  for (size_t i = 0; i < s->result_count; i++) {
    const double value = value_of(b, &s->results[i]);
    inside += is_looked_at(set, &s->results[i]) && is_outside(b, value) && fabs(value * factor) <= FCPS_VALUE_LIMIT &&
              !is_outside(b, value * factor);
  }
  return inside;
}

/* Finds the power of ten that brings nearly all results inside, and writes a question such as " Is the unit wrong?
 * Multiplied by 100 it would be inside". If there is none, the text is empty. */
static const char *question_unit(const fcps_study *s, const bounded_dimension *b, const outside_set *set,
                                 char text[UNIT_SIZE])
{
  static const struct {
    double factor;
    const char *words;
  } units[] = {{100, "Multiplied by 100"},     {0.01, "Divided by 100"},    {1000, "Multiplied by 1000"},
               {0.001, "Divided by 1000"},     {10, "Multiplied by 10"},    {0.1, "Divided by 10"},
               {1e6, "Multiplied by 1000000"}, {1e-6, "Divided by 1000000"}};
  int most = 0;
  text[0] = '\0';
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    const int inside = count_inside(s, b, set, units[u].factor);
    if (inside <= most || inside < nearly_all * set->count) continue;
    most = inside;
    snprintf(text, UNIT_SIZE, ". Is the unit wrong? %s it would be inside", units[u].words);
  }
  return text;
}

/* -- One result -- */

/* Whether a value is far outside its bounds. A number a little outside hardly has another unit, even if some fraction
 * of it would be inside. */
static bool is_far(const fcps_dimension *dim, double value)
{
  static const double times = 5.0;
  return fabs(value) > times * fmax(fabs(dim->lower), fabs(dim->upper)) ||
         (dim->lower > 0.0 && value < dim->lower / times);
}

const char *fcps_study_drop_command(const fcps_study *s, const fcps_stored_result *stored,
                                    char text[STUDY_COMMAND_SIZE])
{
  char name[STUDY_RESULT_NAME_SIZE];
  fcps_study_name_result(stored, name);
  snprintf(text, STUDY_COMMAND_SIZE, "fcps study amend %.180s --drop %s", fcps_study_word(s), name);
  return text;
}

/* Warns of one result outside its bounds. The number is used, because it may be right as well as mistyped. A model
 * takes an outcome outside its range as the end of the range: it knows only that the outcome is at least that large, or
 * that small. */
static void warn_of_one(const fcps_study *s, const bounded_dimension *b, const fcps_stored_result *stored)
{
  const double value = value_of(b, stored), used = fcps_dimension_clip(b->dim, value);
  const fcps_outside outside = {b->space, b->dim, value};
  const outside_set alone = {.sequence = stored->sequence - 1, .last = stored->sequence, .count = 1};
  char text[256], command[STUDY_COMMAND_SIZE], unit[UNIT_SIZE] = "";
  if (is_far(b->dim, value)) question_unit(s, b, &alone, unit);
  fcps_study_drop_command(s, stored, command);
  if (b->is_outcome)
    fcps_log_say(
        &s->options.log, FCPS_LOG_WARNING, "W_OUTSIDE_RANGE",
        "%s=%.6g is outside its range, %.6g to %.6g%s. It is stored as it is; models of the outcome take it as "
        "%.6g or %s. If it is a mistake: %s",
        b->dim->name, value, b->dim->lower, b->dim->upper, unit, used, used == b->dim->upper ? "more" : "less",
        command);
  else
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, BOUNDS_CODE,
                 "%s%s. It is stored and used as it is. If it is a mistake: %s",
                 fcps_outside_text(&outside, sizeof text, text), unit, command);
}

void fcps_study_warn_of_bounds(const fcps_study *s, const fcps_stored_result *stored)
{
  bounded_dimension b;
  for (int i = 0; dimension_at(s, i, &b); i++)
    if (is_outside(&b, value_of(&b, stored))) warn_of_one(s, &b, stored);
}

/* -- Many results -- */

/* Whether nearly all results of a set would be inside the bounds of another dimension. */
static bool would_fit(const fcps_study *s, const bounded_dimension *b, const outside_set *set,
                      const bounded_dimension *as)
{
  int inside = 0;
  for (size_t i = 0; i < s->result_count; i++) {
    const double value = value_of(b, &s->results[i]);
    inside += is_looked_at(set, &s->results[i]) && is_outside(b, value) && !is_outside(as, value);
  }
  return inside >= nearly_all * set->count;
}

/* Writes " Are the columns of heat and time swapped?" if nearly all numbers of two dimensions are outside, but
 * inside the bounds of the other one; else the text is empty. */
static const char *question_swap(const fcps_study *s, const bounded_dimension *b, const outside_set *set,
                                 char text[SWAP_SIZE])
{
  bounded_dimension other;
  text[0] = '\0';
  for (int i = 0; dimension_at(s, i, &other) && set->count >= nearly_all * set->all && *text == '\0'; i++) {
    if (i == b->offset || !(other.dim->lower < other.dim->upper)) continue;
    const outside_set there = find_outside(s, &other, set->sequence);
    if (there.count == 0 || there.count < nearly_all * there.all) continue;
    if (would_fit(s, b, set, &other) && would_fit(s, &other, &there, b))
      snprintf(text, SWAP_SIZE,
               ". Are the columns of %.63s and %.63s swapped? Each would be inside the bounds of the other",
               b->dim->name, other.dim->name);
  }
  return text;
}

/* A set and its dimension, for the function that says whether a result belongs to the set. */
typedef struct set_member {
  const bounded_dimension *b;
  const outside_set *set;
} set_member;

static bool is_member(const void *user, const fcps_stored_result *stored)
{
  const set_member *member = user;
  return is_looked_at(member->set, stored) && is_outside(member->b, value_of(member->b, stored));
}

static void warn_of_set(const fcps_study *s, const bounded_dimension *b, const outside_set *set)
{
  enum { MOST_PARTS = 6 };
  const set_member member = {b, set};
  char names[(MOST_PARTS + 2) * FCPS_STUDY_NAME_PART], swap[SWAP_SIZE];
  const int named = fcps_study_list_names(s, is_member, &member, MOST_PARTS, sizeof names, names);
  char unit[UNIT_SIZE], name[STUDY_RESULT_NAME_SIZE], least[FCPS_NUMBER_SIZE], most[FCPS_NUMBER_SIZE];
  fcps_study_name_result(set->first, name);
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, b->is_outcome ? "W_OUTSIDE_RANGE" : BOUNDS_CODE,
               "%s.%.63s: %d of %d results lie outside [%.6g, %.6g]: %s to %s; the first is result %s. They are stored "
               "as they are%s%s. If they are a mistake: fcps study amend %.180s --drop %s%s",
               b->space, b->dim->name, set->count, set->all, b->dim->lower, b->dim->upper,
               fcps_number_show(set->least, least), fcps_number_show(set->most, most), name,
               b->is_outcome ? "; models of the outcome take each as the end of the range" : ", and used",
               *question_swap(s, b, set, swap) != '\0' ? swap : question_unit(s, b, set, unit), fcps_study_word(s),
               names, named < set->count ? ", and so on" : "");
}

void fcps_study_warn_of_bounds_since(const fcps_study *s, int64_t sequence)
{
  bounded_dimension b;
  for (int i = 0; dimension_at(s, i, &b); i++) {
    const outside_set set = find_outside(s, &b, sequence);
    if (set.count == 1) warn_of_one(s, &b, set.first);
    if (set.count > 1) warn_of_set(s, &b, &set);
  }
}

void fcps_study_look_at_bounds(fcps_study *s)
{
  bounded_dimension b;
  for (int i = 0; dimension_at(s, i, &b) && !b.is_outcome; i++) {
    const outside_set set = find_outside(s, &b, 0);
    char unit[UNIT_SIZE], least[FCPS_NUMBER_SIZE], most[FCPS_NUMBER_SIZE];
    if (set.count < LEAST_OUTSIDE || !(set.count > too_many * set.all)) continue;
    fcps_study_make_remark(s, BOUNDS_CODE, b.dim->name,
                           "%s.%.63s: %d of %d results lie outside [%.6g, %.6g]: %s to %s. They are used as they are%s",
                           b.space, b.dim->name, set.count, set.all, b.dim->lower, b.dim->upper,
                           fcps_number_show(set.least, least), fcps_number_show(set.most, most),
                           question_unit(s, &b, &set, unit));
  }
}

/* -- Constraints --
 *
 * A result whose parameters break a constraint is stored and used, with a warning. */

#define CONSTRAINT_CODE "W_CONSTRAINT"

/* Those results after a certain record that break a constraint. */
typedef struct broken_set {
  int count, all, constraint; /* `constraint` is the index of the constraint that the first result breaks */
  const fcps_stored_result *first;
} broken_set;

static bool breaks(const fcps_study *s, const fcps_stored_result *stored, int *constraint)
{
  const fcps_rollout *r = &stored->result.rollout;
  const fcps_status status =
      fcps_problem_find_broken(&s->problem, r->target, r->environment, r->parameters, constraint, NULL);
  /* The call fails if no parameters keep the constraints in this context. Then the result is not to blame. */
  return status == FCPS_OK && *constraint >= 0;
}

void fcps_study_warn_of_constraints(const fcps_study *s, const fcps_stored_result *stored)
{
  char command[STUDY_COMMAND_SIZE];
  int constraint;
  if (s->problem.constraint_count == 0 || !breaks(s, stored, &constraint)) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, CONSTRAINT_CODE,
               "the parameters break \"%.200s\". The result is stored and used as it is. If it is a mistake: %s",
               s->problem.constraints[constraint], fcps_study_drop_command(s, stored, command));
}

void fcps_study_warn_of_constraints_since(const fcps_study *s, int64_t sequence)
{
  broken_set set = {0};
  char name[STUDY_RESULT_NAME_SIZE];
  if (s->problem.constraint_count == 0) return;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    int constraint;
    if (stored->sequence <= sequence || !stored->is_used || stored->result.rollout.is_confirmed) continue;
    set.all++;
    if (!breaks(s, stored, &constraint) || set.count++ > 0) continue;
    set.first = stored;
    set.constraint = constraint;
  }
  if (set.count == 1) fcps_study_warn_of_constraints(s, set.first);
  if (set.count <= 1) return;
  fcps_study_name_result(set.first, name);
  fcps_log_say(
      &s->options.log, FCPS_LOG_WARNING, CONSTRAINT_CODE,
      "the parameters of %d of %d results break a constraint; the first is result %s, with \"%.200s\". They are "
      "stored and used as they are",
      set.count, set.all, name, s->problem.constraints[set.constraint]);
}
