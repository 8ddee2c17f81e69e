/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points in the unit cube. No function allocates memory: each works in the caller's array. */
#include "space/points.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

void fcps_points_uniform(fcps_rng *rng, int n, int count, double *points)
{
  for (int i = 0; i < count; i++)
    fcps_rng_uniforms(rng, n, points + (size_t)i * (size_t)n);
}

void fcps_points_grid(int n, int per_side, double *points)
{
  size_t count = 1;
  for (int d = 0; d < n; d++)
    count *= (size_t)per_side;
  for (size_t i = 0; i < count; i++) {
    /* the digits of i in base per_side */
    size_t rest = i;
    for (int d = n - 1; d >= 0; d--, rest /= (size_t)per_side) {
      const double digit = (double)(rest % (size_t)per_side);
      points[i * (size_t)n + (size_t)d] = per_side > 1 ? digit / (per_side - 1) : 0.5;
    }
  }
}

/* Each column gets the slices 0 ... count-1 in random order (Fisher-Yates within the column). Each point then gets a
 * random position within its slice. */
fcps_status fcps_points_latin(fcps_rng *rng, int n, int count, double *points)
{
  if (n < 0 || count < 0) return FCPS_ERR_ARGUMENT;
  const size_t stride = (size_t)n;
  for (int d = 0; d < n; d++) {
    double *column = points + d;
    for (int i = 0; i < count; i++) {
      const size_t j = (size_t)fcps_rng_below(rng, (uint64_t)i + 1);
      column[(size_t)i * stride] = column[j * stride];
      column[j * stride] = i;
    }
    for (int i = 0; i < count; i++) {
      double *x = &column[(size_t)i * stride];
      *x = fmin((*x + fcps_rng_uniform(rng)) / count, 1.0);
    }
  }
  return FCPS_OK;
}

static int next_prime(int number)
{
  for (number++;; number++) {
    int divisor = 2;
    while (divisor * divisor <= number && number % divisor != 0)
      divisor++;
    if (divisor * divisor > number) return number;
  }
}

/* The radical inverse: the digits of `index` in `base`, mirrored at the decimal point. */
static double radical_inverse(int base, int index)
{
  double value = 0, weight = 1;
  for (; index > 0; index /= base) {
    weight /= base;
    value += weight * (index % base);
  }
  return value;
}

void fcps_points_halton(fcps_rng *rng, int n, int first, int count, double *points)
{
  int base = 1;
  for (int d = 0; d < n; d++) {
    base = next_prime(base);
    const double shift = fcps_rng_uniform(rng);
    for (int i = 0; i < count; i++) {
      const double x = radical_inverse(base, first + i) + shift;
      points[(size_t)i * (size_t)n + (size_t)d] = x - floor(x);
    }
  }
}

static double squared_distance(int n, const bool *wraps, const double *p, const double *q)
{
  double sum = 0;
  for (int d = 0; d < n; d++) {
    const double gap = wraps != NULL && wraps[d] ? sin(pi * (p[d] - q[d])) : p[d] - q[d];
    sum += gap * gap;
  }
  return sum;
}

/* A face acts as a mirror: the mirror image of a point is at twice its distance to the face. */
double fcps_points_spread(int n, const bool *wraps, const bool *open, int count, const double *points, const double *p)
{
  double smallest = INFINITY;
  for (int d = 0; d < n; d++) {
    const double to_face = fmin(p[d], 1 - p[d]);
    if ((wraps == NULL || !wraps[d]) && (open == NULL || !open[d])) smallest = fmin(smallest, 4 * to_face * to_face);
  }
  for (int j = 0; j < count; j++) {
    smallest = fmin(smallest, squared_distance(n, wraps, p, points + (size_t)j * (size_t)n));
  }
  return smallest;
}

void fcps_points_maximin(fcps_rng *rng, int n, const bool *wraps, int count, const double *points, int candidates,
                         double *next)
{
  /* a random stream is a value: a copy of it, taken before the best candidate, is enough to draw that candidate again
   */
  fcps_rng best = *rng;
  double best_spread = -1;
  for (int c = 0; c < candidates; c++) {
    const fcps_rng here = *rng;
    fcps_rng_uniforms(rng, n, next);
    const double s = fcps_points_spread(n, wraps, NULL, count, points, next);
    if (s > best_spread) {
      best = here;
      best_spread = s;
    }
  }
  fcps_rng_uniforms(&best, n, next);
}
