/* SPDX-License-Identifier: Apache-2.0 */
/* What a learner believes beyond its asks, for the study: what it expects of a trial, and the results that it doubts.
 * Nothing that the learner does later depends on any of these calls. */
#ifndef FCPS_LEARNER_BELIEFS_H
#define FCPS_LEARNER_BELIEFS_H

#include "model/surprises.h"

#include <fcps/learner.h>

/* What it expects of a trial with these parameters, in `prediction`, whose arrays are the caller's: nothing (has_reward and
 * has_outcome are false) if the learner has no model that was fitted, or its model cannot be used. */
fcps_status fcps_learner_expect(fcps_learner *learner, const double *target, const double *environment,
                                const double *parameters, fcps_prediction *prediction, fcps_error *error);

/* Whether the learner with this name ever doubts a result. */
bool fcps_learner_can_doubt(const char *name);

/* The model that it decides by, as it was at its last fit; NULL: it has none. */
const fcps_model *fcps_learner_model(const fcps_learner *learner);

/* The results that it does not believe, each judged by all others; `found` starts zeroed. */
fcps_status fcps_learner_find_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error);

#endif
