/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of contextual CMA-ES, and how much each training sample of a generation counts. */
#ifndef FCPS_LEARNER_POLICY_SEARCH_CMA_WEIGHTS_H
#define FCPS_LEARNER_POLICY_SEARCH_CMA_WEIGHTS_H

#include "learner/policy_search/training_samples.h"

typedef struct fcps_cma_rates {
  int population;         /* lambda */
  double mueff;           /* effective number of parents */
  double c1, cmu, cc, cs; /* learning rates of the covariance and of the two paths */
  double ds;              /* damping of the step size */
  double chi;             /* expected length of a standard normal vector */
} fcps_cma_rates;

/* For n parameters and a context of `contexts` dimensions [abdolmaleki2017, Table 1]; without context those of CMA-ES
 * [hansen2016, Table 1]. A population of 0 asks for the usual one; 1 would have
 * no parents. */
fcps_cma_rates fcps_cma_rates_of(int n, int contexts, int population);

/* Weights d (sum 1) by the rank of the advantage R - V(s), where V is a regression of rewards on the features. Training
 * sample i counts as importance_i/N of a generation: its rank is where the middle of its share lies among
 * `population`. */
fcps_status fcps_cma_weights(const fcps_training_samples *training, const fcps_cma_rates *rates, double *d);

#endif
