/* SPDX-License-Identifier: Apache-2.0 */
/* How far the first trials may go from the trials that kept all limits. A model of few results cannot know yet how fast
 * outcomes change. So a step must not be longer than the steepest change of a margin that was seen allows. The higher
 * the required chance of a limit, the shorter is the step. */
#ifndef FCPS_PROBLEM_REACH_H
#define FCPS_PROBLEM_REACH_H

#include "problem/limits.h"
#include "problem/rollouts.h"

typedef struct fcps_problem_reach {
  const fcps_problem *problem; /* borrowed */
  int rows, margins, width;    /* number of trials that kept all limits; number of margins; numbers of one place */
  double *places;              /* environment and parameters of each of these trials, in the unit cube */
  double *values;              /* the margins of each of these trials */
  double *steepest; /* the steepest change of each margin, times the present caution; all 0: steps have no limit */
  double *here;     /* the environment of the ask, and behind it memory for parameters */
} fcps_problem_reach;

/* Learns the reach from the rollouts of a learner or a model, for a context. */
fcps_status fcps_problem_reach_create(fcps_problem_reach *reach, fcps_problem_limits *limits,
                                      const fcps_rollouts *rollouts, const double *target, const double *environment);
void fcps_problem_reach_destroy(fcps_problem_reach *reach);

/* Returns how much further than these parameters (in the unit cube) a step may go, in tenths of the cube. Negative if
 * they are too far away. INFINITY if steps have no limit, because there are enough results or because no result kept
 * the limits. */
double fcps_problem_reach_left(const fcps_problem_reach *reach, const double *x);

#endif
