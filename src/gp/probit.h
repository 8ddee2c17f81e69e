/* SPDX-License-Identifier: Apache-2.0 */
/* Yes/no labels of a GP's rows: probit classification by expectation propagation [minka2001; rasmussen2006, Sec. 3.6].
 *
 *   p(yes | f) = lapse + (1 - 2 lapse) Phi(f),      f ~ GP(mean, k)
 *
 * EP replaces each label by a Gaussian reading of f, its site, with a target and a variance. So afterwards a GP with
 * these readings as outputs and noise (fcps_gp_set_noise) is the approximate posterior, and answers queries like any
 * other. A lapse is a label that says nothing about f: it keeps one odd label from moving the edge.
 *
 * The prior mean follows from a base rate: if nothing is known, p(yes) is that rate (lapses aside), whatever sf is:
 *   mean = Phi^-1(base) sqrt(1 + sf^2).
 */
#ifndef FCPS_GP_PROBIT_H
#define FCPS_GP_PROBIT_H

#include "gp/gp.h"

typedef struct fcps_probit_data {
  int rows;
  const bool *labels;
  double base;  /* in (0, 1) */
  double lapse; /* in [0, 1/2) */
  const fcps_hyper_prior *prior;
} fcps_probit_data;

typedef struct fcps_probit fcps_probit;

/* Prepares the labels of the first rows of `gp`, of which only the inputs and the kernel are used. Borrows the prior,
 * copies everything else. */
fcps_status fcps_probit_create(fcps_probit **probit, const fcps_gp *gp, const fcps_probit_data *data);
void fcps_probit_destroy(fcps_probit *probit);

/* Log evidence of the labels (of EP) plus the log prior of the hyper-parameters (the noise is not one of them), and its
 * gradient if not NULL. -INFINITY if EP does not converge. */
double fcps_probit_evidence(fcps_probit *probit, const double *hyper, double *gradient);

/* Maximizes it within the prior's bounds, from `hyper`, with at most `budget` evaluations; returns its value. */
double fcps_probit_fit(fcps_probit *probit, int budget, double *hyper);

/* The sites after the last evidence: targets less the prior mean, and variances. Returns the prior mean. */
double fcps_probit_sites(const fcps_probit *probit, double *targets, double *variances);

/* p(yes) of a latent value with this mean (the prior mean added) and variance; the derivatives by both if not
 * NULL. */
double fcps_probit_probability(double lapse, double mean, double variance, double *by_mean, double *by_variance);

#endif
