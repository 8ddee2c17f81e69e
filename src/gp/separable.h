/* SPDX-License-Identifier: Apache-2.0 */
/* The squared exponential is a product over the inputs. So the covariances of rows and points are, too, and what belongs to
 * inputs that stay the same (candidate parameters) is computed once, while others (the environment) change. */
#ifndef FCPS_GP_SEPARABLE_H
#define FCPS_GP_SEPARABLE_H

#include "gp/gp.h"

/* Whether the kernel is such a product. */
bool fcps_gp_is_separable(const fcps_gp *gp);

/* factor (factored rows x count) := the factor of inputs first ... first + width - 1 at `count` points (rows of width). */
void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, double *factor);

/* Means mean[j*outputs + o] at `count` points whose covariances with the rows are `shared` (rows) times `own` (rows x
 * count), times sf^2. `weights` is scratch for rows x outputs numbers. */
void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, const double *shared, int count,
                               const double *own, double *weights, double *mean);

#endif
