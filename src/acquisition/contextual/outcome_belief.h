/* SPDX-License-Identifier: Apache-2.0 */
/* What is believed about the outcomes of a few representers in one context, as joint samples: for outcome_es.c.
 *
 * Invariant: beliefs that are made with the same normals have the same random numbers, whatever their contexts are. */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_BELIEF_H
#define FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_BELIEF_H

#include "acquisition/information/belief.h"

typedef struct fcps_outcome_belief {
  int count, gp_count;             /* m representers; GPs of the model */
  const double *target;            /* borrowed */
  fcps_belief *part;               /* for each GP: features, whitened covariances and factor; no samples of its own */
  double *numbers;                 /* owns the arrays below */
  double *variance;                /* gp_count x m: of the representers, unit scale */
  double *rows;                    /* m rows of features, before they are turned */
  double *outcomes;                /* m x S rows of outcomes, in their own units and the frame of the model */
  double *environments;            /* m x S rows, as the reward wants them */
  double *parameters;              /* the same */
  double *probability, *otherwise; /* m: that there is an outcome, and the reward without */
} fcps_outcome_belief;

/* The numbers that samples are made from: outcomes x S x `most` standard normals. */
typedef struct fcps_outcome_normals {
  int samples, most;
  const double *z;
} fcps_outcome_normals;

/* The belief in the context that `posterior` sees the model from, about `count` representers (rows, unit cube). */
fcps_status fcps_outcome_belief_create(fcps_outcome_belief *belief, const fcps_posterior *posterior,
                                       const double *target, const double *environment, int count, const double *x,
                                       const fcps_outcome_normals *normals, fcps_error *error);
void fcps_outcome_belief_destroy(fcps_outcome_belief *belief);

#endif
