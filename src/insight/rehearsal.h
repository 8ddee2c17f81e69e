/* SPDX-License-Identifier: Apache-2.0 */
/* A study rehearsed: what a policy will earn after more trials, by trying that in worlds that its model believes possible.
 *
 * In a world each trial tells a draw from what the model of that world expects there, and the model is then told it: by the chain
 * rule these draws are those of one function from the posterior, and no function has to be drawn as a whole. Each world has a
 * sample of the hyper-parameters from their posterior, so worlds differ in smoothness and noise; they stay the same within a
 * world, and a trial costs a row of the factor and a search. Deviations without noise are widened as predictions are
 * (model/leave_one_out.h).
 *
 * After some trials the policy is asked in contexts spread over the space, and what it earns is a draw from the model at
 * all its choices together; before the first trial, at the choices of the study's own policy. The normals behind that draw stay
 * the same within a world, so that its rewards belong to one world.
 *
 * Real worlds are further from the model than its draws are. So in a quarter of the worlds nothing more is learnt, and all
 * rewards of a look lie twice as far from their median as was rehearsed, but never beyond the formula of the reward. */
#ifndef FCPS_INSIGHT_REHEARSAL_H
#define FCPS_INSIGHT_REHEARSAL_H

#include "learner/learner.h"

typedef struct fcps_rehearsal_plan {
  const fcps_model *model;    /* fitted; of outcomes or of told rewards */
  fcps_learner_habits habits; /* its acquisition chooses parameters in a context, and needs a model */
  uint64_t seed;
  int worlds, trials;
  int looks;    /* the policy is asked before the first trial and so often after it, the last time after all */
  int parallel; /* trials that are made side by side: none knows the results of the others */
  /* OPTIONAL: told the number of finished worlds after each look at the policy; false: stop. */
  bool (*progress)(void *user, int done, int total);
  void *user;
} fcps_rehearsal_plan;

/* After how many trials look `look` is, from 0. */
int fcps_rehearsal_trials_at(const fcps_rehearsal_plan *plan, int look);

/* rewards[look*worlds + world] := the mean reward over the contexts. FCPS_ERR_STOPPED if progress said so;
 * FCPS_ERR_UNSUPPORTED if the model has other outputs for each target. */
fcps_status fcps_rehearsal_run(const fcps_rehearsal_plan *plan, double *rewards, fcps_error *error);

/* The value below which a share of the `count` values lies, of sorted values. */
double fcps_rehearsal_quantile(int count, const double *sorted, double share);

#endif
