/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a posterior: what a trial is worth where it may break one. Every value that searches see is lowered there, the
 * more the less surely the limits are kept: so whoever looks for the best finds the best that keeps them, or else the
 * parameters that keep them most surely. Predictions do not see it (fcps_penalty_view.without_limits). */
#ifndef FCPS_MODEL_POSTERIOR_LIMITED_H
#define FCPS_MODEL_POSTERIOR_LIMITED_H

#include "model/posterior/posterior_ops.h"

/* Gives a posterior that was made the limits of its problem, if there are some. */
fcps_status fcps_posterior_take_limits(fcps_posterior *posterior, const double *target, const double *environment);
void fcps_posterior_drop_limits(fcps_posterior *posterior);

/* Lowers values of points, with their gradients (may be NULL). */
void fcps_posterior_limit(fcps_posterior *posterior, int count, const double *x, double *values, double *gradients);

#endif
