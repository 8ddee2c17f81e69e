/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a study by the place of their trial, which is its environment and its parameters: for callers that compare
 * many results with all others. */
#ifndef FCPS_STUDY_PLACES_H
#define FCPS_STUDY_PLACES_H

#include "study/study_impl.h"

#include <stdint.h>

typedef struct study_place {
  uint64_t hash;
  size_t index; /* of the result */
} study_place;

typedef struct study_places {
  size_t count;
  study_place *sorted; /* by hash, and then by index */
} study_places;

/* All results that the study has now. */
fcps_status fcps_study_places_create(study_places *places, const fcps_study *study, fcps_error *error);
void fcps_study_places_destroy(study_places *places);

/* The results that may be at the place of a rollout, in their order: all results of that place, and hardly any of another. */
size_t fcps_study_places_find(const study_places *places, const fcps_study *study, const fcps_rollout *at,
                              const study_place **found);

#endif
