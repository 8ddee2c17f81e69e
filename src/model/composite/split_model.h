/* SPDX-License-Identifier: Apache-2.0 */
/* A model that has split: two models of the same kind, one on each side of a threshold in one context dimension, each
 * with hyper-parameters and standardization of its own. For the files of this room; others see only views. */
#ifndef FCPS_MODEL_COMPOSITE_SPLIT_MODEL_H
#define FCPS_MODEL_COMPOSITE_SPLIT_MODEL_H

#include "model/model.h"

/* A leaf with fewer rows is not fitted: it has the prior's hyper-parameters, or those of the leaf that it replaces when
 * the threshold moves, and the whole model's scale. */
#define FCPS_SPLIT_MODEL_ROWS 4

/* The model that knows about a context: the leaf of its side, or the model itself. */
fcps_status fcps_split_model_child(const fcps_model *model, const double *target, const double *environment,
                                   const fcps_model **side);

/* Looks for a split where that is due, and makes or drops the leaves accordingly. y: rows x outputs. */
fcps_status fcps_split_model_search(fcps_model *model, int outputs, const double *y);

/* Makes the leaves of a split from the evidence; with input -1 there are none. On failure the old ones stay. */
fcps_status fcps_split_model_set(fcps_model *model, fcps_split split);
void fcps_split_model_drop(fcps_model *model);
fcps_status fcps_split_model_copy(const fcps_model *model, fcps_model *copy);

/* What fcps_model_... of the same name means for the leaves; add and truncate do nothing where there are none. */
fcps_status fcps_split_model_add(fcps_model *model, const fcps_rollout *rollout);
void fcps_split_model_truncate(fcps_model *model);
fcps_status fcps_split_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng,
                                 fcps_fit_result *result, fcps_error *error);
fcps_status fcps_split_model_refresh(fcps_model *model);
void fcps_split_model_add_pending(fcps_model *model, const double *target, const double *environment,
                                  const double *parameters);

#endif
