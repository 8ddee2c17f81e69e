/* SPDX-License-Identifier: Apache-2.0 */
/* Multistart: many candidates in one batch, then a local search from the best few that are not neighbours. */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Starts nearer than this, times sqrt(n), would climb the same hill. */
static const double nearest_start = 0.05;

typedef struct candidate {
  double value;
  int index;
  bool is_start;
} candidate;

/* Best first; equal values in the order given, so that the result does not depend on the sort. */
static int compare(const void *a, const void *b)
{
  const candidate *p = a, *q = b;
  if (p->value != q->value) return p->value > q->value ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

static void rank(const fcps_objective *objective, int count, const double *candidates, double *values,
                 candidate *ranking)
{
  objective->batch(objective->user, objective->n, count, candidates, values);
  for (int i = 0; i < count; i++) {
    ranking[i] = (candidate){.value = isfinite(values[i]) ? values[i] : -DBL_MAX, .index = i};
  }
  qsort(ranking, (size_t)count, sizeof *ranking, compare);
}

static bool are_neighbours(const fcps_objective *objective, const double *p, const double *q)
{
  double sum = 0;
  for (int i = 0; i < objective->n; i++) {
    double gap = fabs(p[i] - q[i]);
    if (objective->wraps && objective->wraps[i]) gap = fmin(gap, 1 - gap);
    sum += gap * gap;
  }
  return sum < nearest_start * nearest_start * objective->n;
}

static bool is_near_a_start(const fcps_objective *objective, const double *candidates, const candidate *ranking,
                            int place)
{
  const size_t n = (size_t)objective->n;
  for (int i = 0; i < place; i++) {
    const double *p = candidates + (size_t)ranking[i].index * n, *q = candidates + (size_t)ranking[place].index * n;
    if (ranking[i].is_start && are_neighbours(objective, p, q)) return true;
  }
  return false;
}

/* Marks `starts` of the ranked candidates: the best ones that are apart, then, where these are too few, the best of
 * the rest. */
static void choose_starts(const fcps_objective *objective, int count, const double *candidates, int starts,
                          candidate *ranking)
{
  int chosen = 0;
  for (int i = 0; i < count && chosen < starts; i++) {
    ranking[i].is_start = !is_near_a_start(objective, candidates, ranking, i);
    chosen += ranking[i].is_start;
  }
  for (int i = 0; i < count && chosen < starts; i++) {
    chosen += !ranking[i].is_start;
    ranking[i].is_start = true;
  }
}

/* Climbs from every start; `best_x` and `optimum` hold the best candidate and become the best of all. */
static fcps_status refine(const fcps_objective *objective, int count, const double *candidates,
                          const candidate *ranking, int local_budget, double *x, double *best_x, fcps_optimum *optimum)
{
  const size_t size = (size_t)objective->n * sizeof(double);
  for (int i = 0; i < count; i++) {
    if (!ranking[i].is_start) continue;
    fcps_optimum local;
    memcpy(x, candidates + (size_t)ranking[i].index * (size_t)objective->n, size);
    const fcps_status status = fcps_lbfgsb_maximize(objective, local_budget, FCPS_OPTIM_TOLERANCE, x, &local);
    if (status != FCPS_OK) return status;
    optimum->evaluations += local.evaluations;
    if (local.value > optimum->value) {
      optimum->value = local.value;
      memcpy(best_x, x, size);
    }
  }
  return FCPS_OK;
}

fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates, int starts,
                                     int local_budget, double *x, fcps_optimum *optimum)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const size_t n = (size_t)objective->n;
  double *numbers = fcps_allocate((size_t)count + 2 * n, sizeof *numbers);
  candidate *ranking = fcps_allocate((size_t)count, sizeof *ranking);
  fcps_status status = numbers && ranking ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *values = numbers, *local_x = numbers + count, *best_x = local_x + n;
    rank(objective, count, candidates, values, ranking);
    fcps_optimum best = {.value = ranking[0].value, .evaluations = count};
    if (n > 0) memcpy(best_x, candidates + (size_t)ranking[0].index * n, n * sizeof(double));
    if (n > 0 && local_budget > 0) {
      choose_starts(objective, count, candidates, starts, ranking);
      status = refine(objective, count, candidates, ranking, local_budget, local_x, best_x, &best);
    }
    if (status == FCPS_OK) {
      if (n > 0) memcpy(x, best_x, n * sizeof(double));
      *optimum = best;
    }
  }
  free(ranking);
  free(numbers);
  return status;
}
