/* SPDX-License-Identifier: Apache-2.0 */
/* What an import need not store again. */
#ifndef FCPS_STUDY_KNOWN_H
#define FCPS_STUDY_KNOWN_H

#include "study/places.h"

/* The results that were stored before an import began: each is found in one row of it and no more, so that a log that
 * has grown by a repeated trial adds it. What the table does not say is not compared. */
typedef struct study_known {
  study_places places;
  bool *is_found;
  bool lacks_targets, lacks_deviations, lacks_hindsight;
} study_known;

/* Stores a rollout that nobody asked for, within a transaction, unless the same is among those that are known; NULL:
 * none is (tell.c). */
fcps_status fcps_study_store_unasked(fcps_study *study, const fcps_result *result, study_known *known, bool *is_known,
                                     fcps_error *error);

#endif
