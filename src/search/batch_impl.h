/* SPDX-License-Identifier: Apache-2.0 */
/* A batch, for batch.c (contexts, candidates, predictions) and batch_newton.c (searches side by side). */
#ifndef FCPS_SEARCH_BATCH_IMPL_H
#define FCPS_SEARCH_BATCH_IMPL_H

#include "model/posterior/posterior_ops.h"
#include "search/batch.h"

struct fcps_batch {
  const fcps_model *model;
  fcps_error *error;
  int candidates;
  const double *x; /* of the candidates; borrowed */

  /* the posterior of the model, or of its child on the side of all contexts; turned to the context selected last */
  fcps_posterior *posterior;
  fcps_expected_reward *expected_reward; /* how its outcomes become rewards; NULL where its outputs are rewards */
  const struct batch_kind *kind;         /* what follows from that */
  fcps_penalty_view view;                /* how it is asked */

  /* the contexts */
  int count, environment_count;
  const double *targets;                      /* borrowed */
  double *environments;                       /* those that differ, rows */
  int environment_index[FCPS_BATCH_CONTEXTS]; /* which of them each context is in */
  fcps_reward_range reward_range[FCPS_BATCH_CONTEXTS];
  bool is_closed; /* in all of them the mean reward has a closed form that bounds and Newton's steps are known of */
  fcps_gp_outputs rewards; /* where outputs are rewards: one column per context */

  /* the candidates: means of one column per context (rewards) or per environment and outcome */
  double *means;                  /* candidates x columns */
  double *variances;              /* of outcomes, in the only environment */
  bool has_variances;             /* for a few contexts they are not worth their triangular solves */
  double *separated;              /* covariances of rows and candidates without the context's factor (gp/separable.h) */
  const fcps_model *separated_of; /* the model whose rows these are */
  int scored_environment;         /* the environment whose outcomes and terms the next two are; -1: none */
  double *outcomes;               /* of all candidates */
  double *terms;                  /* of all candidates, where rewards are closed distances */

  fcps_gp_work work; /* for the points of searches side by side; empty before the first */
};

/* Turns the posterior to a context. */
void fcps_batch_select_context(fcps_batch *batch, int context);

/* The best candidates of `count` <= FCPS_BATCH_STARTING contexts from `first` on: `starts` rows of x each. Outcomes
 * only. */
enum { FCPS_BATCH_STARTING = 16 };
fcps_status fcps_batch_starts(fcps_batch *batch, int first, int count, int starts, double *x);

#endif
