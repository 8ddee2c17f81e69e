/* SPDX-License-Identifier: Apache-2.0 */
/* Why a trial: which stored trials speak for what is predicted of it, what it would tell, and what could be done instead. All
 * three ask a model, and change nothing in it. */
#ifndef FCPS_INSIGHT_TRIAL_H
#define FCPS_INSIGHT_TRIAL_H

#include "model/model.h"
#include "model/posterior/posterior.h"

/* A place: context and parameters in their own units. */
typedef struct fcps_insight_place {
  const double *target, *environment, *parameters;
} fcps_insight_place;

/* The share of each training rollout in a prediction. The mean of a Gaussian process is a sum of what was told, weighed by
 * w = K^-1 k [rasmussen2006, Eq. 2.25]; a share is |w_i| over the sum of them all, averaged over the GPs of the model that
 * answers there. Writes that model, and an array of as many shares as it has training rollouts (to be freed). */
fcps_status fcps_insight_weigh(const fcps_model *model, const fcps_insight_place *place, const fcps_model **answering,
                               double **shares, fcps_error *error);

/* Deviations of what is not known (without noise) before and after a trial at a place: of the reward and of each outcome
 * there, and of the rewards of `count` other places (rows of arrays). They follow from where the trial is, not from what it
 * tells. */
typedef struct fcps_insight_lesson {
  bool has_outcomes;
  double reward[2], outcomes[2][FCPS_SPACE_MAX];
  double elsewhere[2]; /* mean over the other places; NaN without any */
} fcps_insight_lesson;
fcps_status fcps_insight_teach(const fcps_model *model, const fcps_insight_place *place, int count,
                               const fcps_insight_place *elsewhere, fcps_insight_lesson *lesson, fcps_error *error);

/* The best other trial in the context of a place: by mean + kappa deviations, of which at least one parameter
 * differs by a tenth of its range, or is another word; looked for among points spread over the parameters, those that were tried and those of the
 * place with one parameter moved, and from the best of them by moving one at a time. false: there is none. */
fcps_status fcps_insight_runner_up(const fcps_model *model, const fcps_insight_place *place, double kappa,
                                   double *parameters, bool *exists, fcps_error *error);

#endif
