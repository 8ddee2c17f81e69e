/* SPDX-License-Identifier: Apache-2.0 */
/* The reward of an uncertain outcome, in one context at a time: moments of R(target, environment, parameters, o)
 * for
 *
 *   o_j ~ N(mean_j, scale_j^2 variance_j), independent, with one variance for all or one for each.
 *
 * The reward is known and kept exact; only the outcome is uncertain [astudillo2019]. If the reward is a distance
 * plus terms in the parameters there is a closed form, and if it is a formula there is one for many of its parts
 * (sum_form.h); else the expectation is a sum over nodes. Parameters are rows in
 * the unit cube.
 *
 * An acquisition such as EI gives its utility as a formula, for a reward and for a Gaussian, and every posterior
 * averages it: a new acquisition of this kind changes no posterior.
 */
#ifndef FCPS_REWARD_EXPECTED_REWARD_H
#define FCPS_REWARD_EXPECTED_REWARD_H

#include <fcps/problem.h>

/* A utility: the worth of a reward in the choice of a trial, such as the improvement over a known reward.
 *
 * An acquisition defines its utility and asks a posterior for the expectation (fcps_posterior_expect). How the
 * expectation is taken is up to the posterior: if the reward is Gaussian it is the closed form `of_gaussian`;
 * where the outcome is Gaussian and its reward known it is the sum of `of_reward` over the nodes of a quadrature.
 * Both must be the same function: of_gaussian(mean, s) = E of_reward(y) for y ~ N(mean, s^2).
 *
 * The probabilities that a trial has an outcome and does not fail enter in two ways: if the reward is Gaussian,
 * mean and deviation are weighed before the utility is taken of them; where the outcome is Gaussian, the utility is
 * multiplied by both, so that a trial that fails or has no outcome is worth nothing. A utility must therefore not be
 * negative. */
typedef struct fcps_utility {
  /* What a reward is worth; *slope (may be NULL) is the derivative. */
  double (*of_reward)(const void *user, double reward, double *slope);

  /* What a reward ~ N(mean, deviation^2) is worth in expectation, with the derivatives (may be NULL together). */
  double (*of_gaussian)(const void *user, double mean, double deviation, double *by_mean, double *by_deviation);

  const void *user;
} fcps_utility;

typedef struct fcps_expected_reward fcps_expected_reward;

typedef enum fcps_expected_reward_path {
  FCPS_EXPECTED_REWARD_AUTO, /* the closed form if there is one */
  FCPS_EXPECTED_REWARD_NODES /* always the sum over nodes; if outcomes have variances of their own it must be this */
} fcps_expected_reward_path;

/* Borrows `problem`; copies target, environment, `scale` and `typical`, an outcome that may happen (the outcome space
 * each). `worst` stands for rewards that are not finite. */
fcps_status fcps_expected_reward_create(fcps_expected_reward **expected_reward, const fcps_problem *problem,
                                        const double *target, const double *environment, const double *scale,
                                        const double *typical, double worst, fcps_expected_reward_path path,
                                        fcps_error *error);
void fcps_expected_reward_destroy(fcps_expected_reward *expected_reward);

/* Takes another target, with the worst reward there. Cheap: whether there is a closed form is not asked again. */
void fcps_expected_reward_set_target(fcps_expected_reward *expected_reward, const double *target, double worst);

/* Knows `count` environments (rows, copied) instead of those it knew, and selects the first. Selecting another one is
 * cheap. */
fcps_status fcps_expected_reward_set_environments(fcps_expected_reward *expected_reward, int count,
                                                  const double *environments, fcps_error *error);
void fcps_expected_reward_select_environment(fcps_expected_reward *expected_reward, int environment_index);

/* Whether the closed form is in use in the selected environment, or in all that are known. */
bool fcps_expected_reward_is_closed(const fcps_expected_reward *expected_reward);
bool fcps_expected_reward_is_closed_everywhere(const fcps_expected_reward *expected_reward);

/* Outcomes at `count` points: means (rows) and variances in unit scale, `gp_count` per point: one for all
 * outcomes, or one per outcome. */
typedef struct fcps_outcomes {
  int count;
  const double *x, *means, *variances;
  int gp_count;
} fcps_outcomes;

/* Whether, in the selected context, the reward is a formula of the outcome that does not jump. Screens, bounds and
 * curvatures, below, then exist as they do if the form is closed. */
bool fcps_expected_reward_is_sum(fcps_expected_reward *expected_reward);

/* Mean and deviation of the reward at each point. */
fcps_status fcps_expected_reward_moments(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                         double *mean, double *deviation, fcps_error *error);

/* The same for many targets, if the form is closed: the terms of points do not depend on the target. With them, the
 * means are exact wherever they may be among the `best` largest, and elsewhere a lower bound. */
fcps_status fcps_expected_reward_terms(fcps_expected_reward *expected_reward, int count, const double *x, double *terms,
                                       fcps_error *error);
void fcps_expected_reward_screen(const fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                 const double *terms, int best, double *mean);

/* The same as upper bounds, whatever the variances. */
void fcps_expected_reward_bound(const fcps_expected_reward *expected_reward, int count, const double *outcomes,
                                const double *terms, double *bounds);

/* The same if the reward is a formula. If it is concave in the outcome, what is said above holds; otherwise a look
 * at a few nodes tells which candidates are among the best, and the bounds are only what that look suggests. */
fcps_status fcps_expected_reward_screen_sum(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                            int best, double *mean, fcps_error *error);
fcps_status fcps_expected_reward_bound_sum(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                           double *bounds, fcps_error *error);

/* The expected utility of the reward at each point, always by nodes. */
fcps_status fcps_expected_reward_utility(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                         const fcps_utility *utility, double *values, fcps_error *error);

/* Rewards of given outcomes (rows), and of absent ones. */
fcps_status fcps_expected_reward_exact(fcps_expected_reward *expected_reward, int count, const double *x,
                                       const double *outcomes, double *rewards, fcps_error *error);
fcps_status fcps_expected_reward_absent(fcps_expected_reward *expected_reward, int count, const double *x,
                                        double *rewards, fcps_error *error);

/* Whether the reward of one outcome, clipped to its bounds, is finite. */
fcps_status fcps_expected_reward_has_value(fcps_expected_reward *expected_reward, const double *x,
                                           const double *outcome, bool *has_value, fcps_error *error);

/* One point with the derivatives of its outcome with respect to the unit parameters. */
typedef struct fcps_outcome_slope {
  const double *x, *mean, *variances;
  const double *mean_gradients;     /* outcome x parameters */
  const double *variance_gradients; /* gp_count x parameters */
  int gp_count;
  int place; /* among the points of the last fcps_expected_reward_ahead, from 1; 0: it is none of them */
} fcps_outcome_slope;

/* Gradients will be asked for at these points, one after the other. If they are differences of a function of the
 * user, it is called for many points at once: a call may cost more than its rows. */
fcps_status fcps_expected_reward_ahead(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                       fcps_error *error);

/* The moments there with gradients; `deviation_gradient` may be NULL. */
fcps_status fcps_expected_reward_gradient(fcps_expected_reward *expected_reward, const fcps_outcome_slope *at,
                                          double *mean, double *deviation, double *mean_gradient,
                                          double *deviation_gradient, fcps_error *error);

/* How the mean bends, if the form is closed and there is one variance. It is a function of the means m_j, of the log
 * variance l and of terms t in the parameters, so that
 *
 *   -Hessian = own + sum_j weights[j] Hessian(m_j) + weights[outcomes] Hessian(l) - Hessian(t)
 *
 * with `own` (parameters x parameters) from first derivatives alone. */
void fcps_expected_reward_curvature(fcps_expected_reward *expected_reward, const fcps_outcome_slope *at, double *own,
                                    double *weights);

/* The expected utility there with its gradient. */
fcps_status fcps_expected_reward_utility_gradient(fcps_expected_reward *expected_reward, const fcps_outcome_slope *at,
                                                  const fcps_utility *utility, double *value, double *gradient,
                                                  fcps_error *error);

/* The gradients of the rewards of a given outcome, and of an absent one with its reward. */
fcps_status fcps_expected_reward_outcome_gradient(fcps_expected_reward *expected_reward, const double *outcome,
                                                  const double *x, double *gradient, fcps_error *error);
fcps_status fcps_expected_reward_absent_gradient(fcps_expected_reward *expected_reward, const double *x, double *reward,
                                                 double *gradient, fcps_error *error);

#endif
