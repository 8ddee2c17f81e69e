/* SPDX-License-Identifier: Apache-2.0 */
/* What the model-free learners learn from: rollouts as rows of (features of the context, parameters, reward), read for
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
#ifndef FCPS_LEARNER_POLICY_SEARCH_TRAINING_SAMPLES_H
#define FCPS_LEARNER_POLICY_SEARCH_TRAINING_SAMPLES_H

#include "learner/learner_impl.h"
#include "policy/linear_gaussian.h"

typedef enum fcps_training_kind {
  FCPS_TRAINING_OWN,
  FCPS_TRAINING_HINDSIGHT,
  FCPS_TRAINING_FACTORED
} fcps_training_kind;

/* The settings that choose it, and their rows, for the tables of learners. */
typedef struct fcps_training_settings {
  bool has_hindsight, is_factored;
  int factored_targets; /* 0 where a learner's table does not have it */
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

#endif
