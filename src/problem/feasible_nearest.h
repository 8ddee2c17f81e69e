/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest point of a polyhedron:  min |z - x|^2  with  g_k z >= h_k  (or = h_k)  and  low <= z <= high. */
#ifndef FCPS_PROBLEM_FEASIBLE_NEAREST_H
#define FCPS_PROBLEM_FEASIBLE_NEAREST_H

#include <fcps/base.h>

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

#endif
