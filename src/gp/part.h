/* SPDX-License-Identifier: Apache-2.0 */
/* The squared exponential is a product over the inputs. So the covariances of rows and points are, too, and what belongs to
 * inputs that stay the same (candidate parameters) is computed once, while others (the environment) change. */
#ifndef FCPS_GP_PART_H
#define FCPS_GP_PART_H

#include "gp/gp.h"

/* Whether the kernel is such a product. */
bool fcps_gp_has_parts(const fcps_gp *gp);

/* part (factored rows x count) := the factor of inputs first ... first + width - 1 at `count` points (rows of width). */
void fcps_gp_part(const fcps_gp *gp, int first, int width, int count, const double *points, double *part);

/* Means mean[j*outputs + o] at `count` points whose covariances with the rows are those of `row_part` (rows) times
 * `part` (rows x count). `weights` is scratch for rows x outputs numbers. */
void fcps_gp_predict_parts(const fcps_gp *gp, const fcps_gp_outputs *outputs, const double *row_part, int count,
                           const double *part, double *weights, double *mean);

#endif
