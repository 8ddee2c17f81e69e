/* SPDX-License-Identifier: Apache-2.0 */
/* The reward of an uncertain outcome, in one context at a time: mean and deviation of R(target, environment,
 * parameters, o) for
 *
 *   o_j ~ N(mean_j, scale_j^2 variance_j), independent, with one variance for all or one for each.
 *
 * The reward is known and kept exact; only the outcome is uncertain [astudillo2019]. There is a closed form if the
 * reward is a distance plus terms in the parameters. If the reward is a formula, many of its parts have a closed form
 * (sum_form.h). Otherwise the expectation is a sum over nodes. Parameters are rows in the unit cube.
 *
 * An acquisition such as EI gives its utility as two functions, of a reward and of a Gaussian. Every posterior can
 * average such a utility, so a new acquisition of this kind changes no posterior. */
#ifndef FCPS_REWARD_EXPECTED_REWARD_H
#define FCPS_REWARD_EXPECTED_REWARD_H

#include <fcps/problem.h>

/* A utility: what a reward is worth in the choice of a trial, such as its improvement over a known reward.
 *
 * An acquisition defines its utility and asks a posterior for the expectation (fcps_posterior_expect). The posterior
 * decides how to compute it. If the reward is Gaussian, the expectation is the closed form `of_gaussian`. If the
 * outcome is Gaussian and its reward is known, the expectation is the sum of `of_reward` over the nodes of a
 * quadrature. Both must be the same function: of_gaussian(mean, s) = E of_reward(y) for y ~ N(mean, s^2).
 *
 * The probabilities that a trial has an outcome and that it does not fail are used in two ways. If the reward is
 * Gaussian, its mean and deviation are adjusted before the utility is computed from them. If the outcome is Gaussian,
 * the utility is multiplied by both probabilities, so that a trial that fails or has no outcome has utility 0. A
 * utility must therefore not be negative. */
typedef struct fcps_utility {
  /* Returns the utility of a reward. *slope (may be NULL) receives its derivative. */
  double (*of_reward)(const void *user, double reward, double *slope);

  /* Returns the expected utility of a reward ~ N(mean, deviation^2). Writes its derivatives, unless both pointers are
   * NULL. */
  double (*of_gaussian)(const void *user, double mean, double deviation, double *by_mean, double *by_deviation);

  const void *user;
} fcps_utility;

typedef struct fcps_expected_reward fcps_expected_reward;

typedef enum fcps_expected_reward_path {
  FCPS_EXPECTED_REWARD_AUTO, /* the closed form if there is one */
  FCPS_EXPECTED_REWARD_NODES /* always the sum over nodes; needed if each outcome has its own variance */
} fcps_expected_reward_path;

/* Creates an expected reward. Borrows `problem`; copies target, environment, `scale` and `typical`. For each outcome,
 * `scale` has its scale and `typical` a value that may happen. `worst` replaces rewards that are not finite. */
fcps_status fcps_expected_reward_create(fcps_expected_reward **expected_reward, const fcps_problem *problem,
                                        const double *target, const double *environment, const double *scale,
                                        const double *typical, double worst, fcps_expected_reward_path path,
                                        fcps_error *error);
void fcps_expected_reward_destroy(fcps_expected_reward *expected_reward);

/* Changes the target, and the worst reward for it. This is cheap: whether there is a closed form does not depend on the
 * target. */
void fcps_expected_reward_set_target(fcps_expected_reward *expected_reward, const double *target, double worst);

/* Replaces the known environments by `count` others (rows, copied), and selects the first of them. Selecting another
 * one is cheap. */
fcps_status fcps_expected_reward_set_environments(fcps_expected_reward *expected_reward, int count,
                                                  const double *environments, fcps_error *error);
void fcps_expected_reward_select_environment(fcps_expected_reward *expected_reward, int environment_index);

/* Whether the closed form for distances is used in the selected environment, or in all known ones. */
bool fcps_expected_reward_is_closed(const fcps_expected_reward *expected_reward);
bool fcps_expected_reward_is_closed_everywhere(const fcps_expected_reward *expected_reward);

/* Uncertain outcomes at `count` points x: means (rows), and variances in unit scale. Each point has `gp_count`
 * variances: one for all outcomes, or one per outcome. */
typedef struct fcps_outcomes {
  int count;
  const double *x, *means, *variances;
  int gp_count;
} fcps_outcomes;

/* Changes the deviations of a formula that jumps: from now on they count only what may be hoped for. A jump that lowers
 * the expected reward then adds nothing to them (sum_branches.c). */
void fcps_expected_reward_set_hopes(fcps_expected_reward *expected_reward, bool hopes);

/* Whether the reward in the selected context is a formula of the outcome that does not jump. If so, the screens, bounds
 * and curvatures below can be used, as with the closed form for distances. */
bool fcps_expected_reward_is_sum(fcps_expected_reward *expected_reward);

/* Computes mean and deviation of the reward at each point. */
fcps_status fcps_expected_reward_moments(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                         double *mean, double *deviation, fcps_error *error);

/* A screen for many targets, if there is the closed form for distances. fcps_expected_reward_terms computes the terms
 * of the points, which do not depend on the target. From these, fcps_expected_reward_screen writes means that are exact
 * for every point that may be among the `best` largest, and lower bounds for the others. */
fcps_status fcps_expected_reward_terms(fcps_expected_reward *expected_reward, int count, const double *x, double *terms,
                                       fcps_error *error);
void fcps_expected_reward_screen(const fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                 const double *terms, int best, double *mean);

/* Writes upper bounds of the means, whatever the variances, from the same terms. */
void fcps_expected_reward_bound(const fcps_expected_reward *expected_reward, int count, const double *outcomes,
                                const double *terms, double *bounds);

/* A screen and upper bounds if the reward is a formula. If it is concave in the outcome, they have the same guarantees
 * as the two functions above. Otherwise the screen finds the candidates that may be among the best by estimates from a
 * few nodes, and the bounds are only estimates. */
fcps_status fcps_expected_reward_screen_sum(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                            int best, double *mean, fcps_error *error);
fcps_status fcps_expected_reward_bound_sum(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                           double *bounds, fcps_error *error);

/* Computes the expected utility of the reward at each point, always by nodes. */
fcps_status fcps_expected_reward_utility(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                         const fcps_utility *utility, double *values, fcps_error *error);

/* Compute the rewards of trials with given outcomes (rows), and of trials without an outcome. */
fcps_status fcps_expected_reward_exact(fcps_expected_reward *expected_reward, int count, const double *x,
                                       const double *outcomes, double *rewards, fcps_error *error);
fcps_status fcps_expected_reward_absent(fcps_expected_reward *expected_reward, int count, const double *x,
                                        double *rewards, fcps_error *error);

/* Computes whether the reward of an outcome, clipped to its bounds, is finite. */
fcps_status fcps_expected_reward_has_value(fcps_expected_reward *expected_reward, const double *x,
                                           const double *outcome, bool *has_value, fcps_error *error);

/* One point: its outcome, and the derivatives of the outcome's mean and variances by the unit parameters. */
typedef struct fcps_outcome_slope {
  const double *x, *mean, *variances;
  const double *mean_gradients;     /* outcomes x parameters */
  const double *variance_gradients; /* gp_count x parameters */
  int gp_count;
  int place; /* the number of this point in the last fcps_expected_reward_ahead, from 1; 0: it was not among them */
} fcps_outcome_slope;

/* Prepares gradients at these points, which the caller will ask for one after the other. If a gradient consists of
 * differences of a user's function, that function is now called for many points at once: a call may cost more than its
 * rows. */
fcps_status fcps_expected_reward_ahead(fcps_expected_reward *expected_reward, const fcps_outcomes *outcomes,
                                       fcps_error *error);

/* Computes the moments at a point with their gradients; `deviation_gradient` may be NULL. */
fcps_status fcps_expected_reward_gradient(fcps_expected_reward *expected_reward, const fcps_outcome_slope *at,
                                          double *mean, double *deviation, double *mean_gradient,
                                          double *deviation_gradient, fcps_error *error);

/* The curvature of the mean, if there is a closed form and one variance. The mean is a function of the means m_j, of
 * the log variance l and of terms t in the parameters, so that
 *
 *   -Hessian = own + sum_j weights[j] Hessian(m_j) + weights[outcomes] Hessian(l) - Hessian(t)
 *
 * where `own` (parameters x parameters) needs only first derivatives of m_j and l. Writes `own` and `weights`. */
void fcps_expected_reward_curvature(fcps_expected_reward *expected_reward, const fcps_outcome_slope *at, double *own,
                                    double *weights);

/* Computes the expected utility at a point with its gradient. */
fcps_status fcps_expected_reward_utility_gradient(fcps_expected_reward *expected_reward, const fcps_outcome_slope *at,
                                                  const fcps_utility *utility, double *value, double *gradient,
                                                  fcps_error *error);

/* Compute the gradient of the reward of a given outcome, and the reward and gradient of a trial without an outcome. */
fcps_status fcps_expected_reward_outcome_gradient(fcps_expected_reward *expected_reward, const double *outcome,
                                                  const double *x, double *gradient, fcps_error *error);
fcps_status fcps_expected_reward_absent_gradient(fcps_expected_reward *expected_reward, const double *x, double *reward,
                                                 double *gradient, fcps_error *error);

/* -- Weights that make outcomes of different units comparable, if the reward is a distance (distance_form.c) -- */

/* Finds a weight for each outcome, such that the outcomes times their weights are coordinates of the target in one
 * unit. The weight is how far the achieved target moves with one unit of the outcome. An outcome in millimetres has a
 * thousandth of the weight that it would have in metres; an outcome that does not move the target has weight 0. Returns
 * false if the problem is not a distance, or if no such weights exist. */
bool fcps_metric_find_weights(const fcps_problem *problem, double *weights);

#endif
