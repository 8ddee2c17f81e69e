/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the outcomes of a model share their hyper-parameters or have their own (per_output.h), by evidence: for models
 * that may choose (`chooses_separate` of the settings).
 *
 * Invariants: a choice follows from the rows and from the choice before it, and is looked at only when the number of rows
 * passes certain multiples. So a model that was saved, which has as many GPs as it had, chooses as one that never was. */
#ifndef FCPS_MODEL_COMPOSITE_OWN_LENGTHS_H
#define FCPS_MODEL_COMPOSITE_OWN_LENGTHS_H

#include "base/rng.h"
#include "gp/fit.h"

typedef struct fcps_model fcps_model;

/* After a fit, and before the model knows that it was fitted: makes the other choice where it explains the outcomes
 * better, and then `*result` is how its fit ended. */
fcps_status fcps_own_lengths_review(fcps_model *model, fcps_rng rng, fcps_fit_result *result, fcps_error *error);

/* Makes the choice of a saved model with `gp_count` GPs; it has its rollouts, and nothing was restored yet. */
fcps_status fcps_own_lengths_restore(fcps_model *model, int gp_count);

#endif
