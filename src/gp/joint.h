/* SPDX-License-Identifier: Apache-2.0 */
/* Joint posterior of several points: covariances within and between sets of points, and draws. Everything except draws
 * is in unit scale.
 *
 * Let v = L^-1 k(X, points), which a query calls `whitened`. The posterior covariance of two sets a and b is their
 * prior covariance minus va' vb [rasmussen2006, Eq. 2.24]. So a caller that compares one set with many others whitens
 * each set once.
 */
#ifndef FCPS_GP_JOINT_H
#define FCPS_GP_JOINT_H

#include "gp/gp.h"

/* A set of points with their whitened covariances (borrowed). */
typedef struct fcps_gp_points {
  int count;
  const double *points;   /* rows of dim inputs */
  const double *whitened; /* factored rows x count, from a query */
} fcps_gp_points;

/* Posterior covariance between two sets, column-major a.count x b.count. */
void fcps_gp_covariance_between(const fcps_gp *gp, fcps_gp_points a, fcps_gp_points b, double *covariance);

/* Posterior covariance of a set, with `jitter` sf^2 added to the diagonal, column-major. Only the lower triangle is
 * valid. */
void fcps_gp_covariance_within(const fcps_gp *gp, fcps_gp_points set, double jitter, double *covariance);

/* Computes beta = L' alpha for each output (outputs->count x outputs). With beta, means follow from whitened
 * covariances: mean = offset + scale v' beta over the first outputs->count rows of v. */
void fcps_gp_whitened_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *beta);

/* Draws one output jointly at `count` points: draws[s*count + i] = mean_i + scale * (C z_s)_i, with standard normals z
 * (samples x count) and C C' = posterior covariance, with jitter if needed. */
fcps_status fcps_gp_draw(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, int count, const double *points,
                         int samples, const double *normals, double *draws);

#endif
