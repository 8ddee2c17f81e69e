/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior of a model with several samples of its hyper-parameters (members.h): every answer is the average
 * of what the posteriors of the samples answer. UCB is linear in mean and deviation, so that the averages of both give
 * the average of it. A draw and an expected outcome are those of the newest sample. */
#ifndef FCPS_MODEL_POSTERIOR_ENSEMBLE_H
#define FCPS_MODEL_POSTERIOR_ENSEMBLE_H

#include "model/model.h"

/* The posterior of `model`, which is `parent` or its child and has several samples: an ensemble over all. */
fcps_status fcps_ensemble_create(fcps_posterior **posterior, const fcps_model *parent, const fcps_model *model,
                                 const double *target, const double *environment, fcps_error *error);

#endif
