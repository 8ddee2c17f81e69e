/* SPDX-License-Identifier: Apache-2.0 */
/* The results that a learner was told and does not believe, for the study, which warns of them. */
#ifndef FCPS_LEARNER_SURPRISES_H
#define FCPS_LEARNER_SURPRISES_H

#include "model/surprises.h"

#include <fcps/learner.h>

/* Whether the learner with this name ever doubts a result. */
bool fcps_learner_can_doubt(const char *name);

/* The results that it does not believe; `found` starts zeroed. A brief look is cheap, and finds those that came since the
 * last fit. Nothing that the learner does later depends on this. */
fcps_status fcps_learner_find_surprises(fcps_learner *learner, bool is_brief, fcps_surprises *found, fcps_error *error);

#endif
