/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions on the reward if a given representer x* is the place of the maximum [hernandez2014, Sec. 2.1]:
 *
 *   (1) the gradient at x* is zero, and the second derivatives there are negative;
 *   (2) the reward of x* is at least that of the incumbent z_0, the representer with the largest mean: f(x*) >= f(z_0);
 *   (3) no trial x has a larger reward: f(x*) >= f(x).
 *
 * (1) and (2) are the same for all trials. Zeros are Gaussian conditions; inequalities are half-spaces, handled by
 * expectation propagation. (3) is one half-space for each trial alone, in closed form.
 *
 * Differences from the paper, and the reasons:
 *   - The incumbent of (2) belongs to the same context, and its reward is uncertain. The paper uses the best reward so
 *     far, but rewards in other contexts do not say how large the maximum is in this one. Comparing with several
 *     representers would be valid too, but these conditions overlap, and propagation counts the overlap several times.
 *   - x* is a point of a pool, not of the continuum. So its gradient is not exactly zero: condition (1) has the
 *     variance by which gradients change over half the distance between neighbours in the pool.
 *   - A coordinate that is an integer, or nearer to a bound than this half distance, has no condition (1): the maximum
 *     may be on the bound, with any slope.
 *   - The paper sets mixed second derivatives to zero. This does not hold at a maximum, and is left out.
 *   - A process without second derivatives (Matern 3/2) has only the first half of (1).
 *   - With many contexts, (3) is also applied to a trial in a neighbouring context, as the truncations of mes and jes
 *     are. This is an approximation: (3) holds only in the context itself.
 */
#ifndef FCPS_ACQUISITION_INFORMATION_OPTIMALITY_H
#define FCPS_ACQUISITION_INFORMATION_OPTIMALITY_H

#include "acquisition/information/belief.h"
#include "gp/derivatives.h"

#include <fcps/base.h>

/* -- Expectation propagation (propagation.c) -- */

/* A Gaussian vector with conditions: some components are zero, others are positive. Expectation propagation
 * approximates its distribution by a Gaussian [minka2001; rasmussen2006, Sec. 3.6].
 *
 * Let u ~ N(m, S), and replace each condition i by a Gaussian in u_i of precision t_i. For every number f that is
 * jointly Gaussian with u, with c = cov(u, f), the moments given the conditions are
 *   mean f + c' w,    var f - |Y c|^2,    Y' Y = (S + T^-1)^-1,    T = diag(t).
 * This is exact for one positive component, or for zeros only. For several positive components it is an approximation,
 * which need not exist: if the sweeps do not converge, or a condition contradicts the Gaussian, has_converged is false
 * and Y and w must not be used.
 */

typedef struct fcps_propagation_settings {
  double damping;   /* the share of each step that is taken, in (0, 1] */
  double tolerance; /* sweeps end if no condition changes by more than this, in deviations of its component */
  int sweeps;       /* the most sweeps */
} fcps_propagation_settings;

/* The condition on one component. */
typedef struct fcps_propagation_condition {
  bool is_zero; /* the condition is u_i = 0; if false, u_i > 0 */
  double noise; /* the variance of the condition; must be above 0 if is_zero */
} fcps_propagation_condition;

typedef struct fcps_propagation {
  int count;       /* number of components */
  double *root;    /* Y: count x count */
  double *weights; /* w: one number per component */
  bool has_converged;
  int sweeps; /* the number of sweeps that were made */
} fcps_propagation;

/* Conditions N(mean, covariance) (count x count, both triangles). The caller sets `count` and the arrays of `result`.
 * Fails only if memory runs out. */
fcps_status fcps_propagation_run(const fcps_propagation_settings *settings, const double *mean,
                                 const double *covariance, const fcps_propagation_condition *conditions,
                                 fcps_propagation *result);

/* -- The conditions of an optimum -- */

/* Conditions (1) and (2) for one representer. Its arrays are borrowed. */
typedef struct fcps_optimality {
  int representer;       /* x* */
  int representers;      /* number of representers of the belief */
  fcps_gp_curves curves; /* curves along the coordinates that have condition (1) */
  double *scale;         /* one per derivative: 1/deviation a priori, negative for second derivatives */
  double *whitened;      /* L^-1 k(X, derivatives), not scaled: rows x derivatives */
  double *with_value;    /* Y cov(conditions, f(x*)) */
  fcps_propagation propagation;
  double mean, variance; /* mean and variance of f(x*), given (1) and (2) */
} fcps_optimality;

/* Returns the number of doubles that the arrays of one fcps_optimality need. */
size_t fcps_optimality_size(const fcps_belief_source *source);

/* Conditions on x* = representer `representer`. `room` has fcps_optimality_size numbers. If the propagation does not
 * converge, only (3) is used: propagation.has_converged is false, and propagation.count is 0. Fails if memory runs
 * out. */
fcps_status fcps_optimality_create(fcps_optimality *optimality, const fcps_belief_source *source,
                                   const fcps_belief *belief, int representer, double *room);

/* Returns the size of the scratch for fcps_optimality_variances, in doubles, for `most` trials. */
size_t fcps_optimality_scratch(const fcps_belief_builder *builder, int most);

/* Writes to variances[t] the variance of the reward of trial t, given (1) to (3). `covariances` (representers x trials)
 * has the covariances of the representers with the trials. */
void fcps_optimality_variances(const fcps_optimality *optimality, const fcps_gp *gp, const fcps_candidates *trials,
                               const double *covariances, double *scratch, double *variances);

#endif
