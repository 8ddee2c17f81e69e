/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that formulas may call, with their derivatives. */
#ifndef FCPS_PROBLEM_FUNCTIONS_H
#define FCPS_PROBLEM_FUNCTIONS_H

#include <stdbool.h>

/* A function has one argument, two, or any number from one on. A function of any number is `two` of its first arguments,
 * then `two` of that and the next, and so on; of a single argument it is two(start, argument). */
typedef struct fcps_formula_function {
  const char *name;
  double (*one)(double a);
  double (*two)(double a, double b);
  double (*many)(const double *values, int count);
  double start; /* where there is `many` */

  /* The derivatives where value = one(a), or two(a, b); 0 where the function has a step or a kink. */
  double (*slope)(double a, double value);
  void (*slopes)(double a, double b, double value, double *by_a, double *by_b);
} fcps_formula_function;

/* The function with this name; NULL: there is none. */
const fcps_formula_function *fcps_formula_function_find(const char *name);

/* All of them, in the order in which they are shown; ends with a row without name. */
extern const fcps_formula_function fcps_formula_functions[];

#endif
