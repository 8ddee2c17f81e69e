/* SPDX-License-Identifier: Apache-2.0 */
/* Screening by bounds: a heap of candidates, the largest bound first, and a list of the best exact values so far. */
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

/* Restores the order of the heap: lets the candidate at `node` sink until neither child is before it. */
static void sink(fcps_bound_screening *s, int node)
{
  const int candidate = s->heap[node];
  for (int child; (child = 2 * node + 1) < s->left; node = child) {
    if (child + 1 < s->left && is_before(s, s->heap[child + 1], s->heap[child])) child++;
    if (!is_before(s, s->heap[child], candidate)) break;
    s->heap[node] = s->heap[child];
  }
  s->heap[node] = candidate;
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
  int rank = FCPS_BOUND_SCREENING_BEST - 1;
  screening->values[candidate] = exact;
  if (!(exact > screening->best[rank])) return;
  for (; rank > 0 && screening->best[rank - 1] < exact; rank--)
    screening->best[rank] = screening->best[rank - 1];
  screening->best[rank] = exact;
}
