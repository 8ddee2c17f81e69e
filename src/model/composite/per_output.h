/* SPDX-License-Identifier: Apache-2.0 */
/* The GPs of a model. One serves all outputs with one factorization; with separate hyper-parameters there is one GP per
 * output, over the same rows.
 *
 * Invariant: all GPs of a model have the same rows, in the same order. */
#ifndef FCPS_MODEL_COMPOSITE_PER_OUTPUT_H
#define FCPS_MODEL_COMPOSITE_PER_OUTPUT_H

#include "base/rng.h"
#include "gp/fit.h"
#include "gp/query.h"

typedef struct fcps_model fcps_model;

/* The GPs of the outputs after the first; none where one GP serves all. */
typedef struct fcps_per_output {
  int count;
  fcps_gp **gps;
} fcps_per_output;

/* All GPs of a model: one, or one per output. */
int fcps_model_gp_count(const fcps_model *model);
fcps_gp *fcps_model_gp(const fcps_model *model, int index);

/* The columns of the outputs that GP `index` serves (borrowed). */
fcps_gp_outputs fcps_per_output_outputs(const fcps_model *model, const fcps_gp_outputs *outputs, int index);

/* The GPs beyond the first, where the settings want them; copies of all GPs. Destroy ends the first one as well. */
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

/* Answers a query for all outputs: mean[i*outputs + o], variance[i*GPs + g], and gradients in the same order, each with
 * dim numbers. A model with several GPs does not answer `whitened`. */
void fcps_per_output_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                             fcps_gp_work *work);

#endif
