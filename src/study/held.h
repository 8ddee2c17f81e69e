/* SPDX-License-Identifier: Apache-2.0 */
/* Holding a study still while somebody else's function runs in the middle of work on it. */
#ifndef FCPS_STUDY_HELD_H
#define FCPS_STUDY_HELD_H

#include <fcps/study.h>

/* While it is held, the study can only be read: other functions refuse with FCPS_ERR_BUSY, and it is not closed.
 * Returns whether it was held before. */
bool fcps_study_set_held(fcps_study *study, bool is_held);

#endif
