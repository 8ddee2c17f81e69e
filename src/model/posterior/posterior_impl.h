/* SPDX-License-Identifier: Apache-2.0 */
/* A view's inside, for view.c (making) and view_predict.c (asking). */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_IMPL_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_IMPL_H

#include "gp/query.h"
#include "model/model.h"
#include "model/reward/expected_reward.h"

/* Points predicted in one pass: their covariances with a few hundred rows still fit the cache. */
#define FCPS_POSTERIOR_BLOCK 256

/* The same of points with gradients, for searches side by side: these need more room. It is a multiple of the points that
 * share a pass inside a query (gp/query.c), so that points fall into the same passes as in one long query. */
#define FCPS_POSTERIOR_GRADIENTS 32

/* What the evidence earns in a context: what a failed trial there is measured by. */
typedef struct fcps_reward_range {
  bool exist;    /* there is evidence; without, nothing is known of rewards */
  double worst;  /* its least reward; 0 without */
  double spread; /* the deviation of its rewards; 1 where they do not differ */
} fcps_reward_range;

/* The reward that tolerances of a search take for 1: that itself, unless all rewards are within a hundredth of it. */
double fcps_reward_range_scale(const fcps_reward_range *reward_range);

struct fcps_posterior {
  const fcps_model *model;  /* of the context's side, where it has split */
  const fcps_model *parent; /* both sides: what may go wrong is learnt from all rollouts */
  fcps_gp_outputs outputs;
  fcps_gp_work work;
  const double *context; /* features of the context: environment first, then the target where it is an input */
  double *features;      /* FCPS_POSTERIOR_BLOCK rows of features */
  double *gradient; /* FCPS_POSTERIOR_GRADIENTS points: gradients of all outputs, then of the variances, with respect
                          * to features */
  bool *wraps;      /* which parameters are full circles */
  double *levels;   /* of integer parameters */
  bool has_levels;  /* there is any */

  double *target;
  const double *environment;
  double *contexts, *environments;       /* those of all places, rows; the two above are among them */
  fcps_reward_range reward_range;        /* in this context */
  fcps_expected_reward *expected_reward; /* NULL: the outputs are rewards */
  double *means;                         /* FCPS_POSTERIOR_BLOCK x width, outcomes */
  double *variances;                     /* FCPS_POSTERIOR_BLOCK x parts */
  double *slopes; /* gradients of all outputs and of the variances with respect to the parameters */

  double *chance_features; /* FCPS_POSTERIOR_BLOCK rows of environment and parameters: the inputs of chances */
  double *chances;         /* FCPS_POSTERIOR_BLOCK */
  double *absent;          /* FCPS_POSTERIOR_BLOCK: rewards without outcome */
  double *chance_gradient; /* with respect to features, then to the parameters */
  bool *rule;              /* FCPS_POSTERIOR_BLOCK: the known presence */
  double *row;             /* one point in the problem's own units, environment first */

  fcps_posterior *next; /* the same context with another sample of the hyper-parameters (mixture.c); NULL: none */
  double *mixed;        /* answers of one of them: 2 FCPS_POSTERIOR_BLOCK, or two gradients */

  fcps_error *error;   /* the creator's */
  fcps_status failure; /* of a callback, from a question that could not return it */
};

/* For the files of the view. Features of the GP's inputs go to row `row` of view->features. */
double *fcps_posterior_features(fcps_posterior *posterior, int row, const double *x);

/* Keeps the first failure of a callback. */
void fcps_posterior_note(fcps_posterior *posterior, fcps_status status);

/* Whether there is doubt about an outcome, or about not failing; the chances (at most FCPS_POSTERIOR_BLOCK) are then in
 * view->chances. */
bool fcps_posterior_presence(fcps_posterior *posterior, int count, const double *x);
bool fcps_posterior_feasibility(fcps_posterior *posterior, int count, const double *x);

/* The same at one point with the slope in the parameters, NULL for zeros; lives until the next question. */
const double *fcps_posterior_presence_gradient(fcps_posterior *posterior, const double *x, double *p);
const double *fcps_posterior_feasibility_gradient(fcps_posterior *posterior, const double *x, double *p);

/* Outcomes of the first `count` rows of view->features, and that of one point with slopes. */
fcps_outcomes fcps_posterior_outcomes(fcps_posterior *posterior, int count, const double *x);
fcps_outcome_slope fcps_posterior_outcome_slope(fcps_posterior *posterior, const double *x);

/* Weighs predicted rewards of at most FCPS_POSTERIOR_BLOCK points by both chances; `deviation` may be NULL. */
void fcps_failure_penalty(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

/* What the evidence earns in a context: outcomes with their reward there, rewards as the model has them. */
fcps_status fcps_posterior_find_reward_range(const fcps_posterior *posterior, const double *target,
                                             const double *environment, fcps_reward_range *reward_range);

/* Gets to know `count` environments (rows, copied) on the model's side, instead of those it knew, and stands in the
 * first. Not for views of models that have the target among their inputs. */
fcps_status fcps_posterior_set_environments(fcps_posterior *posterior, int count, const double *environments);

/* Turns the view to another target in one of its environments: rewards to column `column` of `outputs`; outcomes
 * (`outputs` NULL) stay, only what they are worth changes. */
void fcps_posterior_select(fcps_posterior *posterior, int place, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column);

/* Weighs the predicted reward of one point and its gradient by both chances; `deviation` and its gradient may be NULL
 * together. */
void fcps_failure_penalty_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                                   double *mean_gradient, double *deviation_gradient);

#endif
