/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a study that is there is the one that somebody wants to make: then the wish was repeated, and is harmless. */
#ifndef FCPS_WIRE_MADE_FROM_H
#define FCPS_WIRE_MADE_FROM_H

#include <fcps/study.h>

/* Whether the study was made from this text and seed, and has the learner and the settings that it would have now. */
bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup);

#endif
