/* SPDX-License-Identifier: Apache-2.0 */
/* Searching the parameters for the best value of something that a posterior says: shared by acquisitions and policies.
 * What the value is, they say themselves. */
#ifndef FCPS_SEARCH_SEARCH_H
#define FCPS_SEARCH_SEARCH_H

#include "base/rng.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "optim/optim.h"

typedef enum fcps_search_kind {
  FCPS_SEARCH_MULTISTART, /* a batch of uniform candidates, the best ones refined by L-BFGS-B */
  FCPS_SEARCH_DIRECT      /* the paper's way: DIRECT, then L-BFGS-B */
} fcps_search_kind;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_search_kind_name(int index);

typedef struct fcps_search_settings {
  fcps_search_kind kind;
  int candidates;       /* of multistart; evaluations of DIRECT */
  int starts;           /* refinements of multistart */
  int local_budget;     /* evaluations per refinement */
  const double *centre; /* NULL: the whole cube; else a box around this point (borrowed) */
  double side;          /* of the box; a policy with a side finds the centre for each context */
} fcps_search_settings;

/* Maximizes over the unit cube, or the box in it. Integer coordinates are rounded afterwards and the others climb
 * again, so the answer may lie slightly outside the box. `rng` draws the candidates. */
fcps_status fcps_search_maximize(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                 double *x, fcps_optimum *optimum);

/* A value that a posterior's mean and deviation say together, for example that of UCB (acquisition/ucb.c). It must not
 * shrink when the deviation grows: upper bounds of deviations, which are cheap, then give upper bounds of values, by
 * which candidates are screened. */
typedef struct fcps_moment_objective {
  /* The value, and its derivatives with respect to both. Without needs_deviation the deviation is 0. */
  double (*value)(const void *user, double mean, double deviation, double *by_mean, double *by_deviation);
  bool needs_deviation;
  const void *user;
} fcps_moment_objective;

/* The mean alone: the greedy choice. */
extern const fcps_moment_objective fcps_moment_objective_mean;

/* Maximizes it over the parameters. */
fcps_status fcps_search_moments(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                const fcps_search_settings *settings, fcps_rng rng, double *x, fcps_optimum *optimum);

/* The same from candidates (rows) whose values are known; only refines the best of them. */
fcps_status fcps_search_moments_from(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                     const fcps_search_settings *settings, int count, const double *candidates,
                                     const double *values, double *x, fcps_optimum *optimum);

#endif
