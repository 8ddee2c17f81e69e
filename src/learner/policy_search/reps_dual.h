/* SPDX-License-Identifier: Apache-2.0 */
/* How much each sample counts in the next policy, by relative entropy policy search. */
#ifndef FCPS_LEARNER_POLICY_SEARCH_REPS_DUAL_H
#define FCPS_LEARNER_POLICY_SEARCH_REPS_DUAL_H

#include <fcps/base.h>

/* Samples: features phi (rows) and rewards, which are finite, and how often each counts. */
typedef struct fcps_reps_samples {
  int count, features;
  const double *phi;
  const double *rewards;
  const double *importance; /* mean 1; NULL: all the same */
} fcps_reps_samples;

/* The dual function of C-REPS at (eta > 0, nu) and its gradient (eta first; may be NULL):
 *   g = eta epsilon + nu' phibar + eta log( 1/N sum_i w_i exp((R_i - nu' phi_i)/eta) )
 * [kupcsik2013, Eq. 8], phibar weighted in the same way. `scratch` holds `count` numbers. */
double fcps_reps_dual(const fcps_reps_samples *samples, double epsilon, double eta, const double *nu, double *scratch,
                      double *gradient);

/* Minimizes the dual and writes the weights of the samples (positive, sum 1), whose relative entropy to uniform ones
 * (to the importance) is about `epsilon`. Rewards of any scale are fine, equal ones too (equal weights). Fails only
 * with FCPS_ERR_MEMORY. */
fcps_status fcps_reps_weights(const fcps_reps_samples *samples, double epsilon, double *weights);

#endif
