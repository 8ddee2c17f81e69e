/* SPDX-License-Identifier: Apache-2.0 */
/* A study in memory that stands in for one that this process does not reach: it has its problem, its name and its
 * identity, and what is kept beside it is kept for the other. */
#ifndef FCPS_STUDY_STAND_IN_H
#define FCPS_STUDY_STAND_IN_H

#include <fcps/study.h>

/* Lets a study stand in for the one at `url`. Both texts are copied. */
fcps_status fcps_study_stand_in(fcps_study *study, const char *url, const char *identity, fcps_error *error);

#endif
