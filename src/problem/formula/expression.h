/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas over named numbers, such as "-distance - 0.05*speed^2", compiled once and evaluated often.
 *
 * Operators: + - * / ^, < <= > >= == !=, && || and `condition ? a : b`. Functions: those of
 * functions.c. `pi` is the only constant. A formula of more than 2000 characters, a lone '=', a comma outside a
 * function and an unknown name are refused with their position.
 */
#ifndef FCPS_PROBLEM_EXPRESSION_H
#define FCPS_PROBLEM_EXPRESSION_H

#include <fcps/base.h>

typedef struct fcps_expression fcps_expression; /* belongs to one thread at a time */

#define FCPS_EXPRESSION_MAX 2000 /* characters: the parser's time grows with their square */

/* Compiles `text` over `count` names. values[i] is the number that names[i] stands for at each evaluation; the array
 * must outlive the expression. On failure error->column is the position in `text`, counted from 1. */
fcps_status fcps_expression_create(fcps_expression **expression, const char *text, int count, const char *const *names,
                                   const double *values, fcps_error *error);
void fcps_expression_destroy(fcps_expression *expression);

/* The formula's value for the present contents of `values`; NaN or infinite where it has no finite value. */
double fcps_expression_eval(fcps_expression *expression);

/* Says why the formula `text`, which can be compiled, has no usable value (it is NaN, infinite or too large) for the
 * present contents of `values`: its smallest part that has none, and the numbers that this part stands on, as in
 * `"log(dose - 30)" is nan where dose=20.5`. Empty where the formula has a value, or without memory. Returns `words`.
 * (blame.c) */
typedef struct fcps_expression_names {
  int count;
  const char *const *names;
  const double *values;
} fcps_expression_names;
char *fcps_expression_blame(const char *text, const fcps_expression_names *names, size_t size, char *words);

/* Whether the formula uses names[index]. */
bool fcps_expression_uses(const fcps_expression *expression, int index);

/* Whether a name already has a meaning in formulas, so that no dimension may have it. */
bool fcps_expression_is_reserved(const char *name);

#endif
