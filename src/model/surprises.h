/* SPDX-License-Identifier: Apache-2.0 */
/* Surprises are doubted results (structures/doubts.h) that people should know of: a slip explains them, or they
 * resemble no other result. Each comes with the value that was expected. */
#ifndef FCPS_MODEL_SURPRISES_H
#define FCPS_MODEL_SURPRISES_H

#include "model/model.h"
#include "model/structures/doubts.h"

typedef struct fcps_surprises {
  fcps_rollouts rollouts; /* the doubted rollouts, called suspects */
  fcps_surprise *items;   /* one per suspect; `row` counts the rows of the child that has it, if there is one */
} fcps_surprises;

/* Finds the suspects that a model has or would have after its next fit. Rows that came since the last fit are judged by
 * the hyper-parameters of that fit. If the model was never fitted, a copy of it is fitted first. The model itself does
 * not change. A kind of model that predicts rewards has no suspects. `found` starts zeroed. */
fcps_status fcps_model_find_surprises(const fcps_model *model, fcps_surprises *found, fcps_error *error);
void fcps_surprises_destroy(fcps_surprises *found);

/* Returns the surprise of a rollout with the same numbers as `rollout`; NULL if it is not a suspect. */
const fcps_surprise *fcps_surprises_of(const fcps_surprises *found, const fcps_rollout *rollout);

/* Whether the model doubts any row. */
bool fcps_model_has_suspects(const fcps_model *model);

/* Whether the model doubts a row with the same numbers as `rollout`. */
bool fcps_model_doubts(const fcps_model *model, const fcps_rollout *rollout);

/* Counts the rollouts, suspects included, that a model of outcomes would doubt if it were allowed to doubt more than a
 * tenth of them. This takes some fits. The model does not change. */
fcps_status fcps_model_count_hidden(const fcps_model *model, int *count, fcps_error *error);

/* Whether a row that came since the last fit is a suspect, so that a new fit is due. Extends the factors by new rows.
 * This costs little compared with a fit, unless a result is surprising. */
fcps_status fcps_model_is_surprised(fcps_model *model, bool *is_surprised, fcps_error *error);

#endif
