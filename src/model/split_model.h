/* SPDX-License-Identifier: Apache-2.0 */
/* A model that has split: two models of the same kind, its children, one on each side of a threshold in one context
 * dimension, each with hyper-parameters and standardization of its own.
 *
 * Invariants: a child exists exactly where split.input >= 0; each training rollout of the parent is in the child of its
 * side, in the parent's order; the children hold no other rollouts. The parent keeps the rows, but only the children's
 * GPs are factorized and asked. A child does not split. */
#ifndef FCPS_MODEL_COMPOSITE_SPLIT_MODEL_H
#define FCPS_MODEL_COMPOSITE_SPLIT_MODEL_H

#include "gp/fit.h"
#include "gp/split.h"

#include <fcps/problem.h>

typedef struct fcps_model fcps_model;

typedef struct fcps_split_model {
  fcps_split split; /* by feature of the context and threshold; input -1: the model has not split */
  int searched;     /* rows at the last search for a split */
  fcps_model *child[2];
} fcps_split_model;

/* A child with fewer rows is not fitted: it has the prior's hyper-parameters, or those of the child that it replaces
 * when the threshold moves, and the parent's scale. */
#define FCPS_SPLIT_MODEL_LEAST_ROWS 4

/* -- Questions for everybody -- */

/* The models that know about contexts: the model itself, or one per side. */
int fcps_model_side_count(const fcps_model *model);
const fcps_model *fcps_model_side(const fcps_model *model, int side);

/* The context dimension along which the model has split (environment first, then target), -1 where it has not, and the
 * threshold there in the unit cube (may be NULL); the threshold itself is on side 1. */
int fcps_model_split_dimension(const fcps_model *model, double *threshold);

/* -- For the files of this room -- */

/* The model that knows about a context: the child of its side, or the model itself. */
fcps_status fcps_split_model_child(const fcps_model *model, const double *target, const double *environment,
                                   const fcps_model **child);

/* Looks for a split where that is due, and makes or drops the children accordingly. y: rows x outputs. */
fcps_status fcps_split_model_search(fcps_model *model, int outputs, const double *y);

/* Makes the children of a split from the training rollouts; with input -1 there are none. On failure the old ones
 * stay. */
fcps_status fcps_split_model_set(fcps_model *model, fcps_split split);
void fcps_split_model_drop(fcps_model *model);
fcps_status fcps_split_model_copy(const fcps_model *model, fcps_model *copy);

/* What fcps_model_... of the same name means for the children; add and truncate do nothing where there are none. */
fcps_status fcps_split_model_add(fcps_model *model, const fcps_rollout *rollout);
void fcps_split_model_truncate(fcps_model *model);
fcps_status fcps_split_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng,
                                 fcps_fit_result *result, fcps_error *error);
fcps_status fcps_split_model_refresh(fcps_model *model);
void fcps_split_model_add_pending(fcps_model *model, const double *target, const double *environment,
                                  const double *parameters);

#endif
