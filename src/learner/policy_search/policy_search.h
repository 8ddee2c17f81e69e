/* SPDX-License-Identifier: Apache-2.0 */
/* What the learners without a model share: training samples, ridge regression, and the weights of C-REPS and CMA-ES.
 *
 * Training samples are rollouts as rows of (features of the context, parameters, reward), read for
 *
 *   own        the target they had,
 *   hindsight  that, and the target they achieved,
 *   factored   every one of the latest targets, because the outcome does not depend on the target.
 *
 * A rollout read for a target is a training sample. Factored ones are importance-weighted. A rollout with parameters
 * theta in environment e came from the mixture of the policy over the targets t_1 ... t_T that come up; read for t_j it
 * stands for a draw of pi(theta | t_j, e):
 *
 *   w_j = pi(theta | t_j, e) / (1/T sum_l pi(theta | t_l, e)),
 *
 * so each rollout spreads a weight of T over the targets for which the policy might have done the same.
 */
#ifndef FCPS_LEARNER_POLICY_SEARCH_POLICY_SEARCH_H
#define FCPS_LEARNER_POLICY_SEARCH_POLICY_SEARCH_H

#include "learner/learner_impl.h"
#include "policy/fitted.h"

#include <fcps/base.h>

typedef enum fcps_training_kind {
  FCPS_TRAINING_OWN,
  FCPS_TRAINING_HINDSIGHT,
  FCPS_TRAINING_FACTORED
} fcps_training_kind;

/* The settings that choose it, and their rows, for the tables of learners. */
typedef struct fcps_training_settings {
  bool has_hindsight, is_factored;
  int factored_targets; /* 0 if a learner's table does not have it */
} fcps_training_settings;
extern const fcps_setting_row fcps_training_rows[];        /* hindsight, factored */
extern const fcps_setting_row fcps_training_target_rows[]; /* factored_targets */

/* What the settings choose; refuses what the problem cannot give. */
fcps_status fcps_training_kind_choose(const fcps_training_settings *settings, const fcps_problem *problem,
                                      fcps_training_kind *kind, fcps_error *error);

/* Adds a rollout to `samples` and, with hindsight, a second one for the achieved target if there is one; both or
 * neither. */
fcps_status fcps_training_samples_add(fcps_rollouts *samples, const fcps_problem *problem, const fcps_rollout *rollout,
                                      fcps_training_kind kind, fcps_error *error);

typedef struct fcps_training_samples {
  int count, features, parameters;
  double *block;      /* owns the arrays */
  double *phi;        /* count x features, rows */
  double *theta;      /* count x parameters, rows, unit cube */
  double *rewards;    /* count */
  double *importance; /* count, of mean 1 */
} fcps_training_samples;

/* The training samples that follow from `samples` from row `first` on: as they are, or for the latest `targets` targets
 * where > 0. `policy` gives features and weights. */
fcps_status fcps_training_samples_create(fcps_training_samples *training, const fcps_linear_gaussian *policy,
                                         const fcps_rollouts *samples, int first, int targets, fcps_error *error);
void fcps_training_samples_destroy(fcps_training_samples *training);

/* scaled := rewards brought to [0, 1]; equal ones become 0. */
void fcps_rewards_scale(int count, const double *rewards, double *scaled);

/* -- Ridge regression -- */

/* W = (Phi' D Phi + gamma I)^-1 Phi' D Y. `phi` (count x features) and `y` (count x outputs) are rows, d the weights of
 * the rows; writes `weights` (features x outputs, column-major). Fails with FCPS_ERR_MEMORY, or as fcps_chol_factor
 * does. */
fcps_status fcps_ridge_fit(int count, int features, const double *phi, int outputs, const double *y, const double *d,
                           double gamma, double *weights);

/* -- CMA-ES (c_cma_es.c) -- */

/* The constants of contextual CMA-ES, and how much each training sample of a generation counts. */

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

/* -- Relative entropy policy search (c_reps.c): how much each sample counts in the next policy -- */

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
