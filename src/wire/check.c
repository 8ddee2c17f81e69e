/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a result stand under the names of the outputs, as outcomes do everywhere. */
#include "wire/check.h"

#include <math.h>

static fcps_json *write_output(const fcps_checked_output *o)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "name", fcps_json_from_text(o->name));
  fcps_json_put(&object, "unit", fcps_json_from_text(o->unit));
  fcps_json_put(&object, "predicted", fcps_json_from_integer(o->predicted));
  fcps_json_put(&object, "covered", fcps_json_from_integer(o->covered));
  fcps_json_put(&object, "error", fcps_json_from_known(o->error));
  fcps_json_put(&object, "median_error", fcps_json_from_known(o->median_error));
  fcps_json_put(&object, "spread", fcps_json_from_known(o->spread));
  fcps_json_put(&object, "overconfident", fcps_json_from_bool(o->is_overconfident));
  fcps_json_put(&object, "careful", fcps_json_from_bool(o->is_careful));
  fcps_json_put(&object, "blind", fcps_json_from_bool(o->is_blind));
  fcps_json_put(&object, "noise_grows", fcps_json_from_bool(o->is_noise_growing));
  return object;
}

static fcps_json *write_values(const fcps_study_check *check, const double *values)
{
  fcps_json *object = fcps_json_object();
  for (int o = 0; o < check->output_count; o++)
    fcps_json_put(&object, check->outputs[o].name, fcps_json_from_known(values[o]));
  return object;
}

static fcps_json *write_result(const fcps_study_check *check, const fcps_checked_result *r)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "sequence", fcps_json_from_integer(r->sequence));
  fcps_json_put(&object, "ask", r->ask != FCPS_NOT_ASKED ? fcps_json_from_integer(r->ask) : fcps_json_null());
  fcps_json_put(&object, "result", fcps_json_from_integer(r->result_number));
  fcps_json_put(&object, "told", write_values(check, r->told));
  fcps_json_put(&object, "expected", write_values(check, r->expected));
  fcps_json_put(&object, "deviation", write_values(check, r->deviation));
  fcps_json_put(&object, "surprise", fcps_json_from_known(r->surprise));
  return object;
}

fcps_json *fcps_wire_check_write(const fcps_study_check *check)
{
  fcps_json *outputs = fcps_json_array(), *results = fcps_json_array(), *object = fcps_json_object();
  for (int i = 0; i < check->output_count; i++)
    fcps_json_add(&outputs, write_output(check->outputs + i));
  for (int i = 0; i < check->result_count; i++)
    fcps_json_add(&results, write_result(check, check->results + i));
  fcps_json_put(&object, "model", fcps_json_from_text(check->model));
  fcps_json_put(&object, "outputs", outputs);
  fcps_json_put(&object, "results", results);
  return object;
}
