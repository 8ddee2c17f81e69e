/* SPDX-License-Identifier: Apache-2.0 */
/* Equal names are found by sorting, in O(n log n): a table may have 100 000 columns. */
#include "format/duplicate.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  const char *name;
  int index;
} entry;

/* By name, then by index, so that equal names become neighbours in their original order. */
static int compare(const void *left, const void *right)
{
  const entry *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

bool fcps_duplicate_find(int count, const char *const *names, int *first, int *second)
{
  entry *entries = fcps_allocate((size_t)count, sizeof *entries);
  if (entries == NULL) return false;
  for (int i = 0; i < count; i++)
    entries[i] = (entry){names[i], i};
  qsort(entries, (size_t)count, sizeof *entries, compare);

  *first = *second = -1;
  for (int i = 1; i < count; i++) {
    if (strcmp(entries[i - 1].name, entries[i].name) != 0 || (*second >= 0 && entries[i].index > *second)) continue;
    *first = entries[i - 1].index;
    *second = entries[i].index;
  }
  free(entries);
  return true;
}
