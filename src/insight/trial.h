/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a trial: which stored trials its prediction rests on, how much it would tell, and which other trial
 * could be done instead. The three functions only read the model. */
#ifndef FCPS_INSIGHT_TRIAL_H
#define FCPS_INSIGHT_TRIAL_H

#include "model/model.h"
#include "model/posterior/posterior.h"

/* A place: context and parameters in their own units. */
typedef struct fcps_insight_place {
  const double *target, *environment, *parameters;
} fcps_insight_place;

/* Computes the share of each training rollout in a prediction. The mean of a Gaussian process is a sum of the told
 * values, weighted by w = K^-1 k [rasmussen2006, Eq. 2.25]; a share is |w_i| over the sum of all |w_j|, averaged over
 * the GPs. *answering is the model that answers in this context (the child if the model has split), and *shares has a
 * share for each of its training rollouts. The caller frees *shares. */
fcps_status fcps_insight_weigh(const fcps_model *model, const fcps_insight_place *place, const fcps_model **answering,
                               double **shares, fcps_error *error);

/* Model deviations (without noise) before [0] and after [1] a trial at a place: of the reward and of each outcome at
 * this place, and of the rewards at `count` other places. They only depend on the place of the trial, not on its
 * result. */
typedef struct fcps_insight_lesson {
  bool has_outcomes;
  double reward[2], outcomes[2][FCPS_SPACE_MAX];
  double elsewhere[2]; /* mean over the other places; NaN if there are none */
} fcps_insight_lesson;
fcps_status fcps_insight_teach(const fcps_model *model, const fcps_insight_place *place, int count,
                               const fcps_insight_place *elsewhere, fcps_insight_lesson *lesson, fcps_error *error);

/* Finds the best other trial in the context of a place, by mean + kappa deviations. At least one of its parameters
 * must differ by a tenth of its range, or be another word. Candidates are points spread over the parameters, points
 * that were tried, and the place itself with one parameter moved; then the best of them is improved by moving one
 * parameter at a time. *exists is false if there is no such trial. */
fcps_status fcps_insight_runner_up(const fcps_model *model, const fcps_insight_place *place, double kappa,
                                   double *parameters, bool *exists, fcps_error *error);

#endif
