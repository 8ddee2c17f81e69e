/* SPDX-License-Identifier: Apache-2.0 */
/* The map: the expected reward of the policy over a grid of two context dimensions. The other dimensions are at given
 * values or in the middle of their ranges. */
#include "base/error.h"
#include "base/memory.h"
#include "operation/functions.h"
#include "space/space.h"
#include "wire/wire.h"

#include <math.h>
#include <stdlib.h>

/* points along a side of the grid: if the request does not say, and at most */
enum { SIDE_INITIAL = 24, SIDE_MOST = 200 };

/* A dimension of the target or of the environment. */
typedef struct axis {
  const fcps_dimension *dimension; /* NULL: the map has no such axis */
  bool is_target;
  int index;
  int points;
} axis;

typedef struct map {
  axis x, y;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX]; /* the values of the other dimensions */
  int count;
  double *targets, *environments, *parameters, *numbers;
} map;

static bool find_axis(const fcps_problem *p, const char *name, axis *a)
{
  a->is_target = true;
  a->index = fcps_space_find(&p->target, name);
  if (a->index < 0) {
    a->is_target = false;
    a->index = fcps_space_find(&p->environment, name);
  }
  if (a->index < 0) return false;
  a->dimension = (a->is_target ? &p->target : &p->environment)->dims + a->index;
  return true;
}

static fcps_status read_axis(const fcps_call *call, const char *key, const char *points_key, axis *a, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const char *name = fcps_call_text(call, key);
  a->points = name != NULL ? (int)fcps_call_integer(call, points_key, SIDE_INITIAL) : 1;
  const bool is_found = name != NULL && find_axis(p, name, a);
  if (is_found && a->dimension->choices != NULL && a->dimension->choices->count < SIDE_MOST)
    a->points = a->dimension->choices->count; /* one point for each word */
  if (name == NULL || is_found) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "the context has no dimension \"%.60s\"", name);
}

/* Sets the context to the middle of every range, then to the values under "at". */
static fcps_status read_rest(const fcps_call *call, map *m, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const fcps_json *at = fcps_call_get(call, "at");
  for (int i = 0; i < p->target.count; i++)
    m->target[i] = fcps_dimension_at(p->target.dims + i, 0.5);
  for (int i = 0; i < p->environment.count; i++)
    m->environment[i] = fcps_dimension_at(p->environment.dims + i, 0.5);
  for (int i = 0; i < fcps_json_count(at); i++) {
    const char *name = fcps_json_is_object(at) ? fcps_json_key(at, i) : NULL;
    axis a = {0};
    double value = 0;
    if (name == NULL || !find_axis(p, name, &a))
      return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "at", "the context has no dimension \"%.60s\"",
                            name != NULL ? name : "");
    const fcps_space alone = {1, a.dimension};
    if (a.dimension->choices != NULL) {
      const fcps_status status = fcps_wire_numbers_read(&alone, "at", at, &value, error);
      if (status != FCPS_OK) return status;
    } else if (!fcps_json_number(fcps_json_get(at, name), &value) || !isfinite(value))
      return fcps_error_set(error, FCPS_ERR_FORMAT, "at", "\"at.%.60s\" is not a number", name);
    (a.is_target ? m->target : m->environment)[a.index] = value;
  }
  return FCPS_OK;
}

static void set_axis(const axis *a, int point, double *target, double *environment)
{
  if (a->dimension == NULL) return;
  (a->is_target ? target : environment)[a->index] = fcps_dimension_at(a->dimension, point / (a->points - 1.0));
}

static fcps_status lay_grid(const fcps_problem *p, map *m, fcps_error *error)
{
  m->count = m->x.points * m->y.points;
  const size_t count = (size_t)m->count;
  m->targets = fcps_allocate(count * (size_t)p->target.count, sizeof *m->targets);
  m->environments = fcps_allocate(count * (size_t)p->environment.count, sizeof *m->environments);
  m->parameters = fcps_allocate(count * (size_t)p->parameters.count, sizeof *m->parameters);
  m->numbers = fcps_allocate(5 * count, sizeof *m->numbers);
  if (m->targets == NULL || m->environments == NULL || m->parameters == NULL || m->numbers == NULL)
    return fcps_error_memory(error);
  for (int i = 0; i < m->count; i++) {
    double *target = m->targets + i * p->target.count, *environment = m->environments + i * p->environment.count;
    for (int d = 0; d < p->target.count; d++)
      target[d] = m->target[d];
    for (int d = 0; d < p->environment.count; d++)
      environment[d] = m->environment[d];
    set_axis(&m->x, i % m->x.points, target, environment);
    set_axis(&m->y, i / m->x.points, target, environment);
  }
  return FCPS_OK;
}

static fcps_status predict(fcps_policy *policy, map *m, fcps_error *error)
{
  const fcps_predictions wanted = {.rewards = m->numbers,
                                   .reward_deviations = m->numbers + m->count,
                                   .chances_of_success = m->numbers + 2 * m->count,
                                   .chances_of_outcome = m->numbers + 3 * m->count,
                                   .chances_of_limits = m->numbers + 4 * m->count};
  const fcps_status status =
      fcps_policy_predict_batch(policy, m->count, m->targets, m->environments, m->parameters, &wanted);
  if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  return status;
}

static fcps_json *write_axis(const axis *a)
{
  fcps_json *object = fcps_json_object(), *values = fcps_json_array();
  if (a->dimension == NULL) {
    fcps_json_destroy(object);
    fcps_json_destroy(values);
    return fcps_json_null();
  }
  for (int i = 0; i < a->points; i++)
    fcps_json_add(&values, fcps_wire_value_write(a->dimension, fcps_dimension_at(a->dimension, i / (a->points - 1.0))));
  fcps_json_put(&object, "name", fcps_json_from_text(a->dimension->name));
  fcps_json_put(&object, "values", values);
  return object;
}

static fcps_json *write_block(const map *m, int block)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < m->count; i++)
    fcps_json_add(&list, fcps_json_from_known(m->numbers[block * m->count + i]));
  return list;
}

static void write_map(fcps_call *call, const map *m)
{
  static const char *const names[] = {"rewards", "deviations", "chances_of_success", "chances_of_outcome",
                                      "chances_of_limits"};
  const fcps_problem *p = fcps_study_problem(call->study);
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "x", write_axis(&m->x));
  fcps_json_put(&call->json, "y", write_axis(&m->y));
  fcps_json_put(&call->json, "target", fcps_wire_numbers_write(&p->target, m->target));
  fcps_json_put(&call->json, "environment", fcps_wire_numbers_write(&p->environment, m->environment));
  const int blocks = p->limit_count > 0 ? 5 : 4;
  for (int block = 0; block < blocks; block++)
    fcps_json_put(&call->json, names[block], write_block(m, block));
}

fcps_status fcps_operation_map(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  map *m = fcps_allocate(1, sizeof *m);
  if (m == NULL) return fcps_error_memory(error);
  fcps_status status = read_axis(call, "x", "columns", &m->x, error);
  if (status == FCPS_OK) status = read_axis(call, "y", "rows", &m->y, error);
  if (status == FCPS_OK && m->y.dimension != NULL && m->x.dimension == m->y.dimension)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "y", "a map has two different dimensions; x is %.60s as well",
                            m->x.dimension->name);
  if (status == FCPS_OK) status = read_rest(call, m, error);
  if (status == FCPS_OK) status = lay_grid(fcps_study_problem(call->study), m, error);
  if (status == FCPS_OK) status = fcps_call_policy(call, &policy, error);
  if (status == FCPS_OK) status = predict(policy, m, error);
  if (status == FCPS_OK) write_map(call, m);
  free(m->targets);
  free(m->environments);
  free(m->parameters);
  free(m->numbers);
  free(m);
  return status;
}
