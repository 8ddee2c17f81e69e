/* SPDX-License-Identifier: Apache-2.0 */
/* Means at every combination of some inputs with others, for kernels that are products over the inputs.
 *
 * Where phi(s + s') = phi(s) phi(s') (fcps_kernel.is_separable), the covariance of a row and a point is a product as
 * well: a factor of the inputs that stay the same (candidate parameters) and one of those that change (the
 * environment). The first is computed once, while the environments change.
 *
 * This is not a query (query.h), because it does not ask about points: C candidates in E environments are C + E factors
 * and one product of matrices, where a query would have to list C E points.
 */
#ifndef FCPS_GP_SEPARABLE_H
#define FCPS_GP_SEPARABLE_H

#include "gp/query.h"

/* factor (factored rows x count) := the factor of inputs first ... first + width - 1 at `count` points (rows of
 * width). */
void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, fcps_gp_work *work,
                      double *factor);

/* weights (outputs->count) := those of one output where the covariances have the factor `shared` (rows), which is the
 * same for all points. */
void fcps_gp_separated_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, const double *shared,
                               double *weights);

/* Means mean[j*columns + c] of output output[c] with weights (rows x columns) at `count` points whose own factors are
 * `own` (rows x count). */
void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int columns, const int *output,
                               const double *weights, int count, const double *own, double *mean);

#endif
