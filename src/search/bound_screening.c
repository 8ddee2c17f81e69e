/* SPDX-License-Identifier: Apache-2.0 */
#include "search/bound_screening.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

fcps_status fcps_bound_screening_create(fcps_bound_screening *screening, int candidates)
{
  screening->heap = fcps_allocate((size_t)candidates, sizeof *screening->heap);
  return screening->heap != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

void fcps_bound_screening_destroy(fcps_bound_screening *screening)
{
  free(screening->heap);
  *screening = (fcps_bound_screening){0};
}

/* Equal values in the order given, so that the result does not depend on how they are sorted. */
static bool is_before(const fcps_bound_screening *s, int a, int b)
{
  return s->values[a] > s->values[b] || (s->values[a] == s->values[b] && a < b);
}

/* Lets the candidate at `place` sink to where neither of those below it is before it. */
static void sink(fcps_bound_screening *s, int place)
{
  const int candidate = s->heap[place];
  for (int below; (below = 2 * place + 1) < s->left; place = below) {
    if (below + 1 < s->left && is_before(s, s->heap[below + 1], s->heap[below])) below++;
    if (!is_before(s, s->heap[below], candidate)) break;
    s->heap[place] = s->heap[below];
  }
  s->heap[place] = candidate;
}

void fcps_bound_screening_begin(fcps_bound_screening *screening, int count, double *bounds)
{
  screening->values = bounds;
  screening->left = count;
  for (int i = 0; i < count; i++)
    screening->heap[i] = i;
  for (int i = count / 2 - 1; i >= 0; i--)
    sink(screening, i);
  for (int i = 0; i < FCPS_BOUND_SCREENING_BEST; i++)
    screening->best[i] = -INFINITY;
}

int fcps_bound_screening_next(fcps_bound_screening *screening, int most, int *chosen)
{
  if (screening->left == 0 || !(screening->values[screening->heap[0]] > screening->best[FCPS_BOUND_SCREENING_BEST - 1]))
    return 0;
  int count = 0;
  while (count < most && screening->left > 0) {
    chosen[count++] = screening->heap[0];
    screening->heap[0] = screening->heap[--screening->left];
    if (screening->left > 0) sink(screening, 0);
  }
  return count;
}

void fcps_bound_screening_tell(fcps_bound_screening *screening, int candidate, double exact)
{
  int place = FCPS_BOUND_SCREENING_BEST - 1;
  screening->values[candidate] = exact;
  if (!(exact > screening->best[place])) return;
  for (; place > 0 && screening->best[place - 1] < exact; place--)
    screening->best[place] = screening->best[place - 1];
  screening->best[place] = exact;
}
