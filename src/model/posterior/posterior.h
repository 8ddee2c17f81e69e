/* SPDX-License-Identifier: Apache-2.0 */
/* A posterior: what a model believes of the rewards in one context. It is the one way to ask a model.
 *
 * Parameters are rows in the unit cube. Rewards are those to expect of a trial, weighed by the probabilities that the
 * trial has an outcome and does not fail (feasibility/failure_penalty.h). Who answers depends on the model:
 *
 *   reward_posterior.c    the outputs of the GP are rewards
 *   outcome_posterior.c   the outputs are outcomes, whose reward is known exactly (reward/expected_reward.h)
 *   ensemble.c            the average over models that answer together (members.h)
 *
 * If the model has split, the child of the context's side answers. Questions that cannot fail return nothing; a
 * callback of the problem that fails on the way is kept, and fcps_posterior_failure tells.
 */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_H

#include "gp/gp.h"
#include "model/feasibility/failure_penalty.h"
#include "optim/region.h"
#include "reward/expected_reward.h"

#include <fcps/problem.h>

typedef struct fcps_model fcps_model;
typedef struct fcps_posterior fcps_posterior;

/* Borrows the model, which must not change while the posterior lives, and `error`, which gets the words when a callback
 * of the problem fails later. */
fcps_status fcps_posterior_create(fcps_posterior **posterior, const fcps_model *model, const double *target,
                                  const double *environment, fcps_error *error);
void fcps_posterior_destroy(fcps_posterior *posterior);

/* FCPS_OK, or why the answers so far cannot be trusted: a callback failed. */
fcps_status fcps_posterior_failure(const fcps_posterior *posterior);

/* How the next questions are asked; before the first call as acquisitions ask. */
void fcps_posterior_set_view(fcps_posterior *posterior, fcps_penalty_view view);

/* The probabilities that trials do not fail, and that those which do not have an outcome; 1 if nothing has gone wrong
 * so far. */
void fcps_posterior_chances(fcps_posterior *posterior, int count, const double *x, double *outcome, double *success);

/* -- Rewards -- */

/* Mean and latent standard deviation (may be NULL) of the reward of `count` parameter vectors. */
void fcps_posterior_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

/* The moments with deviations that are never too small, which is much cheaper if there are many rows (FCPS_VARIANCE_BOUND).
 * Returns false and does nothing if there is no such bound. */
bool fcps_posterior_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
bool fcps_posterior_has_bound(const fcps_posterior *posterior);

/* The moments at one point with gradients. `deviation` and its gradient may be NULL together. */
void fcps_posterior_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient);

/* The moments at `count` points with rows of gradients: cheaper than one by one if there are many rows. */
void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient);

/* The expected utility of `count` parameter vectors, and of one with its gradient. If the outputs are rewards, it
 * is the utility of a Gaussian with the weighed moments; where they are outcomes, the utility of the unweighed
 * reward times both probabilities: a trial that fails or has no outcome is then worth nothing. */
void fcps_posterior_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                           double *values);
double fcps_posterior_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                      double *gradient);

/* Rewards of `count` parameter vectors from one joint draw of the outputs, from `count` standard normals per output. */
fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards);

/* The largest mean reward of parameters tried so far; the worst reward known where there are none. */
double fcps_posterior_incumbent(fcps_posterior *posterior);

/* The parameters with that mean; false if none were tried. */
bool fcps_posterior_best_tried(fcps_posterior *posterior, double *x);

/* Multiplies `values` of `count` parameter vectors by the probability that the trial does not fail: for what a trial is
 * worth, never negative, where a failed one is worth nothing. */
void fcps_posterior_scale_by_feasibility(fcps_posterior *posterior, int count, const double *x, double *values);

/* The outcome expected of one parameter vector, within its bounds, and its latent deviation (outcome space each, may be
 * NULL); false if the model does not predict outcomes. */
bool fcps_posterior_outcome(fcps_posterior *posterior, const double *x, double *mean, double *deviation);

/* By how many deviations one parameter vector keeps the limits more surely than it is to (problem/limits.h), by results alone;
 * negative: it does not keep them. Without limits it is infinite. */
double fcps_posterior_slack(fcps_posterior *posterior, const double *x);

/* Whether keeping the limits counts above all for searches, judged as answers show it: with what few results leave open. */
void fcps_posterior_set_severe(fcps_posterior *posterior, bool is_severe);

/* Replaces a parameter vector that does not keep the limits by the best of those that are declared safe for this context or kept
 * the limits in it, without those that broke one there or were done there `most` times (limited.c). */
fcps_status fcps_posterior_prefer_proven(fcps_posterior *posterior, int most, double *x, bool *is_proven);

/* Whether the reward of the parameters has a value at all: false if the reward of the expected outcome is not finite,
 * or where no training rollout has a finite reward in this context. A predicted reward is then only a stand-in, which
 * keeps searches away. */
bool fcps_posterior_has_value(fcps_posterior *posterior, const double *x);

/* -- The space that is searched -- */

/* The parameters: which are full circles, and how many levels those have that are integers (0: none; NULL if no
 * parameter is one). */
const bool *fcps_posterior_wraps(const fcps_posterior *posterior);
const double *fcps_posterior_levels(const fcps_posterior *posterior);

/* The parameters that keep the constraints in this context; NULL: there are no constraints. */
const fcps_region *fcps_posterior_region(const fcps_posterior *posterior);

/* The reward that tolerances of a search in this context take for 1: less where rewards differ by little. */
double fcps_posterior_value_scale(const fcps_posterior *posterior);

/* This reward from the better trials alone. */
double fcps_posterior_lead(const fcps_posterior *posterior);

/* -- The model behind a posterior, for acquisitions that think of several points at once -- */

/* The model that answers (the child of the context's side, where it has split), its outputs for the target, and the
 * features of the context. They live as long as the posterior. */
const fcps_model *fcps_posterior_model(const fcps_posterior *posterior);
const fcps_gp_outputs *fcps_posterior_outputs(const fcps_posterior *posterior);
const double *fcps_posterior_context(const fcps_posterior *posterior);

/* The posterior of the next model that answers in this context, NULL after the last. Answers are averages over all of them,
 * whereas model and outputs are those of one. */
fcps_posterior *fcps_posterior_next(const fcps_posterior *posterior);

#endif
