/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a study by place, for callers that compare many results with all others. The place of a trial is
 * its environment and its parameters. */
#ifndef FCPS_STUDY_PLACES_H
#define FCPS_STUDY_PLACES_H

#include "study/study_impl.h"

#include <stdint.h>

typedef struct study_place {
  uint64_t hash;
  size_t index; /* the result's index in the study */
} study_place;

typedef struct study_places {
  size_t count;
  study_place *sorted; /* by hash, and then by index */
} study_places;

/* Lists all results that the study has now. */
fcps_status fcps_study_places_create(study_places *places, const fcps_study *study, fcps_error *error);
void fcps_study_places_destroy(study_places *places);

/* Finds the results that may be at the place of a rollout, in their order: all results of that place, and hardly any
 * others. */
size_t fcps_study_places_find(const study_places *places, const fcps_study *study, const fcps_rollout *at,
                              const study_place **found);

#endif
