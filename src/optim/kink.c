/* SPDX-License-Identifier: Apache-2.0 */
/* Climbing along a kink, where L-BFGS-B stops: on both sides the slope leads across the kink, and no step along a slope
 * gains anything. So gradients are also taken around the point, at a distance r along each coordinate. The shortest
 * vector in their convex hull rises on all sides of the kink [burke2005, Sec. 2]. If it is 0, or no step gains, r
 * shrinks. */
#include "base/memory.h"
#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 40, HULL_STEPS = 100, STEPS = 6 };
static const double first_radius = 0.02, last_radius = 1e-4, shrink = 0.25;

/* In the units of tolerances: gains below `least_gain` do not count. A climb that ends with a slope above `steep` per
 * side of the cube has stopped at a kink. */
static const double least_gain = 1e-6, steep = 0.01;

typedef struct climb {
  const fcps_objective *objective;
  size_t n;
  double *points, *values, *gradients; /* answers at several points: around x, or along a line */
  double *along;
} climb;

static void evaluate(const climb *r, int count)
{
  r->objective->slopes(r->objective->user, (int)r->n, count, r->points, r->values, r->gradients);
}

/* Writes point number `row`: x + length step, moved into the cube. */
static void place(const climb *r, int row, const double *x, const double *step, double length)
{
  const bool *wraps = r->objective->wraps;
  double *next = r->points + (size_t)row * r->n;
  for (size_t d = 0; d < r->n; d++) {
    next[d] = x[d] + length * step[d];
    next[d] = wraps != NULL && wraps[d] ? next[d] - floor(next[d]) : fmin(fmax(next[d], 0.0), 1.0);
  }
}

/* Whether a slope leads out of the cube. */
static bool is_stopped(const climb *r, const double *x, size_t d, double slope)
{
  const bool *wraps = r->objective->wraps;
  return !(wraps != NULL && wraps[d]) && ((x[d] <= 0.0 && slope < 0.0) || (x[d] >= 1.0 && slope > 0.0));
}

/* Finds the shortest vector in the convex hull of the gradients (rows), by steps to the row farthest against it. */
static void shorten(const climb *r, int count)
{
  const size_t n = r->n;
  double *v = r->along;
  for (int step = 0; step < HULL_STEPS; step++) {
    const double *least = NULL;
    double lowest = INFINITY, square = 0.0, gap = 0.0, across = 0.0;
    for (int i = 0; i < count; i++) {
      double product = 0.0;
      for (size_t d = 0; d < n; d++)
        product += v[d] * r->gradients[(size_t)i * n + d];
      if (product < lowest) lowest = product, least = r->gradients + (size_t)i * n;
    }
    for (size_t d = 0; d < n && least != NULL; d++) {
      square += v[d] * v[d];
      gap += (v[d] - least[d]) * (v[d] - least[d]);
      across += v[d] * (v[d] - least[d]);
    }
    if (least == NULL || !(across > 1e-9 * square) || !(gap > 0.0)) return;
    const double share = fmin(across / gap, 1.0);
    for (size_t d = 0; d < n; d++)
      v[d] += share * (least[d] - v[d]);
  }
}

/* Finds the direction in which the objective rises on all sides at this distance. Returns its length. Returns -1 if the
 * slope at x is at most `flat`: then x is the end of an ordinary climb, not a kink. */
static double find_direction(const climb *r, double flat, const double *x, double distance, fcps_optimum *optimum)
{
  int count = 1;
  memcpy(r->points, x, r->n * sizeof *x);
  for (size_t d = 0; d < r->n; d++)
    for (int side = -1; side <= 1; side += 2) {
      memset(r->along, 0, r->n * sizeof *x);
      r->along[d] = side;
      place(r, count++, x, r->along, distance);
    }
  evaluate(r, 1);
  double square = 0.0;
  for (size_t d = 0; d < r->n; d++)
    square += is_stopped(r, x, d, r->gradients[d]) ? 0.0 : r->gradients[d] * r->gradients[d];
  if (!(sqrt(square) > flat)) return -1.0;
  evaluate(r, count);
  optimum->evaluations += 1 + count;
  square = 0.0;
  for (int i = 0; i < count; i++)
    for (size_t d = 0; d < r->n; d++) {
      double *slope = r->gradients + (size_t)i * r->n + d;
      if (!isfinite(*slope)) return 0.0;
      if (is_stopped(r, x, d, *slope)) *slope = 0.0;
    }
  memcpy(r->along, r->gradients, r->n * sizeof *x);
  shorten(r, count);
  for (size_t d = 0; d < r->n; d++)
    square += r->along[d] * r->along[d];
  return sqrt(square);
}

/* Takes the best of some steps along the direction that was found. Returns false if no step gains. */
static bool step_along(const climb *r, double distance, double length, double least, double *x, fcps_optimum *optimum)
{
  double steps = 8.0 * distance / length;
  int best = 0;
  for (int i = 0; i < STEPS; i++, steps *= 0.5)
    place(r, i, x, r->along, steps);
  evaluate(r, STEPS);
  optimum->evaluations += STEPS;
  for (int i = 1; i < STEPS; i++)
    if (r->values[i] > r->values[best] || !isfinite(r->values[best])) best = i;
  if (!(r->values[best] > optimum->value + least)) return false;
  optimum->value = r->values[best];
  memcpy(x, r->points + (size_t)best * r->n, r->n * sizeof *x);
  return true;
}

fcps_status fcps_kink_climb(const fcps_objective *objective, double *x, fcps_optimum *optimum)
{
  const size_t n = (size_t)objective->n, rows = 2 * n + 1 > STEPS ? 2 * n + 1 : STEPS;
  const double scale = objective->value_scale > 0.0 ? objective->value_scale : 1.0, least = least_gain * scale;
  double *numbers = fcps_allocate(rows * (2 * n + 1) + n, sizeof(double)), radius = first_radius;
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  const climb r = {.objective = objective,
                   .n = n,
                   .points = numbers,
                   .gradients = numbers + rows * n,
                   .values = numbers + 2 * rows * n,
                   .along = numbers + rows * (2 * n + 1)};
  for (int move = 0; move < MOST_MOVES && radius >= last_radius; move++) {
    const double length = find_direction(&r, steep * scale, x, radius, optimum);
    if (length < 0.0) break;
    if (!(length * radius > least) || !step_along(&r, radius, length, least, x, optimum)) radius *= shrink;
  }
  free(numbers);
  return FCPS_OK;
}
