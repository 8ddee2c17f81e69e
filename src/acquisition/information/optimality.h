/* SPDX-License-Identifier: Apache-2.0 */
/* What else is known of the reward when a certain representer x* is where it is largest [hernandez2014, Sec. 2.1]:
 *
 *   (1) its gradient there is zero, and its second derivatives are negative;
 *   (2) it is at least as large as that of the incumbent, the representer with the largest mean: f(x*) >= f(z_0);
 *   (3) no trial is larger: f(x*) >= f(x), for the x that is asked about.
 *
 * (1) and (2) are the same for all trials: Gaussian zeros, and half-spaces by expectation propagation.
 * (3) is one half-space for each trial alone, in closed form.
 *
 * Where this differs from the paper, and why:
 *   - The incumbent of (2) is one in the same context, and its reward is uncertain. The paper takes the best reward
 *     seen, but rewards of other contexts do not say how large the maximum is in this one. More rivals than one would
 *     also be true, but they repeat each other, and propagation counts what they share again and again.
 *   - x* is a point of a pool, not of the continuum. Its gradient is as far from zero as gradients change over half the
 *     distance of neighbours in the pool, and with this variance (1) is known.
 *   - A coordinate that is nearer to a bound than that, or an integer, has no condition (1): the maximum may lie on the
 *     bound, with any slope.
 *   - The paper sets mixed second derivatives to zero. That is not true of a maximum, and is left out.
 *   - A process without second derivatives (Matern 3/2) has only the first half of (1).
 *   - Over many contexts, (3) is also applied to a trial in a neighbouring context, as the cuts of mes and jes are. That
 *     is an approximation: it is true in the context itself alone.
 */
#ifndef FCPS_ACQUISITION_INFORMATION_OPTIMALITY_H
#define FCPS_ACQUISITION_INFORMATION_OPTIMALITY_H

#include "acquisition/information/belief.h"
#include "gp/derivatives.h"

#include <fcps/base.h>

/* -- Expectation propagation (propagation.c) -- */

/* A Gaussian vector of which more is known: some components are zero, others are positive. Expectation propagation
 * finds a Gaussian for it [minka2001; rasmussen2006, Sec. 3.6].
 *
 * With u ~ N(m, S), and each condition i replaced by a Gaussian in u_i of precision t_i, everything that is jointly
 * Gaussian with u follows: a number f with covariances c = cov(u, f) has, given the conditions,
 *   mean f + c' w,    var f - |Y c|^2,    Y' Y = (S + T^-1)^-1,    T = diag(t).
 * One positive component, or only zeros, is exact. Several are an approximation, which need not exist: where the sweeps
 * do not settle, or a condition contradicts the Gaussian, has_converged is false and Y and w are not to be used.
 */

typedef struct fcps_propagation_settings {
  double damping;   /* share of each step that is made: in (0, 1] */
  double tolerance; /* largest change of a condition, in deviations of its component, in the last sweep */
  int sweeps;       /* at most */
} fcps_propagation_settings;

/* What is known of one component. */
typedef struct fcps_propagation_condition {
  bool is_zero; /* u_i = 0; else u_i > 0 */
  double noise; /* variance with which it is known; that of a zero is above 0 */
} fcps_propagation_condition;

typedef struct fcps_propagation {
  int count;       /* components */
  double *root;    /* Y: count x count */
  double *weights; /* w: count */
  bool has_converged;
  int sweeps; /* that were made */
} fcps_propagation;

/* Conditions N(mean, covariance) (count x count, both triangles). `result` has its count and its arrays. Fails only
 * if there is no memory. */
fcps_status fcps_propagation_run(const fcps_propagation_settings *settings, const double *mean,
                                 const double *covariance, const fcps_propagation_condition *conditions,
                                 fcps_propagation *result);

/* -- The conditions of an optimum -- */

/* Conditions (1) and (2) for one representer. Its arrays are borrowed. */
typedef struct fcps_optimality {
  int representer;       /* x* */
  int representers;      /* of its belief */
  fcps_gp_curves curves; /* along the coordinates that have condition (1) */
  double *scale;         /* of each derivative: 1/deviation a priori, negative for second ones */
  double *whitened;      /* L^-1 k(X, derivatives), not scaled: rows x derivatives */
  double *with_value;    /* Y cov(conditions, f(x*)) */
  fcps_propagation propagation;
  double mean, variance; /* of f(x*), given (1) and (2) */
} fcps_optimality;

/* How many numbers one needs for its arrays. */
size_t fcps_optimality_size(const fcps_belief_source *source);

/* Conditions on x* = representer `representer`. `room` has fcps_optimality_size numbers. If the propagation does not
 * converge, only (3) is left: propagation.has_converged says so, and propagation.count is 0. Fails if there is no
 * memory. */
fcps_status fcps_optimality_create(fcps_optimality *optimality, const fcps_belief_source *source,
                                   const fcps_belief *belief, int representer, double *room);

/* Scratch for fcps_optimality_variances: numbers for `most` trials. */
size_t fcps_optimality_scratch(const fcps_belief_builder *builder, int most);

/* variances[t] := variance of the reward of trial t, given (1) to (3). `covariances` (representers x trials) are those
 * of the representers with the trials. */
void fcps_optimality_variances(const fcps_optimality *optimality, const fcps_gp *gp, const fcps_candidates *trials,
                               const double *covariances, double *scratch, double *variances);

#endif
