/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that keep all constraints of a problem in one context, and rest where they do not apply
 * (conditions.h): a set in the unit cube of the parameters, where searches work. Everything that proposes parameters
 * passes through it.
 *
 * A point outside is replaced by the nearest point of the set, so a search may treat the cube as if it were the set: it
 * maximizes f(nearest(x)). Its gradient is that of f without the part that leads out of the set
 * (fcps_feasible_pull). */
#ifndef FCPS_PROBLEM_FEASIBLE_H
#define FCPS_PROBLEM_FEASIBLE_H

#include "base/rng.h"

#include <fcps/problem.h>

typedef struct fcps_feasible fcps_feasible; /* belongs to one thread at a time */

/* Makes the feasible set of a problem in a context. The context may be NULL if its space is empty. For a problem
 * without constraints and conditions *set is NULL, which all other functions take for the whole cube. A set in which no
 * parameters are found is refused; the error names the constraints that contradict each other. */
fcps_status fcps_feasible_create(fcps_feasible **set, const fcps_problem *problem, const double *target,
                                 const double *environment, fcps_error *error);
void fcps_feasible_destroy(fcps_feasible *set);

/* By how much parameters may break a constraint, as a share of the range of its margin over the cube. The first value
 * is for parameters that are asked for, the second for parameters that are told. */
#define FCPS_FEASIBLE_TOLERANCE      1e-10
#define FCPS_FEASIBLE_TOLERANCE_TOLD 1e-9

/* Whether a point keeps all constraints. If `which` is not NULL, it receives the index of the constraint that is
 * broken most, or -1. */
bool fcps_feasible_contains(fcps_feasible *set, const double *x, double tolerance, int *which);

/* Gives the coordinates that do not apply their value at rest. */
void fcps_feasible_rest(fcps_feasible *set, double *x);

/* Finds which coordinates apply at x; false: the problem has no conditions. */
bool fcps_feasible_applies(fcps_feasible *set, const double *x, bool *applies);

/* Finds the nearest point of the set, ignoring steps. `held` (may be NULL) marks coordinates that stay as they are.
 * Returns false if no point was found; `nearest` is then x. */
bool fcps_feasible_project(fcps_feasible *set, const bool *held, const double *x, double *nearest);

/* Turns the gradient of a function at `nearest` into that of its value at the nearest point, seen from x. */
void fcps_feasible_pull(fcps_feasible *set, const bool *held, const double *x, const double *nearest, double *gradient);

/* Moves a point to a point nearby that is in the set and on its steps. Returns false if none was found; x is then
 * some point of the set. */
bool fcps_feasible_settle(fcps_feasible *set, double *x);

/* Replaces the points (rows) that lie outside the set: half of them by their nearest points, which lie on its edge, and
 * half by random points of the set; if `evenly`, all are replaced by random points. */
void fcps_feasible_fill(fcps_feasible *set, fcps_rng *rng, bool evenly, int count, double *points);

#endif
