/* SPDX-License-Identifier: Apache-2.0 */
/* Leave-one-out predictions: the prediction of each row from all other rows, for all rows from one factorization.
 *
 * Only the row's output is left out. The input, noise and output of every other row stay, and so do the
 * hyper-parameters, which were fitted to all rows. Offset and scale of the outputs are those of the other rows, so that
 * one extreme output neither shifts nor widens its own prediction. Variances are those of an output, with the noise of
 * its row. */
#ifndef FCPS_GP_LEAVE_ONE_OUT_H
#define FCPS_GP_LEAVE_ONE_OUT_H

#include "gp/gp.h"

typedef struct fcps_leave_one_out fcps_leave_one_out;

/* The prediction of one output of a row from the other rows, in units of the output. */
typedef struct fcps_left_out {
  double mean, variance; /* of the output, including the noise of its row */
  double scale;          /* the scale of the outputs of the other rows; the kernel's unit */
} fcps_left_out;

/* Inverts the matrix of the first `count` rows, at least two, which must be in the factor. Copies everything it needs
 * from the GP. */
fcps_status fcps_leave_one_out_create(fcps_leave_one_out **made, const fcps_gp *gp, int count);
void fcps_leave_one_out_destroy(fcps_leave_one_out *leave_one_out);

/* Predicts the outputs of one row from those of all others. y is count x outputs, column-major; `result` has one entry
 * per output. Takes O(count) for each output. Two threads must not use the same handle at once. */
fcps_status fcps_leave_one_out_row(fcps_leave_one_out *leave_one_out, fcps_gp_norm norm, int row, int outputs,
                                   const double *y, fcps_left_out *result);

/* -- Rows without their neighbours -- */

/* Estimates by how much the deviations of a GP are too small. Hyper-parameters are fitted as if the kernel were right,
 * and predictions are needed where no trial was made. So every row is predicted without itself and its nearest
 * neighbours, that is from further away than by leaving out one row, and the prediction is compared with the row's
 * output.
 *
 * The factor of an output is the number that makes 95 % of these intervals contain the output. It is at least 1. */

/* Writes the factors, one for each output; `outputs` must be conditioned on all rows of the factor. They are 1 if there
 * are too few rows. */
fcps_status fcps_gp_widening(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *factors);

#endif
