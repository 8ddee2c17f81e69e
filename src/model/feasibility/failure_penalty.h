/* SPDX-License-Identifier: Apache-2.0 */
/* The failure penalty: what a predicted reward is worth if the trial may fail or may have no outcome. Posteriors,
 * batches and policies all use it. One acquisition has a rule of its own: entropy search on outcomes weighs the rewards
 * of its samples once, by the product of both probabilities, against the reward of an absent outcome
 * (acquisition/contextual/outcome_es.c, outcome_belief.c). Two probabilities p weigh the prediction, each by
 *
 *   mean := otherwise + p (mean - otherwise),     deviation := p deviation
 *
 * first the probability that there is an outcome at all (otherwise: the reward of an absent one), then the probability
 * that the trial does not fail. What a failure earns is unknown, but it must not look better than a trial that ends
 * well:
 *
 *   otherwise = min(worst, mean - c spread),     c = 1 if outcomes are predicted, 3 if rewards are
 *
 * where `worst` is the worst reward that the training rollouts earn in this context, and `spread` the standard
 * deviation of their rewards. So the weighed mean grows with p and with the mean, which upper bounds need. Without
 * training rollouts a mean says nothing: it counts as 0, and the probability decides.
 *
 * If the model learns separately whether something moves (structures/contact.c), that probability weighs the prediction
 * first; `otherwise` is then the exact reward of an outcome at rest. Rest is not a failure: neither caution nor
 * optimism changes its probability, and it is part of the reward of a trial that ends well.
 *
 * Acquisitions use this rule. A policy predicts a trial, whose variance is that of a mixture (fcps_penalty_view):
 *
 *   variance := p variance + p (1 - p) (mean - otherwise)^2
 *
 * Points are rows of parameters in the unit cube, at most FCPS_POSTERIOR_BLOCK of them. The status is that of the
 * problem's callbacks.
 */
#ifndef FCPS_MODEL_FEASIBILITY_FAILURE_PENALTY_H
#define FCPS_MODEL_FEASIBILITY_FAILURE_PENALTY_H

#include "model/feasibility/feasibility.h"
#include "reward/expected_reward.h"

/* The points of one query: their covariances with a few hundred rows still fit the cache. */
enum { FCPS_POSTERIOR_BLOCK = 256 };

/* How rewards are weighed if a trial may go wrong. An acquisition uses the view with all members zero. Its deviation is
 * what a trial may tell about the reward, and a trial that goes wrong tells nothing. It is also optimistic about
 * outcomes: a search that avoids every place where an outcome is not certain stays near the first ones. A policy uses a
 * view with is_sober: it chooses with caution, and then predicts trials without optimism. */
typedef struct fcps_penalty_view {
  double caution;  /* how much a choice avoids what may go wrong (caution_of); 0 in predictions */
  bool is_sober;   /* the chance of an outcome counts as it is; else as its root, as if half a trial had to have one */
  bool is_mixture; /* the deviation is that of the mixture of trials that end well and trials that go wrong */
  bool ends_well;  /* trials are assumed not to go wrong */
  bool without_limits; /* limits do not lower rewards: the view is for a prediction */
  /* NULL: the deviation of an outcome is that of the GP alone. Else it is that of a trial: the GP's with noise,
   * multiplied by the factor of the outcome. Means of rewards depend on the noise but not on the factors. */
  const double *widening;
} fcps_penalty_view;

/* The rewards that the training rollouts earn in a context, in a few numbers: the measure for a failed trial there. */
typedef struct fcps_reward_range {
  bool has_rollouts; /* there are training rollouts; else nothing is known of rewards */
  bool has_rewards;  /* at least one of them has a reward here */
  double worst;      /* least reward; 0 without rollouts, below any reward if no rollout has one */
  double spread;     /* standard deviation of the rewards; 1 if they do not differ */
  double lead;       /* the same, estimated from the better rewards alone, so that a few terrible ones do not matter */
  double credible;   /* a predicted reward above this is not believed: it is too far above the best ones */
} fcps_reward_range;

/* Computes the range of these rewards. */
fcps_reward_range fcps_failure_penalty_range(int count, const double *rewards);

typedef struct fcps_failure_penalty {
  fcps_penalty_view view;
  const fcps_layout *layout;
  const fcps_description *description;
  const fcps_feasibility
      *feasibility; /* of the model that the posterior was made for, which learns from all sides of a split */
  fcps_expected_reward *expected_reward; /* gives the reward of an absent outcome; NULL: outcomes are not predicted */
  fcps_error *error;
  fcps_reward_range reward_range; /* in the selected context */

  double *environments;      /* rows in the problem's own units */
  const double *environment; /* the selected environment */
  const double *context;     /* features of the selected context; borrowed */

  /* Scratch for one query, all in the memory of `features`. */
  double *features;        /* inputs of classifiers, rows: environment, then parameters */
  double *probabilities;   /* that a hazard does not come true, for each point */
  double *otherwise;       /* reward of each point if the hazard comes true */
  double *resting;         /* outcomes at rest, rows */
  double *rows;            /* arguments of the problem's rule: environments and parameters in its own units */
  double *feature_slope;   /* gradient of a probability by features */
  double *parameter_slope; /* the same by parameters */
  double *otherwise_slope; /* gradient of `otherwise` */
  bool *present;           /* answers of the problem's rule */
} fcps_failure_penalty;

/* Makes a penalty that borrows all arguments. `penalty` may be destroyed after a failure. */
fcps_status fcps_failure_penalty_create(fcps_failure_penalty *penalty, const fcps_layout *layout,
                                        const fcps_description *description, const fcps_feasibility *feasibility,
                                        fcps_expected_reward *expected_reward, fcps_error *error);
void fcps_failure_penalty_destroy(fcps_failure_penalty *penalty);

/* Replaces the environments by these (rows, copied). The caller must select one of them next. */
fcps_status fcps_failure_penalty_set_environments(fcps_failure_penalty *penalty, int count, const double *environments);

/* Selects an environment, with the features of its context (borrowed; those of the environment come first) and the
 * range of rewards there. */
void fcps_failure_penalty_select(fcps_failure_penalty *penalty, int environment_index, const double *context,
                                 const fcps_reward_range *reward_range);

/* Whether the rewards of this model are weighed by any probability. */
bool fcps_failure_penalty_exists(const fcps_failure_penalty *penalty);

/* Weighs predicted rewards; `deviation` may be NULL. With a utility (else NULL), `mean` has expected utilities: a rest
 * is worth the utility of its reward, and a trial that fails or has no outcome is worth nothing. The second function
 * does the same at one point with gradients. */
fcps_status fcps_failure_penalty_apply(fcps_failure_penalty *penalty, const fcps_utility *utility, int count,
                                       const double *x, double *mean, double *deviation);
fcps_status fcps_failure_penalty_apply_gradient(fcps_failure_penalty *penalty, const fcps_utility *utility,
                                                const double *x, double *mean, double *deviation, double *mean_gradient,
                                                double *deviation_gradient);

/* `has_bound` tells whether rest is the only hazard. Then upper bounds of weighed rewards are cheap: a mixture is at
 * most the better of its two rewards. `bound` turns predicted rewards into such bounds. */
bool fcps_failure_penalty_has_bound(const fcps_failure_penalty *penalty);
fcps_status fcps_failure_penalty_bound(fcps_failure_penalty *penalty, int count, const double *x, double *mean);

/* Computes the probabilities that a trial which does not fail has an outcome, and that a trial does not fail, both
 * without caution: 1 if nothing has gone wrong so far. */
fcps_status fcps_failure_penalty_chances(fcps_failure_penalty *penalty, int count, const double *x, double *outcome,
                                         double *success);

/* Mixes the outcome predicted for a trial in which something moves with the outcome at rest. */
void fcps_failure_penalty_mix_outcome(fcps_failure_penalty *penalty, const double *x, double *mean, double *deviation);

/* Multiplies values by the probability that the trial does not fail. */
void fcps_failure_penalty_scale_by_feasibility(fcps_failure_penalty *penalty, int count, const double *x,
                                               double *values);

#endif
