/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that learners without a model share: training samples, ridge regression, and the weights of C-REPS and
 * CMA-ES.
 *
 * Training samples are rows of (features of the context, parameters, reward). A rollout is scored for
 *
 *   own        its own target,
 *   hindsight  its own target, and the target that it achieved,
 *   factored   each of the latest targets, because the outcome does not depend on the target.
 *
 * A rollout scored for one target is one training sample. Factored samples are importance-weighted. A rollout with
 * parameters theta in environment e came from the mixture of the policy over the targets t_1 ... t_T; scored for t_j
 * it stands for a draw of pi(theta | t_j, e):
 *
 *   w_j = pi(theta | t_j, e) / (1/T sum_l pi(theta | t_l, e)),
 *
 * so each rollout spreads a weight of T over the targets for which the policy might have chosen its parameters.
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

/* The settings that choose the kind, and their rows in the tables of learners. */
typedef struct fcps_training_settings {
  bool has_hindsight, is_factored;
  int factored_targets; /* 0 if a learner's table does not have this setting */
} fcps_training_settings;
extern const fcps_setting_row fcps_training_rows[];        /* hindsight, factored */
extern const fcps_setting_row fcps_training_target_rows[]; /* factored_targets */

/* Finds the kind that the settings choose. Fails if the problem does not allow this kind. */
fcps_status fcps_training_kind_choose(const fcps_training_settings *settings, const fcps_problem *problem,
                                      fcps_training_kind *kind, fcps_error *error);

/* Adds a rollout to `samples` and, with hindsight, a second one for the achieved target if there is one. After a
 * failure neither is added. */
fcps_status fcps_training_samples_add(fcps_rollouts *samples, const fcps_problem *problem, const fcps_rollout *rollout,
                                      fcps_training_kind kind, fcps_error *error);

typedef struct fcps_training_samples {
  int count, features, parameters;
  double *block;      /* owns the arrays */
  double *phi;        /* count x features, rows */
  double *theta;      /* count x parameters, rows, unit cube */
  double *rewards;    /* one per sample */
  double *importance; /* one per sample, of mean 1 */
} fcps_training_samples;

/* Makes the training samples of `samples` from row `first` on: for their own targets or, if `targets` > 0, for the
 * latest `targets` targets. `policy` determines the features, and its densities the importance weights. */
fcps_status fcps_training_samples_create(fcps_training_samples *training, const fcps_linear_gaussian *policy,
                                         const fcps_rollouts *samples, int first, int targets, fcps_error *error);
void fcps_training_samples_destroy(fcps_training_samples *training);

/* Maps rewards to [0, 1]. If all are equal, they become 0. */
void fcps_rewards_scale(int count, const double *rewards, double *scaled);

/* -- Ridge regression -- */

/* Writes W = (Phi' D Phi + gamma I)^-1 Phi' D Y to `weights` (features x outputs, column-major). `phi` (count x
 * features) and `y` (count x outputs) are rows, and d has the weights of the rows. Fails with FCPS_ERR_MEMORY, or as
 * fcps_chol_factor does. */
fcps_status fcps_ridge_fit(int count, int features, const double *phi, int outputs, const double *y, const double *d,
                           double gamma, double *weights);

/* -- CMA-ES (c_cma_es.c) -- */

/* The constants of contextual CMA-ES, and how much each training sample of a generation counts. */

typedef struct fcps_cma_rates {
  int population;         /* lambda: rollouts per generation */
  double mueff;           /* effective number of parents */
  double c1, cmu, cc, cs; /* learning rates of the covariance and of the two paths */
  double ds;              /* damping of the step size */
  double chi;             /* expected length of a standard normal vector */
} fcps_cma_rates;

/* The constants for n parameters and a context of `contexts` dimensions [abdolmaleki2017, Table 1]; without context
 * those of CMA-ES [hansen2016, Table 1]. A population of 0 stands for the usual one. It must not be 1, which would have
 * no parents. */
fcps_cma_rates fcps_cma_rates_of(int n, int contexts, int population);

/* -- Relative entropy policy search (c_reps.c): the weight of each sample in the next policy -- */

/* Samples: rows of features phi, finite rewards, and importance weights. */
typedef struct fcps_reps_samples {
  int count, features;
  const double *phi;
  const double *rewards;
  const double *importance; /* of mean 1; NULL if all are equal */
} fcps_reps_samples;

/* The dual function of C-REPS at (eta > 0, nu) and its gradient (eta first; may be NULL):
 *   g = eta epsilon + nu' phibar + eta log( 1/N sum_i w_i exp((R_i - nu' phi_i)/eta) )
 * [kupcsik2013, Eq. 8], phibar weighted in the same way. `scratch` holds `count` numbers. */
double fcps_reps_dual(const fcps_reps_samples *samples, double epsilon, double eta, const double *nu, double *scratch,
                      double *gradient);

/* Minimizes the dual and writes the weights of the samples (positive, sum 1), whose relative entropy to uniform
 * weights (or to the importance) is about `epsilon`. Rewards may have any scale; equal rewards give equal weights.
 * Fails only with FCPS_ERR_MEMORY. */
fcps_status fcps_reps_weights(const fcps_reps_samples *samples, double epsilon, double *weights);

#endif
