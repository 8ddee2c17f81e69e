/* SPDX-License-Identifier: Apache-2.0 */
/* Multistart: evaluates many candidates in one batch, then climbs from the best few that are not neighbours. The result
 * is never worse than the best candidate. */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two starts that are nearer than this times sqrt(n) would probably climb to the same maximum. */
static const double nearest_start = 0.05;

static bool are_neighbours(const fcps_objective *objective, const double *p, const double *q)
{
  double sum = 0;
  if (!fcps_words_are_same(objective->n, objective->levels, p, q)) return false;
  for (int i = 0; i < objective->n; i++) {
    double gap = fabs(p[i] - q[i]);
    if (objective->wraps != NULL && objective->wraps[i]) gap = fmin(gap, 1 - gap);
    sum += gap * gap;
  }
  return sum < nearest_start * nearest_start * objective->n;
}

/* Starts that were chosen among candidates. */
typedef struct starts {
  const fcps_objective *objective;
  const fcps_scored_points *candidates;
  int count, *chosen;
  bool *taken; /* whether a candidate was chosen */
} starts;

static bool is_near_a_start(const starts *s, int candidate)
{
  const size_t n = (size_t)s->objective->n;
  const double *x = s->candidates->x;
  for (int i = 0; i < s->count; i++)
    if (are_neighbours(s->objective, x + (size_t)s->chosen[i] * n, x + (size_t)candidate * n)) return true;
  return false;
}

/* The condition on the next start: its words differ from those of all chosen ones, it is no neighbour of them, or none.
 */
typedef enum wish { OTHER_WORDS, APART, ANY } wish;

static bool has_words_of_a_start(const starts *s, int candidate)
{
  const int n = s->objective->n;
  for (int i = 0; i < s->count; i++)
    if (fcps_words_are_same(n, s->objective->levels, s->candidates->x + s->chosen[i] * n,
                            s->candidates->x + candidate * n))
      return true;
  return false;
}

static bool fulfils(const starts *s, wish w, int candidate)
{
  return w == ANY || !(w == APART ? is_near_a_start(s, candidate) : has_words_of_a_start(s, candidate));
}

/* The best candidate that is not taken and fulfils the condition; the first of equals; -1 if there is none. */
static int find_start(const starts *s, wish w)
{
  const double *values = s->candidates->values;
  int best = -1;
  for (int i = 0; i < s->candidates->count; i++) {
    if (s->taken[i] || (best >= 0 && values[i] <= values[best])) continue;
    if (fulfils(s, w, i)) best = i;
  }
  return best;
}

fcps_status fcps_multistart_choose(const fcps_objective *objective, const fcps_scored_points *candidates, int wanted,
                                   int *chosen)
{
  bool *taken = fcps_allocate((size_t)candidates->count, sizeof *taken);
  if (taken == NULL) return FCPS_ERR_MEMORY;
  starts s = {.objective = objective, .candidates = candidates, .chosen = chosen, .taken = taken};
  const bool has_words = fcps_words_combinations(objective->n, objective->levels) > 1.0;
  for (wish w = has_words ? OTHER_WORDS : APART; w <= ANY; w++)
    while (s.count < (w == OTHER_WORDS ? wanted - (wanted > 2) : wanted)) {
      const int start = find_start(&s, w);
      if (start < 0) break;
      taken[start] = true;
      chosen[s.count++] = start;
    }
  free(taken);
  return FCPS_OK;
}

/* Climbs from all starts side by side. At first `best_x` and `optimum` hold the best candidate; they receive the best
 * point of all. */
static fcps_status climb_all(const starts *from, int local_budget, double *best_x, fcps_optimum *optimum)
{
  const size_t n = (size_t)from->objective->n;
  const int count = from->count;
  double *x = fcps_allocate((size_t)count * n, sizeof(double));
  fcps_optimum *local = fcps_allocate((size_t)count, sizeof *local);
  fcps_status status = x != NULL && local != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int s = 0; s < count && status == FCPS_OK; s++)
    memcpy(x + (size_t)s * n, from->candidates->x + (size_t)from->chosen[s] * n, n * sizeof(double));
  if (status == FCPS_OK)
    status = fcps_lbfgsb_maximize_all(from->objective, count, local_budget, FCPS_OPTIM_TOLERANCE, x, local);
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

fcps_status fcps_multistart_refine(const fcps_objective *objective, const fcps_scored_points *candidates, int most,
                                   int local_budget, double *x, fcps_optimum *optimum)
{
  const int count = candidates->count;
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const size_t n = (size_t)objective->n;
  const bool climbs = n > 0 && local_budget > 0 && most > 0;
  const int starts_wanted = fcps_words_starts(objective->n, objective->levels, most);
  const int wanted = climbs ? (starts_wanted < count ? starts_wanted : count) : 1;
  double *numbers = fcps_allocate((size_t)count + n, sizeof *numbers);
  int *chosen = fcps_allocate((size_t)wanted, sizeof *chosen);
  fcps_status status = numbers != NULL && chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *finite = numbers, *best_x = numbers + count;
    for (int i = 0; i < count; i++)
      finite[i] = isfinite(candidates->values[i]) ? candidates->values[i] : -DBL_MAX;
    const fcps_scored_points scored = {count, candidates->x, finite};
    const starts from = {.objective = objective, .candidates = &scored, .count = wanted, .chosen = chosen};
    status = fcps_multistart_choose(objective, &scored, wanted, chosen);
    fcps_optimum best = {.evaluations = count};
    if (status == FCPS_OK) {
      best.value = finite[chosen[0]];
      if (n > 0) memcpy(best_x, candidates->x + (size_t)chosen[0] * n, n * sizeof(double));
      if (climbs) status = climb_all(&from, local_budget, best_x, &best);
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

fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates, int most,
                                     int local_budget, double *x, fcps_optimum *optimum)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  double *values = fcps_allocate((size_t)count, sizeof *values);
  if (values == NULL) return FCPS_ERR_MEMORY;
  objective->batch(objective->user, objective->n, count, candidates, values);
  const fcps_scored_points scored = {count, candidates, values};
  const fcps_status status = fcps_multistart_refine(objective, &scored, most, local_budget, x, optimum);
  free(values);
  return status;
}
