/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a posterior, and the table of functions that differ between posteriors of rewards, of outcomes, and
 * ensembles. For these (reward_posterior.c, outcome_posterior.c, ensemble.c), and for search/batch, which uses one
 * posterior in many contexts; all other code uses posterior.h.
 *
 * Invariants: `model` is `parent`, or the child of `parent` on the side of the context. A basic posterior, one that is
 * not an ensemble, has its own outputs and penalty; an ensemble borrows those of its first member. `failure` is the
 * first failure of a callback since the posterior was made. */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H

#include "model/feasibility/failure_penalty.h"
#include "model/posterior/output_posterior.h"
#include "model/posterior/posterior.h"
#include "optim/region.h"
#include "problem/feasible.h"

/* Each does the same as the function fcps_posterior_... of that name (posterior.h): for at most FCPS_POSTERIOR_BLOCK
 * points in `moments`, `bound` and `expect`, at most FCPS_POSTERIOR_GRADIENTS points in `gradients`, and any number in
 * the others. The penalty weighs all results except those of `draw`. */
typedef struct fcps_posterior_ops {
  void (*moments)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
  void (*gradients)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                    double *mean_gradient, double *deviation_gradient);
  void (*expect)(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values);
  double (*expect_gradient)(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient);
  /* the caller weighs the drawn rewards by the penalty */
  fcps_status (*draw)(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards);

  /* OPTIONAL: NULL if no bound is cheaper than the moments. */
  void (*bound)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if no outcomes are predicted. */
  bool (*outcome)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if a reward has a value whenever the reward of a training rollout has one. */
  bool (*has_value)(fcps_posterior *posterior, const double *x);
} fcps_posterior_ops;

extern const fcps_posterior_ops fcps_posterior_of_rewards, fcps_posterior_of_outcomes;

/* The average over models that answer together (model.h). UCB is linear in mean and deviation, so averaging both
 * averages UCB. A draw and an expected outcome are those of the first model. */
extern const fcps_posterior_ops fcps_posterior_of_members;

typedef struct fcps_posterior_limits fcps_posterior_limits;

struct fcps_posterior {
  const fcps_posterior_ops *ops;
  const fcps_model *model;  /* the model whose GPs predict */
  const fcps_model *parent; /* the model that the posterior was made for */
  fcps_output_posterior *outputs, own_outputs;
  fcps_failure_penalty *penalty, own_penalty;
  fcps_expected_reward *reward;  /* turns outcomes into rewards; NULL: outputs are rewards, or it is an ensemble */
  int member_count;              /* of an ensemble; else 0 */
  fcps_posterior **members;      /* one per model, the model itself first */
  double *shares;                /* of the members */
  fcps_posterior *next;          /* the next member of the same ensemble; NULL after the last */
  bool *wraps;                   /* which parameters are full circles */
  double *levels;                /* number of levels of integer parameters; NULL: no parameter is an integer */
  fcps_feasible *feasible;       /* NULL: there are no constraints */
  fcps_region region;            /* the same constraints in the form that searches use */
  fcps_posterior_limits *limits; /* NULL: there are no limits (limited.c) */
  fcps_error *error;             /* of the caller that made the posterior */
  fcps_status failure;
};

/* Keeps `status` if it is the first failure of a callback. */
void fcps_posterior_note(fcps_posterior *posterior, fcps_status status);

/* -- Limits (limited.c) --
 *
 * Every value that a search maximizes is lowered if the trial may break a limit, and more so the less surely the limits
 * are kept. So a search finds the best parameters that keep the limits, or else those that keep them most surely.
 * Predictions are not lowered (fcps_penalty_view.without_limits). */

/* `take_limits` gives a new posterior the limits of its problem, if there are any. `drop_limits` frees them. */
fcps_status fcps_posterior_take_limits(fcps_posterior *posterior, const double *target, const double *environment);
void fcps_posterior_drop_limits(fcps_posterior *posterior);

/* Lowers the values of points that may break a limit, and changes the gradients (may be NULL) accordingly. */
void fcps_posterior_limit(fcps_posterior *posterior, int count, const double *x, double *values, double *gradients);

/* Computes the range of the rewards that a model's rollouts earn in a context, without doubted rows: a mistyped result
 * is not a reward that a trial can have. */
fcps_status fcps_posterior_find_reward_range(const fcps_model *model, const double *target, const double *environment,
                                             fcps_reward_range *reward_range, fcps_error *error);

/* Weighs any number of rewards by the penalty. */
void fcps_posterior_penalize(fcps_posterior *posterior, int count, const double *x, double *rewards);

/* -- Many contexts, for basic posteriors of models that do not have the target among their inputs -- */

/* Replaces the environments of a posterior by these (rows, copied), and selects the first. They must be on the side of
 * the posterior's model. */
fcps_status fcps_posterior_set_environments(fcps_posterior *posterior, int count, const double *environments);

/* Selects one of these environments and another target, with the range of rewards there. If outputs depend on the
 * target, they become column `column` of `outputs`; else `outputs` is NULL. */
void fcps_posterior_select(fcps_posterior *posterior, int environment_index, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column);

/* Computes the moments of the rewards of `count` points (rows of x), which are the points from number `first` on of the
 * last prediction of outputs. If the view asks for the deviations of trials, the predicted variances become those of
 * trials. Only for outputs that are outcomes. */
void fcps_posterior_reward_moments(fcps_posterior *posterior, int first, int count, const double *x, double *mean,
                                   double *deviation);

#endif
