/* SPDX-License-Identifier: Apache-2.0 */
/* A posterior: the belief of a model about the rewards in one context. All predictions of a model go through a
 * posterior.
 *
 * Parameters are rows in the unit cube. Rewards are expected rewards of a trial, weighed by the probabilities that the
 * trial has an outcome and does not fail (feasibility/failure_penalty.h). There are three implementations:
 *
 *   kinds.c      two: the GP predicts rewards, or outcomes, whose reward is known exactly (reward/expected_reward.h)
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

/* Sets how the following questions are answered. Before the first call they are answered as an acquisition needs it. */
void fcps_posterior_set_view(fcps_posterior *posterior, fcps_penalty_view view);

/* Computes two probabilities for each of `count` parameter vectors: that a trial has an outcome if it does not fail,
 * and that a trial does not fail. Both are 1 if no trial has gone wrong so far. */
void fcps_posterior_chances(fcps_posterior *posterior, int count, const double *x, double *outcome, double *success);

/* -- Rewards -- */

/* Computes the mean and the deviation (may be NULL), both without noise, of the reward of `count` parameter vectors. */
void fcps_posterior_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

/* Computes the moments with upper bounds of the deviations, which is much cheaper if there are many rows
 * (FCPS_VARIANCE_BOUND). Returns false and does nothing if the posterior has no such bound. */
bool fcps_posterior_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
bool fcps_posterior_has_bound(const fcps_posterior *posterior);

/* Computes the moments at one point with gradients. `deviation` and its gradient may be NULL together. */
void fcps_posterior_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient);

/* Computes the moments at `count` points with rows of gradients; with many rows this is cheaper than one at a time. */
void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient);

/* Computes the expected utility of `count` parameter vectors, and of one with its gradient. If the outputs are rewards,
 * this is the utility of a Gaussian with the weighed moments. If they are outcomes, it is the utility of the unweighed
 * reward times both probabilities: a trial that fails or has no outcome is then worth 0. */
void fcps_posterior_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                           double *values);
double fcps_posterior_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                      double *gradient);

/* Draws the rewards of `count` parameter vectors jointly, from `count` standard normals per output. */
fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards);

/* Returns the largest mean reward of the parameters tried so far; if there are none, the worst reward known. */
double fcps_posterior_incumbent(fcps_posterior *posterior);

/* Writes the parameters tried so far that have the largest mean reward. Returns false if no parameters were tried. */
bool fcps_posterior_best_tried(fcps_posterior *posterior, double *x);

/* Multiplies `values` of `count` parameter vectors by the probability that the trial does not fail. The values must not
 * be negative, and 0 must be the worth of a failed trial. */
void fcps_posterior_scale_by_feasibility(fcps_posterior *posterior, int count, const double *x, double *values);

/* Predicts the outcome of one parameter vector, clipped to its bounds, and the deviation of the outcome without noise.
 * `mean` or `deviation` may be NULL. Returns false if the model does not predict outcomes. */
bool fcps_posterior_outcome(fcps_posterior *posterior, const double *x, double *mean, double *deviation);

/* Returns the slack of one parameter vector: by how many deviations it keeps the limits more surely than required
 * (problem/limits.h). Negative: not surely enough. INFINITY: there are no limits. Pending trials are ignored. */
double fcps_posterior_slack(fcps_posterior *posterior, const double *x);

/* If `is_severe`, searches keep the limits before all else. Limits are then judged by the deviations that the user is
 * shown, which are wider while results are few. */
void fcps_posterior_set_severe(fcps_posterior *posterior, bool is_severe);

/* Replaces a parameter vector that does not keep the limits by the best proven one, which was declared safe for this
 * context or kept the limits in it. Parameters that broke a limit there, or were tried there `most` times, are left
 * out. *is_proven says whether the vector was replaced. */
fcps_status fcps_posterior_prefer_proven(fcps_posterior *posterior, int most, double *x, bool *is_proven);

/* Whether the reward of the parameters has a value. It has none if the reward of the expected outcome is not finite, or
 * if no training rollout has a finite reward in this context. A predicted reward then only keeps searches away. */
bool fcps_posterior_has_value(fcps_posterior *posterior, const double *x);

/* -- The space that is searched -- */

/* `wraps` says which parameters are full circles. `levels` has the number of levels of each integer parameter and 0 for
 * the others. It is NULL if no parameter is an integer. */
const bool *fcps_posterior_wraps(const fcps_posterior *posterior);
const double *fcps_posterior_levels(const fcps_posterior *posterior);

/* Returns the region of parameters that keep the constraints in this context, NULL if there are no constraints. */
const fcps_region *fcps_posterior_region(const fcps_posterior *posterior);

/* Returns the spread of the rewards in this context, in which the tolerances of a search are measured. */
double fcps_posterior_value_scale(const fcps_posterior *posterior);

/* Returns the spread of the rewards as estimated from the better trials alone. */
double fcps_posterior_lead(const fcps_posterior *posterior);

/* Returns the largest reward that is credible in this context (fcps_reward_range). */
double fcps_posterior_credible(const fcps_posterior *posterior);

/* -- The model behind a posterior, for acquisitions that think of several points at once -- */

/* Return the model that answers (if the model has split, the child on the side of the context), its outputs for the
 * target, and the features of the context. They live as long as the posterior. */
const fcps_model *fcps_posterior_model(const fcps_posterior *posterior);
const fcps_gp_outputs *fcps_posterior_outputs(const fcps_posterior *posterior);
const double *fcps_posterior_context(const fcps_posterior *posterior);

/* An ensemble averages the answers of several models. Returns the posterior of the next of these models, NULL after the
 * last. The functions above return the model and the outputs of one of them. */
fcps_posterior *fcps_posterior_next(const fcps_posterior *posterior);

#endif
