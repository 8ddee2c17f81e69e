/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints are comparisons over parameters and context that every trial must keep; they are known before any
 * trial. Each becomes a margin that must not be negative, or that must be zero for an equation. The parameters that
 * keep all constraints are a feasible set (feasible.h). */
#ifndef FCPS_PROBLEM_CONSTRAINTS_H
#define FCPS_PROBLEM_CONSTRAINTS_H

#include "problem/formula/formula.h"

#include <fcps/problem.h>

typedef struct fcps_constraint {
  fcps_formula margin; /* over targets, environment and parameters, in this order */
  bool is_equation;
  int source; /* the constraint of the problem that this one comes from; "a <= 1 && b <= 1" becomes two */
} fcps_constraint;

typedef struct fcps_constraints {
  int count;
  fcps_constraint *list;
  size_t capacity;
} fcps_constraints;

/* Reads the constraints of a problem. An error has the field "constraints.N", counted from 1; its message says the
 * column. */
fcps_status fcps_constraints_read(fcps_constraints *constraints, const fcps_problem *problem, fcps_error *error);
void fcps_constraints_free(fcps_constraints *constraints);

/* Whether a constraint uses a value of the context. */
bool fcps_constraints_use_context(const fcps_constraints *constraints, const fcps_problem *problem);

#endif
