/* SPDX-License-Identifier: Apache-2.0 */
/* The GPs of a model. One serves all outputs with one factorization; with separate hyper-parameters each output has its
 * own, over the same rows. A part is such a GP with the outputs that it serves. */
#ifndef FCPS_MODEL_COMPOSITE_PER_OUTPUT_H
#define FCPS_MODEL_COMPOSITE_PER_OUTPUT_H

#include "gp/query.h"
#include "model/model.h"

/* The columns of a part (borrowed). */
fcps_gp_outputs fcps_per_output_outputs(const fcps_model *model, const fcps_gp_outputs *outputs, int part);

/* The GPs beyond the first, where hyper-parameters are separate; copies of all of them. */
fcps_status fcps_per_output_create(fcps_model *model);
fcps_status fcps_per_output_copy(const fcps_model *model, fcps_model *copy);
void fcps_per_output_destroy(fcps_model *model);

/* What fcps_gp_... of the same name means for all of them; an added row is in all or in none. */
fcps_status fcps_per_output_add(fcps_model *model, const double *input);
void fcps_per_output_truncate(fcps_model *model, int count);
fcps_status fcps_per_output_grow(fcps_model *model);
fcps_status fcps_per_output_fit(fcps_model *model, fcps_fit_settings settings, int rows, int outputs, const double *y,
                                fcps_rng rng, fcps_fit_result *result);
fcps_status fcps_per_output_condition(const fcps_model *model, fcps_gp_norm norm, int rows, int outputs,
                                      const double *y, fcps_gp_outputs *result);

/* Makes room for predictions from any of them. */
fcps_status fcps_per_output_reserve(fcps_gp_work *work, const fcps_model *model, int points);

/* Answers a query for all outputs: mean[i*outputs + o], variance[i*parts + part], and gradients in the same order, each
 * with dim numbers. A model with several GPs answers no `whitened`. */
void fcps_per_output_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                             fcps_gp_work *work);

#endif
