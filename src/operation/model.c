/* SPDX-License-Identifier: Apache-2.0 */
/* How the model behind a study is, and how far it can be believed. */
#include "operation/functions.h"
#include "wire/check.h"
#include "wire/wire.h"

#include <fcps/study_check.h>

/* how much each dimension matters, in words, as its length says */
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
