/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence for a description: how well it explains outcomes. Descriptions are compared by this measure alone.
 *
 * The GPs that a description specifies are made, get the rows as it transforms them, and are fitted. Let theta be all
 * their k hyper-parameters, theta* the best ones, and H the negative second derivatives of the log posterior at theta*.
 * Then Laplace's approximation of the marginal likelihood is [mackay2003, Ch. 27; rasmussen2006, Sec. 5.2]
 *
 *   nats = log p(y | theta*) + log p(theta*) + k/2 log(2 pi) - log|H|/2 - sum_o n log scale_o + sum_s log p(s).
 *
 * The scales take outputs back to the outcomes' own units, in which all descriptions are compared; structures change
 * outcomes only by maps that preserve volume. p(s) is the prior of each structure, less the cost of its own parameters.
 * Eigenvalues of H are at least a third of those of the prior, which limits the width at a bound.
 *
 * Fits begin at the hyper-parameters that are given, at the prior's centre, and at a point where nearly everything is
 * noise. Without the start at the noisy point, a fit explains noise by short lengths, and the comparison prefers a
 * frame in which the noise looks smoother.
 *
 * Rows at rest (structure.h) are not given to the GPs, because the structure that finds rest explains them itself.
 *
 * "Nothing but noise" is a hypothesis too, and needs no GP: outputs have a constant mean. Each has its own deviation,
 * or all share one; the deviation is log-normal around the spread of the outputs. Other structures count as they do
 * with a GP. Rotated noise is still noise, so a structure is not believed if it beats the plain GP but not this
 * hypothesis. */
#ifndef FCPS_MODEL_EVIDENCE_H
#define FCPS_MODEL_EVIDENCE_H

#include "model/description.h"

/* Computes log|H|/2 of a symmetric matrix, which it overwrites. Eigenvalues below `least` count as `least`. */
fcps_status fcps_evidence_width(int n, double *matrix, double least, double *half_log_determinant);

/* The rows that descriptions are fitted to: all rows of a model, or a given number, evenly spread over their order. */
typedef struct fcps_sample {
  const fcps_look *look;
  int count;
  int *source;        /* the rollout of each row */
  double *features;   /* count x features */
  double *outcomes;   /* count x outputs */
  bool *doubted;      /* rows that offsets and scales leave out under every description */
  bool *idle;         /* outputs that are not compared */
  double *resolution; /* one per outcome: smaller differences do not count; 0: all differences count */
} fcps_sample;

/* Opens a sample of at most `most` rows. The kind `judge` says which outputs are compared, and at which resolution. If
 * it is NULL, all outputs are compared at full resolution. */
fcps_status fcps_sample_open(fcps_sample *sample, const fcps_look *look, const fcps_structure_kind *judge, int most);
void fcps_sample_close(fcps_sample *sample);

/* The work that may be spent on the evidence for one description. */
typedef struct fcps_evidence_effort {
  int starts;   /* of each fit (gp/fit.h); callers leave out the noisy start if noise explains far less */
  double least; /* in nats: below this the description has no chance, and its width is not computed */
} fcps_evidence_effort;

/* Computes the evidence for a description; -INFINITY if the description cannot be fitted. `hyper` has the
 * hyper-parameters of all its GPs, one after the other: on entry the start of the fits, on return the fitted values. */
fcps_status fcps_evidence_of(const fcps_sample *sample, const fcps_description *description,
                             fcps_evidence_effort effort, double *hyper, double *nats);

/* Returns the evidence for the hypothesis that outputs are nothing but noise. */
double fcps_evidence_of_noise(const fcps_sample *sample, const fcps_description *plain);

#endif
