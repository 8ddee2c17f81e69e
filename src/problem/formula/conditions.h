/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions under which a parameter applies, as in `coolant: {choices: [none, mist], when: tool == mill}`.
 *
 * A parameter that does not apply "rests": it has its lower bound, or its first word, in every row, ask and answer. So
 * a model sees no difference between rows in which it does not apply. A lower bound often means "nothing", so a formula
 * that adds the parameter's cost then adds nothing.
 *
 * A comparison that names a parameter which does not apply is false. So a condition on a conditional parameter can hold
 * only if that parameter applies too. */
#ifndef FCPS_PROBLEM_FORMULA_CONDITIONS_H
#define FCPS_PROBLEM_FORMULA_CONDITIONS_H

#include <fcps/problem.h>

typedef struct fcps_conditions fcps_conditions; /* for use by one thread at a time */

/* Refuses conditions that cannot be read, that depend on themselves or on an outcome, or that never hold. *which: the
 * parameter whose condition is refused, with error->column as the place in the condition; -1 if another dimension is
 * refused. */
fcps_status fcps_problem_check_conditions(const fcps_problem *problem, int *which, fcps_error *error);

/* Reads the conditions of a problem for use in a context. `target` or `environment` may be NULL if its space is empty.
 * *conditions is NULL for a problem without conditions, in which all parameters apply. */
fcps_status fcps_conditions_create(fcps_conditions **conditions, const fcps_problem *problem, const double *target,
                                   const double *environment, fcps_error *error);
void fcps_conditions_destroy(fcps_conditions *conditions);

/* Changes the context. */
void fcps_conditions_turn(fcps_conditions *conditions, const double *target, const double *environment);

/* Finds for each parameter whether it applies. */
void fcps_conditions_find(fcps_conditions *conditions, const double *parameters, bool *applies);

/* The first function does the same for a point of the unit cube. The second writes the coordinates in the unit cube of
 * parameters that do not apply. */
void fcps_conditions_find_unit(fcps_conditions *conditions, const double *x, bool *applies);
void fcps_conditions_resting_places(const fcps_space *parameters, double *places);

/* Sets the parameters that do not apply to their lower bounds. `conditions` may be NULL. */
void fcps_conditions_rest(fcps_conditions *conditions, double *parameters);

/* The same for a single use: each call reads the conditions of the problem anew. */
fcps_status fcps_problem_rest(const fcps_problem *problem, const double *target, const double *environment,
                              double *parameters, fcps_error *error);

/* Checks parameters that a user gives, where NaN means "left out", and sets those that do not apply to their lower
 * bounds. Refuses a parameter that applies and is left out, and one that does not apply and has another value. The
 * error's field begins with `label`. */
fcps_status fcps_problem_take_parameters(const fcps_problem *problem, const char *label, const double *target,
                                         const double *environment, double *parameters, fcps_error *error);

/* Sets the parameters that do not apply to NaN, for display. */
fcps_status fcps_problem_leave_out(const fcps_problem *problem, const double *target, const double *environment,
                                   double *parameters, fcps_error *error);

#endif
