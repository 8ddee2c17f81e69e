/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a feasible set, and what its files share. */
#ifndef FCPS_PROBLEM_FEASIBLE_IMPL_H
#define FCPS_PROBLEM_FEASIBLE_IMPL_H

#include "problem/constraints.h"
#include "problem/feasible.h"
#include "problem/formula/conditions.h"

/* What a nearest point keeps, as a share of the margin's size; tighter than what is promised. */
#define FCPS_FEASIBLE_TIGHT 1e-12

/* -- The nearest point of a polyhedron (feasible_nearest.c):  min |z - x|^2  with  g_k z >= h_k  (or = h_k)  and
 * low <= z <= high -- */

typedef struct fcps_feasible_nearest {
  int n, rows;
  double *normals; /* g: rows of n */
  double *offsets; /* h */
  bool *is_equation;
  double *low, *high; /* a coordinate where both are the same stays there; may be infinite */

  /* Of the last answer: what holds it back. The index of a row, or rows + 2d for the lower bound of coordinate d and rows +
   * 2d + 1 for the upper one, and the force of each, which is not 0 where it pushes. */
  int active_count;
  int *active;
  double *forces;

  double *scratch;
} fcps_feasible_nearest;

/* Makes room for up to `rows` rows; fcps_feasible_nearest_free ends it, also after a failure. */
fcps_status fcps_feasible_nearest_create(fcps_feasible_nearest *nearest, int n, int rows);
void fcps_feasible_nearest_free(fcps_feasible_nearest *nearest);

/* false: the polyhedron is empty, or numbers are too bad. `z` may be x. */
bool fcps_feasible_nearest_find(fcps_feasible_nearest *nearest, const double *x, double *z);

/* -- The set -- */

struct fcps_feasible {
  const fcps_problem *problem;
  int n, count, first; /* `first`: the place of the parameters among the values */
  fcps_constraint *list;
  double *sizes;  /* what each margin varies over the cube */
  bool is_linear; /* all margins, in the cube */
  bool is_known;  /* their rows: normals of `nearest`, and these */
  double *offsets;
  bool has_levels, has_equations;
  fcps_conditions *conditions; /* NULL: all coordinates apply */
  double *resting;             /* where a coordinate is that does not */
  int switch_count;            /* words that a margin depends on: it jumps with them */
  int *switches;
  double *levels, *low, *high; /* of the cube: with steps from the middle of the first to that of the last */
  double *anchor;              /* a point of the set, on its steps */
  double effort;               /* that is left, so that no problem keeps a search for ever */
  int branches;                /* of a search on steps that are left */
  bool is_cut_short;           /* such a search ended for want of them */
  fcps_feasible_nearest nearest;

  const double *point;    /* where margins are asked for */
  double *values, *rates; /* of one point: the user's, and by how much each grows with x */
  double *slopes;         /* of one margin by the parameters */
  double *here, *next, *target, *direction;
  bool *presses; /* of each row: whether it holds a nearest point back */
  fcps_formula_input *inputs;
  double **wanted; /* the slopes of each value; NULL: not wanted */
  double *work;
};

/* Puts a point where margins are asked for; then a margin there, in units of its size. NaN counts as broken. */
void fcps_feasible_place(fcps_feasible *set, const double *x);
double fcps_feasible_margin(fcps_feasible *set, int k);

/* Whether a point keeps all of them; which != NULL receives the constraint of the problem that is broken most, or -1. */
bool fcps_feasible_keeps(fcps_feasible *set, const double *x, double tolerance, int *which);

/* Straightens all margins at x: the rows of `nearest`. false: one has no value or no finite slope there. */
bool fcps_feasible_straighten(fcps_feasible *set, const double *x);

/* The nearest point by polyhedra; z may be `here`, but not `next`. false: none was found. */
bool fcps_feasible_approach(fcps_feasible *set, const bool *held, const double *x, double *z);

/* The last point of the set on the way from the anchor to x. */
void fcps_feasible_come_from_anchor(fcps_feasible *set, const double *x, double *z);

/* Whether a point of the set was found near x, on steps; x is then that point. */
bool fcps_feasible_settle_near(fcps_feasible *set, double *x);

#endif
