/* SPDX-License-Identifier: Apache-2.0 */
/* Full Bayesian hyper-parameters: a model that keeps several samples of them, and answers with the mean over all.
 *
 * The model's own GP has the newest sample, where the chain goes on at the next fit; for each earlier one there is a
 * twin, a model with the same evidence and another GP. */
#ifndef FCPS_MODEL_COMPOSITE_ENSEMBLE_H
#define FCPS_MODEL_COMPOSITE_ENSEMBLE_H

#include "format/json.h"
#include "model/posterior/posterior_impl.h"

/* Samples model->settings.fit.samples hyper-parameters in place of a fit, from where the chain ended; one that begins
 * starts at the optimum and forgets its first sweeps. */
fcps_status fcps_hyper_samples_fit(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                   fcps_fit_result *result);

/* Brings the twins up to date with the evidence. One whose matrix cannot be factorized is left out. */
fcps_status fcps_hyper_samples_refresh(fcps_model *model);

fcps_status fcps_hyper_samples_copy(const fcps_model *model, fcps_model *copy);
void fcps_hyper_samples_drop(fcps_model *model);

/* Rows were taken back: the twins are made again at the next refresh. */
void fcps_hyper_samples_drop_members(fcps_model *model);

/* The earlier samples as numbers; reading takes what was written from an equal model. */
fcps_json *fcps_hyper_samples_write(const fcps_model *model);
fcps_status fcps_hyper_samples_read(fcps_model *model, const fcps_json *json);

/* Answers of a view and those after it in its list, averaged: what the acquisition of each would say on average. */
void fcps_ensemble_predict(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
void fcps_ensemble_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                            double *mean_gradient, double *deviation_gradient);
void fcps_ensemble_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                          double *values);
double fcps_ensemble_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                     double *gradient);

#endif
