/* SPDX-License-Identifier: Apache-2.0 */
/* How well hyper-parameters explain outputs: the log marginal likelihood, plus a log prior for maximum a posteriori.
 *
 * What does not depend on the hyper-parameters (squared differences, normalized outputs) is computed once, when the
 * object is created; then it is asked many times. Inputs and outputs are those of its creation.
 *
 * Places exist in the likelihood only, because the fit is what costs. The rows of a model are those of its
 * rollouts, one by one. */
#ifndef FCPS_GP_LIKELIHOOD_H
#define FCPS_GP_LIKELIHOOD_H

#include "gp/gp.h"

/* What hyper-parameters are judged by: outputs of the first `rows` rows of a GP. */
typedef struct fcps_gp_data {
  int rows, outputs;
  const double *y; /* rows x outputs, column-major */
  fcps_gp_norm norm;
  const fcps_hyper_prior *prior;
} fcps_gp_data;

typedef struct fcps_likelihood fcps_likelihood;

/* Prepares the likelihood of the data. Of `gp` only the inputs, their noise and the kernel are used. Borrows the prior
 * until destroyed, copies everything else. */
fcps_status fcps_likelihood_create(fcps_likelihood **likelihood, const fcps_gp *gp, const fcps_gp_data *data);
void fcps_likelihood_destroy(fcps_likelihood *likelihood);

/* Sets the noise of the rows beyond sn^2, at first that of `gp`. */
void fcps_likelihood_set_noise(fcps_likelihood *likelihood, const double *noise);

/* Log likelihood of all outputs plus log prior (unless flat), and its gradient if not NULL. -INFINITY if the
 * matrix cannot be factorized. */
double fcps_likelihood_value(fcps_likelihood *likelihood, const double *hyper, double *gradient);

/* Gives an input that is words another table; and after a value with a gradient: adds the derivatives of the likelihood by the
 * numbers of the table to by_square (count x count), those of a pair of words in one of their two places. */
void fcps_likelihood_set_table(fcps_likelihood *likelihood, int input, int count, const double *square);
void fcps_likelihood_table_gradient(const fcps_likelihood *likelihood, const double *hyper, int input, int count,
                                    double *by_square);

/* -- Rows at one place -- */

/* Rows with the same inputs: trials that were repeated. They share one place, and their scatter is what the noise is.
 *
 * Of rows i at place g with y_i = f_g + e_i, e_i ~ N(0, v_i), only the weighted mean speaks about f_g:
 *
 *   prod_i N(y_i; f_g, v_i) = N(m_g; f_g, D_g) * S_g
 *   D_g = 1/sum_i 1/v_i,   m_g = D_g sum_i y_i/v_i,
 *   S_g = sqrt(2 pi D_g) prod_i exp(-(y_i - m_g)^2/(2 v_i))/sqrt(2 pi v_i)
 *
 * So the likelihood of all rows is that of the means, with the noises D_g, times the S_g, which do not know f
 * [binois2018]. It is exact, for equal and for different v_i; nothing is thrown away. It costs what distinct
 * places cost, and its matrix has no two equal rows.
 */

typedef struct fcps_replicates {
  int rows, places, outputs;
  int *place;       /* of each row; places are numbered in the order of their first rows */
  double *variance; /* places: D_g */
  double *mean;     /* places x outputs: m_g of each output */
} fcps_replicates;

/* Finds the places of the first `rows` rows of a GP. May be destroyed after a failure. */
fcps_status fcps_replicates_create(fcps_replicates *replicates, const fcps_gp *gp, int rows, int outputs);
void fcps_replicates_destroy(fcps_replicates *replicates);

/* A GP with one row for each place. */
fcps_status fcps_replicates_places(const fcps_replicates *replicates, const fcps_gp *gp, fcps_gp **places);

/* What the rows measured: y (rows x outputs), with the variances v_i = sn2 + noise_i. */
typedef struct fcps_measured {
  const double *y, *noise;
  double sn2;
} fcps_measured;

#endif
