/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which something must not happen: a problem, in the words of a problem file, and the function that does a
 * trial. */
#ifndef FCPS_LAB_TASK_LIMITED_WORLDS_H
#define FCPS_LAB_TASK_LIMITED_WORLDS_H

enum { FCPS_WORLD_LIMITS = 11 };

typedef struct fcps_world_limit {
  const char *name, *at_most, *at_least; /* formulas; NULL: not limited on this side */
} fcps_world_limit;

typedef struct fcps_limited_world {
  const char *name, *spaces, *reward; /* `spaces`: lines of a problem file */
  const char *safe;                   /* parameters that keep the limits; NULL: there are no limits */
  double penalty;                     /* the reward of a broken limit, if limits are a penalty */
  fcps_world_limit limits[FCPS_WORLD_LIMITS];
  /* Computes the outcome, with noise from `normals`, which are 0 without noise. */
  void (*run)(const double *environment, const double *parameters, const double *normals, double *outcome);
} fcps_limited_world;

/* The world number `index`; NULL past the last. */
const fcps_limited_world *fcps_limited_world_at(int index);

#endif
