/* SPDX-License-Identifier: Apache-2.0 */
/* A batch, for its files: batch.c (life, answers, and which contexts go together), batch_candidates.c (what candidates predict,
 * and what that is worth) and batch_newton.c (where searches begin, and how they go on side by side). */
#ifndef FCPS_SEARCH_BATCH_IMPL_H
#define FCPS_SEARCH_BATCH_IMPL_H

#include "model/posterior/posterior_ops.h"
#include "search/batch.h"

/* Fewer contexts than these in one environment are few: the candidates are not worth variances of their own. */
enum { FCPS_BATCH_FEW = 12 };

/* What depends on the meaning of the outputs. The candidates' means have one column per context if outputs are
 * rewards, and one per environment and outcome dimension if they are outcomes. */
typedef struct fcps_batch_kind {
  /* Whether means alone tell which candidates need exact rewards. */
  bool (*has_bounds)(const fcps_batch *batch);

  /* Conditions the outputs of the columns on the contexts; the outputs, and how many columns there are. */
  fcps_status (*condition)(fcps_batch *batch);
  const fcps_gp_outputs *(*outputs)(const fcps_batch *batch);
  int (*column_count)(const fcps_batch *batch);

  /* The environment and the output of a column. */
  void (*column)(const fcps_batch *batch, int column, int *environment, int *output);

  /* Mean rewards of all candidates in the selected context, before the penalty: upper bounds if there are no
   * variances; with variances, a closed form and no penalty, exact wherever they may be among the largest, and
   * elsewhere lower bounds (fcps_expected_reward_screen); exact in all other cases. */
  fcps_status (*score)(fcps_batch *batch, int context, double *values);

  /* The reward expected of one point per context, and its deviation; both may be NULL. */
  void (*predict)(fcps_batch *batch, const double *x, double *means, double *deviations);
} fcps_batch_kind;

extern const fcps_batch_kind fcps_batch_kind_rewards, fcps_batch_kind_outcomes;

struct fcps_batch {
  const fcps_model *model;
  fcps_error *error;
  int candidates;
  const double *x; /* of the candidates; borrowed */

  /* the posterior of the model, or of its child on the side of all contexts; turned to the context selected last */
  fcps_posterior *posterior;
  fcps_expected_reward *expected_reward; /* how its outcomes become rewards; NULL if its outputs are rewards */
  const fcps_batch_kind *kind;           /* what follows from that */
  fcps_penalty_view view;                /* how it is asked */

  /* the contexts */
  int count, environment_count;
  const double *targets;                      /* borrowed */
  double *environments;                       /* those that differ, rows */
  int environment_index[FCPS_BATCH_CONTEXTS]; /* which of them each context is in */
  fcps_reward_range reward_range[FCPS_BATCH_CONTEXTS];
  bool is_closed; /* in all of them the mean reward has a closed form that bounds and Newton's steps are known of */
  fcps_gp_outputs rewards; /* if outputs are rewards: one column per context */

  /* the candidates: means of one column per context (rewards) or per environment and outcome */
  double *means;                  /* candidates x columns */
  double *variances;              /* of outcomes, in the only environment */
  bool has_variances;             /* for a few contexts they are not worth their triangular solves */
  double *separated;              /* covariances of rows and candidates without the context's factor (gp/query.h) */
  const fcps_model *separated_of; /* the model whose rows these are */
  int scored_environment;         /* the environment whose outcomes and terms the next two are; -1: none */
  double *outcomes;               /* of all candidates */
  double *terms;                  /* of all candidates, if rewards are closed distances */

  fcps_gp_work work; /* for the points of searches side by side; empty before the first */
};

/* Turns the posterior to a context. */
void fcps_batch_select_context(fcps_batch *batch, int context);

/* Whether contexts in several environments can go together. */
bool fcps_batch_can_mix_environments(const fcps_batch *batch);

/* What all candidates predict in all environments. */
fcps_status fcps_batch_predict_candidates(fcps_batch *batch);

/* Mean rewards of all candidates in a context, with the penalty; exact as far as fcps_batch_kind.score says. Upper bounds
 * of them, much cheaper, if the penalty has bounds. */
fcps_status fcps_batch_score(fcps_batch *batch, int context, double *values);
fcps_status fcps_batch_bound(fcps_batch *batch, int context, double *values);

/* The rewards expected of `count` <= FCPS_POSTERIOR_BLOCK points, each in a context of its own, with one pass of the GP;
 * `deviations` may be NULL. Outcomes only. */
void fcps_batch_predict_rewards(fcps_batch *batch, int count, const int *contexts, const double *x, double *means,
                                double *deviations);

/* The best candidates of `count` <= FCPS_BATCH_STARTING contexts from `first` on: `starts` rows of x each. Outcomes
 * only. */
enum { FCPS_BATCH_STARTING = 16 };

#endif
