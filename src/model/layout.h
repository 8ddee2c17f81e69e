/* SPDX-License-Identifier: Apache-2.0 */
/* How rollouts become rows: what is known of a problem's spaces before any rollout.
 *
 * A row has the features of the environment, of the target where it is an input, and of the parameters, all in the unit
 * cube, with angles on a circle where the model wants that. A layout never changes while its model lives. */
#ifndef FCPS_MODEL_LAYOUT_H
#define FCPS_MODEL_LAYOUT_H

#include "gp/gp.h"
#include "problem/rollouts.h"
#include "space/embedding.h"

typedef struct fcps_layout {
  const fcps_problem *problem; /* borrowed */
  bool has_target;             /* the target is among the inputs */
  bool predicts_outcomes;      /* outputs are outcomes; else rewards */
  int outputs;                 /* for one target */
  fcps_embedding context, parameters;
  int features;          /* of a row: those of the context, then those of the parameters */
  double *weights;       /* that make outcomes comparable (reward/outcome_metric.h); NULL: nothing does */
  double *lower, *upper; /* the ends of outcomes, as models see them; infinite: there is none */
} fcps_layout;

/* Makes what follows from the first members, which a model decides; the others are zeroed. */
fcps_status fcps_layout_create(fcps_layout *layout, bool is_circular, bool has_metric);
void fcps_layout_destroy(fcps_layout *layout);

/* How many features the environment has; they are the first of a row. */
int fcps_layout_environment_features(const fcps_layout *layout);

/* Features of a context: the first of a row. `target` may be NULL if it is not an input. */
void fcps_layout_context(const fcps_layout *layout, const double *target, const double *environment, double *features);

/* All features of a trial, or of a rollout of a list. */
void fcps_layout_row(const fcps_layout *layout, const double *target, const double *environment,
                     const double *parameters, double *features);
void fcps_layout_rollout(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *features);

/* Features of the place of a trial: environment and parameters, never the target. How many; and those of one. */
int fcps_layout_place_features(const fcps_layout *layout);
void fcps_layout_place(const fcps_layout *layout, const double *environment, const double *parameters,
                       double *features);

/* The outcome of a rollout, clipped to its bounds and to what the reward can tell apart (problem/judge/judge.h): one that flew away
 * says "far", and no more. Huge ones, which are all the same to the reward, would hide the differences that count. */
void fcps_layout_outcome(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *outcome);

/* Whether an output is at an end of its outcome. */
bool fcps_layout_is_end(const fcps_layout *layout, int output, double value);

/* Makes tables of how far words are from each other before anything is learnt of them, for the features of places or of
 * rows. `tables` starts zeroed. Words without an order are equally far, ordered ones are as far as their
 * places are; those of one kind are nearer. */
fcps_status fcps_layout_tables(const fcps_layout *layout, bool of_places, fcps_tables *tables);

/* The name of the dimension that a feature belongs to. */
const char *fcps_layout_feature_name(const fcps_layout *layout, int feature);

#endif
