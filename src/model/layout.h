/* SPDX-License-Identifier: Apache-2.0 */
/* A layout says how rollouts become rows of a Gaussian process. It follows from the problem's spaces alone.
 *
 * A row has the features of the environment, of the target if it is an input, and of the parameters, all in the unit
 * cube; angles may lie on a circle. A layout never changes while its model lives. */
#ifndef FCPS_MODEL_LAYOUT_H
#define FCPS_MODEL_LAYOUT_H

#include "gp/gp.h"
#include "problem/rollouts.h"
#include "space/embedding.h"

typedef struct fcps_layout {
  const fcps_problem *problem; /* borrowed */
  bool has_target;             /* the target is an input */
  bool predicts_outcomes;      /* outputs are outcomes; else rewards */
  int outputs;                 /* number of outputs for one target */
  fcps_embedding context, parameters;
  int features;          /* number of features of a row: those of the context, then those of the parameters */
  double *weights;       /* make outcomes comparable (reward/outcome_metric.h); NULL: there are no such weights */
  double *lower, *upper; /* bounds that outcomes are clipped to; infinite: there is no bound */
} fcps_layout;

/* Computes all other members from the first four, which the caller has set; the rest must be zero. */
fcps_status fcps_layout_create(fcps_layout *layout, bool is_circular, bool has_metric);
void fcps_layout_destroy(fcps_layout *layout);

/* Returns the number of features of the environment; they are the first of a row. */
int fcps_layout_environment_features(const fcps_layout *layout);

/* Writes the features of a context, which are the first of a row. `target` may be NULL if it is not an input. */
void fcps_layout_context(const fcps_layout *layout, const double *target, const double *environment, double *features);

/* Write all features of a trial, and of rollout `index` of a list. */
void fcps_layout_row(const fcps_layout *layout, const double *target, const double *environment,
                     const double *parameters, double *features);
void fcps_layout_rollout(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *features);

/* The features of the place of a trial are those of the environment and the parameters, never of the target. The first
 * function returns their number, the second writes them. */
int fcps_layout_place_features(const fcps_layout *layout);
void fcps_layout_place(const fcps_layout *layout, const double *environment, const double *parameters,
                       double *features);

/* Writes the outcome of a rollout, clipped to its bounds and to the range that the reward can distinguish
 * (problem/judge/judge.h). A huge outcome then only says "far": unclipped it would hide the differences that matter. */
void fcps_layout_outcome(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *outcome);

/* Whether a value is a bound of an output. */
bool fcps_layout_is_end(const fcps_layout *layout, int output, double value);

/* Makes the tables of distances between words that hold before anything is learnt about the words, for the features of
 * places or of rows. `tables` starts zeroed. Unordered words are all equally far apart, ordered words as far as their
 * positions; words that are declared alike are nearer. */
fcps_status fcps_layout_tables(const fcps_layout *layout, bool of_places, fcps_tables *tables);

/* Returns the name of the dimension that a feature belongs to. */
const char *fcps_layout_feature_name(const fcps_layout *layout, int feature);

#endif
