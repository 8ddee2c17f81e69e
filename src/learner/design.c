/* SPDX-License-Identifier: Apache-2.0 */
#include "learner/design.h"

#include "base/error.h"
#include "base/memory.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

/* Candidates of which a maximin point is the best. */
enum { MAXIMIN_CANDIDATES = 400 };

int fcps_design_made(const fcps_learner *learner)
{
  return learner->rollouts.count + learner->pending_count;
}

/* Parameters of all rollouts and pending asks, in the unit cube. */
static void collect_made(const fcps_learner *learner, double *points)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count;
  for (int i = 0; i < learner->rollouts.count; i++, points += n)
    fcps_space_to_unit(space, fcps_rollouts_parameters(&learner->rollouts, i), points);
  for (int i = 0; i < learner->pending_count; i++, points += n)
    fcps_space_to_unit(space, learner->pending[i].parameters, points);
}

static fcps_status maximin(const fcps_learner *learner, fcps_rng rng, double *unit)
{
  const fcps_space *space = &learner->problem.parameters;
  const int made = fcps_design_made(learner);
  double *points = fcps_allocate((size_t)made * (size_t)space->count, sizeof(double));
  bool *wraps = fcps_allocate((size_t)space->count, sizeof(bool));
  const bool ok = points != NULL && wraps != NULL;
  if (ok) {
    collect_made(learner, points);
    fcps_space_wraps(space, wraps);
    fcps_points_maximin(&rng, space->count, wraps, made, points, MAXIMIN_CANDIDATES, unit);
  }
  free(points);
  free(wraps);
  return ok ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Row `index` of a Latin hypercube that is the same for every ask of this learner. */
static fcps_status latin(const fcps_learner *learner, int size, int index, double *unit)
{
  const size_t n = (size_t)learner->problem.parameters.count;
  double *points = fcps_allocate((size_t)size * n, sizeof(double));
  if (points == NULL) return FCPS_ERR_MEMORY;
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, 0);
  const fcps_status status = fcps_points_latin(&rng, (int)n, size, points);
  if (status == FCPS_OK) memcpy(unit, points + (size_t)index * n, n * sizeof(double));
  free(points);
  return status;
}

fcps_status fcps_design_point(const fcps_learner *learner, fcps_design design, int size, int64_t id, double *unit,
                              fcps_error *error)
{
  const int n = learner->problem.parameters.count, made = fcps_design_made(learner);
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  fcps_rng shared = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, 0);
  fcps_status status = FCPS_OK;
  switch (design) {
  case FCPS_DESIGN_MAXIMIN:
    status = maximin(learner, rng, unit);
    break;
  case FCPS_DESIGN_LATIN:
    status = latin(learner, size, made % size, unit);
    break;
  case FCPS_DESIGN_HALTON:
    fcps_points_halton(&shared, n, made, 1, unit);
    break;
  case FCPS_DESIGN_RANDOM:
    fcps_points_uniform(&rng, n, 1, unit);
    break;
  }
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}
