/* SPDX-License-Identifier: Apache-2.0 */
/* Full Bayesian hyper-parameters: a model keeps several samples of them in place of a fit (gp/slice.h).
 *
 * Invariants: the model's own GP has the newest sample, where the Markov chain goes on at the next fit. `hyper` has the
 * earlier ones. After a refresh there is a member for each earlier sample whose matrix could be factorized: a model
 * with the same rollouts and these hyper-parameters, without samples of its own. Members never outlive a change of
 * rows. A model without samples may have members in other frames (frame_rivals.h). */
#ifndef FCPS_MODEL_COMPOSITE_HYPER_SAMPLES_H
#define FCPS_MODEL_COMPOSITE_HYPER_SAMPLES_H

#include "base/rng.h"
#include "format/json.h"
#include "gp/fit.h"

typedef struct fcps_model fcps_model;

typedef struct fcps_hyper_samples {
  int earlier_count; /* samples before the newest */
  double *hyper;     /* earlier_count x FCPS_HYPER_COUNT */
  int member_count;
  fcps_model **members;
} fcps_hyper_samples;

/* Samples settings.fit.samples hyper-parameters from y (rows x outputs), from where the chain ended; a chain that
 * begins starts at the optimum and forgets its first sweeps. */
fcps_status fcps_hyper_samples_fit(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                   fcps_fit_result *result);

/* Makes the members where rows came since the last time. */
fcps_status fcps_hyper_samples_refresh(fcps_model *model);

/* The models that answer for `model` together, one per sample or per frame that has a say: itself first, then the
 * members. And the share of each in their average; the shares of samples are equal. */
int fcps_hyper_samples_models(const fcps_model *model);
const fcps_model *fcps_hyper_samples_model(const fcps_model *model, int index);
double fcps_hyper_samples_share(const fcps_model *model, int index);

fcps_status fcps_hyper_samples_copy(const fcps_model *model, fcps_model *copy);
void fcps_hyper_samples_drop(fcps_model *model);

/* Rows were taken back: the members are made again at the next refresh. */
void fcps_hyper_samples_drop_members(fcps_model *model);

/* The earlier samples as numbers; reading takes what was written from an equal model. */
fcps_json *fcps_hyper_samples_write(const fcps_model *model);
fcps_status fcps_hyper_samples_read(fcps_model *model, const fcps_json *json);

#endif
