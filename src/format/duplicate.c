/* SPDX-License-Identifier: Apache-2.0 */
/* Names are compared as they stand; the first that comes twice is the one to report. */
#include "format/duplicate.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
  const char *name;
  int index;
} place;

/* By name, then by place, so that equal names are neighbours in their order. */
static int compare(const void *left, const void *right)
{
  const place *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

bool fcps_duplicate_find(int count, const char *const *names, int *first, int *second)
{
  /* sorted: a table of 100 000 columns must not take 5e9 comparisons */
  place *places = fcps_allocate((size_t)count, sizeof *places);
  if (places == NULL) return false;
  for (int i = 0; i < count; i++)
    places[i] = (place){names[i], i};
  qsort(places, (size_t)count, sizeof *places, compare);

  *first = *second = -1;
  for (int i = 1; i < count; i++) {
    if (strcmp(places[i - 1].name, places[i].name) != 0 || (*second >= 0 && places[i].index > *second)) continue;
    *first = places[i - 1].index;
    *second = places[i].index;
  }
  free(places);
  return true;
}
