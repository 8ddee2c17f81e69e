/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing hyper-parameters: maximum a posteriori or maximum likelihood, from several starts. */
#ifndef FCPS_GP_FIT_H
#define FCPS_GP_FIT_H

#include "base/rng.h"
#include "gp/likelihood.h"

typedef struct fcps_fit_settings {
  int starts;  /* 1: the last optimum; 2: and the prior's centre; more: and draws from the prior */
  int budget;  /* evaluations of the evidence a start */
  int samples; /* of the posterior, in place of its optimum, where > 1; for models (model/chain.h) */
} fcps_fit_settings;

/* How a fit ended; every ending leaves usable hyper-parameters. */
typedef enum fcps_fit_result {
  FCPS_FIT_OK,
  FCPS_FIT_KEPT,   /* no start gave a finite evidence: the old hyper-parameters stay */
  FCPS_FIT_DEFAULT /* nor did they: the prior's centre is used */
} fcps_fit_result;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_fit_result_name(int index);

/* A fit looks at no more rows than this: hyper-parameters are settled long before, and its cost is their number cubed.
 * Of more rows it takes this many, evenly spread over their order. */
#define FCPS_FIT_ROWS 1000

/* Fits the hyper-parameters of `gp` to y (rows x outputs) and factorizes its first `rows` rows with them. */
fcps_status fcps_gp_fit(fcps_gp *gp, const fcps_hyper_prior *prior, fcps_gp_norm norm, fcps_fit_settings settings,
                        int rows, int outputs, const double *y, fcps_rng rng, fcps_fit_result *result);

#endif
