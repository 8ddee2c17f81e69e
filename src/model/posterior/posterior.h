/* SPDX-License-Identifier: Apache-2.0 */
/* A posterior: what a model believes of the rewards in one context. All predictions of a model go through a posterior.
 *
 * Parameters are rows in the unit cube. Rewards are those to expect of a trial, weighed by the probabilities that the
 * trial has an outcome and does not fail (feasibility/failure_penalty.h). There are three implementations:
 *
 *   kinds.c      the outputs of the GP are rewards, or outcomes, whose reward is known exactly
 *                (reward/expected_reward.h)
 *   ensemble.c   the average over models that answer together (parts.c)
 *
 * If the model has split, the posterior is that of the child on the side of the context. Most functions return no
 * status: if a callback of the problem fails in one, the posterior keeps the failure, and fcps_posterior_failure
 * returns it.
 */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_H

#include "gp/gp.h"
#include "model/feasibility/failure_penalty.h"
#include "optim/optim.h"
#include "reward/expected_reward.h"

#include <fcps/problem.h>

typedef struct fcps_model fcps_model;
typedef struct fcps_posterior fcps_posterior;

/* Makes the posterior of a model in one context. Borrows the model, which must not change while the posterior lives,
 * and `error`, which gets the message if a callback of the problem fails later. */
fcps_status fcps_posterior_create(fcps_posterior **posterior, const fcps_model *model, const double *target,
                                  const double *environment, fcps_error *error);
void fcps_posterior_destroy(fcps_posterior *posterior);

/* Returns FCPS_OK, or the failure of a callback, after which the answers cannot be trusted. */
fcps_status fcps_posterior_failure(const fcps_posterior *posterior);

/* Sets how the following questions are answered. Before the first call they are answered for an acquisition. */
void fcps_posterior_set_view(fcps_posterior *posterior, fcps_penalty_view view);

/* Computes two probabilities for each of `count` parameter vectors: that a trial which does not fail has an outcome,
 * and that a trial does not fail. Both are 1 if nothing has gone wrong so far. */
void fcps_posterior_chances(fcps_posterior *posterior, int count, const double *x, double *outcome, double *success);

/* -- Rewards -- */

/* Computes the mean and the latent standard deviation (may be NULL) of the reward of `count` parameter vectors. */
void fcps_posterior_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

/* Computes the moments with upper bounds of the deviations, which is much cheaper if there are many rows
 * (FCPS_VARIANCE_BOUND). Returns false and does nothing if the posterior has no such bound. */
bool fcps_posterior_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
bool fcps_posterior_has_bound(const fcps_posterior *posterior);

/* Computes the moments at one point with gradients. `deviation` and its gradient may be NULL together. */
void fcps_posterior_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient);

/* Computes the moments at `count` points with rows of gradients: cheaper than one by one if there are many rows. */
void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient);

/* Computes the expected utility of `count` parameter vectors, and of one with its gradient. If the outputs are rewards,
 * this is the utility of a Gaussian with the weighed moments. If they are outcomes, it is the utility of the unweighed
 * reward times both probabilities: a trial that fails or has no outcome is then worth nothing. */
void fcps_posterior_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                           double *values);
double fcps_posterior_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                      double *gradient);

/* Draws the rewards of `count` parameter vectors jointly, from `count` standard normals per output. */
fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards);

/* Returns the largest mean reward of parameters tried so far; the worst reward known if none were tried. */
double fcps_posterior_incumbent(fcps_posterior *posterior);

/* Writes the parameters tried so far that have the largest mean reward; returns false if none were tried. */
bool fcps_posterior_best_tried(fcps_posterior *posterior, double *x);

/* Multiplies `values` of `count` parameter vectors by the probability that the trial does not fail. The values must not
 * be negative, and 0 must be the worth of a failed trial. */
void fcps_posterior_scale_by_feasibility(fcps_posterior *posterior, int count, const double *x, double *values);

/* Predicts the outcome of one parameter vector, clipped to its bounds, and its latent deviation (each may be NULL).
 * Returns false if the model does not predict outcomes. */
bool fcps_posterior_outcome(fcps_posterior *posterior, const double *x, double *mean, double *deviation);

/* Returns by how many deviations one parameter vector keeps the limits beyond the required chance (problem/limits.h),
 * ignoring pending trials. Negative: the chance is too small. INFINITY: there are no limits. */
double fcps_posterior_slack(fcps_posterior *posterior, const double *x);

/* If true, keeping the limits counts above all else in searches. Limits are then judged as they are shown to the user,
 * with deviations that are wider while results are few. */
void fcps_posterior_set_severe(fcps_posterior *posterior, bool is_severe);

/* Replaces a parameter vector that does not keep the limits by the best one that is declared safe for this context or
 * kept the limits in it. Leaves out those that broke a limit there or were tried there `most` times. */
fcps_status fcps_posterior_prefer_proven(fcps_posterior *posterior, int most, double *x, bool *is_proven);

/* Whether the reward of the parameters has a value: false if the reward of the expected outcome is not finite, or no
 * training rollout has a finite reward in this context. A predicted reward then only keeps searches away. */
bool fcps_posterior_has_value(fcps_posterior *posterior, const double *x);

/* -- The space that is searched -- */

/* `wraps` says which parameters are full circles. `levels` has the number of levels of each integer parameter and 0 for
 * the others; NULL if no parameter is an integer. */
const bool *fcps_posterior_wraps(const fcps_posterior *posterior);
const double *fcps_posterior_levels(const fcps_posterior *posterior);

/* Returns the region of parameters that keep the constraints in this context; NULL: there are no constraints. */
const fcps_region *fcps_posterior_region(const fcps_posterior *posterior);

/* Returns the unit of reward for the tolerances of a search in this context: small if rewards differ by little. */
double fcps_posterior_value_scale(const fcps_posterior *posterior);

/* Returns the same unit computed from the better trials alone. */
double fcps_posterior_lead(const fcps_posterior *posterior);

/* Returns the largest reward that is credible in this context (fcps_reward_range). */
double fcps_posterior_credible(const fcps_posterior *posterior);

/* -- The model behind a posterior, for acquisitions that think of several points at once -- */

/* Return the model that answers (if the model has split, the child on the side of the context), its outputs for the
 * target, and the features of the context. They live as long as the posterior. */
const fcps_model *fcps_posterior_model(const fcps_posterior *posterior);
const fcps_gp_outputs *fcps_posterior_outputs(const fcps_posterior *posterior);
const double *fcps_posterior_context(const fcps_posterior *posterior);

/* Returns the posterior of the next model that answers in this context, NULL after the last. Answers of the ensemble
 * are averages over all of them; the functions above return model and outputs of one. */
fcps_posterior *fcps_posterior_next(const fcps_posterior *posterior);

#endif
