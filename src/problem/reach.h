/* SPDX-License-Identifier: Apache-2.0 */
/* How far the first trials may go from those that kept all limits. A model of few results believes that the world is as
 * tame as they are; so until there are more of them, a step is at most as far as the steepest change of a margin that was
 * seen allows, the more carefully the higher the limit's chance must be. */
#ifndef FCPS_PROBLEM_REACH_H
#define FCPS_PROBLEM_REACH_H

#include "problem/limits.h"
#include "problem/rollouts.h"

typedef struct fcps_problem_reach {
  const fcps_problem *problem; /* borrowed */
  int rows, margins, width;    /* trials that kept all limits; numbers of a place */
  double *places;              /* environment and parameters of each, unit cube */
  double *values;              /* its margins */
  double *steepest; /* the steepest change of each margin, times the present caution; all 0: steps have no limit */
  double *here;     /* the environment of the ask, then room for parameters */
} fcps_problem_reach;

/* Learns the reach from the rollouts of a learner or a model, for a context. */
fcps_status fcps_problem_reach_create(fcps_problem_reach *reach, fcps_problem_limits *limits,
                                      const fcps_rollouts *rollouts, const double *target, const double *environment);
void fcps_problem_reach_destroy(fcps_problem_reach *reach);

/* How much further than these parameters (unit cube) a step may go, in tenths of the cube; negative: they are too far.
 * INFINITY: steps have no limit, because there are enough results, or no result kept the limits. */
double fcps_problem_reach_left(const fcps_problem_reach *reach, const double *x);

#endif
