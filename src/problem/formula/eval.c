/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates formulas for many rows at once. Every step is a loop over the lanes, which compilers vectorize. Derivatives
 * go backwards through the steps: the derivative of the formula by each step is passed on to the step's arguments.
 *
 * `work` holds the values of all steps, then their derivatives, FCPS_FORMULA_LANES numbers each. */
#include "problem/formula/formula.h"

#include <math.h>
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

/* The exponent if it is a small whole number, which is computed as a product; otherwise 0. */
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

/* Evaluates a step that has a loop of its own; false: it has none. */
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

/* The derivatives of one row of a step by its arguments, for steps without a loop of their own. */
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

/* Passes derivatives on to the arguments. An argument that does not matter receives nothing, however steep it is. */
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

/* Passes derivatives through kinks: of the absolute value by the sign of a, and of the smaller (sign -1) or larger of
 * two. */
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
