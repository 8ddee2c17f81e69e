/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from what has been learnt: the best parameters for one context or many, the policy as a file, and the map. */
#include "base/error.h"
#include "base/memory.h"
#include "format/csv.h"
#include "operation/call.h"
#include "space/space.h"
#include "wire/wire.h"

#include <fcps/study_check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- One context, or several, with all that is predicted -- */

static fcps_status query(fcps_call *call, fcps_policy *policy, const double *target, const double *environment,
                         fcps_json **answer, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  double parameters[FCPS_SPACE_MAX], outcome[FCPS_SPACE_MAX], deviation[FCPS_SPACE_MAX];
  fcps_prediction prediction = {.outcome = outcome, .outcome_deviation = deviation};
  const fcps_status status = fcps_policy_query(policy, target, environment, parameters, &prediction);
  if (status != FCPS_OK) {
    *error = *fcps_policy_error(policy);
    return status;
  }
  *answer = fcps_wire_answer_write(p, policy, target, environment, parameters, &prediction);
  return FCPS_OK;
}

static fcps_status take_policy(fcps_call *call, fcps_policy **policy, fcps_error *error)
{
  const fcps_status status = fcps_call_policy(call, policy, error);
  if (status != FCPS_OK) return status;
  fcps_policy_set_strict(*policy, fcps_call_bool(call, "strict"));
  fcps_policy_set_log(*policy, call->log);
  return FCPS_OK;
}

fcps_status fcps_operation_best(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_call_contexts contexts = {0};
  fcps_json *list = NULL;
  fcps_status status = fcps_call_contexts_create(&contexts, call, error);
  if (status == FCPS_OK) status = take_policy(call, &policy, error);
  if (status == FCPS_OK && contexts.is_list) list = fcps_json_array();
  const fcps_problem *p = fcps_study_problem(call->study);
  for (int i = 0; i < contexts.count && status == FCPS_OK; i++) {
    fcps_json *answer = NULL;
    status = query(call, policy, contexts.targets + i * p->target.count,
                   contexts.environments + i * p->environment.count, &answer, error);
    if (!contexts.is_list)
      call->json = answer;
    else if (status == FCPS_OK)
      fcps_json_add(&list, answer);
  }
  if (status == FCPS_OK && contexts.is_list) {
    call->json = fcps_json_object();
    fcps_json_put(&call->json, "answers", list);
    list = NULL;
  }
  if (status == FCPS_OK) fcps_wire_warn_if_empty(&call->log, call->study, policy);
  fcps_json_destroy(list);
  fcps_call_contexts_destroy(&contexts);
  return status;
}

/* -- Many contexts at once -- */

typedef struct answers {
  double *parameters, *numbers; /* the parameters and the predicted numbers of all contexts (wire/wire.h) */
} answers;

static fcps_status predict(fcps_call *call, fcps_policy *policy, const fcps_call_contexts *c, answers *a,
                           fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const size_t count = (size_t)c->count;
  a->parameters = fcps_allocate(count * (size_t)p->parameters.count, sizeof *a->parameters);
  a->numbers = fcps_allocate(FCPS_WIRE_PREDICTED * count, sizeof *a->numbers);
  if (a->parameters == NULL || a->numbers == NULL) return fcps_error_memory(error);
  const fcps_predictions wanted = fcps_wire_predicted_place(a->numbers, c->count, 0);
  const fcps_status status =
      fcps_policy_predict_batch(policy, c->count, c->targets, c->environments, a->parameters, &wanted);
  if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  return status;
}

static fcps_status write_csv(fcps_call *call, const fcps_call_contexts *c, const answers *a, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const fcps_space *const spaces[] = {&p->target, &p->environment};
  const double *const values[] = {c->targets, c->environments};
  size_t length = 0;
  FILE *stream = open_memstream(&call->text, &length);
  if (stream == NULL) return fcps_error_memory(error);
  fcps_csv_writer writer = {.stream = stream};
  for (int s = 0; s < 2; s++)
    for (int d = 0; d < spaces[s]->count; d++)
      fcps_csv_write_text(&writer, spaces[s]->dims[d].name);
  fcps_wire_answer_head_write(&writer, p);
  for (int row = 0; row < c->count; row++) {
    const double *at[2];
    for (int s = 0; s < 2; s++)
      at[s] = values[s] + row * spaces[s]->count;
    for (int s = 0; s < 2; s++)
      for (int d = 0; d < spaces[s]->count; d++)
        fcps_wire_cell_write(&writer, &spaces[s]->dims[d], at[s][d]);
    fcps_wire_answer_row_write(&writer, p, at[0], at[1], a->parameters + row * p->parameters.count, a->numbers,
                               c->count, row);
  }
  const bool has_failed = ferror(stream) != 0;
  call->type = "text/csv; charset=utf-8";
  call->file_ending = ".csv";
  return fclose(stream) != 0 || has_failed ? fcps_error_memory(error) : FCPS_OK;
}

static void write_json(fcps_call *call, const fcps_call_contexts *c, const answers *a)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  fcps_json *list = fcps_json_array();
  const char *name;
  for (int row = 0; row < c->count; row++) {
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "target", fcps_wire_numbers_write(&p->target, c->targets + row * p->target.count));
    fcps_json_put(&object, "environment",
                  fcps_wire_numbers_write(&p->environment, c->environments + row * p->environment.count));
    fcps_json_put(&object, "parameters",
                  fcps_wire_parameters_write(p, c->targets + row * p->target.count,
                                             c->environments + row * p->environment.count,
                                             a->parameters + row * p->parameters.count));
    for (int i = 0; (name = fcps_wire_predicted_name(p, i)) != NULL; i++)
      fcps_json_put(&object, name, fcps_json_from_known(a->numbers[i * c->count + row]));
    fcps_json_add(&list, object);
  }
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "answers", list);
}

fcps_status fcps_operation_retarget(fcps_call *call, fcps_error *error)
{
  const char *format = fcps_call_text(call, "format");
  const bool is_csv = format != NULL && strcmp(format, "csv") == 0;
  fcps_policy *policy = NULL;
  fcps_call_contexts contexts = {0};
  answers a = {0};
  fcps_status status = fcps_call_contexts_create(&contexts, call, error);
  if (status == FCPS_OK) status = take_policy(call, &policy, error);
  if (status == FCPS_OK) status = predict(call, policy, &contexts, &a, error);
  if (status == FCPS_OK && is_csv)
    status = write_csv(call, &contexts, &a, error);
  else if (status == FCPS_OK)
    write_json(call, &contexts, &a);
  if (status == FCPS_OK) fcps_wire_warn_if_empty(&call->log, call->study, policy);
  free(a.parameters);
  free(a.numbers);
  fcps_call_contexts_destroy(&contexts);
  return status;
}

/* -- The policy itself -- */

fcps_status fcps_operation_policy(fcps_call *call, fcps_error *error)
{
  call->type = "application/json";
  call->file_ending = ".policy";
  return fcps_study_export_policy(call->study, &call->text, error);
}

/* -- The model -- */

fcps_status fcps_operation_health(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  const fcps_status status = fcps_call_policy(call, &policy, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "model", fcps_wire_health_write(fcps_study_problem(call->study), policy));
  return FCPS_OK;
}

fcps_status fcps_operation_check_model(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_study_check *check = NULL;
  fcps_status status = fcps_call_policy(call, &policy, error);
  if (status == FCPS_OK) status = fcps_study_check_model(call->study, policy, &check, error);
  if (status == FCPS_OK) call->json = fcps_wire_check_write(check);
  fcps_study_check_destroy(check);
  return status;
}

/* -- The map --
 *
 * A map shows the expected reward of the policy over a grid of two dimensions of the context. The other dimensions have
 * given values, or are in the middle of their ranges. */

/* The number of points along a side of the grid: if the request gives none, and at most. */
enum { SIDE_INITIAL = 24, SIDE_MOST = 200 };

/* A dimension of the target or of the environment that is an axis of the map. */
typedef struct axis {
  const fcps_dimension *dimension; /* NULL: the map does not have this axis */
  bool is_target;
  int index;
  int points;
} axis;

typedef struct map {
  axis x, y;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX]; /* the values of the dimensions that are not axes */
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
    a->points = a->dimension->choices->count; /* A dimension with words has one point for each word. */
  if (name == NULL || is_found) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "the context has no dimension \"%.60s\"", name);
}

/* Sets the context to the middle of every range, and then to the values under "at". */
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

static fcps_status predict_map(fcps_policy *policy, map *m, fcps_error *error)
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
  if (status == FCPS_OK) status = predict_map(policy, m, error);
  if (status == FCPS_OK) write_map(call, m);
  free(m->targets);
  free(m->environments);
  free(m->parameters);
  free(m->numbers);
  free(m);
  return status;
}
