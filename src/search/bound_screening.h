/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates need exact values. The triangular solve of an exact value is wasted on a candidate that cannot be
 * among the best. Bounds are cheap, so exact values are asked for in the order of the bounds, until the next bound is
 * below FCPS_BOUND_SCREENING_BEST exact values; the others keep their bounds. In practice one in twenty is asked
 * for. */
#ifndef FCPS_SEARCH_BOUND_SCREENING_H
#define FCPS_SEARCH_BOUND_SCREENING_H

#include <fcps/base.h>

/* How many of the best must be exact: more than are refined, because those that are neighbours of better ones are
 * passed over. */
enum { FCPS_BOUND_SCREENING_BEST = 16 };

typedef struct fcps_bound_screening {
  double *values;                         /* borrowed: upper bounds, or exact values of those that were asked for */
  int *heap;                              /* candidates that were not: a heap, the largest bound first */
  int left;                               /* in the heap */
  double best[FCPS_BOUND_SCREENING_BEST]; /* exact values, descending */
} fcps_bound_screening;

/* For up to `candidates` candidates. `screening` starts zeroed. */
fcps_status fcps_bound_screening_create(fcps_bound_screening *screening, int candidates);
void fcps_bound_screening_destroy(fcps_bound_screening *screening);

/* Begins with `count` upper bounds, which exact values will replace. */
void fcps_bound_screening_begin(fcps_bound_screening *screening, int count, double *bounds);

/* Up to `most` candidates that need an exact value; 0: it is done. The caller then tells each of them. */
int fcps_bound_screening_next(fcps_bound_screening *screening, int most, int *chosen);
void fcps_bound_screening_tell(fcps_bound_screening *screening, int candidate, double exact);

#endif
