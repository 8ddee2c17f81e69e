/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates with levels, such as integers.
 *
 * A search first treats them as continuous. Then they are settled: the options are the nearest levels, and the same
 * with one coordinate on a neighbouring level. A new search from each option climbs in the other coordinates, and the
 * best option wins. A coordinate is held by setting its slope to 0, because no search of this room moves a coordinate
 * without a slope.
 *
 * Words are levels without neighbours (optim.h): starts are already on a word, and settling may change it. */
#include "base/memory.h"
#include "optim/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With more coordinates on levels than this, neighbouring levels are not tried: there are too many. */
enum { MOST_TRIED = 8 };

static double level_of(double levels, double x)
{
  return fmin(fmax(floor(x * levels), 0.0), levels - 1.0);
}

static double middle_of(double levels, double level)
{
  return (level + 0.5) / levels;
}

/* The number of coordinates whose neighbouring levels are tried. */
static int tried(int n, const double *levels)
{
  int count = 0;
  for (int d = 0; d < n; d++)
    count += levels[d] > 0.0;
  return count <= MOST_TRIED ? count : 0;
}

int fcps_levels_options(int n, const double *levels)
{
  return levels != NULL ? 1 + 2 * tried(n, levels) : 0;
}

void fcps_levels_snap(int n, const double *levels, int count, double *points)
{
  for (int i = 0; i < count * n && levels != NULL; i++) {
    const double l = fabs(levels[i % n]);
    if (l > 0.0) points[i] = middle_of(l, level_of(l, points[i]));
  }
}

/* The level beside x in the direction of `step`, also across the seam of a circle; x itself at an end. */
static double beside(double levels, bool wraps, double x, double step)
{
  const double level = level_of(levels, x) + step;
  if (level >= 0.0 && level < levels) return middle_of(levels, level);
  return wraps ? middle_of(levels, level < 0.0 ? levels - 1.0 : 0.0) : x;
}

void fcps_levels_lay(int n, const double *levels, const bool *wraps, const double *x, double *options)
{
  const size_t size = (size_t)n * sizeof(double);
  const bool has_neighbours = tried(n, levels) > 0;
  memcpy(options, x, size);
  fcps_levels_snap(n, levels, 1, options);
  double *next = options + n;
  for (int d = 0; d < n && has_neighbours; d++)
    for (int side = -1; side <= 1 && levels[d] > 0.0; side += 2, next += n) {
      memcpy(next, options, size);
      next[d] = beside(levels[d], wraps != NULL && wraps[d], options[d], side);
    }
}

void fcps_levels_hold(int n, const double *levels, bool words_only, double *gradient, double *curvature)
{
  for (int d = 0; d < n && levels != NULL; d++) {
    if (levels[d] == 0.0 || (words_only && levels[d] > 0.0)) continue;
    gradient[d] = 0.0;
    for (int j = 0; j < n && curvature != NULL; j++)
      curvature[d * n + j] = curvature[j * n + d] = d == j ? 1.0 : 0.0;
  }
}

/* -- Settling -- */

static double held_value(void *user, int n, const double *x, double *gradient)
{
  const fcps_objective *o = user;
  const double value = o->value(o->user, n, x, gradient);
  if (gradient != NULL) fcps_levels_hold(n, o->levels, false, gradient, NULL);
  return value;
}

static void held_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const fcps_objective *o = user;
  o->slopes(o->user, n, count, points, values, gradients);
  for (int i = 0; i < count; i++)
    fcps_levels_hold(n, o->levels, false, gradients + (size_t)i * (size_t)n, NULL);
}

/* Climbs from each option in the coordinates without levels. With a region, an option is first moved to the nearest
 * point of the region that is on levels. */
static fcps_status climb_held(fcps_objective *objective, bool *stays, int count, int budget, double *options,
                              fcps_optimum *ends)
{
  const size_t n = (size_t)objective->n;
  const fcps_region *region = objective->region;
  for (size_t d = 0; d < n; d++)
    stays[d] = objective->levels[d] != 0.0;
  for (size_t i = 0; i < (size_t)count && region != NULL; i++)
    region->settle(region->user, options + i * n);
  fcps_region_search search;
  fcps_objective inside;
  fcps_status status = fcps_region_enter(objective, stays, count, &search, &inside);
  const fcps_objective held = {.n = objective->n,
                               .value = held_value,
                               .slopes = objective->slopes != NULL ? held_slopes : NULL,
                               .wraps = objective->wraps,
                               .value_scale = objective->value_scale,
                               .user = &inside};
  if (status == FCPS_OK) status = fcps_lbfgsb_maximize_all(&held, count, budget, FCPS_OPTIM_TOLERANCE, options, ends);
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK && region != NULL; i++) {
    region->project(region->user, stays, options + i * n, search.points);
    memcpy(options + i * n, search.points, n * sizeof *options);
  }
  fcps_region_leave(&search, options);
  return status;
}

/* Moves x to the best of its nearest levels and their neighbours. */
static fcps_status settle_steps(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  fcps_objective whole = *objective; /* a copy, because `user` is not const */
  const size_t n = (size_t)whole.n;
  const int count = fcps_levels_options(whole.n, whole.levels);
  double *options = fcps_allocate((size_t)count * n, sizeof(double));
  fcps_optimum *ends = fcps_allocate((size_t)count, sizeof *ends);
  bool *stays = fcps_allocate(n, sizeof(bool));
  fcps_status status = options != NULL && ends != NULL && stays != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_levels_lay(whole.n, whole.levels, whole.wraps, x, options);
    status = climb_held(&whole, stays, count, budget > 0 ? budget : 1, options, ends);
  }
  if (status == FCPS_OK) {
    int best = 0;
    for (int i = 0; i < count; i++) {
      optimum->evaluations += ends[i].evaluations;
      if (ends[i].value > ends[best].value) best = i;
    }
    memcpy(x, options + (size_t)best * n, n * sizeof(double));
    optimum->value = ends[best].value;
  }
  free(options);
  free(ends);
  free(stays);
  return status;
}

/* -- Words -- */

/* The most changes of words, each followed by a climb in the numbers. More changes have never improved a value. */
enum { MOST_CHANGES = 4 };

/* Writes the points that differ from x in one word, and their values. Returns their number. */
static int lay_changes(const fcps_objective *o, const double *x, double *points, double *values)
{
  const size_t n = (size_t)o->n;
  int count = 0;
  for (size_t d = 0; d < n; d++)
    for (double word = 0.0; word < -o->levels[d]; word++) {
      double *next = points + (size_t)count * n;
      if (word == level_of(-o->levels[d], x[d])) continue;
      memcpy(next, x, n * sizeof *x);
      next[d] = middle_of(-o->levels[d], word);
      if (o->region != NULL && o->region->rest != NULL) o->region->rest(o->region->user, next);
      count += !fcps_words_are_same(o->n, o->levels, next, x); /* a word that does not apply is no change */
    }
  fcps_region_settle_all(o->region, o->n, count, points);
  if (o->batch != NULL)
    o->batch(o->user, o->n, count, points, values);
  else
    for (int i = 0; i < count; i++)
      values[i] = o->value(o->user, o->n, points + (size_t)i * n, NULL);
  return count;
}

/* Changes one word after the other while that improves the value. */
static fcps_status change_words(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  fcps_objective whole = *objective;
  const size_t n = (size_t)whole.n;
  const size_t words = (size_t)fcps_words_changes(whole.n, whole.levels);
  double *points = fcps_allocate(words * (n + 1), sizeof(double)), *values = points + words * n;
  bool *stays = fcps_allocate(n, sizeof(bool));
  fcps_status status = points != NULL && stays != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int change = 0; change < MOST_CHANGES && status == FCPS_OK; change++) {
    const int count = lay_changes(&whole, x, points, values);
    int best = 0;
    for (int i = 1; i < count; i++)
      if (values[i] > values[best]) best = i;
    optimum->evaluations += count;
    if (count == 0 || !(values[best] > optimum->value)) break;
    fcps_optimum end;
    memcpy(x, points + (size_t)best * n, n * sizeof *x);
    status = climb_held(&whole, stays, 1, budget > 0 ? budget : 1, x, &end);
    optimum->evaluations += end.evaluations;
    optimum->value = end.value;
  }
  free(points);
  free(stays);
  return status;
}

fcps_status fcps_levels_settle(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  const double *levels = objective->levels;
  bool has_steps = false;
  for (int d = 0; d < objective->n && levels != NULL; d++)
    has_steps = has_steps || levels[d] > 0.0;
  fcps_status status = has_steps ? settle_steps(objective, budget, x, optimum) : FCPS_OK;
  fcps_levels_snap(objective->n, levels, 1, x);
  if (status == FCPS_OK && levels != NULL && fcps_words_need_changes(objective->n, levels))
    status = change_words(objective, budget, x, optimum);
  return status;
}
