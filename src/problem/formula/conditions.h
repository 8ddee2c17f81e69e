/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions: where a parameter applies, as in `coolant: {choices: [none, mist], when: tool == mill}`.
 *
 * A parameter that does not apply rests at its lower bound, or at its first word, in every row, ask and answer, so that a
 * model sees no difference between rows in which it does not apply. The lower bound is often "nothing": a formula that adds
 * what the parameter costs then adds nothing.
 *
 * A comparison that names a parameter which does not apply is not kept, whatever it says. So a condition on a conditional
 * parameter holds only if that one applies too. */
#ifndef FCPS_PROBLEM_FORMULA_CONDITIONS_H
#define FCPS_PROBLEM_FORMULA_CONDITIONS_H

#include <fcps/problem.h>

typedef struct fcps_conditions fcps_conditions; /* belongs to one thread at a time */

bool fcps_problem_has_conditions(const fcps_problem *problem);

/* Refuses conditions that cannot be read, that depend on themselves or on an outcome, or that never hold. *which := the
 * parameter concerned, and error->column the place in its condition; -1: it concerns another dimension. */
fcps_status fcps_problem_check_conditions(const fcps_problem *problem, int *which, fcps_error *error);

/* Of a problem in a context, which may be NULL where its space is empty. A problem without conditions has none:
 * *conditions is NULL, which the other functions take for parameters that all apply. */
fcps_status fcps_conditions_create(fcps_conditions **conditions, const fcps_problem *problem, const double *target,
                                   const double *environment, fcps_error *error);
void fcps_conditions_destroy(fcps_conditions *conditions);

/* Turns them to another context. */
void fcps_conditions_turn(fcps_conditions *conditions, const double *target, const double *environment);

/* Whether each of these parameters applies. */
void fcps_conditions_find(fcps_conditions *conditions, const double *parameters, bool *applies);

/* The same in the unit cube; places := where parameters of a space rest there. */
void fcps_conditions_find_unit(fcps_conditions *conditions, const double *x, bool *applies);
void fcps_conditions_resting_places(const fcps_space *parameters, double *places);

/* Lets those that do not apply rest. */
fcps_status fcps_problem_rest(const fcps_problem *problem, const double *target, const double *environment,
                              double *parameters, fcps_error *error);

/* The same of parameters that somebody gives, where NaN stands for one that is left out. Refuses one that does not apply and
 * has a value of its own, and one that applies and is left out; its field begins with `label`. */
fcps_status fcps_problem_take_parameters(const fcps_problem *problem, const char *label, const double *target,
                                         const double *environment, double *parameters, fcps_error *error);

/* Makes NaN of those that do not apply, for those who show them. */
fcps_status fcps_problem_leave_out(const fcps_problem *problem, const double *target, const double *environment,
                                   double *parameters, fcps_error *error);

#endif
