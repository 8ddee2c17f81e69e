/* SPDX-License-Identifier: Apache-2.0 */
/* How well hyper-parameters explain outputs: the log marginal likelihood, plus a log prior for maximum a posteriori.
 *
 * What does not depend on the hyper-parameters (squared differences, normalized outputs) is computed once, when the
 * object is created; then it is asked many times. Inputs and outputs are those of its creation. */
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

/* Log likelihood of all outputs plus log prior (unless flat), and its gradient where not NULL. -INFINITY where the
 * matrix cannot be factorized. */
double fcps_likelihood_value(fcps_likelihood *likelihood, const double *hyper, double *gradient);

#endif
