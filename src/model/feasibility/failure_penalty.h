/* SPDX-License-Identifier: Apache-2.0 */
/* What a predicted reward is worth where the trial may fail or may have no outcome. Posteriors, batches and policies
 * all take it from here. One acquisition has a rule of its own: entropy search on outcomes weighs the rewards of its
 * samples once, by the product of both probabilities, against the reward of an absent outcome
 * (acquisition/contextual/outcome_es.c, outcome_belief.c). Two probabilities p weigh the prediction, each as
 *
 *   mean := otherwise + p (mean - otherwise),     deviation := p deviation
 *
 * first the probability that there is an outcome at all (otherwise: the reward of an absent one), then the probability
 * that the trial does not fail. What a failure earns is unknown, but it must never look better than a trial that ends
 * well:
 *
 *   otherwise = min(worst, mean - c spread),     c = 1 if outcomes are predicted, 3 where rewards are
 *
 * with the worst reward that the training rollouts earn in this context, and the deviation of what they earn. So the
 * weighed mean grows with p and with the mean, as upper bounds need it. Without training rollouts a mean says nothing:
 * it counts as 0, and the probability decides.
 *
 * If the model decides separately whether something moves (structures/contact.c), that probability weighs the
 * prediction first; the rest of the weight has the exact reward of an outcome at rest. Rest is not a failure: it counts
 * without caution or curiosity, also in the reward of a trial that ends well.
 *
 * Acquisitions ask for these. A policy predicts the reward of a trial, which is a mixture (fcps_penalty_view):
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

/* Points that are asked about at once: their covariances with a few hundred rows still fit the cache. */
enum { FCPS_POSTERIOR_BLOCK = 256 };

/* How rewards are asked for where a trial may go wrong. All zero is how an acquisition asks: a deviation is what a
 * trial may tell, and going wrong tells nothing of the reward; and it is curious, a search that never goes where an
 * outcome is only likely stays where the first ones were. A policy is sober: it chooses with caution, and then
 * predicts trials. */
typedef struct fcps_penalty_view {
  double caution;  /* how much a choice keeps away from what may go wrong; never a prediction */
  bool is_sober;   /* chances of an outcome count as they are; else their roots, as if half a trial had to go well */
  bool is_mixture; /* the deviation is that of a trial's reward, which may come from going wrong */
  bool ends_well;  /* as if nothing could go wrong */
  bool without_limits; /* a prediction: what breaks a limit is worth what it earns */
  double widening; /* the outcome is that of a trial: its deviation is that of the GP with noise, so many times; 0: that
                      of the GP alone. Means of rewards know of the noise, and of nothing else. */
} fcps_penalty_view;

/* The rewards that the training rollouts earn in a context, in a few numbers: they are the measure for a failed trial there. */
typedef struct fcps_reward_range {
  bool has_rollouts; /* there are training rollouts; without them nothing is known of rewards */
  bool has_rewards;  /* at least one of them has a reward here */
  double worst;      /* their least reward; 0 without rollouts, and less than any reward where none of them has one */
  double spread;     /* the deviation of their rewards; 1 if they do not differ */
  double lead;       /* about the same, of the better ones alone: a few terrible ones make no difference */
} fcps_reward_range;

/* The range of these rewards. */
fcps_reward_range fcps_failure_penalty_range(int count, const double *rewards);

typedef struct fcps_failure_penalty {
  fcps_penalty_view view;
  const fcps_layout *layout;
  const fcps_description *description;
  const fcps_feasibility *feasibility;   /* of the model that was asked, which learns from all sides of a split */
  fcps_expected_reward *expected_reward; /* tells what an absent outcome earns; NULL: outcomes are not predicted */
  fcps_error *error;
  fcps_reward_range reward_range; /* in the selected context */

  double *environments;      /* the known ones, rows in the problem's own units */
  const double *environment; /* the selected one */
  const double *context;     /* its features; borrowed */

  /* scratch for one question, all of it in the room of the first */
  double *features;        /* rows of classifier inputs: environment, then parameters */
  double *probabilities;   /* of the points */
  double *otherwise;       /* what a hazard earns that comes true */
  double *resting;         /* outcomes at rest, rows */
  double *rows;            /* environments and parameters in the problem's own units, for the rule */
  double *feature_slope;   /* gradient of a probability by features */
  double *parameter_slope; /* the same by parameters */
  double *otherwise_slope; /* gradient of what is earned otherwise */
  bool *present;           /* what the problem's rule says */
} fcps_failure_penalty;

/* Borrows all arguments. `penalty` may be destroyed after a failure. */
fcps_status fcps_failure_penalty_create(fcps_failure_penalty *penalty, const fcps_layout *layout,
                                        const fcps_description *description, const fcps_feasibility *feasibility,
                                        fcps_expected_reward *expected_reward, fcps_error *error);
void fcps_failure_penalty_destroy(fcps_failure_penalty *penalty);

/* Knows `count` environments (rows, copied) instead of those it knew; one of them is to be selected next. */
fcps_status fcps_failure_penalty_set_environments(fcps_failure_penalty *penalty, int count, const double *environments);

/* Selects one of them, with its features (borrowed; those of the environment come first) and the range there. */
void fcps_failure_penalty_select(fcps_failure_penalty *penalty, int environment_index, const double *context,
                                 const fcps_reward_range *reward_range);

/* Whether any probability weighs the rewards of this model. */
bool fcps_failure_penalty_exists(const fcps_failure_penalty *penalty);

/* Weighs predicted rewards; `deviation` may be NULL. With a utility (else NULL) it weighs what trials are worth by it: a rest is
 * worth the utility of its reward, a trial that fails or has no outcome is worth nothing. The same at one point with
 * gradients. */
fcps_status fcps_failure_penalty_apply(fcps_failure_penalty *penalty, const fcps_utility *utility, int count,
                                       const double *x, double *mean, double *deviation);
fcps_status fcps_failure_penalty_apply_gradient(fcps_failure_penalty *penalty, const fcps_utility *utility,
                                                const double *x, double *mean, double *deviation, double *mean_gradient,
                                                double *deviation_gradient);

/* Whether nothing but rest weighs rewards. Then upper bounds of weighed rewards are cheap, because no probability is
 * needed: a mixture is no better than the better of both. Makes bounds of predicted rewards. */
bool fcps_failure_penalty_has_bound(const fcps_failure_penalty *penalty);
fcps_status fcps_failure_penalty_bound(fcps_failure_penalty *penalty, int count, const double *x, double *mean);

/* The probabilities that trials do not fail, and that those which do not have an outcome: 1 if nothing has gone wrong
 * so far. Caution plays no part. */
fcps_status fcps_failure_penalty_chances(fcps_failure_penalty *penalty, int count, const double *x, double *outcome,
                                         double *success);

/* Weighs the outcome that a trial has where something moves, means and deviations, with the one at rest. */
void fcps_failure_penalty_mix_outcome(fcps_failure_penalty *penalty, const double *x, double *mean, double *deviation);

/* Multiplies values by the probability that the trial does not fail. */
void fcps_failure_penalty_scale_by_feasibility(fcps_failure_penalty *penalty, int count, const double *x,
                                               double *values);

#endif
