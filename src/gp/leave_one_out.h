/* SPDX-License-Identifier: Apache-2.0 */
/* Leave-one-out predictions: what the other rows say about a row, for all rows from one factorization.
 *
 * What is left out is the row's output: input, noise and output of every other row stay, and so do the hyper-parameters,
 * which were fitted to all rows. Offset and scale of the outputs are those of the other rows alone, so that one wild
 * output neither moves nor widens its own prediction. Variances are those of the output, with the noise of its row;
 * without it, subtract fcps_leave_one_out_noise. */
#ifndef FCPS_GP_LEAVE_ONE_OUT_H
#define FCPS_GP_LEAVE_ONE_OUT_H

#include "gp/gp.h"

typedef struct fcps_leave_one_out fcps_leave_one_out;

/* What the other rows say about one output of a row, in units of the output. */
typedef struct fcps_left_out {
  double mean, variance; /* of the output, noise of its row included */
  double scale;          /* of the outputs of the other rows: what counts as 1 for the kernel */
} fcps_left_out;

/* The log density of the output y itself, which the prediction has not seen. */
double fcps_left_out_log_density(const fcps_left_out *left_out, double y);

/* Inverts the matrix of the first `count` rows, which must be in the factor; at least two. Copies what it needs of the
 * GP. */
fcps_status fcps_leave_one_out_create(fcps_leave_one_out **made, const fcps_gp *gp, int count);
void fcps_leave_one_out_destroy(fcps_leave_one_out *leave_one_out);

/* Predicts the outputs of one row from those of all others. y: count x outputs, column-major; `result`: one per output.
 * O(count) for each output. Not for two threads at once. */
fcps_status fcps_leave_one_out_row(fcps_leave_one_out *leave_one_out, fcps_gp_norm norm, int row, int outputs,
                                   const double *y, fcps_left_out *result);

/* The variance of the noise of a row, jitter included, in units of the kernel: times scale^2 it is in those of an
 * output. */
double fcps_leave_one_out_noise(const fcps_leave_one_out *leave_one_out, int row);

/* -- Without neighbours -- */

/* By how much the deviations of a GP are too small. Hyper-parameters are fitted as if the kernel were right, and an
 * answer is asked for where no trial was made. So every row is predicted without itself and its nearest neighbours, from
 * further away than leaving out one row would: what the GP says of places between its rows is held against what is known.
 *
 * The factor of an output makes 95 % of these intervals cover what was told. It is never below 1. */

/* factors: one for each of the outputs, which are conditioned on all rows of the factor; 1 if rows are too few. */
fcps_status fcps_gp_widening(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *factors);

#endif
