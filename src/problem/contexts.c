/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of a problem file: rows of its CSV in turn, or draws from its boxes (problem/boxes.h) or bounds. Each
 * depends on the seed and the episode alone. */
#include "problem/contexts.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/csv.h"
#include "problem/boxes.h"
#include "problem/columns.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

struct fcps_contexts {
  const fcps_problem_file *file;
  uint64_t seed;
  int row_count;
  double *rows; /* the rows of the CSV: target, then environment */
};

/* A path beside the problem file: `path` is relative to the file's folder. The caller frees the text with free; NULL:
 * out of memory. */
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
