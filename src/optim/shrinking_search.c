/* SPDX-License-Identifier: Apache-2.0 */
/* A random search that shrinks: evaluates candidates, then makes smaller and smaller Gaussian steps from the best
 * points so far. Needs no gradient; values that are not finite count as -DBL_MAX. */
#include "base/memory.h"
#include "optim/region.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The `keep` best points so far, best first. */
typedef struct elite {
  int count, keep, n;
  double *points, *values;
} elite;

/* Inserts a point where its value belongs; the worst point leaves a full elite. */
static void admit(elite *e, const double *point, double value)
{
  if (!isfinite(value)) value = -DBL_MAX;
  if (e->count == e->keep && value <= e->values[e->count - 1]) return;
  int rank = e->count < e->keep ? e->count++ : e->keep - 1;
  const size_t n = (size_t)e->n;
  for (; rank > 0 && value > e->values[rank - 1]; rank--) {
    e->values[rank] = e->values[rank - 1];
    memcpy(e->points + (size_t)rank * n, e->points + (size_t)(rank - 1) * n, n * sizeof(double));
  }
  e->values[rank] = value;
  memcpy(e->points + (size_t)rank * n, point, n * sizeof(double));
}

static double moved(double x, double step, bool wraps)
{
  const double y = x + step;
  return wraps ? y - floor(y) : fmin(fmax(y, 0.0), 1.0);
}

/* Writes `moves` steps from each point of the elite, and returns their number. */
static int make_moves(const fcps_objective *objective, const elite *e, int moves, double deviation, fcps_rng *rng,
                      double *points)
{
  const int n = objective->n;
  double *to = points;
  for (int i = 0; i < e->count; i++)
    for (int m = 0; m < moves; m++)
      for (int d = 0; d < n; d++)
        *to++ = moved(e->points[(size_t)i * (size_t)n + (size_t)d], deviation * fcps_rng_normal(rng),
                      objective->wraps != NULL && objective->wraps[d]);
  fcps_levels_snap(n, objective->levels, e->count * moves, points);
  return e->count * moves;
}

static void evaluate(const fcps_objective *objective, int count, const double *points, double *values, elite *e)
{
  objective->batch(objective->user, objective->n, count, points, values);
  for (int i = 0; i < count; i++)
    admit(e, points + (size_t)i * (size_t)objective->n, values[i]);
}

fcps_status fcps_shrinking_search_maximize(const fcps_objective *objective, int count, const double *candidates,
                                           const fcps_shrinking_search_settings *settings, fcps_rng rng, double *x,
                                           fcps_optimum *optimum)
{
  if (count < 1 || settings->keep < 1 || settings->moves < 0) return FCPS_ERR_ARGUMENT;
  const int steps = settings->keep * settings->moves, most = count > steps ? count : steps;
  const size_t n = (size_t)objective->n, keep = (size_t)settings->keep;
  double *numbers = fcps_allocate(keep * (n + 1) + (size_t)steps * n + (size_t)most, sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  elite e = {.keep = settings->keep, .n = objective->n, .points = numbers, .values = numbers + keep * n};
  double *points = e.values + keep, *values = points + (size_t)steps * n;

  evaluate(objective, count, candidates, values, &e);
  optimum->evaluations = count;
  double deviation = settings->deviation;
  for (int round = 0; round < settings->rounds && n > 0; round++, deviation *= settings->shrink) {
    const int made = make_moves(objective, &e, settings->moves, deviation, &rng, points);
    fcps_region_settle_all(objective->region, objective->n, made, points);
    evaluate(objective, made, points, values, &e);
    optimum->evaluations += made;
  }
  memcpy(x, e.points, n * sizeof(double));
  optimum->value = e.values[0];
  free(numbers);
  return FCPS_OK;
}
