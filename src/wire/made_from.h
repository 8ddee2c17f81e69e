/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a study that exists is the one that a request wants to make: then the request was repeated, which is
 * harmless. */
#ifndef FCPS_WIRE_MADE_FROM_H
#define FCPS_WIRE_MADE_FROM_H

#include <fcps/study.h>

/* Whether the study was made from this text and seed, and has the learner and the settings that it would have now. */
bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup);

#endif
