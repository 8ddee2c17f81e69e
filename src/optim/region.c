/* SPDX-License-Identifier: Apache-2.0 */
/* Searching a region of the cube as if it were the whole cube: the objective is evaluated at the nearest point of the
 * region. This changes no value inside and keeps the maximum, so every maximizer can be used. */
#include "optim/region.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void bring_in(const fcps_region_search *s, int count, const double *points)
{
  const fcps_region *region = s->objective->region;
  const size_t n = (size_t)s->objective->n;
  for (size_t i = 0; i < (size_t)count; i++)
    region->project(region->user, s->held, points + i * n, s->points + i * n);
}

static void batch(void *user, int n, int count, const double *points, double *values)
{
  const fcps_region_search *s = user;
  for (int done = 0, block; done < count; done += block) {
    block = count - done < s->most ? count - done : s->most;
    bring_in(s, block, points + (size_t)done * (size_t)n);
    s->objective->batch(s->objective->user, n, block, s->points, values + done);
  }
}

static void slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const fcps_region_search *s = user;
  const fcps_region *region = s->objective->region;
  const size_t width = (size_t)n;
  for (int done = 0, block; done < count; done += block) {
    const double *first = points + (size_t)done * width;
    double *gradient = gradients + (size_t)done * width;
    block = count - done < s->most ? count - done : s->most;
    bring_in(s, block, first);
    s->objective->slopes(s->objective->user, n, block, s->points, values + done, gradient);
    for (size_t i = 0; i < (size_t)block; i++)
      region->pull(region->user, s->held, first + i * width, s->points + i * width, gradient + i * width);
  }
}

static double value(void *user, int n, const double *x, double *gradient)
{
  const fcps_region_search *s = user;
  const fcps_region *region = s->objective->region;
  bring_in(s, 1, x);
  const double result = s->objective->value(s->objective->user, n, s->points, gradient);
  if (gradient != NULL) region->pull(region->user, s->held, x, s->points, gradient);
  return result;
}

void fcps_region_fill(const fcps_region *region, fcps_rng *rng, int count, double *points)
{
  if (region != NULL) region->fill(region->user, rng, count, points);
}

void fcps_region_settle_all(const fcps_region *region, int n, int count, double *points)
{
  for (int i = 0; i < count && region != NULL; i++)
    region->settle(region->user, points + (size_t)i * (size_t)n);
}

fcps_status fcps_region_enter(const fcps_objective *objective, const bool *held, int most, fcps_region_search *search,
                              fcps_objective *inside)
{
  *inside = *objective;
  *search = (fcps_region_search){.objective = objective, .held = held, .most = most};
  if (objective->region == NULL) return FCPS_OK;
  search->points = fcps_allocate((size_t)most * (size_t)objective->n, sizeof(double));
  if (search->points == NULL) return FCPS_ERR_MEMORY;
  inside->region = NULL;
  inside->value = value;
  inside->batch = objective->batch != NULL ? batch : NULL;
  inside->slopes = objective->slopes != NULL ? slopes : NULL;
  inside->user = search;
  return FCPS_OK;
}

void fcps_region_leave(fcps_region_search *search, double *x)
{
  if (search->points != NULL) {
    bring_in(search, 1, x);
    memcpy(x, search->points, (size_t)search->objective->n * sizeof *x);
  }
  free(search->points);
  search->points = NULL;
}
