/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for the parameters with the best value, for acquisitions and policies. The caller supplies the value, a
 * function of the posterior's mean and deviation. The value grows with the deviation, so an upper bound of the
 * deviation gives an upper bound of the value. */
#ifndef FCPS_SEARCH_SEARCH_H
#define FCPS_SEARCH_SEARCH_H

#include "base/rng.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "optim/optim.h"
#include "problem/judge/judge.h"

#include <fcps/base.h>

/* -- Prices -- */

/* Values per unit of cost. A gain is divided by the cost of the trial. A value that is not a gain, such as that of UCB,
 * is first reduced by a floor: the value of the best trial so far. A value below the floor is not divided, so that a
 * search still has a slope to climb. */
typedef struct fcps_price {
  fcps_cost *cost; /* its context must be set */
  double floor;
} fcps_price;

/* Replaces each value by its value per unit of cost at the point. Does nothing if `price` is NULL. */
void fcps_price_apply(const fcps_price *price, int n, int count, const double *x, double *values);

/* Wraps an objective: its values are divided by the cost. */
typedef struct fcps_priced {
  const fcps_price *price;
  const fcps_objective *objective;
  double *slope; /* room for the gradient of the cost: n numbers */
} fcps_priced;

/* Makes `inside` an objective with the values of `objective` per unit of cost; without a price `inside` is a copy of
 * `objective`. When the search has ended, the caller calls fcps_price_leave. */
fcps_status fcps_price_enter(const fcps_price *price, const fcps_objective *objective, fcps_priced *priced,
                             fcps_objective *inside);
void fcps_price_leave(fcps_priced *priced);

/* -- Searches -- */

typedef enum fcps_search_kind {
  FCPS_SEARCH_MULTISTART, /* a batch of uniform candidates, the best ones refined by L-BFGS-B */
  FCPS_SEARCH_DIRECT      /* DIRECT, then L-BFGS-B, as in [pinsler2019] */
} fcps_search_kind;

/* Returns the name of kind number `index`, NULL past the last one. */
const char *fcps_search_kind_name(int index);

typedef struct fcps_search_settings {
  fcps_search_kind kind;
  int candidates;          /* number of candidates of multistart, or of evaluations of DIRECT */
  int starts;              /* number of refinements of multistart */
  int local_budget;        /* evaluations per refinement */
  const double *centre;    /* the middle of a box in the cube (borrowed); NULL to search the whole cube */
  double side;             /* side of the box; a policy with a side finds a centre for each context */
  bool is_rough;           /* saves time, and answers may be a little worse (for rehearsals of a study) */
  const fcps_price *price; /* if not NULL, values are per unit of cost (borrowed) */
} fcps_search_settings;

/* Maximizes the objective over the unit cube, or over the box. Finally integer coordinates are rounded, and the other
 * coordinates are optimized again, so the result may lie slightly outside the box. `rng` draws the candidates. */
fcps_status fcps_search_maximize(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                 double *x, fcps_optimum *optimum);

/* A value that is a function of a posterior's mean and deviation, such as UCB (acquisition/ucb.c). It must not decrease
 * with the deviation, because cheap upper bounds of deviations then give upper bounds of values, which screen the
 * candidates. */
typedef struct fcps_moment_objective {
  /* Returns the value and its derivatives with respect to mean and deviation. If needs_deviation is false, the
   * deviation is 0. */
  double (*value)(const void *user, double mean, double deviation, double *by_mean, double *by_deviation);
  bool needs_deviation;
  const void *user;
} fcps_moment_objective;

/* The mean itself, for the greedy choice. */
extern const fcps_moment_objective fcps_moment_objective_mean;

/* Maximizes the objective over the parameters. */
fcps_status fcps_search_moments(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                const fcps_search_settings *settings, fcps_rng rng, double *x, fcps_optimum *optimum);

/* Maximizes the objective from the best of some candidates, whose values are known. */
fcps_status fcps_search_moments_from(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                     const fcps_search_settings *settings, const fcps_scored_points *candidates,
                                     double *x, fcps_optimum *optimum);

/* -- Screening -- */

/* Finds the candidates that need exact values. An exact value takes a triangular solve, which is wasted on a candidate
 * that cannot be among the best. Bounds are cheap. So exact values are computed in the order of the bounds, until
 * FCPS_BOUND_SCREENING_BEST exact values are above the next bound. The other candidates keep their bounds. In practice
 * one candidate in twenty needs an exact value. */

/* The number of best values that must be exact. It exceeds the number of refinements, because a refinement does not
 * begin at a neighbour of a better candidate. */
enum { FCPS_BOUND_SCREENING_BEST = 16 };

typedef struct fcps_bound_screening {
  double *values; /* borrowed: upper bounds, and exact values for the candidates that have one */
  int *heap;      /* candidates without an exact value: a heap, the largest bound first */
  int left;       /* number of candidates in the heap */
  double best[FCPS_BOUND_SCREENING_BEST]; /* the best exact values, in descending order */
} fcps_bound_screening;

/* Creates a screening of up to `candidates` candidates. `screening` must start zeroed. */
fcps_status fcps_bound_screening_create(fcps_bound_screening *screening, int candidates);
void fcps_bound_screening_destroy(fcps_bound_screening *screening);

/* Begins a screening with `count` upper bounds. Exact values will replace them in `bounds`. */
void fcps_bound_screening_begin(fcps_bound_screening *screening, int count, double *bounds);

/* fcps_bound_screening_next chooses up to `most` candidates that need an exact value, and returns their number. If it
 * is 0, the screening is done. The caller passes the exact value of each to fcps_bound_screening_tell. */
int fcps_bound_screening_next(fcps_bound_screening *screening, int most, int *chosen);
void fcps_bound_screening_tell(fcps_bound_screening *screening, int candidate, double exact);

#endif
