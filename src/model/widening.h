/* SPDX-License-Identifier: Apache-2.0 */
/* By how much the deviations that a model predicts for outcomes are too small (gp/leave_one_out.h), as one number. A split model
 * or one with samples of its hyper-parameters is taken as it is. */
#ifndef FCPS_MODEL_WIDENING_H
#define FCPS_MODEL_WIDENING_H

#include "model/model.h"

/* *widening: at least 1. The model must be up to date (fcps_model_refresh) and predict outcomes. */
fcps_status fcps_model_widening(const fcps_model *model, double *widening, fcps_error *error);

#endif
