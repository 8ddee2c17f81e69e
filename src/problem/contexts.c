/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of a problem file: rows of its CSV in turn, or draws from its boxes or bounds. Each depends on the seed and the
 * episode alone. */
#include "problem/contexts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "format/csv.h"
#include "problem/columns.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fcps_contexts {
  const fcps_problem_file *file;
  uint64_t seed;
  int row_count;
  double *rows; /* the rows of the CSV; each has the target, then the environment */
};

/* Returns the path of a file whose name `path` is relative to the folder of the problem file. The caller frees it with
 * free; NULL if memory ran out. */
static char *place_beside(const fcps_problem_file *file, const char *path)
{
  const char *slash = path[0] == '/' ? NULL : strrchr(file->file, '/');
  const size_t folder = slash != NULL ? (size_t)(slash - file->file) + 1 : 0;
  char *whole = fcps_allocate(folder + strlen(path) + 1, 1);
  if (whole == NULL) return NULL;
  memcpy(whole, file->file, folder);
  strcpy(whole + folder, path);
  return whole;
}

fcps_status fcps_contexts_find_columns(const fcps_csv *csv, const fcps_problem *problem, int *columns,
                                       fcps_error *error)
{
  const fcps_dimension *dims[2 * FCPS_SPACE_MAX];
  const int width = fcps_context_width(problem);
  for (int d = 0; d < width; d++)
    dims[d] = fcps_context_dimension(problem, d);
  return fcps_columns_find(csv, width, dims, "each target and environment dimension needs one", columns, error);
}

static fcps_status copy_rows(fcps_contexts *c, const fcps_csv *csv, fcps_error *error)
{
  const fcps_problem *p = &c->file->problem;
  const int width = fcps_context_width(p);
  if (csv->rows == 0) return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, "contexts", "the file has no row.");
  c->rows = fcps_allocate((size_t)csv->rows * (size_t)width, sizeof *c->rows);
  if (c->rows == NULL) return fcps_error_memory(error);
  c->row_count = csv->rows;
  int columns[2 * FCPS_SPACE_MAX];
  fcps_status status = fcps_contexts_find_columns(csv, p, columns, error);
  if (status != FCPS_OK) return status;
  for (int d = 0; d < width; d++) {
    const fcps_space alone = {1, fcps_context_dimension(p, d)};
    for (int row = 0; row < csv->rows; row++) {
      double *value = &c->rows[row * width + d];
      fcps_error inner = {0};
      status = fcps_columns_value(csv, row, columns[d], alone.dims, FCPS_CONTEXTS_MISSING, value, error);
      if (status != FCPS_OK) return status;
      status = fcps_space_check_values(&alone, d < p->target.count ? "target" : "environment", value, true, &inner);
      if (status != FCPS_OK)
        return fcps_error_at(error, status, csv->file, csv->lines[row], 0, inner.field, "%s", inner.message);
    }
  }
  return FCPS_OK;
}

static fcps_status read_csv(fcps_contexts *c, fcps_error *error)
{
  fcps_csv csv = {0};
  char *path = place_beside(c->file, c->file->contexts_csv);
  if (path == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_csv_read_regular(&csv, path, error);
  if (status == FCPS_OK) {
    status = copy_rows(c, &csv, error);
    fcps_csv_destroy(&csv);
  }
  free(path);
  return status;
}

fcps_status fcps_contexts_create(fcps_contexts **contexts, const fcps_problem_file *file, uint64_t seed,
                                 fcps_error *error)
{
  *contexts = NULL;
  fcps_contexts *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  c->file = file;
  c->seed = seed;
  const fcps_status status = file->contexts == FCPS_CONTEXT_CSV ? read_csv(c, error) : FCPS_OK;
  if (status != FCPS_OK) {
    fcps_contexts_destroy(c);
    return status;
  }
  *contexts = c;
  return FCPS_OK;
}

void fcps_contexts_destroy(fcps_contexts *c)
{
  if (c == NULL) return;
  free(c->rows);
  free(c);
}

void fcps_contexts_draw(const fcps_contexts *c, int64_t episode, double *target, double *environment)
{
  const fcps_problem_file *file = c->file;
  const fcps_problem *p = &file->problem;
  if (c->rows == NULL) {
    const int boxes = file->contexts == FCPS_CONTEXT_BOXES ? file->box_count : 0;
    fcps_boxes_draw(p, boxes, file->boxes, c->seed, episode, target, environment);
    return;
  }
  const double *row = c->rows + episode % c->row_count * fcps_context_width(p);
  for (int d = 0; d < fcps_context_width(p); d++) {
    if (d < p->target.count)
      target[d] = row[d];
    else
      environment[d - p->target.count] = row[d];
  }
}

/* -- Boxes --
 *
 * Each side of a box is drawn as a separate dimension, so that logarithmic dimensions keep their scale, and steps
 * their values. */

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
  if (dim->choices != NULL) { /* A side has one word, or a whole box is made for each of several words. */
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

/* Returns side `index` of a box as a dimension. If the box is NULL, its sides are the bounds. */
static fcps_dimension side_of(const fcps_problem *problem, const double *box, int index)
{
  fcps_dimension side = *fcps_context_dimension(problem, index);
  side.lower = box != NULL ? box[2 * index] : side.lower;
  side.upper = box != NULL ? box[2 * index + 1] : side.upper;
  side.period = 0.0;
  return side;
}

/* Returns which share of a dimension's unit interval a side covers. */
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
