/* SPDX-License-Identifier: Apache-2.0 */
/* Adds steps to formulas, splices formulas, and has the functions that steps call. Constants are folded as they come,
 * so a formula in which some values are fixed keeps only the steps that depend on the others. Steps have the values
 * that they would have in C: a comparison is 1 or 0, and NaN is true. */
#include "base/memory.h"
#include "problem/formula/formula.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int fcps_formula_arguments(const fcps_formula_step *step)
{
  switch (step->op) {
  case FCPS_FORMULA_CONSTANT:
  case FCPS_FORMULA_VALUE:
    return 0;
  case FCPS_FORMULA_NEGATE:
  case FCPS_FORMULA_CALL_ONE:
    return 1;
  case FCPS_FORMULA_CHOOSE:
    return 3;
  default:
    return 2;
  }
}

bool fcps_formula_calls(const fcps_formula_step *step, const char *names)
{
  if (step->function == NULL) return false;
  const size_t length = strlen(step->function->name);
  for (const char *word = names; *word != '\0'; word += strspn(word, " ")) {
    const size_t letters = strcspn(word, " ");
    if (letters == length && strncmp(word, step->function->name, length) == 0) return true;
    word += letters;
  }
  return false;
}

bool fcps_formula_compares(const fcps_formula_step *step)
{
  return step->op >= FCPS_FORMULA_LESS && step->op <= FCPS_FORMULA_UNEQUAL;
}

double fcps_formula_apply(const fcps_formula_step *step, double a, double b, double c)
{
  switch (step->op) {
  case FCPS_FORMULA_NEGATE:
    return -a;
  case FCPS_FORMULA_ADD:
    return a + b;
  case FCPS_FORMULA_SUBTRACT:
    return a - b;
  case FCPS_FORMULA_MULTIPLY:
    return a * b;
  case FCPS_FORMULA_DIVIDE:
    return a / b;
  case FCPS_FORMULA_POWER:
    return pow(a, b);
  case FCPS_FORMULA_LESS:
    return a < b;
  case FCPS_FORMULA_LESS_EQUAL:
    return a <= b;
  case FCPS_FORMULA_GREATER:
    return a > b;
  case FCPS_FORMULA_GREATER_EQUAL:
    return a >= b;
  case FCPS_FORMULA_EQUAL:
    return a == b;
  case FCPS_FORMULA_UNEQUAL:
    return a != b;
  case FCPS_FORMULA_AND:
    return a != 0.0 && b != 0.0;
  case FCPS_FORMULA_OR:
    return a != 0.0 || b != 0.0;
  case FCPS_FORMULA_CHOOSE:
    return a != 0.0 ? b : c;
  case FCPS_FORMULA_CALL_ONE:
    return step->function->one(a);
  case FCPS_FORMULA_CALL_TWO:
    return step->function->two(a, b);
  default:
    return NAN;
  }
}

int fcps_formula_append(fcps_formula *formula, fcps_formula_step step)
{
  if (!fcps_reserve((void **)&formula->steps, &formula->capacity, (size_t)formula->count + 1, sizeof step)) return -1;
  formula->steps[formula->count] = step;
  return formula->count++;
}

int fcps_formula_add(fcps_formula *formula, fcps_formula_step step)
{
  const int arguments = fcps_formula_arguments(&step);
  double values[3] = {0};
  bool is_constant = arguments > 0;
  for (int i = 0; i < arguments; i++) {
    if (step.arguments[i] < 0) return -1;
    const fcps_formula_step *argument = &formula->steps[step.arguments[i]];
    is_constant = is_constant && argument->op == FCPS_FORMULA_CONSTANT;
    values[i] = argument->constant;
  }
  if (is_constant)
    return fcps_formula_add_constant(formula, fcps_formula_apply(&step, values[0], values[1], values[2]));
  if (step.op == FCPS_FORMULA_CHOOSE && formula->steps[step.arguments[0]].op == FCPS_FORMULA_CONSTANT)
    return values[0] != 0.0 ? step.arguments[1] : step.arguments[2];
  return fcps_formula_append(formula, step);
}

int fcps_formula_add_constant(fcps_formula *formula, double constant)
{
  return fcps_formula_add(formula, (fcps_formula_step){.op = FCPS_FORMULA_CONSTANT, .constant = constant});
}

int fcps_formula_add_value(fcps_formula *formula, int index)
{
  return fcps_formula_add(formula, (fcps_formula_step){.op = FCPS_FORMULA_VALUE, .index = index});
}

int fcps_formula_add_operation(fcps_formula *formula, fcps_formula_op op, int a, int b)
{
  return fcps_formula_add(formula, (fcps_formula_step){.op = op, .arguments = {a, b}});
}

int fcps_formula_add_call(fcps_formula *formula, const char *function, int a)
{
  return fcps_formula_add(formula, (fcps_formula_step){.op = FCPS_FORMULA_CALL_ONE,
                                                       .function = fcps_formula_function_find(function),
                                                       .arguments = {a}});
}

/* places[i] := where step i of `from` is in `to`, for the steps up to `root` that it needs. */
static int copy_steps(fcps_formula *to, const fcps_formula *from, int root, const int *stand_ins, const bool *is_needed,
                      int *places)
{
  for (int i = 0; i <= root; i++) {
    if (!is_needed[i]) continue;
    fcps_formula_step step = from->steps[i];
    const bool stands_in = step.op == FCPS_FORMULA_VALUE && stand_ins != NULL && stand_ins[step.index] >= 0;
    for (int a = 0; a < fcps_formula_arguments(&step); a++)
      step.arguments[a] = places[step.arguments[a]];
    places[i] = stands_in ? stand_ins[step.index] : fcps_formula_add(to, step);
    if (places[i] < 0) return -1;
  }
  return places[root];
}

int fcps_formula_splice(fcps_formula *to, const fcps_formula *from, int root, const int *stand_ins)
{
  bool *is_needed = fcps_allocate((size_t)root + 1, sizeof *is_needed);
  int *places = fcps_allocate((size_t)root + 1, sizeof *places);
  int place = -1;
  if (is_needed != NULL && places != NULL) {
    is_needed[root] = true;
    for (int i = root; i >= 0; i--)
      for (int a = 0; is_needed[i] && a < fcps_formula_arguments(&from->steps[i]); a++)
        is_needed[from->steps[i].arguments[a]] = true;
    place = copy_steps(to, from, root, stand_ins, is_needed, places);
  }
  free(is_needed);
  free(places);
  return place;
}

bool fcps_formula_specialize(fcps_formula *to, const fcps_formula *from, int root, int count,
                             const double *const *known)
{
  fcps_formula steps = {0};
  int *stand_ins = fcps_allocate((size_t)count, sizeof *stand_ins);
  bool is_done = stand_ins != NULL;
  for (int i = 0; i < count && is_done; i++) {
    const double *value = known != NULL ? known[i] : NULL;
    stand_ins[i] = value != NULL ? fcps_formula_add_constant(&steps, *value) : -1;
    is_done = value == NULL || stand_ins[i] >= 0;
  }
  root = is_done ? fcps_formula_splice(&steps, from, root, stand_ins) : -1;
  /* Splices once more, to leave out the steps that are no longer needed. */
  is_done = root >= 0 && fcps_formula_splice(to, &steps, root, NULL) >= 0;
  fcps_formula_destroy(&steps);
  free(stand_ins);
  return is_done;
}

void fcps_formula_destroy(fcps_formula *formula)
{
  free(formula->steps);
  *formula = (fcps_formula){0};
}

/* -- Functions of one argument; all functions pass NaN on -- */

static double sign(double a)
{
  return isnan(a) ? a : (double)((a > 0.0) - (a < 0.0));
}

static double slope_of_abs(double a, double value)
{
  (void)value;
  return sign(a);
}

static double slope_of_sqrt(double a, double value)
{
  (void)a;
  return 0.5 / value;
}

static double slope_of_cbrt(double a, double value)
{
  (void)a;
  return 1.0 / (3.0 * value * value);
}

static double slope_of_exp(double a, double value)
{
  (void)a;
  return value;
}

static double slope_of_log(double a, double value)
{
  (void)value;
  return 1.0 / a;
}

static double slope_of_log2(double a, double value)
{
  (void)value;
  return 1.0 / (a * log(2.0));
}

static double slope_of_log10(double a, double value)
{
  (void)value;
  return 1.0 / (a * log(10.0));
}

static double slope_of_sin(double a, double value)
{
  (void)value;
  return cos(a);
}

static double slope_of_cos(double a, double value)
{
  (void)value;
  return -sin(a);
}

static double slope_of_tan(double a, double value)
{
  (void)a;
  return 1.0 + value * value;
}

static double slope_of_asin(double a, double value)
{
  (void)value;
  return 1.0 / sqrt(1.0 - a * a);
}

static double slope_of_acos(double a, double value)
{
  (void)value;
  return -1.0 / sqrt(1.0 - a * a);
}

static double slope_of_atan(double a, double value)
{
  (void)value;
  return 1.0 / (1.0 + a * a);
}

static double slope_of_sinh(double a, double value)
{
  (void)value;
  return cosh(a);
}

static double slope_of_cosh(double a, double value)
{
  (void)value;
  return sinh(a);
}

static double slope_of_tanh(double a, double value)
{
  (void)a;
  return 1.0 - value * value;
}

static double slope_of_steps(double a, double value)
{
  (void)a, (void)value;
  return 0.0;
}

/* -- Functions of two arguments -- */

static void slopes_of_atan2(double a, double b, double value, double *by_a, double *by_b)
{
  (void)value;
  const double squares = a * a + b * b;
  *by_a = b / squares;
  *by_b = -a / squares;
}

static void slopes_of_hypot(double a, double b, double value, double *by_a, double *by_b)
{
  *by_a = a / value;
  *by_b = b / value;
}

/* Floored division: the result has the sign of b. */
static double modulo(double a, double b)
{
  return a - b * floor(a / b);
}

static void slopes_of_modulo(double a, double b, double value, double *by_a, double *by_b)
{
  (void)value;
  *by_a = 1.0;
  *by_b = -floor(a / b);
}

/* a moved by whole periods into [-period/2, period/2), for differences of angles. */
static double wrap(double a, double period)
{
  return a - period * floor(a / period + 0.5);
}

static void slopes_of_wrap(double a, double period, double value, double *by_a, double *by_period)
{
  (void)value;
  *by_a = 1.0;
  *by_period = -floor(a / period + 0.5);
}

/* -- Functions of any number of arguments -- */

static double lesser(double a, double b)
{
  return b < a || isnan(b) ? b : a;
}

static void slopes_of_lesser(double a, double b, double value, double *by_a, double *by_b)
{
  (void)value;
  *by_b = b < a ? 1.0 : 0.0;
  *by_a = 1.0 - *by_b;
}

static double greater(double a, double b)
{
  return b > a || isnan(b) ? b : a;
}

static void slopes_of_greater(double a, double b, double value, double *by_a, double *by_b)
{
  (void)value;
  *by_b = b > a ? 1.0 : 0.0;
  *by_a = 1.0 - *by_b;
}

static double plus(double a, double b)
{
  return a + b;
}

static void slopes_of_plus(double a, double b, double value, double *by_a, double *by_b)
{
  (void)a, (void)b, (void)value;
  *by_a = *by_b = 1.0;
}

/* -- The list of all functions -- */

#define ONE(text, function, derivative)                                                                                \
  {                                                                                                                    \
    .name = (text), .one = (function), .slope = (derivative)                                                           \
  }
#define TWO(text, function, derivative)                                                                                \
  {                                                                                                                    \
    .name = (text), .two = (function), .slopes = (derivative)                                                          \
  }
#define MANY(text, first, pair, derivative)                                                                            \
  {                                                                                                                    \
    .name = (text), .takes_many = true, .start = (first), .two = (pair), .slopes = (derivative)                        \
  }

const fcps_formula_function fcps_formula_functions[] = {ONE("abs", fabs, slope_of_abs),
                                                        ONE("sqrt", sqrt, slope_of_sqrt),
                                                        ONE("cbrt", cbrt, slope_of_cbrt),
                                                        ONE("exp", exp, slope_of_exp),
                                                        ONE("log", log, slope_of_log),
                                                        ONE("ln", log, slope_of_log),
                                                        ONE("log2", log2, slope_of_log2),
                                                        ONE("log10", log10, slope_of_log10),
                                                        ONE("sin", sin, slope_of_sin),
                                                        ONE("cos", cos, slope_of_cos),
                                                        ONE("tan", tan, slope_of_tan),
                                                        ONE("asin", asin, slope_of_asin),
                                                        ONE("acos", acos, slope_of_acos),
                                                        ONE("atan", atan, slope_of_atan),
                                                        ONE("sinh", sinh, slope_of_sinh),
                                                        ONE("cosh", cosh, slope_of_cosh),
                                                        ONE("tanh", tanh, slope_of_tanh),
                                                        ONE("floor", floor, slope_of_steps),
                                                        ONE("ceil", ceil, slope_of_steps),
                                                        ONE("round", round, slope_of_steps),
                                                        ONE("sign", sign, slope_of_steps),
                                                        TWO("atan2", atan2, slopes_of_atan2),
                                                        TWO("hypot", hypot, slopes_of_hypot),
                                                        TWO("mod", modulo, slopes_of_modulo),
                                                        TWO("wrap", wrap, slopes_of_wrap),
                                                        MANY("min", INFINITY, lesser, slopes_of_lesser),
                                                        MANY("max", -INFINITY, greater, slopes_of_greater),
                                                        MANY("sum", 0.0, plus, slopes_of_plus),
                                                        MANY("norm", 0.0, hypot, slopes_of_hypot),
                                                        {0}};

const fcps_formula_function *fcps_formula_function_find(const char *name)
{
  for (const fcps_formula_function *f = fcps_formula_functions; f->name != NULL; f++)
    if (strcmp(f->name, name) == 0) return f;
  return NULL;
}
