/* SPDX-License-Identifier: Apache-2.0 */
/* The failure penalty: what a predicted reward is worth if the trial may fail or may have no outcome. Posteriors,
 * batches and policies all use this penalty. One acquisition has a rule of its own: entropy search on outcomes weighs
 * the rewards of its samples once, by the product of the two probabilities below, against the reward of an absent
 * outcome (acquisition/contextual/outcome_es.c, outcome_belief.c). Two probabilities p weigh the prediction, each by
 *
 *   mean := otherwise + p (mean - otherwise),     deviation := p deviation
 *
 * first the probability that there is an outcome at all (`otherwise` is then the reward of an absent outcome), then the
 * probability that the trial does not fail. What a failure earns is unknown, but it must not look better than a trial
 * that ends well:
 *
 *   otherwise = min(worst, mean - c spread),     c = 1 if outcomes are predicted, 3 if rewards are
 *
 * where `worst` is the worst reward that the training rollouts earn in this context, and `spread` the standard
 * deviation of their rewards. So the weighed mean grows with p and with the mean; upper bounds of rewards rely on this.
 * Without training rollouts a mean says nothing: it counts as 0, and the probability decides.
 *
 * If the model learns separately whether something moves (structures/contact.c), the probability of movement weighs the
 * prediction first. `otherwise` is then the exact reward of the outcome at rest, when nothing moves. Rest is not a
 * failure: neither caution nor optimism changes its probability, and a trial that ends well may end at rest.
 *
 * Acquisitions use the rule above. A policy predicts a trial, so its variance is that of a mixture (fcps_penalty_view):
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

/* The most points of one query: their covariances with a few hundred rows still fit the processor's cache. */
enum { FCPS_POSTERIOR_BLOCK = 256 };

/* How rewards are weighed if a trial may go wrong. An acquisition uses the view with all members zero. In this view a
 * deviation says how much a trial may tell about the reward, and a trial that goes wrong tells nothing. The view is
 * also optimistic about outcomes, because a search that avoids every place without a certain outcome stays near its
 * first trials. A policy uses a view with is_sober: it chooses with caution, and predicts trials without optimism. */
typedef struct fcps_penalty_view {
  double caution;      /* how much a choice avoids trials that may go wrong (caution_of); 0 in predictions */
  bool is_sober;       /* the chance of an outcome counts as it is; if false, as its square root, which is optimistic */
  bool is_mixture;     /* the deviation is that of the mixture of trials that end well and trials that go wrong */
  bool ends_well;      /* trials are assumed not to go wrong */
  bool without_limits; /* limits do not lower rewards: the view predicts and does not choose */
  /* One factor per outcome. The deviation of an outcome is then that of a trial: the GP's deviation with noise,
   * multiplied by the factor. Means of rewards depend on the noise alone. NULL: the deviation is the GP's. */
  const double *widening;
} fcps_penalty_view;

/* A summary of the rewards that the training rollouts earn in a context. It scales the penalty of a failed trial. */
typedef struct fcps_reward_range {
  bool has_rollouts; /* there are training rollouts; if false, nothing is known about rewards */
  bool has_rewards;  /* at least one training rollout has a reward in this context */
  double worst;      /* least reward; 0 without rollouts; below any reward if no rollout has a reward */
  double spread;     /* standard deviation of the rewards; 1 if they do not differ */
  double lead;       /* the spread, estimated from the better rewards so that terrible ones do not matter */
  double credible;   /* a predicted reward above this is not believed: it is too far above the best rewards so far */
} fcps_reward_range;

/* Summarizes the rewards of `count` training rollouts in one context. */
fcps_reward_range fcps_failure_penalty_range(int count, const double *rewards);

typedef struct fcps_failure_penalty {
  fcps_penalty_view view;
  const fcps_layout *layout;
  const fcps_description *description;
  const fcps_feasibility *feasibility; /* of the whole model, not of one of its children: it learns from all rollouts */
  fcps_expected_reward *expected_reward; /* gives the reward of an absent outcome; NULL if outcomes are not predicted */
  fcps_error *error;
  fcps_reward_range reward_range; /* the range in the selected context */

  double *environments;      /* rows in the problem's own units */
  const double *environment; /* the selected environment */
  const double *context;     /* features of the selected context; borrowed */

  /* Scratch for one query, all in the memory of `features`. */
  double *features;        /* rows of inputs of classifiers: environment, then parameters */
  double *probabilities;   /* for each point, the probability that a hazard does not occur */
  double *otherwise;       /* reward of each point if the hazard occurs */
  double *resting;         /* rows of outcomes at rest */
  double *rows;            /* arguments of the problem's rule: environments and parameters in its own units */
  double *feature_slope;   /* gradient of a probability with respect to features */
  double *parameter_slope; /* gradient of that probability with respect to parameters */
  double *otherwise_slope; /* gradient of `otherwise` */
  bool *present;           /* answers of the problem's rule */
} fcps_failure_penalty;

/* Makes a penalty that borrows all arguments. The caller destroys `penalty` also after a failure. */
fcps_status fcps_failure_penalty_create(fcps_failure_penalty *penalty, const fcps_layout *layout,
                                        const fcps_description *description, const fcps_feasibility *feasibility,
                                        fcps_expected_reward *expected_reward, fcps_error *error);
void fcps_failure_penalty_destroy(fcps_failure_penalty *penalty);

/* Replaces the environments by copies of `count` rows. The caller must select one of them next. */
fcps_status fcps_failure_penalty_set_environments(fcps_failure_penalty *penalty, int count, const double *environments);

/* Selects an environment, with the features of its context and the range of rewards there. The features are borrowed;
 * those of the environment come first. */
void fcps_failure_penalty_select(fcps_failure_penalty *penalty, int environment_index, const double *context,
                                 const fcps_reward_range *reward_range);

/* Whether any hazard is possible; if not, rewards are not weighed. */
bool fcps_failure_penalty_exists(const fcps_failure_penalty *penalty);

/* Weighs predicted rewards; `deviation` may be NULL. `utility` may be NULL. If it is not, `mean` has expected
 * utilities: an outcome at rest is worth the utility of its reward, and a trial that fails or has no outcome is worth
 * 0. The second function does the same at one point, with gradients. */
fcps_status fcps_failure_penalty_apply(fcps_failure_penalty *penalty, const fcps_utility *utility, int count,
                                       const double *x, double *mean, double *deviation);
fcps_status fcps_failure_penalty_apply_gradient(fcps_failure_penalty *penalty, const fcps_utility *utility,
                                                const double *x, double *mean, double *deviation, double *mean_gradient,
                                                double *deviation_gradient);

/* `has_bound` returns whether rest (nothing moves) is the only hazard. Upper bounds of weighed rewards are then cheap:
 * a mixture of two rewards is at most the better of them. `bound` turns predicted rewards into these bounds. */
bool fcps_failure_penalty_has_bound(const fcps_failure_penalty *penalty);
fcps_status fcps_failure_penalty_bound(fcps_failure_penalty *penalty, int count, const double *x, double *mean);

/* Computes two probabilities for each point, both without caution: that a trial has an outcome if it does not fail, and
 * that a trial does not fail. A probability is 1 if no trial has gone wrong in that way so far. */
fcps_status fcps_failure_penalty_chances(fcps_failure_penalty *penalty, int count, const double *x, double *outcome,
                                         double *success);

/* Mixes the outcome predicted for a trial in which something moves with the outcome at rest. */
void fcps_failure_penalty_mix_outcome(fcps_failure_penalty *penalty, const double *x, double *mean, double *deviation);

/* Multiplies values by the probability that the trial does not fail. */
void fcps_failure_penalty_scale_by_feasibility(fcps_failure_penalty *penalty, int count, const double *x,
                                               double *values);

#endif
