/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from what has been learnt: the best parameters for one context or many, and the policy as a file. */
#include "base/error.h"
#include "base/memory.h"
#include "format/csv.h"
#include "operation/functions.h"
#include "wire/status.h"
#include "wire/table.h"
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
  double *parameters, *numbers; /* of all contexts (wire/table.h) */
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

/* How much each dimension matters, in words, judged by its length. */
static fcps_json *write_sensitivity(const fcps_json *process)
{
  const fcps_json *lengths = fcps_json_get(process, "length_shares");
  fcps_json *object = fcps_json_object();
  for (int i = 0; i < fcps_json_count(lengths); i++) {
    const char *name = fcps_json_key(lengths, i);
    double length = 0;
    if (fcps_json_number(fcps_json_get(lengths, name), &length))
      fcps_json_put(&object, name, fcps_json_from_text(fcps_study_sensitivity_text(length)));
  }
  return object;
}

fcps_status fcps_operation_health(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  const fcps_status status = fcps_call_policy(call, &policy, error);
  if (status != FCPS_OK) return status;
  fcps_json *model = fcps_wire_health_write(fcps_study_problem(call->study), policy), *words = fcps_json_array();
  for (int i = 0; i < fcps_json_count(model); i++)
    fcps_json_add(&words, write_sensitivity(fcps_json_at(model, i)));
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "model", model);
  fcps_json_put(&call->json, "sensitivity", words);
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
