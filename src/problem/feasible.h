/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that keep all constraints of a problem in one context, and rest where they do not apply (conditions.h): a
 * set in the unit cube of the parameters, where searches work. Everything that proposes parameters passes through it.
 *
 * A point is brought into the set by going to the nearest point of it, so a search may treat the cube as if it were the
 * set: it maximizes f(nearest(x)), whose gradient is that of f without what would lead out (fcps_feasible_pull). */
#ifndef FCPS_PROBLEM_FEASIBLE_H
#define FCPS_PROBLEM_FEASIBLE_H

#include "base/rng.h"

#include <fcps/problem.h>

typedef struct fcps_feasible fcps_feasible; /* belongs to one thread at a time */

/* Of a problem in a context, which may be NULL where its space is empty. A problem without constraints and conditions has
 * none: *set is NULL, which all other functions take for the whole cube. Refuses a set in which no parameters are found; the error
 * names the constraints that contradict each other. */
fcps_status fcps_feasible_create(fcps_feasible **set, const fcps_problem *problem, const double *target,
                                 const double *environment, fcps_error *error);
void fcps_feasible_destroy(fcps_feasible *set);

/* How far beyond a constraint parameters may be, as a share of what its margin varies over the cube: those that are asked
 * for, and those that are told. */
#define FCPS_FEASIBLE_TOLERANCE      1e-10
#define FCPS_FEASIBLE_TOLERANCE_TOLD 1e-9

/* Whether a point keeps them; which != NULL receives the constraint of the problem that is broken most, or -1. */
bool fcps_feasible_contains(fcps_feasible *set, const double *x, double tolerance, int *which);

/* Lets coordinates that do not apply rest. */
void fcps_feasible_rest(fcps_feasible *set, double *x);

/* Whether each coordinate applies at x; false: the problem has no conditions. */
bool fcps_feasible_applies(fcps_feasible *set, const double *x, bool *applies);

/* The nearest point of the set; `held` (may be NULL) marks coordinates that stay as they are. Steps are ignored. false:
 * none was found, and `nearest` is x. */
bool fcps_feasible_project(fcps_feasible *set, const bool *held, const double *x, double *nearest);

/* Turns the gradient of a function at `nearest` into that of its value at the nearest point, seen from x. */
void fcps_feasible_pull(fcps_feasible *set, const bool *held, const double *x, const double *nearest, double *gradient);

/* Moves a point to one nearby that is in the set and on its steps; false: none was found, and x is some point of the
 * set. */
bool fcps_feasible_settle(fcps_feasible *set, double *x);

/* Replaces the points (rows) that lie outside: half of them by the nearest, which lie on the edge, half by random points of
 * the set; or, `evenly`, all by random points. */
void fcps_feasible_fill(fcps_feasible *set, fcps_rng *rng, bool evenly, int count, double *points);

#endif
