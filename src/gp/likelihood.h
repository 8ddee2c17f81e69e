/* SPDX-License-Identifier: Apache-2.0 */
/* How well hyper-parameters explain outputs: the log marginal likelihood, plus a log prior for MAP. */
#ifndef FCPS_GP_LIKELIHOOD_H
#define FCPS_GP_LIKELIHOOD_H

#include "gp/gp.h"

/* Log-normal priors for inputs in the unit cube and outputs of unit scale; the bounds hold for ML, too. */
typedef struct fcps_hyper_prior {
  bool is_flat;             /* maximum likelihood: bounds only */
  double length, length_sd; /* log l ~ N(log length, length_sd^2) */
  const double *stretch;    /* NULL, or for each input a factor of `length` */
  bool has_long_tail;       /* beyond one deviation above, exponential: an input may turn out not to matter */
  double signal, signal_sd; /* log sf */
  double noise, noise_sd;   /* log sn */
  double noise_floor;       /* least sn */
} fcps_hyper_prior;

/* log hyper-parameters at the prior's centre, and their bounds. */
void fcps_hyper_centre(const fcps_hyper_prior *prior, int dim, double *hyper);
void fcps_hyper_bounds(const fcps_hyper_prior *prior, int dim, double *lower, double *upper);

typedef struct fcps_likelihood fcps_likelihood;

/* Prepares the evidence of `outputs` columns of y (rows x outputs) for the first `rows` rows of `gp`, of which only the
 * inputs, their noise and the kernel are used. Borrows `gp` and `prior` until destroyed; copies y normalized. */
fcps_status fcps_likelihood_create(fcps_likelihood **likelihood, const fcps_gp *gp, const fcps_hyper_prior *prior,
                                   fcps_gp_norm norm, int rows, int outputs, const double *y);
void fcps_likelihood_destroy(fcps_likelihood *likelihood);

/* Sets the noise of the rows beyond sn^2, at first that of `gp`. */
void fcps_likelihood_set_noise(fcps_likelihood *likelihood, const double *noise);

/* Log likelihood of all outputs plus log prior (unless flat), and its gradient where not NULL. -INFINITY where the
 * matrix cannot be factorized. */
double fcps_likelihood_value(fcps_likelihood *likelihood, const double *hyper, double *gradient);

#endif
