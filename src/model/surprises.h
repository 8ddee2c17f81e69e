/* SPDX-License-Identifier: Apache-2.0 */
/* The results that a model does not believe (structures/doubts.h), for people: those that a slip explains or that are like no
 * other, and what was expected. */
#ifndef FCPS_MODEL_SURPRISES_H
#define FCPS_MODEL_SURPRISES_H

#include "model/model.h"
#include "model/structures/doubts.h"

typedef struct fcps_surprises {
  fcps_rollouts rollouts; /* the suspects */
  fcps_surprise *items;   /* one each; `row` is that of the side that knows the rollout */
} fcps_surprises;

/* Finds the suspects that a model has or would have after its next fit: rows that came since the last fit are judged by the
 * hyper-parameters of that. A model that was never fitted is fitted for this. The model itself does not change. A kind of
 * model that predicts rewards has no suspects. `found` starts zeroed. */
fcps_status fcps_model_find_surprises(const fcps_model *model, fcps_surprises *found, fcps_error *error);
void fcps_surprises_destroy(fcps_surprises *found);

/* The surprise of a rollout with these numbers; NULL: it is not a suspect. */
const fcps_surprise *fcps_surprises_of(const fcps_surprises *found, const fcps_rollout *rollout);

/* Whether the model doubts any row. */
bool fcps_model_has_suspects(const fcps_model *model);

/* Whether the model doubts a row with these numbers. */
bool fcps_model_doubts(const fcps_model *model, const fcps_rollout *rollout);

/* How many rollouts a model of outcomes would not believe, suspects among them, if it could doubt more than a tenth of
 * them. Costs some fits; the model does not change. */
fcps_status fcps_model_count_hidden(const fcps_model *model, int *count, fcps_error *error);

/* Whether a row that came since the last fit is a suspect, so that a fit is due. Brings the factors up to date; cheap beside
 * that, unless something is surprising. */
fcps_status fcps_model_is_surprised(fcps_model *model, bool *is_surprised, fcps_error *error);

#endif
