/* SPDX-License-Identifier: Apache-2.0 */
/* What a posterior is made of, and the functions that make the difference between rewards, outcomes and ensembles. For
 * these (reward_posterior.c, outcome_posterior.c, ensemble.c) and for search/batch, which turns one posterior to many
 * contexts; all others ask through posterior.h.
 *
 * Invariants: `model` is the parent, or its child on the side of the context; a basic posterior has its own outputs and
 * penalty, an ensemble has those of its first member; `failure` is the first failure of a callback since the posterior
 * was made. */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H

#include "model/feasibility/failure_penalty.h"
#include "model/posterior/output_posterior.h"
#include "model/posterior/posterior.h"
#include "optim/region.h"
#include "problem/feasible.h"

/* The functions of posterior.h, for at most FCPS_POSTERIOR_BLOCK points in `moments`, `bound` and `expect`, at most
 * FCPS_POSTERIOR_GRADIENTS in `gradients`, and any number in the others. All answers but draws are weighed by the penalty. */
typedef struct fcps_posterior_ops {
  void (*moments)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
  void (*gradients)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                    double *mean_gradient, double *deviation_gradient);
  void (*expect)(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values);
  double (*expect_gradient)(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient);
  /* rewards of a draw that are not weighed by the penalty yet */
  fcps_status (*draw)(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards);

  /* OPTIONAL: NULL if there is no bound that is cheaper than the moments. */
  void (*bound)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if no outcomes are predicted. */
  bool (*outcome)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if a reward has a value wherever that of a training rollout has one. */
  bool (*has_value)(fcps_posterior *posterior, const double *x);
} fcps_posterior_ops;

extern const fcps_posterior_ops fcps_posterior_of_rewards, fcps_posterior_of_outcomes;

/* The average over models that answer together (model.h). UCB is linear in mean and deviation, so that the averages of both
 * give the average of it. A draw and an expected outcome are those of the first model. */
extern const fcps_posterior_ops fcps_posterior_of_members;

typedef struct fcps_posterior_limits fcps_posterior_limits;

struct fcps_posterior {
  const fcps_posterior_ops *ops;
  const fcps_model *model;  /* whose rows answer */
  const fcps_model *parent; /* that was asked */
  fcps_output_posterior *outputs, own_outputs;
  fcps_failure_penalty *penalty, own_penalty;
  fcps_expected_reward *reward;  /* how outcomes become rewards; NULL: the outputs are rewards, or it is an ensemble */
  int member_count;              /* of an ensemble; else 0 */
  fcps_posterior **members;      /* one per model, the model itself first */
  double *shares;                /* of the members */
  fcps_posterior *next;          /* the next member of the ensemble that this one is in; NULL: none */
  bool *wraps;                   /* which parameters are full circles */
  double *levels;                /* of integer parameters; NULL: there is none */
  fcps_feasible *feasible;       /* NULL: there are no constraints */
  fcps_region region;            /* the same for searches */
  fcps_posterior_limits *limits; /* NULL: there are none (limited.c) */
  fcps_error *error;             /* the creator's */
  fcps_status failure;
};

/* Keeps the first failure of a callback. */
void fcps_posterior_note(fcps_posterior *posterior, fcps_status status);

/* -- Limits (limited.c) --
 *
 * What a trial is worth where it may break one. Every value that searches see is lowered there, the more the less surely the
 * limits are kept: so a search for the best finds the best parameters that keep them, or else those that keep them most
 * surely. Predictions do not see it (fcps_penalty_view.without_limits). */

/* Gives a posterior that was made the limits of its problem, if there are some. */
fcps_status fcps_posterior_take_limits(fcps_posterior *posterior, const double *target, const double *environment);
void fcps_posterior_drop_limits(fcps_posterior *posterior);

/* Lowers values of points, with their gradients (may be NULL). */
void fcps_posterior_limit(fcps_posterior *posterior, int count, const double *x, double *values, double *gradients);

/* The range of the rewards that a model's rollouts earn in a context, without those of doubted rows: a slip of the pen is no
 * reward that a trial can have. */
fcps_status fcps_posterior_find_reward_range(const fcps_model *model, const double *target, const double *environment,
                                             fcps_reward_range *reward_range, fcps_error *error);

/* Weighs any number of rewards by the penalty. */
void fcps_posterior_penalize(fcps_posterior *posterior, int count, const double *x, double *rewards);

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
