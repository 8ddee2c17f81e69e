/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a trial: a formula over parameters and context, known before the trial and above zero. */
#ifndef FCPS_PROBLEM_JUDGE_COST_H
#define FCPS_PROBLEM_JUDGE_COST_H

#include <fcps/problem.h>

typedef struct fcps_cost fcps_cost; /* belongs to one thread at a time */

/* Reads the cost of a problem, which stays borrowed. *cost is NULL if the problem has none. A mistake has the field "cost" and its
 * column. */
fcps_status fcps_cost_create(fcps_cost **cost, const fcps_problem *problem, fcps_error *error);
void fcps_cost_destroy(fcps_cost *cost);

/* The context of the next questions. */
void fcps_cost_set_context(fcps_cost *cost, const double *target, const double *environment);

/* The cost of a trial with these parameters; NaN: the formula has no usable value there. */
double fcps_cost_of(fcps_cost *cost, const double *parameters);

/* The same in the unit cube. */
double fcps_cost_at(fcps_cost *cost, const double *x);

/* Its gradient in the unit cube, by differences. */
void fcps_cost_gradient(fcps_cost *cost, const double *x, double *gradient);

#endif
