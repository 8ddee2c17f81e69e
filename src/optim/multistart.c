/* SPDX-License-Identifier: Apache-2.0 */
/* Multistart: evaluates many candidates in one batch, then climbs from the best few that are not neighbours. The result
 * is never worse than the best candidate. */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Starts that are nearer than this times sqrt(n) would climb the same hill. */
static const double nearest_start = 0.05;

static bool are_neighbours(const fcps_objective *objective, const double *p, const double *q)
{
  double sum = 0;
  for (int i = 0; i < objective->n; i++) {
    double gap = fabs(p[i] - q[i]);
    if (objective->wraps != NULL && objective->wraps[i]) gap = fmin(gap, 1 - gap);
    sum += gap * gap;
  }
  return sum < nearest_start * nearest_start * objective->n;
}

static bool is_near_a_start(const fcps_objective *objective, const double *candidates, int candidate, int chosen,
                            const int *starts)
{
  const size_t n = (size_t)objective->n;
  for (int s = 0; s < chosen; s++)
    if (are_neighbours(objective, candidates + (size_t)starts[s] * n, candidates + (size_t)candidate * n)) return true;
  return false;
}

/* The best candidate that is not taken and (with `apart`) is not a neighbour of a chosen start; the first of equals; -1
 * when there is none. */
static int find_start(const fcps_objective *objective, int count, const double *candidates, const double *values,
                      const bool *taken, bool apart, int chosen, const int *starts)
{
  int best = -1;
  for (int i = 0; i < count; i++) {
    if (taken[i] || (best >= 0 && values[i] <= values[best])) continue;
    if (!apart || !is_near_a_start(objective, candidates, i, chosen, starts)) best = i;
  }
  return best;
}

fcps_status fcps_multistart_choose(const fcps_objective *objective, int count, const double *candidates,
                                   const double *values, int wanted, int *chosen)
{
  bool *taken = fcps_allocate((size_t)count, sizeof *taken);
  if (taken == NULL) return FCPS_ERR_MEMORY;
  int found = 0;
  for (int apart = 1; apart >= 0; apart--)
    while (found < wanted) {
      const int start = find_start(objective, count, candidates, values, taken, apart == 1, found, chosen);
      if (start < 0) break;
      taken[start] = true;
      chosen[found++] = start;
    }
  free(taken);
  return FCPS_OK;
}

/* Climbs from every start, side by side. `best_x` and `optimum` hold the best candidate and receive the best point of
 * all. */
static fcps_status climb_all(const fcps_objective *objective, const double *candidates, int count, const int *starts,
                             int local_budget, double *best_x, fcps_optimum *optimum)
{
  const size_t n = (size_t)objective->n;
  double *x = fcps_allocate((size_t)count * n, sizeof(double));
  fcps_optimum *local = fcps_allocate((size_t)count, sizeof *local);
  fcps_status status = x != NULL && local != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int s = 0; s < count && status == FCPS_OK; s++)
    memcpy(x + (size_t)s * n, candidates + (size_t)starts[s] * n, n * sizeof(double));
  if (status == FCPS_OK)
    status = fcps_lbfgsb_maximize_all(objective, count, local_budget, FCPS_OPTIM_TOLERANCE, x, local);
  for (int s = 0; s < count && status == FCPS_OK; s++) {
    optimum->evaluations += local[s].evaluations;
    if (local[s].value > optimum->value) {
      optimum->value = local[s].value;
      memcpy(best_x, x + (size_t)s * n, n * sizeof(double));
    }
  }
  free(local);
  free(x);
  return status;
}

fcps_status fcps_multistart_refine(const fcps_objective *objective, int count, const double *candidates,
                                   const double *values, int starts, int local_budget, double *x, fcps_optimum *optimum)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const size_t n = (size_t)objective->n;
  const bool climbs = n > 0 && local_budget > 0 && starts > 0;
  const int wanted = climbs ? (starts < count ? starts : count) : 1;
  double *numbers = fcps_allocate((size_t)count + n, sizeof *numbers);
  int *chosen = fcps_allocate((size_t)wanted, sizeof *chosen);
  fcps_status status = numbers != NULL && chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *finite = numbers, *best_x = numbers + count;
    for (int i = 0; i < count; i++)
      finite[i] = isfinite(values[i]) ? values[i] : -DBL_MAX;
    status = fcps_multistart_choose(objective, count, candidates, finite, wanted, chosen);
    fcps_optimum best = {.evaluations = count};
    if (status == FCPS_OK) {
      best.value = finite[chosen[0]];
      if (n > 0) memcpy(best_x, candidates + (size_t)chosen[0] * n, n * sizeof(double));
      if (climbs) status = climb_all(objective, candidates, wanted, chosen, local_budget, best_x, &best);
    }
    if (status == FCPS_OK) {
      if (n > 0) memcpy(x, best_x, n * sizeof(double));
      *optimum = best;
    }
  }
  free(numbers);
  free(chosen);
  return status;
}

fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates, int starts,
                                     int local_budget, double *x, fcps_optimum *optimum)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  double *values = fcps_allocate((size_t)count, sizeof *values);
  if (values == NULL) return FCPS_ERR_MEMORY;
  objective->batch(objective->user, objective->n, count, candidates, values);
  const fcps_status status =
      fcps_multistart_refine(objective, count, candidates, values, starts, local_budget, x, optimum);
  free(values);
  return status;
}
