/* SPDX-License-Identifier: Apache-2.0 */
/* How well a description explains outcomes: the one measure by which descriptions are compared.
 *
 * A description is tried on rows: GPs as it wants them are made, see the rows as it sees them, and are fitted. With theta all
 * their hyper-parameters, theta* the best, k how many they are, and H the negative second derivatives of the log posterior
 * there, Laplace's approximation of the marginal likelihood is [mackay2003, Ch. 27; rasmussen2006, Sec. 5.2]
 *
 *   nats = log p(y | theta*) + log p(theta*) + k/2 log(2 pi) - log|H|/2 - sum_o n log scale_o + sum_s log p(s).
 *
 * The scales take outputs back to the outcomes' own units, in which all descriptions are compared; what a structure changes
 * about outcomes keeps volumes. p(s) is the prior of each structure, with what its own parameters cost. Eigenvalues of H are
 * at least those of a third of the prior: where a parameter is at its bound, the posterior is no wider than that.
 *
 * Fits begin at the hyper-parameters that are given, at the prior's centre, and where nearly everything is noise: without
 * that start noise is explained by short lengths, and a frame in which it looks smoother by chance is believed.
 *
 * Rows that rest in a description are none of its GPs': it explains them itself.
 *
 * "Nothing but noise" is a description too, which needs no GP: outputs have a constant mean and one deviation each or
 * one for all, log-normal around their own spread. Other structures count as they do beside a GP. To turn noise gives
 * noise. So a structure that beats the plain GP but not this is no news. */
#ifndef FCPS_MODEL_EVIDENCE_H
#define FCPS_MODEL_EVIDENCE_H

#include "model/description.h"

/* half_log_determinant := log|H|/2 of a symmetric matrix, which is lost, with eigenvalues that are not below `least`. */
fcps_status fcps_evidence_width(int n, double *matrix, double least, double *half_log_determinant);

/* The rows that descriptions are tried on: all, or as many as given, evenly spread over their order. */
typedef struct fcps_sample {
  const fcps_look *look;
  int count;
  int *source;        /* the rollout of each row */
  double *features;   /* count x features */
  double *outcomes;   /* count x outputs */
  bool *doubted;      /* rows that offsets and scales do not look at, whatever the description */
  bool *idle;         /* outputs that do not count */
  double *resolution; /* of each outcome: what is finer counts for nothing; 0: everything counts */
} fcps_sample;

/* `judge` says which outputs count, and at which resolution; NULL: all do. */
fcps_status fcps_sample_open(fcps_sample *sample, const fcps_look *look, const fcps_structure_kind *judge, int most);
void fcps_sample_close(fcps_sample *sample);

/* How much work a trial of a description may be. */
typedef struct fcps_evidence_effort {
  int starts;   /* of each fit (gp/fit.h): the noisy one is superfluous if noise alone explains far less */
  double least; /* what explains less than this is hopeless: its width is not looked for */
} fcps_evidence_effort;

/* The evidence for a description, -INFINITY if it cannot be fitted. `hyper` has those of all its GPs, one after the other:
 * where a fit begins, and then those that it ended with. */
fcps_status fcps_evidence_of(const fcps_sample *sample, const fcps_description *description,
                             fcps_evidence_effort effort, double *hyper, double *nats);

/* The evidence for nothing but noise. */
double fcps_evidence_of_noise(const fcps_sample *sample, const fcps_description *plain);

#endif
