/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by name: what the four spaces of a problem look like in every line. */
#include "base/error.h"
#include "wire/wire.h"

fcps_json *fcps_wire_numbers_write(const fcps_space *space, const double *values)
{
  if (values == NULL) return fcps_json_null();
  fcps_json *object = fcps_json_object();
  for (int i = 0; i < space->count; i++)
    fcps_json_put(&object, space->dims[i].name, fcps_json_from_number(values[i]));
  return object;
}

fcps_status fcps_wire_numbers_read(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                                   fcps_error *error)
{
  if (!fcps_json_is_object(json))
    return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the answer's \"%s\" is not an object", key);
  for (int i = 0; i < space->count; i++)
    if (!fcps_json_number(fcps_json_get(json, space->dims[i].name), &values[i]))
      return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the answer's \"%s\" has no number \"%s\"", key,
                            space->dims[i].name);
  return FCPS_OK;
}
