/* SPDX-License-Identifier: Apache-2.0 */
/* The squared exponential is a product over the inputs. So the covariances of rows and points are, too, and what
 * belongs to inputs that stay the same (candidate parameters) is computed once, while others (the environment)
 * change. */
#ifndef FCPS_GP_SEPARABLE_H
#define FCPS_GP_SEPARABLE_H

#include "gp/gp.h"

/* Whether the kernel is such a product. */
bool fcps_gp_is_separable(const fcps_gp *gp);

/* factor (factored rows x count) := the factor of inputs first ... first + width - 1 at `count` points (rows of
 * width). */
void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, double *factor);

/* weights (rows) := those of one output where the covariances have the factor `shared` (rows), which is the same for
 * all points. */
void fcps_gp_weigh_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, const double *shared,
                             double *weights);

/* Means mean[j*columns + c] of output output[c] with weights (rows x columns) at `count` points whose own factors are
 * `own` (rows x count). */
void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int columns, const int *output,
                               const double *weights, int count, const double *own, double *mean);

#endif
