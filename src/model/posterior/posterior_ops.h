/* SPDX-License-Identifier: Apache-2.0 */
/* What an implementation of a posterior provides: a table of functions and its state. For the implementations
 * (reward_posterior.c, outcome_posterior.c, posterior/ensemble.c) and for search/batch, which turns one posterior to
 * many contexts; all others ask through posterior.h.
 *
 * Invariants: `model` is the parent, or its child on the side of the context; a basic posterior owns its outputs and
 * its penalty, an ensemble borrows those of its first member; `failure` is the first failure of a callback since the
 * posterior was made. */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H

#include "model/feasibility/failure_penalty.h"
#include "model/posterior/output_posterior.h"
#include "model/posterior/posterior.h"
#include "optim/region.h"
#include "problem/feasible.h"

/* The functions of posterior.h, for at most FCPS_POSTERIOR_BLOCK points in `moments`, `bound` and `expect`, at most
 * FCPS_POSTERIOR_GRADIENTS in `gradients`, and any number in the others. Every answer is weighed by the penalty. */
typedef struct fcps_posterior_ops {
  void (*moments)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
  void (*gradients)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                    double *mean_gradient, double *deviation_gradient);
  void (*expect)(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values);
  double (*expect_gradient)(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient);
  fcps_status (*draw)(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards);

  /* OPTIONAL: NULL if there is no bound that is cheaper than the moments. */
  void (*bound)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if no outcomes are predicted. */
  bool (*outcome)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if a reward has a value wherever that of a training rollout has one. */
  bool (*has_value)(fcps_posterior *posterior, const double *x);

  /* OPTIONAL: what else is to be done for new environments, beyond outputs and penalty. */
  fcps_status (*set_environments)(fcps_posterior *posterior, int count, const double *environments);

  /* OPTIONAL: what else is to be done to select an environment and a target, beyond outputs and penalty. */
  void (*select)(fcps_posterior *posterior, int environment_index, const double *target);

  void (*destroy)(fcps_posterior *posterior); /* what it owns; the caller frees `state` */
} fcps_posterior_ops;

typedef struct fcps_posterior_limits fcps_posterior_limits;

struct fcps_posterior {
  const fcps_posterior_ops *ops;
  void *state;
  const fcps_model *model;  /* whose rows answer */
  const fcps_model *parent; /* that was asked */
  fcps_output_posterior *outputs;
  fcps_failure_penalty *penalty;
  fcps_posterior *next;          /* the next sample of the hyper-parameters in an ensemble, which owns it; NULL: none */
  bool *wraps;                   /* which parameters are full circles */
  double *levels;                /* of integer parameters; NULL: there is none */
  fcps_feasible *feasible;       /* NULL: there are no constraints */
  fcps_region region;            /* the same for searches */
  fcps_posterior_limits *limits; /* NULL: there are none (limited.c) */
  fcps_error *error;             /* the creator's */
  fcps_status failure;
};

/* Makes a posterior with a zeroed state of `size` bytes; fcps_posterior_destroy ends it at any time afterwards. */
fcps_status fcps_posterior_begin(fcps_posterior **posterior, const fcps_posterior_ops *ops, size_t size,
                                 const fcps_model *parent, const fcps_model *model, fcps_error *error);

/* Keeps the first failure of a callback. */
void fcps_posterior_note(fcps_posterior *posterior, fcps_status status);

/* -- Limits (limited.c) --
 *
 * What a trial is worth where it may break one. Every value that searches see is lowered there, the more the less surely the
 * limits are kept: so whoever looks for the best finds the best that keeps them, or else the parameters that keep them most
 * surely. Predictions do not see it (fcps_penalty_view.without_limits). */

/* Gives a posterior that was made the limits of its problem, if there are some. */
fcps_status fcps_posterior_take_limits(fcps_posterior *posterior, const double *target, const double *environment);
void fcps_posterior_drop_limits(fcps_posterior *posterior);
void fcps_posterior_limit_context(const fcps_posterior *posterior, const double **target, const double **environment);

/* Lowers values of points, with their gradients (may be NULL). */
void fcps_posterior_limit(fcps_posterior *posterior, int count, const double *x, double *values, double *gradients);

/* -- What basic posteriors share -- */

/* The rewards of the training rollouts of a model in a context, without the doubted ones. */
fcps_status fcps_posterior_find_reward_range(const fcps_model *model, const double *target, const double *environment,
                                             fcps_reward_range *reward_range, fcps_error *error);

/* Makes the penalty of a posterior that knows one environment, by what the model that was asked has learnt. */
fcps_status fcps_posterior_begin_penalty(fcps_posterior *posterior, const double *environment,
                                         const fcps_reward_range *reward_range, fcps_expected_reward *expected_reward);

/* Weighs any number of rewards by the penalty. */
void fcps_posterior_penalize(fcps_posterior *posterior, int count, const double *x, double *rewards);

/* The posteriors themselves: of `model`, which is `parent` or its child. */
fcps_status fcps_posterior_create_of_rewards(fcps_posterior **posterior, const fcps_model *parent,
                                             const fcps_model *model, const double *target, const double *environment,
                                             fcps_error *error);
fcps_status fcps_posterior_create_of_outcomes(fcps_posterior **posterior, const fcps_model *parent,
                                              const fcps_model *model, const double *target, const double *environment,
                                              fcps_error *error);

/* The average over `model` and those that answer with it (members.h). UCB is linear in mean and deviation, so that the averages
 * of both give the average of it. A draw and an expected outcome are those of the model itself. */
fcps_status fcps_posterior_create_of_members(fcps_posterior **posterior, const fcps_model *parent,
                                             const fcps_model *model, const double *target, const double *environment,
                                             fcps_error *error);

/* How the outcomes of a posterior become rewards; NULL if its outputs are rewards. */
fcps_expected_reward *fcps_posterior_expected_reward(const fcps_posterior *posterior);

/* -- Many contexts, for basic posteriors of models that do not have the target among their inputs -- */

/* Knows `count` environments (rows, copied) instead of those it knew, and selects the first. They must be on the side
 * of the posterior's model. */
fcps_status fcps_posterior_set_environments(fcps_posterior *posterior, int count, const double *environments);

/* Turns to another target in one of the known environments, with the range of rewards there. Outputs that depend on the
 * target become column `column` of `outputs`; NULL keeps those that do not. */
void fcps_posterior_select(fcps_posterior *posterior, int environment_index, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column);

/* The moments of the rewards of `count` points (rows of x), from point `first` of the outputs' last question on; the
 * deviations of trials where they are asked for, and then the variances there become those of trials. Only if outputs
 * are outcomes. */
void fcps_posterior_reward_moments(fcps_posterior *posterior, int first, int count, const double *x, double *mean,
                                   double *deviation);

#endif
