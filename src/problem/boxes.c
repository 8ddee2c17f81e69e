/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/boxes.h"

#include "base/rng.h"
#include "space/space.h"

#include <math.h>

const fcps_dimension *fcps_context_dimension(const fcps_problem *problem, int index)
{
  const int targets = problem->target.count;
  return index < targets ? &problem->target.dims[index] : &problem->environment.dims[index - targets];
}

int fcps_context_width(const fcps_problem *problem)
{
  return problem->target.count + problem->environment.count;
}

int fcps_context_find(const fcps_problem *problem, const char *name)
{
  const int target = fcps_space_find(&problem->target, name);
  if (target >= 0) return target;
  const int environment = fcps_space_find(&problem->environment, name);
  return environment >= 0 ? problem->target.count + environment : -1;
}

void fcps_box_fill(const fcps_problem *problem, double *box)
{
  for (int i = 0; i < fcps_context_width(problem); i++) {
    box[2 * i] = fcps_context_dimension(problem, i)->lower;
    box[2 * i + 1] = fcps_context_dimension(problem, i)->upper;
  }
}

/* Side `index` of a box (NULL: the bounds) as a dimension of its own, so that logarithmic and integer ones are drawn as
 * such. */
static fcps_dimension side_of(const fcps_problem *problem, const double *box, int index)
{
  fcps_dimension side = *fcps_context_dimension(problem, index);
  side.lower = box != NULL ? box[2 * index] : side.lower;
  side.upper = box != NULL ? box[2 * index + 1] : side.upper;
  side.period = 0.0;
  return side;
}

/* How much of a dimension's unit interval a side covers. */
static double share_of(const fcps_dimension *side, const fcps_dimension *whole)
{
  if (!(side->lower < side->upper) && side->scale != FCPS_SCALE_INTEGER) return 1.0;
  if (side->scale == FCPS_SCALE_LOG) return log(side->upper / side->lower) / log(whole->upper / whole->lower);
  return fcps_dimension_span(side) / fcps_dimension_span(whole);
}

static double size_of(const fcps_problem *problem, const double *box)
{
  double size = 1.0;
  for (int i = 0; i < fcps_context_width(problem); i++) {
    const fcps_dimension side = side_of(problem, box, i);
    size *= share_of(&side, fcps_context_dimension(problem, i));
  }
  return size;
}

static const double *choose_box(const fcps_problem *problem, int count, const double *boxes, double u)
{
  const size_t stride = 2 * (size_t)fcps_context_width(problem);
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += size_of(problem, boxes + (size_t)i * stride);

  int chosen = 0;
  for (double left = u * sum; chosen + 1 < count; chosen++) {
    left -= size_of(problem, boxes + (size_t)chosen * stride);
    if (left < 0.0) break;
  }
  return boxes + (size_t)chosen * stride;
}

void fcps_boxes_draw(const fcps_problem *problem, int count, const double *boxes, uint64_t seed, int64_t episode,
                     double *target, double *environment)
{
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  const double *box = count > 0 ? choose_box(problem, count, boxes, fcps_rng_uniform(&rng)) : NULL;
  for (int i = 0; i < fcps_context_width(problem); i++) {
    const fcps_dimension side = side_of(problem, box, i);
    const fcps_space line = {1, &side};
    double *value = i < problem->target.count ? target + i : environment + i - problem->target.count;
    const double u = fcps_rng_uniform(&rng);
    *value = side.lower;
    if (side.upper > side.lower) fcps_space_from_unit(&line, &u, value);
  }
}

static bool contains(const fcps_problem *problem, const double *box, const double *target, const double *environment)
{
  for (int i = 0; i < fcps_context_width(problem); i++) {
    const double value = i < problem->target.count ? target[i] : environment[i - problem->target.count];
    if (value < box[2 * i] || value > box[2 * i + 1]) return false;
  }
  return true;
}

bool fcps_boxes_contain(const fcps_problem *problem, int count, const double *boxes, const double *target,
                        const double *environment)
{
  for (int i = 0; i < count; i++)
    if (contains(problem, boxes + 2 * (size_t)i * (size_t)fcps_context_width(problem), target, environment))
      return true;
  return count == 0;
}
