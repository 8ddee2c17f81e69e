/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of a Gaussian process at a point, along curves through the point. They are jointly Gaussian with the
 * values of the process [rasmussen2006, Sec. 9.4]. The functions give prior covariances, in unit scale; from these the
 * posterior follows as it does for values (query.h).
 *
 * A curve is x(t) = x + v t + a t^2/2 in the space of inputs: a line along one input, or a circle (space/space.h). The
 * derivatives are d/dt and d^2/dt^2 of f(x(t)) at t = 0. All first derivatives come before all second ones. */
#ifndef FCPS_GP_DERIVATIVES_H
#define FCPS_GP_DERIVATIVES_H

#include "gp/gp.h"

typedef struct fcps_gp_curves {
  int count;                  /* number of curves through the point */
  int orders;                 /* 1: only first derivatives; 2: also second derivatives, which the kernel must have */
  const double *point;        /* the point: dim inputs */
  const double *velocity;     /* v of each curve: count rows of dim */
  const double *acceleration; /* a of each curve: count rows of dim */
} fcps_gp_curves;

/* The highest order of derivatives that exists at a point: 2, or 1 if the process can be differentiated only once. */
int fcps_gp_derivative_orders(const fcps_gp *gp);

/* Points: rows of a caller's array, or rows of the GP itself, which stores its inputs in columns. */
typedef struct fcps_gp_inputs {
  int count;
  const double *x; /* input d of point i is x[i*row_step + d*dim_step] */
  size_t row_step, dim_step;
} fcps_gp_inputs;

/* Computes k (points.count x orders*count, column-major), the covariances of the values at the points with the
 * derivatives. `scratch` holds 3 points.count numbers. */
void fcps_gp_derivative_covariances(const fcps_gp *gp, const fcps_gp_curves *curves, fcps_gp_inputs points,
                                    double *scratch, double *k);

/* Computes k (orders*count squared), the covariances of the derivatives with each other. */
void fcps_gp_derivative_covariance_within(const fcps_gp *gp, const fcps_gp_curves *curves, double *k);

/* Returns the expected square of the change of the first derivative along curve `curve`, for a step of length `step` in
 * t. */
double fcps_gp_derivative_change(const fcps_gp *gp, const fcps_gp_curves *curves, int curve, double step);

#endif
