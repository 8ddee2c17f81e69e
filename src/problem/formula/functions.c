/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all functions. All of them pass NaN on. */
#include "problem/formula/formula.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* -- One argument -- */

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

/* -- Two arguments -- */

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

/* -- Any number of arguments -- */

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

/* -- The list -- */

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
