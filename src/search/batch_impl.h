/* SPDX-License-Identifier: Apache-2.0 */
/* The batch and the functions that its three files share: batch.c (creation, answers, and the choice of contexts),
 * batch_candidates.c (predictions and rewards of candidates) and batch_newton.c (starts of searches, and searches side
 * by side). */
#ifndef FCPS_SEARCH_BATCH_IMPL_H
#define FCPS_SEARCH_BATCH_IMPL_H

#include "model/posterior/posterior_ops.h"
#include "search/batch.h"

/* If an environment has fewer contexts than this, computing variances of the candidates costs more than it saves. */
enum { FCPS_BATCH_FEW = 12 };

/* The functions that depend on whether outputs are rewards or outcomes. The candidates' means have one column per
 * context for rewards, and one per environment and outcome dimension for outcomes. */
typedef struct fcps_batch_kind {
  /* Whether bounds computed from the means alone show which candidates need exact rewards. */
  bool (*has_bounds)(const fcps_batch *batch);

  /* `condition` computes the outputs of the columns from the results. `outputs` returns these outputs. `column_count`
   * returns the number of columns. */
  fcps_status (*condition)(fcps_batch *batch);
  const fcps_gp_outputs *(*outputs)(const fcps_batch *batch);
  int (*column_count)(const fcps_batch *batch);

  /* Finds the environment and the output of a column. */
  void (*column)(const fcps_batch *batch, int column, int *environment, int *output);

  /* Computes the mean rewards of all candidates in the selected context, before the failure penalty weighs them.
   * Without variances they are upper bounds. With variances, a closed form and no penalty, the means that may be among
   * the largest are exact, and the others are lower bounds (fcps_expected_reward_screen). In all other cases the means
   * are exact. */
  fcps_status (*score)(fcps_batch *batch, int context, double *values);

  /* Predicts the reward of one point per context, and its deviation. `means` and `deviations` may be NULL. */
  void (*predict)(fcps_batch *batch, const double *x, double *means, double *deviations);
} fcps_batch_kind;

extern const fcps_batch_kind fcps_batch_kind_rewards, fcps_batch_kind_outcomes;

struct fcps_batch {
  const fcps_model *model;
  fcps_error *error;
  int candidates;
  const double *x; /* the candidates; borrowed */

  /* the posterior of the model, or of a child if the model has split; its context is the one selected last */
  fcps_posterior *posterior;
  fcps_expected_reward *expected_reward; /* computes rewards from outcomes; NULL if the model predicts rewards */
  const fcps_batch_kind *kind;           /* the functions for the outputs of the model */
  fcps_penalty_view view;                /* how predictions treat failures and limits */

  /* the contexts */
  int count, environment_count;
  const double *targets;                      /* borrowed */
  double *environments;                       /* rows: the different environments */
  int environment_index[FCPS_BATCH_CONTEXTS]; /* the environment of each context */
  fcps_reward_range reward_range[FCPS_BATCH_CONTEXTS];
  bool is_closed;          /* in all contexts the mean reward has a closed form that allows bounds and Newton steps */
  fcps_gp_outputs rewards; /* only if outputs are rewards: one column per context */

  /* the candidates; means have one column per context (rewards) or per environment and outcome */
  double *means;                  /* candidates x columns */
  double *variances;              /* variances of outcomes, if there is one environment */
  bool has_variances;             /* false if contexts are few: the triangular solves would cost too much */
  double *separated;              /* covariances of rows and candidates without the context's factor (gp/query.h) */
  const fcps_model *separated_of; /* the model that `separated` was computed for */
  int scored_environment;         /* the environment of the next two arrays; -1 if they are empty */
  double *outcomes;               /* outcomes of all candidates */
  double *terms;                  /* terms of all candidates, if rewards are distances in closed form */

  fcps_gp_work work; /* for the points of parallel searches; empty before the first use */
};

/* Selects a context for the posterior. */
void fcps_batch_select_context(fcps_batch *batch, int context);

/* Whether contexts in several environments can be in one batch. */
bool fcps_batch_can_mix_environments(const fcps_batch *batch);

/* Predicts all candidates in all environments. */
fcps_status fcps_batch_predict_candidates(fcps_batch *batch);

/* fcps_batch_score computes the mean rewards of all candidates in a context, weighed by the failure penalty;
 * fcps_batch_kind.score says how exact they are. fcps_batch_bound computes upper bounds of these means, which is much
 * cheaper. It may only be called if fcps_failure_penalty_has_bound. */
fcps_status fcps_batch_score(fcps_batch *batch, int context, double *values);
fcps_status fcps_batch_bound(fcps_batch *batch, int context, double *values);

/* Predicts the rewards of `count` <= FCPS_POSTERIOR_BLOCK points, each in its own context, with one pass of the GP;
 * `deviations` may be NULL. Only for outcomes. */
void fcps_batch_predict_rewards(fcps_batch *batch, int count, const int *contexts, const double *x, double *means,
                                double *deviations);

/* Finds the best candidates of `count` <= FCPS_BATCH_STARTING contexts from `first` on and writes `starts` rows of x
 * for each context. Only for outcomes. */
enum { FCPS_BATCH_STARTING = 16 };

#endif
