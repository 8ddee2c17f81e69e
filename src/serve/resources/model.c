/* SPDX-License-Identifier: Apache-2.0 */
/* How the model behind a study is, and how far it can be believed. */
#include "serve/resources/resources.h"
#include "wire/check.h"
#include "wire/wire.h"

fcps_status fcps_resource_health(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  const fcps_status status = fcps_call_policy(call, &policy, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "model", fcps_wire_health_write(fcps_study_problem(call->study), policy));
  return FCPS_OK;
}

fcps_status fcps_resource_check_model(fcps_call *call, fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_study_check *check = NULL;
  fcps_status status = fcps_call_policy(call, &policy, error);
  if (status == FCPS_OK) status = fcps_study_check_model(call->study, policy, &check, error);
  if (status == FCPS_OK) call->json = fcps_wire_check_write(check);
  fcps_study_check_destroy(check);
  return status;
}
