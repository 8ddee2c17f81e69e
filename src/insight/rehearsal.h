/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts what a policy will earn after more trials, by rehearsing the study: simulated runs whose results are drawn
 * from the model.
 *
 * Each simulated run is called a world. Each of its trials draws a result from the current model of the world, and this
 * result is added to the model. By the chain rule these draws are those of one function from the posterior, so no
 * function has to be drawn as a whole. Each world has its own sample of the hyper-parameters from their posterior, so
 * worlds differ in smoothness and noise. A world keeps its hyper-parameters, so a trial costs one row of the factor and
 * one search. Deviations without noise are widened as in predictions (model/leave_one_out.h).
 *
 * At each "look", after some of the trials, the policy chooses parameters in contexts spread over the space. The reward
 * of a look is computed from one joint draw of the outputs at all these choices. At the first look, before any trial,
 * the choices are those of the study's own policy. The standard normals behind the draws are fixed in each world, so
 * that the looks of a world belong to the same function.
 *
 * Reality differs more from the model than its draws do. So in a quarter of the worlds nothing more is learnt, and the
 * rewards of a look are moved to twice their distance from the median of all worlds, but not above what the reward's
 * formula allows. */
#ifndef FCPS_INSIGHT_REHEARSAL_H
#define FCPS_INSIGHT_REHEARSAL_H

#include "learner/learner.h"

typedef struct fcps_rehearsal_plan {
  const fcps_model *model; /* fitted; its outputs are outcomes or reported rewards */
  fcps_learner_habits
      habits; /* those of the learner, whose acquisition chooses the parameters of trials and must need a model */
  uint64_t seed;
  int worlds, trials;
  int looks;    /* number of looks after the first one; the last look is after all trials */
  int parallel; /* trials that are chosen together, without each other's results */
  /* OPTIONAL: called after each look with the number of finished worlds. If it returns false, the rehearsal stops. */
  bool (*progress)(void *user, int done, int total);
  void *user;
} fcps_rehearsal_plan;

/* Returns the number of trials before look `look`, which counts from 0. */
int fcps_rehearsal_trials_at(const fcps_rehearsal_plan *plan, int look);

/* Rehearses the study. Writes to rewards[look*worlds + world] the mean reward over the contexts. Returns
 * FCPS_ERR_STOPPED if `progress` returned false, and FCPS_ERR_UNSUPPORTED if the model's outputs depend on the
 * target. */
fcps_status fcps_rehearsal_run(const fcps_rehearsal_plan *plan, double *rewards, fcps_error *error);

/* Returns the quantile of `count` sorted values at `share`, which is from 0 to 1. */
double fcps_rehearsal_quantile(int count, const double *sorted, double share);

#endif
