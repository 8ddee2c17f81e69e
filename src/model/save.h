/* SPDX-License-Identifier: Apache-2.0 */
/* A model as JSON: only what was learnt (the rollouts are kept elsewhere), or everything. Either way a model that is
 * read answers with the bits of the one that was written. */
#ifndef FCPS_MODEL_SAVE_H
#define FCPS_MODEL_SAVE_H

#include "format/json.h"
#include "model/model.h"

/* Hyper-parameters and the size of the last full factorization. Reading restores the bits of a model that has the same
 * rollouts. NULL when there is no memory. */
fcps_json *fcps_model_write_state(const fcps_model *model);
fcps_status fcps_model_read_state(fcps_model *model, const fcps_json *json, fcps_error *error);

/* The whole model with settings and rollouts. */
fcps_json *fcps_model_write(const fcps_model *model);
fcps_status fcps_model_read(fcps_model **model, const fcps_problem *problem, const fcps_json *json, fcps_error *error);

#endif
