/* SPDX-License-Identifier: Apache-2.0 */
/* Each side of a box is drawn as a separate dimension, so that logarithmic dimensions keep their scale, and steps
 * their values. */
#include "problem/boxes.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

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

/* -- Reading -- */

fcps_status fcps_boxes_read_value(const fcps_dimension *dim, const fcps_yaml *yaml, const fcps_yaml_node *node,
                                  const char *field, double *value, fcps_error *error)
{
  if (dim->choices == NULL) return fcps_yaml_number(yaml, node, field, value, error);
  const char *word = NULL;
  fcps_error inner = {0};
  fcps_status status = fcps_yaml_text(yaml, node, field, &word, error);
  if (status != FCPS_OK) return status;
  const int index = fcps_choices_find(dim->choices, word);
  *value = index;
  if (index >= 0) return FCPS_OK;
  status = fcps_choices_refuse(dim, word, field, &inner);
  return fcps_yaml_error(yaml, node, status, field, error, "%s.", inner.message);
}

static fcps_status read_side(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *name,
                             const fcps_problem *problem, double *box, fcps_error *error)
{
  static const char field[] = "contexts.boxes";
  const int index = fcps_context_find(problem, name);
  if (index < 0)
    return fcps_yaml_error(yaml, node, FCPS_ERR_UNKNOWN_NAME, field, error,
                           "'%.64s' is not a target or environment dimension.", name);
  const fcps_dimension *dim = fcps_context_dimension(problem, index);
  double lower, upper;
  if (dim->choices != NULL) { /* one word, or a box for each of several words */
    const fcps_status status = fcps_boxes_read_value(dim, yaml, node, field, &lower, error);
    if (status == FCPS_OK) box[2 * index] = box[2 * index + 1] = lower;
    return status;
  }
  const fcps_status status = fcps_yaml_range(yaml, node, field, &lower, &upper, error);
  if (status != FCPS_OK) return status;
  if (!(lower <= upper && lower >= dim->lower && upper <= dim->upper))
    return fcps_yaml_error(yaml, node, FCPS_ERR_BOUNDS, field, error,
                           "expected [LOWER, UPPER] within [%g, %g], the bounds of '%s'.", dim->lower, dim->upper,
                           name);
  const fcps_space alone = {1, dim};
  if (fcps_space_find_off_step(&alone, &lower, 0) >= 0 || fcps_space_find_off_step(&alone, &upper, 0) >= 0)
    return fcps_yaml_error(yaml, node, FCPS_ERR_BOUNDS, field, error,
                           "expected [LOWER, UPPER] on the steps of '%s', which are %g apart.", name,
                           fcps_dimension_step(dim));
  box[2 * index] = lower;
  box[2 * index + 1] = upper;
  return FCPS_OK;
}

static fcps_status read_box(const fcps_yaml *yaml, const fcps_yaml_node *node, const fcps_problem *problem, double *box,
                            fcps_error *error)
{
  for (int i = 0; i < fcps_context_width(problem); i++) {
    box[2 * i] = fcps_context_dimension(problem, i)->lower;
    box[2 * i + 1] = fcps_context_dimension(problem, i)->upper;
  }
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, "contexts.boxes", error);
  for (int i = 0; status == FCPS_OK && i < node->count; i++)
    status = read_side(yaml, node->children[i], node->keys[i], problem, box, error);
  return status;
}

fcps_status fcps_boxes_read(const fcps_yaml *yaml, const fcps_yaml_node *list, const fcps_problem *problem, int *count,
                            double **boxes, fcps_error *error)
{
  const size_t stride = 2 * (size_t)fcps_context_width(problem);
  fcps_status status = fcps_yaml_expect(yaml, list, FCPS_YAML_LIST, "contexts.boxes", error);
  if (status != FCPS_OK) return status;
  if (list->count == 0)
    return fcps_yaml_error(yaml, list, FCPS_ERR_FORMAT, "contexts.boxes", error,
                           "the list is empty; leave `contexts` out for all contexts.");
  double *read = fcps_allocate((size_t)list->count * stride, sizeof *read);
  if (read == NULL) return fcps_error_memory(error);
  for (int b = 0; status == FCPS_OK && b < list->count; b++)
    status = read_box(yaml, list->children[b], problem, read + (size_t)b * stride, error);
  if (status != FCPS_OK) {
    free(read);
    return status;
  }
  *count = list->count;
  *boxes = read;
  return FCPS_OK;
}

/* -- Drawing -- */

/* Side `index` of a box (NULL: the bounds) as a dimension. */
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
  if (!(side->lower < side->upper) && fcps_dimension_step(side) == 0) return 1.0;
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

/* -- Membership -- */

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
