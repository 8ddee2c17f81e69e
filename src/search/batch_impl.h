/* SPDX-License-Identifier: Apache-2.0 */
/* A fan's inside, for fan.c (contexts), fan_candidates.c (what candidates are worth in each), fan_starts.c (the best of
 * them) and fan_climb.c (searches side by side). */
#ifndef FCPS_SEARCH_BATCH_IMPL_H
#define FCPS_SEARCH_BATCH_IMPL_H

#include "gp/separable.h"
#include "model/posterior/posterior_impl.h"
#include "search/batch.h"
#include "search/bound_screening.h"

struct fcps_batch {
  const fcps_model *model;
  fcps_error *error;
  int candidates;
  const double *x;           /* of the candidates; borrowed */
  fcps_posterior *posterior; /* turned to the context that was asked for last; of one side of the model */
  fcps_gp_work work;         /* outcomes: for all points of a round; empty until a climb */

  /* the contexts */
  int count, places;
  const double *targets;          /* borrowed */
  int place[FCPS_BATCH_CONTEXTS]; /* which environment each is in */
  fcps_reward_range reward_range[FCPS_BATCH_CONTEXTS];
  fcps_gp_outputs outputs; /* reward outputs: a column each context */

  /* the candidates */
  double *means;      /* candidates x columns: one a context, or the outcomes of one place after the other */
  double *variances;  /* of outcomes, in the only place */
  bool has_variances; /* for a few targets they are not worth their triangular solves */
  const fcps_model *separated_of; /* the model, or its leaf, that `separated` belongs to */
  double *separated;              /* covariances of rows and candidates, without the context's factor */
  int seen;                       /* the place that the following are of; -1: none */
  double *outcomes, *terms;       /* of all candidates; terms where rewards are closed distances */
};

/* Turns the fan's view to a context. */
void fcps_batch_select_context(fcps_batch *batch, int context);

/* Whether contexts in several environments can be looked at together, if few are in each: the candidates' means are
 * then one product, and exact rewards are asked for where it matters. */
bool fcps_batch_can_mix_environments(const fcps_batch *batch);

/* Fewer contexts than these in one environment are few: the candidates are not worth variances of their own. */
enum { FCPS_BATCH_FEW = 12 };

/* What all candidates predict in all places, after an aim. */
fcps_status fcps_batch_predict_candidates(fcps_batch *batch);

/* Mean rewards of all candidates in a context: exact, or upper bounds where there are no variances. */
fcps_status fcps_batch_candidate_rewards(fcps_batch *batch, int context, double *values);

/* The best candidates of `count` <= FCPS_BATCH_STARTING contexts from `first` on: `starts` rows of x each. */
enum { FCPS_BATCH_STARTING = 16 };
fcps_status fcps_batch_starts(fcps_batch *batch, int first, int count, int starts, double *x);

/* The rewards expected of `count` <= FCPS_POSTERIOR_BLOCK points, each in a context of its own, with one pass of the GP;
 * `deviations` may be NULL. Outcome outputs only. */
void fcps_batch_rewards(fcps_batch *batch, int count, const int *contexts, const double *x, double *means,
                        double *deviations);

#endif
