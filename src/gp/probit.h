/* SPDX-License-Identifier: Apache-2.0 */
/* Yes/no labels of a GP's rows: probit classification by expectation propagation [minka2001; rasmussen2006, Sec. 3.6].
 *
 *   p(yes | f) = lapse + (1 - 2 lapse) Phi(f),      f ~ GP(mean, k)
 *
 * EP replaces each label by its site: a Gaussian measurement of f, with a target and a variance. A GP with these
 * measurements as outputs and noise (fcps_gp_set_noise) is then the approximate posterior, and answers queries like any
 * other GP. A lapse is a label that does not depend on f: it keeps one odd label from moving the boundary.
 *
 * The prior mean follows from a base rate. Far from all data p(yes) is that rate (apart from lapses), whatever sf is:
 *   mean = Phi^-1(base) sqrt(1 + sf^2). */
#ifndef FCPS_GP_PROBIT_H
#define FCPS_GP_PROBIT_H

#include "gp/gp.h"

typedef struct fcps_probit_data {
  int rows;
  const bool *labels;
  double base;  /* the base rate, in (0, 1) */
  double lapse; /* the probability of a lapse for each answer, in [0, 1/2) */
  const fcps_hyper_prior *prior;
} fcps_probit_data;

typedef struct fcps_probit fcps_probit;

/* Prepares the labels of the first rows of `gp`. Uses only the inputs and the kernel of `gp`. The prior is borrowed;
 * everything else is copied. */
fcps_status fcps_probit_create(fcps_probit **probit, const fcps_gp *gp, const fcps_probit_data *data);
void fcps_probit_destroy(fcps_probit *probit);

/* Returns the log evidence of the labels (by EP) plus the log prior of the hyper-parameters. Writes its gradient,
 * unless `gradient` is NULL. The noise is not one of the hyper-parameters. -INFINITY if EP does not converge. */
double fcps_probit_evidence(fcps_probit *probit, const double *hyper, double *gradient);

/* Maximizes the evidence within the prior's bounds, from `hyper` on, with at most `budget` evaluations. Returns the
 * largest evidence. */
double fcps_probit_fit(fcps_probit *probit, int budget, double *hyper);

/* Writes the sites of the evidence that was computed last: targets less the prior mean, and variances. Returns the
 * prior mean. */
double fcps_probit_sites(const fcps_probit *probit, double *targets, double *variances);

/* Returns the probability of a yes if f has this mean (with the prior mean added) and this variance. Writes the
 * derivatives of the probability by the mean and by the variance, unless they are NULL. */
double fcps_probit_probability(double lapse, double mean, double variance, double *by_mean, double *by_variance);

#endif
