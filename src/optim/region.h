/* SPDX-License-Identifier: Apache-2.0 */
/* A region of the unit cube in which a maximum is looked for, by what can be done with it. */
#ifndef FCPS_OPTIM_REGION_H
#define FCPS_OPTIM_REGION_H

#include "optim/optim.h"

struct fcps_region {
  /* The nearest point; coordinates that are held (may be NULL) stay. */
  void (*project)(void *user, const bool *held, const double *x, double *nearest);

  /* Turns the gradient at the nearest point into that of the value there, seen from x. */
  void (*pull)(void *user, const bool *held, const double *x, const double *nearest, double *gradient);

  /* Moves a point to one nearby that is in the region and on its levels. */
  void (*settle)(void *user, double *x);

  /* Replaces points (rows) outside by points inside. */
  void (*fill)(void *user, fcps_rng *rng, int count, double *points);

  /* Lets coordinates rest that do not apply at x; NULL: all apply everywhere. */
  void (*rest)(void *user, double *x);
  void *user;
};

/* Fills candidates of a search; does nothing without a region. */
void fcps_region_fill(const fcps_region *region, fcps_rng *rng, int count, double *points);

/* Moves each point (rows of n) into the region and on its levels; does nothing without a region. */
void fcps_region_settle_all(const fcps_region *region, int n, int count, double *points);

typedef struct fcps_region_search {
  const fcps_objective *objective;
  const bool *held;
  int most;       /* points at once */
  double *points; /* nearest ones */
} fcps_region_search;

/* Makes `inside` the objective over the whole cube that has the value of the nearest point of its region; the objective itself
 * if it has none. `objective` and `held` are borrowed; fcps_region_leave ends it, also after a failure, and brings the answer
 * into the region. */
fcps_status fcps_region_enter(const fcps_objective *objective, const bool *held, int most, fcps_region_search *search,
                              fcps_objective *inside);
void fcps_region_leave(fcps_region_search *search, double *x);

#endif
