/* SPDX-License-Identifier: Apache-2.0 */
/* Asks, and the contexts that they are made in. */
#include "wire/wire.h"

#include "base/error.h"

fcps_json *fcps_wire_ask_write(const fcps_problem *p, const fcps_ask *ask)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "ask", fcps_json_from_integer(ask->id));
  fcps_json_put(&object, "target", fcps_wire_numbers_write(&p->target, ask->target));
  fcps_json_put(&object, "environment", fcps_wire_numbers_write(&p->environment, ask->environment));
  fcps_json_put(&object, "parameters", fcps_wire_numbers_write(&p->parameters, ask->parameters));
  return object;
}

fcps_status fcps_wire_context_read(const fcps_problem *p, const fcps_json *json, double *target, double *environment,
                                   fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (p->target.count)
    status = fcps_wire_numbers_read(&p->target, "target", fcps_json_get(json, "target"), target, error);
  if (status == FCPS_OK && p->environment.count)
    status =
        fcps_wire_numbers_read(&p->environment, "environment", fcps_json_get(json, "environment"), environment, error);
  return status;
}

int fcps_wire_ask_width(const fcps_problem *p)
{
  return p->target.count + p->environment.count + p->parameters.count;
}

fcps_status fcps_wire_ask_read(const fcps_problem *p, const fcps_json *json, double *numbers, fcps_ask *ask,
                               fcps_error *error)
{
  double *environment = numbers + p->target.count, *parameters = environment + p->environment.count;
  *ask = (fcps_ask){.target = numbers, .environment = environment, .parameters = parameters, .client = ""};
  if (!fcps_json_integer(fcps_json_get(json, "ask"), &ask->id) ||
      !fcps_json_bool(fcps_json_get(json, "repeated"), &ask->is_repeated))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "STUDY", "the server did not answer with an ask");
  const fcps_status status = fcps_wire_context_read(p, json, numbers, environment, error);
  if (status != FCPS_OK || p->parameters.count == 0) return status;
  return fcps_wire_numbers_read(&p->parameters, "parameters", fcps_json_get(json, "parameters"), parameters, error);
}
