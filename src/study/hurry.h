/* SPDX-License-Identifier: Apache-2.0 */
/* Whether workers wait for asks, and what is said where an ask was therefore made with an old fit. */
#ifndef FCPS_STUDY_HURRY_H
#define FCPS_STUDY_HURRY_H

#include "study/study_impl.h"

/* Whether more workers wait for an ask than run one, by the journal alone. */
bool fcps_study_is_hurried(const fcps_study *study);

/* Within the transaction of an ask: notes, once for each fit, that asks go on with it although another is due. *is_new is
 * whether it did. */
fcps_status fcps_study_note_old_fit(fcps_study *study, bool *is_new, fcps_error *error);

/* After the transaction: says it. */
void fcps_study_say_old_fit(const fcps_study *study);

#endif
