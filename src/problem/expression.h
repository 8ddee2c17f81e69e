/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas over named numbers, such as "-distance - 0.05*speed^2", compiled once and evaluated often.
 *
 * Operators: + - * / ^, < <= > >= == !=, && || and `condition ? a : b`. Functions: those of the table in
 * expression.c. `pi` is the only constant. A formula of more than 2000 characters, a lone '=', a comma outside a
 * function and a name that is not given are refused with their place.
 */
#ifndef FCPS_PROBLEM_EXPRESSION_H
#define FCPS_PROBLEM_EXPRESSION_H

#include <fcps/base.h>

typedef struct fcps_expression fcps_expression; /* belongs to one thread at a time */

#define FCPS_EXPRESSION_MAX 2000 /* characters: the parser's time grows with their square */

/* Compiles `text` over `count` names. values[i] is the number that names[i] stands for at each evaluation; the array
 * must outlive the expression. On failure error->column is the 1-based place in `text`. */
fcps_status fcps_expression_create(fcps_expression **expression, const char *text, int count, const char *const *names,
                                   const double *values, fcps_error *error);
void fcps_expression_destroy(fcps_expression *expression);

/* The value for what `values` holds now; NaN or infinite where the formula has no finite value there. */
double fcps_expression_eval(fcps_expression *expression);

/* Whether the formula mentions names[index]. */
bool fcps_expression_uses(const fcps_expression *expression, int index);

/* Whether a name has a meaning of its own in formulas, so that no dimension may have it. */
bool fcps_expression_is_reserved(const char *name);

#endif
