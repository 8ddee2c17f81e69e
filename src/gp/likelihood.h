/* SPDX-License-Identifier: Apache-2.0 */
/* How well hyper-parameters explain outputs: the log marginal likelihood, plus a log prior for maximum a posteriori.
 *
 * Quantities that do not depend on the hyper-parameters (squared differences, normalized outputs) are computed once,
 * when the likelihood is created. Then its value is computed for many hyper-parameters. Its inputs and outputs do not
 * change.
 *
 * Only the likelihood combines rows with the same inputs, because fits take most of the time. A model has one row for
 * each rollout. */
#ifndef FCPS_GP_LIKELIHOOD_H
#define FCPS_GP_LIKELIHOOD_H

#include "gp/gp.h"

/* The data to which hyper-parameters are fitted: outputs of the first `rows` rows of a GP. */
typedef struct fcps_gp_data {
  int rows, outputs;
  const double *y; /* rows x outputs, column-major */
  fcps_gp_norm norm;
  const fcps_hyper_prior *prior;
} fcps_gp_data;

typedef struct fcps_likelihood fcps_likelihood;

/* Prepares the likelihood of the data. Uses only the inputs, the additional noise and the kernel of `gp`. The prior is
 * borrowed until the likelihood is destroyed; everything else is copied. */
fcps_status fcps_likelihood_create(fcps_likelihood **likelihood, const fcps_gp *gp, const fcps_gp_data *data);
void fcps_likelihood_destroy(fcps_likelihood *likelihood);

/* Sets the noise variance of the rows in addition to sn^2. Before the first call it is that of `gp`. */
void fcps_likelihood_set_noise(fcps_likelihood *likelihood, const double *noise);

/* Returns the log likelihood of all outputs plus the log prior (which is 0 if the prior is flat). Writes its gradient,
 * unless `gradient` is NULL. -INFINITY if the matrix cannot be factorized. */
double fcps_likelihood_value(fcps_likelihood *likelihood, const double *hyper, double *gradient);

/* fcps_likelihood_set_table replaces the table of distances of an input that is words. fcps_likelihood_table_gradient
 * adds the derivatives of the likelihood by the entries of that table to by_square (count x count). Call it after a
 * value with a gradient. Of the two entries of a pair of words, only one receives the pair's derivative. */
void fcps_likelihood_set_table(fcps_likelihood *likelihood, int input, int count, const double *square);
void fcps_likelihood_table_gradient(const fcps_likelihood *likelihood, const double *hyper, int input, int count,
                                    double *by_square);

/* -- Rows at one place -- */

/* Rows with the same inputs are repeated trials. They share one place, and the differences of their outputs show the
 * noise. Of rows i at place g with y_i = f_g + e_i, e_i ~ N(0, v_i), only the weighted mean contains information about
 * f_g:
 *
 *   prod_i N(y_i; f_g, v_i) = N(m_g; f_g, D_g) * S_g
 *   D_g = 1/sum_i 1/v_i,   m_g = D_g sum_i y_i/v_i,
 *   S_g = sqrt(2 pi D_g) prod_i exp(-(y_i - m_g)^2/(2 v_i))/sqrt(2 pi v_i)
 *
 * So the likelihood of all rows is that of the means m_g with the noises D_g, times the S_g, which do not depend on f
 * [binois2018]. This is exact for equal and for different v_i. The cost depends on the number of distinct places, and
 * the matrix has no two equal rows. */

typedef struct fcps_replicates {
  int rows, places, outputs;
  int *place;       /* the place of each row; places are numbered in the order of their first rows */
  double *variance; /* D_g of each place */
  double *mean;     /* m_g of each place and output: places x outputs */
} fcps_replicates;

/* Finds the places of the first `rows` rows of a GP. After a failure `replicates` may still be destroyed. */
fcps_status fcps_replicates_create(fcps_replicates *replicates, const fcps_gp *gp, int rows, int outputs);
void fcps_replicates_destroy(fcps_replicates *replicates);

/* Creates a GP with one row for each place. */
fcps_status fcps_replicates_places(const fcps_replicates *replicates, const fcps_gp *gp, fcps_gp **places);

/* The measurements of the rows: y (rows x outputs), with variances v_i = sn2 + noise_i. */
typedef struct fcps_measured {
  const double *y, *noise;
  double sn2;
} fcps_measured;

#endif
