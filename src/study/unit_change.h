/* SPDX-License-Identifier: Apache-2.0 */
/* Results that seem to be told in another unit, for whoever lists suspects. */
#ifndef FCPS_STUDY_UNIT_CHANGE_H
#define FCPS_STUDY_UNIT_CHANGE_H

#include <fcps/study.h>

/* Whether a suspect is one of those that W_UNIT names, as the last look found it. */
bool fcps_study_is_in_other_unit(const fcps_study *study, const fcps_stored_result *stored);

#endif
