/* SPDX-License-Identifier: Apache-2.0 */
/* The keys constraints, limits and safe of a problem file. */
#include "problem/limits.h"
#include "base/error.h"
#include "base/memory.h"
#include "problem/contexts.h"
#include "problem/file/reader.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Constraints: a list of formulas, or one -- */

static fcps_status read_constraints(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                                    fcps_error *error)
{
  const bool is_one = node->kind == FCPS_YAML_TEXT;
  const int count = is_one ? 1 : node->count;
  fcps_status status = is_one ? FCPS_OK : fcps_yaml_expect(yaml, node, FCPS_YAML_LIST, "constraints", error);
  if (status != FCPS_OK) return status;
  free(r->constraints);
  if ((r->constraints = fcps_allocate((size_t)count, sizeof *r->constraints)) == NULL) return fcps_error_memory(error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_yaml_text(yaml, is_one ? node : node->children[i], "constraints", &r->constraints[i], error);
  r->file.problem.constraints = r->constraints;
  r->file.problem.constraint_count = count;
  return status;
}

/* -- Limits: NAME: {of: FORMULA, at_most: LEVEL, at_least: LEVEL, chance: NUMBER} -- */

static fcps_status read_text(const fcps_yaml *yaml, const fcps_yaml_node *map, const char *key, const char *field,
                             const char **text, fcps_error *error)
{
  const fcps_yaml_node *node = fcps_yaml_get(map, key);
  return node != NULL ? fcps_yaml_text(yaml, node, field, text, error) : FCPS_OK;
}

static fcps_status read_limit(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_limit *limit, fcps_error *error)
{
  static const char *const known[] = {"of", "at_most", "at_least", "chance", NULL};
  char field[96];
  snprintf(field, sizeof field, "limits.%.80s", limit->name);
  limit->chance = 0.95;
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, field, error);
  if (status == FCPS_OK) status = fcps_yaml_only(yaml, node, known, error);
  if (status == FCPS_OK) status = read_text(yaml, node, "of", field, &limit->of, error);
  if (status == FCPS_OK) status = read_text(yaml, node, "at_most", field, &limit->at_most, error);
  if (status == FCPS_OK) status = read_text(yaml, node, "at_least", field, &limit->at_least, error);
  const fcps_yaml_node *chance = fcps_yaml_get(node, "chance");
  return status == FCPS_OK && chance != NULL ? fcps_yaml_number(yaml, chance, field, &limit->chance, error) : status;
}

static fcps_status read_limits(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                               fcps_error *error)
{
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, "limits", error);
  if (status != FCPS_OK) return status;
  free(r->limits);
  if ((r->limits = fcps_allocate((size_t)node->count, sizeof *r->limits)) == NULL) return fcps_error_memory(error);
  for (int i = 0; i < node->count && status == FCPS_OK; i++) {
    r->limits[i].name = node->keys[i];
    status = read_limit(yaml, node->children[i], &r->limits[i], error);
  }
  r->file.problem.limits = r->limits;
  r->file.problem.limit_count = node->count;
  return status;
}

/* -- Safe trials: a list of maps from names of parameters, and of the context where only that is meant, to numbers or words --
 */

static fcps_status read_safe_number(const fcps_problem *p, const fcps_yaml *yaml, const fcps_yaml_node *trial,
                                    int index, double *numbers, fcps_error *error)
{
  const fcps_space *spaces[] = {&p->target, &p->environment, &p->parameters};
  for (int s = 0; s < 3; s++) {
    const int d = fcps_space_find(spaces[s], trial->keys[index]);
    if (d >= 0)
      return fcps_boxes_read_value(&spaces[s]->dims[d], yaml, trial->children[index], "safe", numbers + d, error);
    numbers += spaces[s]->count;
  }
  return fcps_yaml_error(yaml, trial->children[index], FCPS_ERR_UNKNOWN_NAME, "safe", error,
                         "'%.64s' is not a parameter, target or environment dimension.", trial->keys[index]);
}

static fcps_status read_safe_trial(const fcps_problem *p, const fcps_yaml *yaml, const fcps_yaml_node *node,
                                   double *numbers, fcps_error *error)
{
  const int first = p->target.count + p->environment.count, width = first + p->parameters.count;
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, "safe", error);
  for (int i = 0; i < width; i++)
    numbers[i] = NAN;
  for (int i = 0; status == FCPS_OK && i < node->count; i++)
    status = read_safe_number(p, yaml, node, i, numbers, error);
  for (int d = 0; d < p->parameters.count && status == FCPS_OK; d++)
    if (isnan(numbers[first + d]) && p->parameters.dims[d].when == NULL)
      status = fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, "safe", error, "'%s' is missing; name every parameter.",
                               p->parameters.dims[d].name);
  return status;
}

static fcps_status read_safe(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                             fcps_error *error)
{
  fcps_problem *p = &r->file.problem;
  const size_t first = (size_t)p->target.count, middle = first + (size_t)p->environment.count,
               width = middle + (size_t)p->parameters.count;
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_LIST, "safe", error);
  if (status != FCPS_OK) return status;
  free(r->safe);
  free(r->safe_numbers);
  r->safe_numbers = NULL;
  r->safe = fcps_allocate((size_t)node->count, sizeof *r->safe);
  r->safe_numbers = fcps_allocate((size_t)node->count * width, sizeof(double));
  if (r->safe == NULL || r->safe_numbers == NULL) return fcps_error_memory(error);
  for (int i = 0; i < node->count && status == FCPS_OK; i++) {
    double *numbers = r->safe_numbers + (size_t)i * width;
    status = read_safe_trial(p, yaml, node->children[i], numbers, error);
    r->safe[i] = (fcps_safe_trial){numbers, numbers + first, numbers + middle};
  }
  p->safe = r->safe;
  p->safe_count = node->count;
  return status;
}

/* -- All of them -- */

static const struct part {
  const char *key;
  fcps_status (*read)(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                      fcps_error *error);
} parts[FCPS_PROBLEM_FILE_PARTS] = {{"constraints", read_constraints}, {"limits", read_limits}, {"safe", read_safe}};

fcps_status fcps_problem_file_read_parts(fcps_problem_file_reader *r, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < FCPS_PROBLEM_FILE_PARTS && status == FCPS_OK; i++) {
    const fcps_yaml_node *node = fcps_yaml_get(fcps_yaml_root(r->yaml), parts[i].key);
    if (node != NULL) status = parts[i].read(r, r->yaml, node, error);
  }
  return status;
}

static int find_part(const char *name)
{
  for (int i = 0; i < FCPS_PROBLEM_FILE_PARTS; i++)
    if (strncmp(name, parts[i].key, strlen(parts[i].key)) == 0) return i;
  return -1;
}

bool fcps_problem_file_has_part(const char *name)
{
  const int part = find_part(name);
  return part >= 0 && strcmp(name, parts[part].key) == 0;
}

fcps_status fcps_problem_file_change_part(fcps_problem_file_reader *r, const char *name, const char *text,
                                          fcps_error *error)
{
  const int part = find_part(name);
  fcps_yaml **changed = &r->changed_parts[part];
  fcps_yaml_destroy(*changed);
  *changed = NULL;
  const fcps_status status = fcps_yaml_read_text(changed, text, strlen(text), name, error);
  return status == FCPS_OK ? parts[part].read(r, *changed, fcps_yaml_root(*changed), error) : status;
}

/* -- Mistakes -- */

const fcps_yaml_node *fcps_problem_file_limit_node(const fcps_problem_file_reader *r, const char *field)
{
  const int part = find_part(field);
  const char *dot = strchr(field, '.');
  if (part < 0 || r->changed_parts[part] != NULL) return NULL;
  const fcps_yaml_node *node = fcps_yaml_get(fcps_yaml_root(r->yaml), parts[part].key);
  if (dot == NULL || node == NULL) return node;
  if (node->kind == FCPS_YAML_MAP) return fcps_yaml_get(node, dot + 1);
  const int index = atoi(dot + 1) - 1;
  return node->kind == FCPS_YAML_LIST && index >= 0 && index < node->count ? node->children[index] : node;
}
