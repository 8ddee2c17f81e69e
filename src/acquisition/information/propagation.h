/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian vector of which more is known: some components are zero, others are positive. Expectation propagation
 * finds a Gaussian for it [minka2001; rasmussen2006, Sec. 3.6].
 *
 * With u ~ N(m, S), and each condition i replaced by a Gaussian in u_i of precision t_i, everything that is jointly
 * Gaussian with u follows: a number f with covariances c = cov(u, f) has, given the conditions,
 *   mean f + c' w,    var f - |Y c|^2,    Y' Y = (S + T^-1)^-1,    T = diag(t).
 * One positive component, or only zeros, is exact. Several are an approximation, which need not exist: where the sweeps
 * do not settle, or a condition contradicts the Gaussian, has_converged is false and Y and w are not to be used.
 */
#ifndef FCPS_ACQUISITION_INFORMATION_PROPAGATION_H
#define FCPS_ACQUISITION_INFORMATION_PROPAGATION_H

#include <fcps/base.h>

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
 * where there is no memory. */
fcps_status fcps_propagation_run(const fcps_propagation_settings *settings, const double *mean,
                                 const double *covariance, const fcps_propagation_condition *conditions,
                                 fcps_propagation *result);

#endif
