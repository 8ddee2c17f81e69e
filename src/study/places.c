/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts results by a checksum of their environment and parameters, so that n results are compared with n others in n
 * log n. */
#include "study/places.h"

#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The checksum of a result's place. Numbers that compare equal get equal bytes: both zeros, and all NaNs. */
static uint64_t hash_place(const fcps_study *s, const fcps_rollout *r)
{
  uint64_t hash = FCPS_CHECKSUM_START;
  for (int i = fcps_study_environment_offset(s); i < fcps_study_outcome_offset(s); i++) {
    const double value = r->target[i], plain = isnan(value) ? (double)NAN : value == 0.0 ? 0.0 : value;
    hash = fcps_checksum_add(hash, &plain, sizeof plain);
  }
  return hash;
}

static int compare(const void *left, const void *right)
{
  const study_place *a = left, *b = right;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

fcps_status fcps_study_places_create(study_places *places, const fcps_study *s, fcps_error *error)
{
  *places =
      (study_places){.count = s->result_count, .sorted = fcps_allocate(s->result_count + 1, sizeof *places->sorted)};
  if (places->sorted == NULL) return fcps_error_memory(error);
  for (size_t i = 0; i < places->count; i++)
    places->sorted[i] = (study_place){hash_place(s, &s->results[i].result.rollout), i};
  qsort(places->sorted, places->count, sizeof *places->sorted, compare);
  return FCPS_OK;
}

void fcps_study_places_destroy(study_places *places)
{
  free(places->sorted);
}

/* Finds the first place whose hash is not below `hash`. */
static size_t find_first(const study_places *places, uint64_t hash)
{
  size_t low = 0, high = places->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (places->sorted[middle].hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t fcps_study_places_find(const study_places *places, const fcps_study *s, const fcps_rollout *at,
                              const study_place **found)
{
  const uint64_t hash = hash_place(s, at);
  const size_t first = find_first(places, hash);
  size_t count = 0;
  while (first + count < places->count && places->sorted[first + count].hash == hash)
    count++;
  *found = places->sorted + first;
  return count;
}
