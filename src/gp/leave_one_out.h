/* SPDX-License-Identifier: Apache-2.0 */
/* Leave-one-out predictions: each row is predicted from all other rows. One factorization serves all rows.
 *
 * Only the row's output is left out. Its input and noise stay, all other rows stay, and so do the hyper-parameters,
 * which were fitted to all rows. Offset and scale of the outputs are those of the other rows, so that one extreme
 * output neither shifts nor widens its own prediction. Variances are those of an output, with the noise of its row. */
#ifndef FCPS_GP_LEAVE_ONE_OUT_H
#define FCPS_GP_LEAVE_ONE_OUT_H

#include "gp/gp.h"

typedef struct fcps_leave_one_out fcps_leave_one_out;

/* The prediction of one output of a row from the other rows, in units of the output. */
typedef struct fcps_left_out {
  double mean, variance; /* mean and variance of the output; the variance includes the noise of the row */
  double scale;          /* the scale of the outputs of the other rows, which is the unit of the kernel */
} fcps_left_out;

/* Inverts the matrix of the first `count` rows. There must be at least two, and they must be in the factor. Copies
 * everything that it needs from the GP. */
fcps_status fcps_leave_one_out_create(fcps_leave_one_out **made, const fcps_gp *gp, int count);
void fcps_leave_one_out_destroy(fcps_leave_one_out *leave_one_out);

/* Predicts all outputs of one row from those of all other rows. y is count x outputs, column-major; `result` has one
 * entry per output. Takes O(count) for each output. Two threads must not use the same handle at once. */
fcps_status fcps_leave_one_out_row(fcps_leave_one_out *leave_one_out, fcps_gp_norm norm, int row, int outputs,
                                   const double *y, fcps_left_out *result);

/* -- Rows without their neighbours -- */

/* Estimates by how much the deviations of a GP are too small. Hyper-parameters are fitted as if the kernel were right,
 * but predictions are needed at places without trials. So every row is predicted without itself and its nearest
 * neighbours, that is, from further away than in leave-one-out, and the prediction is compared with the row's output.
 *
 * The factor of an output is the number by which deviations must be multiplied so that 95 % of the predicted intervals
 * contain the output. It is at least 1. */

/* Writes the factors, one per output; all are 1 if there are too few rows. `outputs` must be conditioned on all rows of
 * the factor. */
fcps_status fcps_gp_widening(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *factors);

#endif
