/* SPDX-License-Identifier: Apache-2.0 */
/* Searching the parameters for the best value of something that a posterior says: shared by acquisitions and policies.
 * The caller says what the value is.
 *
 * The value is a function of mean and deviation that grows with the deviation, so an upper bound of the deviation
 * bounds it. */
#ifndef FCPS_SEARCH_SEARCH_H
#define FCPS_SEARCH_SEARCH_H

#include "base/rng.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "optim/optim.h"
#include "problem/judge/cost.h"

#include <fcps/base.h>

/* -- Prices (price.c) -- */

/* What a trial is worth per unit of its cost. A gain is divided by the cost. A value that is not a gain, such as that of UCB, is
 * first taken above a floor: what the best trial so far has already. Below the floor nothing is gained, and the value stays as it is,
 * so that a search still finds the way up. */
typedef struct fcps_price {
  fcps_cost *cost; /* in the context that is searched */
  double floor;
} fcps_price;

/* values[i] := what the point with that value is worth. NULL: there is no price, and values stay. */
void fcps_price_apply(const fcps_price *price, int n, int count, const double *x, double *values);

/* An objective whose values are those of another per unit of cost. */
typedef struct fcps_priced {
  const fcps_price *price;
  const fcps_objective *objective;
  double *slope; /* of the cost; room for n numbers */
} fcps_priced;

/* Makes `inside` that objective; without a price it is the other one itself. The room is to be freed. */
fcps_status fcps_price_enter(const fcps_price *price, const fcps_objective *objective, fcps_priced *priced,
                             fcps_objective *inside);
void fcps_price_leave(fcps_priced *priced);

/* -- Searches -- */

typedef enum fcps_search_kind {
  FCPS_SEARCH_MULTISTART, /* a batch of uniform candidates, the best ones refined by L-BFGS-B */
  FCPS_SEARCH_DIRECT      /* the paper's way: DIRECT, then L-BFGS-B */
} fcps_search_kind;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_search_kind_name(int index);

typedef struct fcps_search_settings {
  fcps_search_kind kind;
  int candidates;          /* of multistart; evaluations of DIRECT */
  int starts;              /* refinements of multistart */
  int local_budget;        /* evaluations per refinement */
  const double *centre;    /* NULL: the whole cube; else a box around this point (borrowed) */
  double side;             /* of the box; a policy with a side finds the centre for each context */
  const fcps_price *price; /* NULL: values count as they are; else per unit of cost (borrowed) */
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

/* The same from candidates whose values are known; only refines the best of them. */
fcps_status fcps_search_moments_from(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                     const fcps_search_settings *settings, const fcps_scored_points *candidates,
                                     double *x, fcps_optimum *optimum);

/* -- Screening -- */

/* Which candidates need exact values. The triangular solve of an exact value is wasted on a candidate that cannot be
 * among the best. Bounds are cheap, so exact values are asked for in the order of the bounds, until the next bound is
 * below FCPS_BOUND_SCREENING_BEST exact values; the others keep their bounds. In practice one in twenty is asked
 * for. */

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
