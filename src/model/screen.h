/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates need exact values. The triangular solve of an exact value is wasted on a candidate that cannot be
 * among the best. Bounds are cheap, so exact values are asked for in the order of the bounds, until the next bound is
 * below FCPS_SCREEN_BEST exact values; the others keep their bounds. In practice one in twenty is asked for. */
#ifndef FCPS_MODEL_SCREEN_H
#define FCPS_MODEL_SCREEN_H

#include <fcps/base.h>

/* How many of the best must be exact: more than are refined, because those that are neighbours of better ones are
 * passed over. */
enum { FCPS_SCREEN_BEST = 16 };

typedef struct fcps_screen {
  double *values;                /* borrowed: upper bounds, or exact values of those that were asked for */
  int *heap;                     /* candidates that were not: a heap, the largest bound first */
  int left;                      /* in the heap */
  double best[FCPS_SCREEN_BEST]; /* exact values, descending */
} fcps_screen;

/* For up to `candidates` candidates. `screen` starts zeroed. */
fcps_status fcps_screen_create(fcps_screen *screen, int candidates);
void fcps_screen_destroy(fcps_screen *screen);

/* Begins with `count` upper bounds, which exact values will replace. */
void fcps_screen_begin(fcps_screen *screen, int count, double *bounds);

/* Up to `most` candidates that need an exact value; 0: it is done. The caller then tells each of them. */
int fcps_screen_next(fcps_screen *screen, int most, int *chosen);
void fcps_screen_tell(fcps_screen *screen, int candidate, double exact);

#endif
