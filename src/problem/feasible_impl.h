/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a feasible set, and the functions that its files share. */
#ifndef FCPS_PROBLEM_FEASIBLE_IMPL_H
#define FCPS_PROBLEM_FEASIBLE_IMPL_H

#include "problem/constraints.h"
#include "problem/feasible.h"
#include "problem/formula/conditions.h"

/* By how much a nearest point may break a margin, as a share of the margin's size; less than what feasible.h promises. */
#define FCPS_FEASIBLE_TIGHT 1e-12

/* -- The nearest point of a polyhedron (feasible_points.c):  min |z - x|^2  with  g_k z >= h_k  (or = h_k)  and
 * low <= z <= high -- */

typedef struct fcps_feasible_nearest {
  int n, rows;
  double *normals; /* the normals g, as rows of n numbers */
  double *offsets; /* the offsets h */
  bool *is_equation;
  double *low, *high; /* a coordinate with equal bounds is fixed; bounds may be infinite */

  /* Of the last answer: the rows and bounds that hold the point. An index is that of a row, or rows + 2d for the lower
   * and rows + 2d + 1 for the upper bound of coordinate d. Each has a force, which is not 0 if the row pushes. */
  int active_count;
  int *active;
  double *forces;

  double *scratch;
} fcps_feasible_nearest;

/* Makes room for up to `rows` rows; the caller frees it with fcps_feasible_nearest_free, also after a failure. */
fcps_status fcps_feasible_nearest_create(fcps_feasible_nearest *nearest, int n, int rows);
void fcps_feasible_nearest_free(fcps_feasible_nearest *nearest);

/* Finds the nearest point; false: the polyhedron is empty, or its numbers are badly scaled. `z` may be x. */
bool fcps_feasible_nearest_find(fcps_feasible_nearest *nearest, const double *x, double *z);

/* -- The set -- */

struct fcps_feasible {
  const fcps_problem *problem;
  int n, count, first; /* `first` is the index of the first parameter among the values */
  fcps_constraint *list;
  double *sizes;  /* the range of each margin over the cube */
  bool is_linear; /* all margins are linear in the cube */
  bool is_known;  /* the rows are known: normals and offsets of `nearest` */
  double *offsets;
  bool has_levels, has_equations;
  fcps_conditions *conditions; /* NULL: all coordinates apply */
  double *resting;             /* the place of each coordinate while it does not apply */
  int switch_count;            /* words on which a margin depends: if such a word changes, the margin jumps */
  int *switches;
  /* bounds of the coordinates in the cube; with steps, from the middle of the first level to that of the last */
  double *levels, *low, *high;
  double *anchor; /* a point of the set, on its steps */
  /* the effort that is left; when it is used up, the search ends because it would take too long */
  double effort;
  int branches;      /* the branches that are left for a search on steps */
  bool is_cut_short; /* a search on steps ended because no branches were left */
  fcps_feasible_nearest nearest;

  const double *point;    /* the point at which margins are evaluated */
  double *values, *rates; /* at one point: the user's values, and the derivative of each with respect to x */
  double *slopes;         /* the derivatives of one margin with respect to the parameters */
  double *here, *next, *target, *direction;
  bool *presses; /* whether each row holds the nearest point back */
  fcps_formula_input *inputs;
  double **wanted; /* the slopes of each value; NULL: not wanted */
  double *work;
};

/* The first function sets the point at which margins are evaluated. The second returns a margin there, in units of
 * its size; NaN counts as broken. */
void fcps_feasible_place(fcps_feasible *set, const double *x);
double fcps_feasible_margin(fcps_feasible *set, int k);

/* Whether a point keeps all margins. If `which` is not NULL, it receives the constraint of the problem that is broken
 * most, or -1. */
bool fcps_feasible_keeps(fcps_feasible *set, const double *x, double tolerance, int *which);

/* Linearizes all margins at x into the rows of `nearest`; false if one has no value or no finite slope there. */
bool fcps_feasible_straighten(fcps_feasible *set, const double *x);

/* Finds the nearest point by a sequence of polyhedra; z may be `here`, but not `next`. false: no point was found. */
bool fcps_feasible_approach(fcps_feasible *set, const bool *held, const double *x, double *z);

/* Finds the last point of the set on the line from the anchor to x. */
void fcps_feasible_come_from_anchor(fcps_feasible *set, const double *x, double *z);

/* Looks for a point of the set near x, on its steps. If it returns true, x is that point. */
bool fcps_feasible_settle_near(fcps_feasible *set, double *x);

#endif
