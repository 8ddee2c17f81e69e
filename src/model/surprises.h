/* SPDX-License-Identifier: Apache-2.0 */
/* Surprises are results that a model doubts (structures/doubts.h), prepared for people: those that a slip explains or
 * that resemble no other result, with the value that was expected. */
#ifndef FCPS_MODEL_SURPRISES_H
#define FCPS_MODEL_SURPRISES_H

#include "model/model.h"
#include "model/structures/doubts.h"

typedef struct fcps_surprises {
  fcps_rollouts rollouts; /* the doubted rollouts, called suspects */
  fcps_surprise *items;   /* one for each suspect; `row` is that of the child that has the rollout */
} fcps_surprises;

/* Finds the suspects that a model has or would have after its next fit. Rows that came since the last fit are judged by
 * the hyper-parameters of that fit; a copy of a model that was never fitted is fitted for this. The model itself does
 * not change. A kind of model that predicts rewards has no suspects. `found` starts zeroed. */
fcps_status fcps_model_find_surprises(const fcps_model *model, fcps_surprises *found, fcps_error *error);
void fcps_surprises_destroy(fcps_surprises *found);

/* Returns the surprise of a rollout with the same numbers as `rollout`; NULL if it is not a suspect. */
const fcps_surprise *fcps_surprises_of(const fcps_surprises *found, const fcps_rollout *rollout);

/* Whether the model doubts any row. */
bool fcps_model_has_suspects(const fcps_model *model);

/* Whether the model doubts a row with the same numbers as `rollout`. */
bool fcps_model_doubts(const fcps_model *model, const fcps_rollout *rollout);

/* Counts the rollouts that a model of outcomes would doubt if it could doubt more than a tenth of them; suspects are
 * among them. Costs some fits; the model does not change. */
fcps_status fcps_model_count_hidden(const fcps_model *model, int *count, fcps_error *error);

/* Whether a row that came since the last fit is a suspect, so that a new fit is due. Extends the factors by new rows.
 * This is cheap beside a fit unless a result is surprising. */
fcps_status fcps_model_is_surprised(fcps_model *model, bool *is_surprised, fcps_error *error);

#endif
