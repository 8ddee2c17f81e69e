/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a trial: a positive number from a formula over parameters and context, known before the trial. */
#ifndef FCPS_PROBLEM_JUDGE_COST_H
#define FCPS_PROBLEM_JUDGE_COST_H

#include <fcps/problem.h>

typedef struct fcps_cost fcps_cost; /* for use by one thread at a time */

/* Reads the cost formula of a problem, which stays borrowed. *cost is NULL if the problem has no cost. An error in the
 * formula has the field "cost" and its column. */
fcps_status fcps_cost_create(fcps_cost **cost, const fcps_problem *problem, fcps_error *error);
void fcps_cost_destroy(fcps_cost *cost);

/* Sets the context of the next calls. */
void fcps_cost_set_context(fcps_cost *cost, const double *target, const double *environment);

/* Returns the cost of a trial with these parameters; NaN if the formula's value is not usable. */
double fcps_cost_of(fcps_cost *cost, const double *parameters);

/* Returns the cost at a point of the unit cube; NaN as above. */
double fcps_cost_at(fcps_cost *cost, const double *x);

/* The same after parameters that do not apply at the point were set to their lower bounds. (A search gives only points
 * where they are.) */
double fcps_cost_at_rest(fcps_cost *cost, const double *x);

/* Computes the gradient of the cost in the unit cube by central differences. */
void fcps_cost_gradient(fcps_cost *cost, const double *x, double *gradient);

#endif
