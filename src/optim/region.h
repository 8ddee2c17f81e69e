/* SPDX-License-Identifier: Apache-2.0 */
/* A region of the unit cube that is searched for a maximum, as a table of functions. */
#ifndef FCPS_OPTIM_REGION_H
#define FCPS_OPTIM_REGION_H

#include "optim/optim.h"

struct fcps_region {
  /* Writes the point of the region that is nearest to x. Coordinates whose flag in `held` is set stay; `held` may be
   * NULL. */
  void (*project)(void *user, const bool *held, const double *x, double *nearest);

  /* Turns the gradient at the nearest point into the gradient by x of the value at the nearest point. */
  void (*pull)(void *user, const bool *held, const double *x, const double *nearest, double *gradient);

  /* Moves a point to a nearby one that is in the region and on its levels. */
  void (*settle)(void *user, double *x);

  /* Replaces the points (rows) outside the region by points inside. */
  void (*fill)(void *user, fcps_rng *rng, int count, double *points);

  /* Lets coordinates rest that do not apply at x; NULL: all apply everywhere. */
  void (*rest)(void *user, double *x);
  void *user;
};

/* Replaces the candidates of a search that are outside; does nothing without a region. */
void fcps_region_fill(const fcps_region *region, fcps_rng *rng, int count, double *points);

/* Moves each point (rows of n) into the region and onto its levels; does nothing without a region. */
void fcps_region_settle_all(const fcps_region *region, int n, int count, double *points);

typedef struct fcps_region_search {
  const fcps_objective *objective;
  const bool *held;
  int most;       /* the most points of one batch */
  double *points; /* the nearest points of a batch */
} fcps_region_search;

/* Makes `inside` an objective over the whole cube: its value at a point is the value of `objective` at the nearest
 * point of the region. Without a region `inside` is `objective` itself. `objective` and `held` are borrowed.
 * fcps_region_leave must be called in the end, also after a failure: it moves the answer into the region and frees the
 * search. */
fcps_status fcps_region_enter(const fcps_objective *objective, const bool *held, int most, fcps_region_search *search,
                              fcps_objective *inside);
void fcps_region_leave(fcps_region_search *search, double *x);

#endif
