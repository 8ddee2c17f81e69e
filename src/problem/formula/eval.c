/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates formulas for many rows at once. Every step is a loop over the lanes, which compilers vectorize. Derivatives
 * go backwards through the steps: the derivative of the formula by each step is passed on to the step's arguments.
 *
 * `work` holds the values of all steps, then their derivatives, FCPS_FORMULA_LANES numbers each. */
#include "base/memory.h"
#include "base/number.h"
#include "problem/formula/formula.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

size_t fcps_formula_work(const fcps_formula *formula)
{
  return 2 * LANES * (size_t)formula->count;
}

static double *lanes_of(double *work, int step)
{
  return work + (size_t)step * LANES;
}

/* Returns the exponent if it is a small whole number, so that the power is computed as a product; otherwise 0. */
static int whole_exponent(const fcps_formula *formula, const fcps_formula_step *step)
{
  const fcps_formula_step *exponent = &formula->steps[step->arguments[1]];
  for (int whole = 2; whole <= 4; whole++)
    if (exponent->op == FCPS_FORMULA_CONSTANT && exponent->constant == whole) return whole;
  return 0;
}

/* -- Values -- */

static void raise(int lanes, int exponent, const double *restrict a, double *restrict result)
{
  for (int l = 0; l < lanes; l++)
    result[l] = a[l] * a[l];
  for (int l = 0; l < lanes && exponent == 3; l++)
    result[l] *= a[l];
  for (int l = 0; l < lanes && exponent == 4; l++)
    result[l] *= result[l];
}

/* Whether a step is a minimum (sign -1) or a maximum (1). Such steps start from the opposite infinity. */
static bool is_extreme(const fcps_formula_step *step, double sign)
{
  return step->op == FCPS_FORMULA_CALL_TWO && step->function->takes_many && step->function->start == -sign * INFINITY;
}

/* Evaluates a step that has a loop of its own. Returns false if it has none. */
static bool eval_fast(const fcps_formula_step *step, int lanes, const double *restrict a, const double *restrict b,
                      double *restrict result)
{
  switch (step->op) {
  case FCPS_FORMULA_NEGATE:
    for (int l = 0; l < lanes; l++)
      result[l] = -a[l];
    return true;
  case FCPS_FORMULA_ADD:
    for (int l = 0; l < lanes; l++)
      result[l] = a[l] + b[l];
    return true;
  case FCPS_FORMULA_SUBTRACT:
    for (int l = 0; l < lanes; l++)
      result[l] = a[l] - b[l];
    return true;
  case FCPS_FORMULA_MULTIPLY:
    for (int l = 0; l < lanes; l++)
      result[l] = a[l] * b[l];
    return true;
  case FCPS_FORMULA_DIVIDE:
    for (int l = 0; l < lanes; l++)
      result[l] = a[l] / b[l];
    return true;
  case FCPS_FORMULA_CALL_ONE:
    if (step->function->one != fabs) return false;
    for (int l = 0; l < lanes; l++)
      result[l] = fabs(a[l]);
    return true;
  case FCPS_FORMULA_CALL_TWO:
    if (is_extreme(step, -1.0)) {
      for (int l = 0; l < lanes; l++)
        result[l] = b[l] < a[l] || b[l] != b[l] ? b[l] : a[l];
    } else if (is_extreme(step, 1.0)) {
      for (int l = 0; l < lanes; l++)
        result[l] = b[l] > a[l] || b[l] != b[l] ? b[l] : a[l];
    } else {
      return false;
    }
    return true;
  default:
    return false;
  }
}

static void eval_step(const fcps_formula *formula, int index, int lanes, const fcps_formula_input *inputs, double *work)
{
  const fcps_formula_step *step = &formula->steps[index];
  double *result = lanes_of(work, index);
  const double *a = lanes_of(work, step->arguments[0]), *b = lanes_of(work, step->arguments[1]),
               *c = lanes_of(work, step->arguments[2]);
  if (step->op == FCPS_FORMULA_CONSTANT) {
    for (int l = 0; l < lanes; l++)
      result[l] = step->constant;
  } else if (step->op == FCPS_FORMULA_VALUE) {
    const fcps_formula_input *input = &inputs[step->index];
    for (int l = 0; l < lanes; l++)
      result[l] = input->at[(size_t)l * input->stride];
  } else if (step->op == FCPS_FORMULA_POWER && whole_exponent(formula, step) > 0) {
    raise(lanes, whole_exponent(formula, step), a, result);
  } else if (!eval_fast(step, lanes, a, b, result)) {
    for (int l = 0; l < lanes; l++)
      result[l] = fcps_formula_apply(step, a[l], b[l], c[l]);
  }
}

const double *fcps_formula_eval(const fcps_formula *formula, int lanes, const fcps_formula_input *inputs, double *work)
{
  for (int i = 0; i < formula->count; i++)
    eval_step(formula, i, lanes, inputs, work);
  return lanes_of(work, formula->count - 1);
}

/* -- Derivatives -- */

/* Computes the derivatives of a step with respect to its arguments, in one row, for steps without a loop of their
 * own. */
static void slopes_at(const fcps_formula *formula, const fcps_formula_step *step, const double *values, double value,
                      double *slopes)
{
  const double a = values[0], b = values[1];
  switch (step->op) {
  case FCPS_FORMULA_DIVIDE:
    slopes[0] = 1.0 / b;
    slopes[1] = -value / b;
    break;
  case FCPS_FORMULA_POWER:
    slopes[0] = b == 0.0 ? 0.0 : b * pow(a, b - 1.0);
    if (formula->steps[step->arguments[1]].op != FCPS_FORMULA_CONSTANT) slopes[1] = value * log(a);
    break;
  case FCPS_FORMULA_CHOOSE:
    slopes[1] = a != 0.0 ? 1.0 : 0.0;
    slopes[2] = 1.0 - slopes[1];
    break;
  case FCPS_FORMULA_CALL_ONE:
    slopes[0] = step->function->slope(a, value);
    break;
  case FCPS_FORMULA_CALL_TWO:
    step->function->slopes(a, b, value, &slopes[0], &slopes[1]);
    break;
  default: /* comparisons are steps */
    break;
  }
}

/* Passes derivatives on to the arguments. An argument whose value does not matter receives nothing, even if its
 * derivative is infinite. */
static void pass_slopes(const fcps_formula *formula, const fcps_formula_step *step, int lanes, const double *value,
                        const double *out, double *work)
{
  const size_t half = (size_t)formula->count * LANES;
  const int arguments = fcps_formula_arguments(step);
  for (int l = 0; l < lanes; l++) {
    double values[3] = {0}, slopes[3] = {0};
    if (out[l] == 0.0) continue;
    for (int i = 0; i < arguments; i++)
      values[i] = lanes_of(work, step->arguments[i])[l];
    slopes_at(formula, step, values, value[l], slopes);
    for (int i = 0; i < arguments; i++)
      if (slopes[i] != 0.0) lanes_of(work + half, step->arguments[i])[l] += out[l] * slopes[i];
  }
}

/* Adds by * out, or sign * out, to `to`. If `out` is 0 nothing is added, not even NaN. */
static void add_product(int lanes, const double *restrict by, const double *restrict out, double *restrict to)
{
  for (int l = 0; l < lanes; l++)
    to[l] += out[l] != 0.0 ? by[l] * out[l] : 0.0;
}
static void add_signed(int lanes, double sign, const double *restrict out, double *restrict to)
{
  for (int l = 0; l < lanes; l++)
    to[l] += out[l] != 0.0 ? sign * out[l] : 0.0;
}

/* Passes derivatives through kinks. For the absolute value they get the sign of a; for the smaller (sign -1) or larger
 * of two numbers, they go to the number that wins. */
static void pass_sign(int lanes, const double *restrict a, const double *restrict out, double *restrict to)
{
  for (int l = 0; l < lanes; l++)
    to[l] += a[l] > 0.0 ? out[l] : a[l] < 0.0 ? -out[l] : 0.0;
}
static void pass_extreme(int lanes, double sign, const double *restrict a, const double *restrict b,
                         const double *restrict out, double *restrict to_a, double *restrict to_b)
{
  for (int l = 0; l < lanes; l++) {
    const bool is_b = sign * b[l] > sign * a[l];
    to_a[l] += is_b ? 0.0 : out[l];
    to_b[l] += is_b ? out[l] : 0.0;
  }
}

/* Passes derivatives through a product or a quotient; a constant factor needs none. */
static void pass_factors(const fcps_formula *formula, const fcps_formula_step *step, int lanes, const double *out,
                         double *work)
{
  double *slopes = work + (size_t)formula->count * LANES;
  for (int i = 0; i < 2; i++) {
    const fcps_formula_step *other = &formula->steps[step->arguments[1 - i]];
    double *to = lanes_of(slopes, step->arguments[i]);
    if (formula->steps[step->arguments[i]].op == FCPS_FORMULA_CONSTANT) continue;
    if (other->op == FCPS_FORMULA_CONSTANT)
      add_signed(lanes, step->op == FCPS_FORMULA_MULTIPLY ? other->constant : 1.0 / other->constant, out, to);
    else
      add_product(lanes, lanes_of(work, step->arguments[1 - i]), out, to);
  }
}

static void pass_back(const fcps_formula *formula, int index, int lanes, double *work)
{
  const fcps_formula_step *step = &formula->steps[index];
  double *slopes = work + (size_t)formula->count * LANES;
  const double *out = lanes_of(slopes, index), *a = lanes_of(work, step->arguments[0]),
               *b = lanes_of(work, step->arguments[1]);
  double *to_a = lanes_of(slopes, step->arguments[0]), *to_b = lanes_of(slopes, step->arguments[1]);
  const bool by_constant =
      step->op == FCPS_FORMULA_DIVIDE && formula->steps[step->arguments[1]].op == FCPS_FORMULA_CONSTANT;
  if (step->op == FCPS_FORMULA_CONSTANT || step->op == FCPS_FORMULA_VALUE) return;
  if (step->op == FCPS_FORMULA_NEGATE) {
    add_signed(lanes, -1.0, out, to_a);
  } else if (step->op == FCPS_FORMULA_ADD || step->op == FCPS_FORMULA_SUBTRACT) {
    add_signed(lanes, 1.0, out, to_a);
    if (formula->steps[step->arguments[1]].op != FCPS_FORMULA_CONSTANT)
      add_signed(lanes, step->op == FCPS_FORMULA_ADD ? 1.0 : -1.0, out, to_b);
  } else if (step->op == FCPS_FORMULA_MULTIPLY || by_constant) {
    pass_factors(formula, step, lanes, out, work);
  } else if (step->op == FCPS_FORMULA_CALL_ONE && step->function->one == fabs) {
    pass_sign(lanes, a, out, to_a);
  } else if (step->arguments[0] != step->arguments[1] && (is_extreme(step, -1.0) || is_extreme(step, 1.0))) {
    pass_extreme(lanes, is_extreme(step, 1.0) ? 1.0 : -1.0, a, b, out, to_a, to_b);
  } else {
    pass_slopes(formula, step, lanes, lanes_of(work, index), out, work);
  }
}

void fcps_formula_gradient(const fcps_formula *formula, int lanes, double *work, int count, double *const *slopes)
{
  double *by_steps = work + (size_t)formula->count * LANES;
  for (int i = 0; i < formula->count; i++)
    memset(lanes_of(by_steps, i), 0, (size_t)lanes * sizeof(double));
  for (int l = 0; l < lanes; l++)
    lanes_of(by_steps, formula->count - 1)[l] = 1.0;
  for (int i = formula->count - 1; i >= 0; i--)
    pass_back(formula, i, lanes, work);
  for (int i = 0; i < count; i++)
    if (slopes[i] != NULL) memset(slopes[i], 0, (size_t)lanes * sizeof(double));
  for (int i = 0; i < formula->count; i++) {
    const fcps_formula_step *step = &formula->steps[i];
    if (step->op != FCPS_FORMULA_VALUE || slopes[step->index] == NULL) continue;
    for (int l = 0; l < lanes; l++)
      slopes[step->index][l] += lanes_of(by_steps, i)[l];
  }
  for (int i = 0; i < count; i++)
    for (int l = 0; slopes[i] != NULL && l < lanes; l++)
      if (!isfinite(slopes[i][l])) slopes[i][l] = 0.0;
}

/* -- The part of a formula to blame for an unusable value --
 *
 * The search goes from the whole formula down to ever smaller parts without a usable value. It ends at a part all of
 * whose own parts have usable values. Of `condition ? a : b` only the chosen branch counts. */

typedef struct blame {
  fcps_formula formula; /* the formula as it is written */
  double *values;       /* the value of each step */
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

/* Whether step `part` belongs to the same call as step `whole`, because a function of many arguments is a chain of
 * steps. */
static bool continues(const blame *b, int whole, int part)
{
  const fcps_formula_step *a = &b->formula.steps[whole], *c = &b->formula.steps[part];
  return a->function != NULL && a->function == c->function && a->begin == c->begin;
}

/* Returns the part of `whole` that has no usable value; NO_PART if all its parts have one. */
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
