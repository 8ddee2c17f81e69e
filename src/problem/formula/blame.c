/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the part of a formula to blame for an unusable value. It goes down from the whole formula to a part without a
 * usable value, until all parts of that part have one: that is the smallest part to blame. Of `condition ? a : b` only
 * the chosen branch counts. */
#include "base/memory.h"
#include "base/number.h"
#include "problem/formula/formula.h"
#include "problem/problem.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct blame {
  fcps_formula formula; /* as it is written */
  double *values;       /* of each step */
} blame;

enum { NO_PART = -1 };

static void find_values(blame *b, const double *values)
{
  for (int i = 0; i < b->formula.count; i++) {
    const fcps_formula_step *step = &b->formula.steps[i];
    const int *a = step->arguments;
    b->values[i] = step->op == FCPS_FORMULA_CONSTANT ? step->constant
                   : step->op == FCPS_FORMULA_VALUE
                       ? values[step->index]
                       : fcps_formula_apply(step, b->values[a[0]], b->values[a[1]], b->values[a[2]]);
  }
}

static bool is_bad(const blame *b, int part)
{
  return !fcps_rollout_values_usable(1, &b->values[part]);
}

/* Whether step `part` belongs to the same call as step `whole`: a function of many arguments is a chain of steps. */
static bool continues(const blame *b, int whole, int part)
{
  const fcps_formula_step *a = &b->formula.steps[whole], *c = &b->formula.steps[part];
  return a->function != NULL && a->function == c->function && a->begin == c->begin;
}

/* The part of `whole` that has no usable value; NO_PART: all its parts have one. */
static int find_bad(const blame *b, int whole)
{
  const fcps_formula_step *step = &b->formula.steps[whole];
  int first = 0, last = fcps_formula_arguments(step) - 1, bad = NO_PART;
  if (step->op == FCPS_FORMULA_CHOOSE && is_bad(b, step->arguments[0])) return step->arguments[0];
  if (step->op == FCPS_FORMULA_CHOOSE) first = last = b->values[step->arguments[0]] != 0.0 ? 1 : 2;
  for (int a = last; a >= first; a--) {
    const int part = step->arguments[a];
    const bool has_place = b->formula.steps[part].end > b->formula.steps[part].begin;
    if (has_place && !continues(b, whole, part) && is_bad(b, part)) bad = part;
  }
  if (step->op != FCPS_FORMULA_CALL_TWO || !continues(b, whole, step->arguments[0])) return bad;
  const int before = find_bad(b, step->arguments[0]);
  return before != NO_PART ? before : bad;
}

/* Marks the steps that a part depends on. */
static void mark_used(const blame *b, int part, bool *is_used)
{
  is_used[part] = true;
  for (int i = part; i >= 0; i--)
    for (int a = 0; is_used[i] && a < fcps_formula_arguments(&b->formula.steps[i]); a++)
      is_used[b->formula.steps[i].arguments[a]] = true;
}

static void describe(const blame *b, int part, const char *text, int count, const char *const *names,
                     const fcps_choices *const *choices, const double *values, size_t size, char *words)
{
  const fcps_formula_step *step = &b->formula.steps[part];
  const int length = step->end - step->begin;
  char number[FCPS_NUMBER_SIZE];
  bool *is_used = fcps_allocate((size_t)b->formula.count, sizeof *is_used);
  if (is_used == NULL) return;
  mark_used(b, part, is_used);
  const char *link = " where ";
  size_t used = (size_t)snprintf(words, size, "\"%.*s\" is %s", length < 120 ? length : 120, text + step->begin,
                                 fcps_number_write(b->values[part], number));
  for (int i = 0; i < count && fcps_formula_arguments(step) > 0; i++) {
    bool names_it = false;
    for (int k = 0; k <= part; k++)
      names_it |= is_used[k] && b->formula.steps[k].op == FCPS_FORMULA_VALUE && b->formula.steps[k].index == i;
    if (!names_it || used >= size) continue;
    const fcps_dimension dim = {.name = names[i], .choices = choices != NULL ? choices[i] : NULL};
    const char *word = fcps_dimension_word(&dim, values[i]);
    used += word != NULL ? (size_t)snprintf(words + used, size - used, "%s%s=%s", link, names[i], word)
                         : (size_t)snprintf(words + used, size - used, "%s%s=%.6g", link, names[i], values[i]);
    link = ", ";
  }
  free(is_used);
}

char *fcps_formula_blame(const char *text, int count, const char *const *names, const fcps_choices *const *choices,
                         const double *values, size_t size, char *words)
{
  blame b = {0};
  if (size == 0) return words;
  words[0] = '\0';
  if (fcps_formula_read(&b.formula, text, count, names, choices, NULL) == FCPS_OK)
    b.values = fcps_allocate((size_t)b.formula.count, sizeof *b.values);
  if (b.values != NULL) {
    int blamed = b.formula.count - 1;
    find_values(&b, values);
    for (int next = is_bad(&b, blamed) ? blamed : NO_PART; next != NO_PART; next = find_bad(&b, blamed))
      blamed = next;
    if (is_bad(&b, blamed)) describe(&b, blamed, text, count, names, choices, values, size, words);
  }
  fcps_formula_destroy(&b.formula);
  free(b.values);
  return words;
}
