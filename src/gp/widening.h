/* SPDX-License-Identifier: Apache-2.0 */
/* By how much the deviations of a GP are too small. Hyper-parameters are fitted as if the kernel were right, and an
 * answer is asked for where no trial was made. So every row is predicted without itself and its nearest neighbours, from
 * further away than leaving out one row would: what the GP says of places between its rows is held against what is known.
 *
 * The factor of an output makes 95 % of these intervals cover what was told. It is never below 1. */
#ifndef FCPS_GP_WIDENING_H
#define FCPS_GP_WIDENING_H

#include "gp/gp.h"

/* factors: one for each of the outputs, which are conditioned on all rows of the factor; 1 where rows are too few. */
fcps_status fcps_gp_widening(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *factors);

#endif
