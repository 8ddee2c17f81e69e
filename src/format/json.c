/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values: a thin cover over Jansson, whose json_t hides behind fcps_json. */
#include "format/json.h"

#include "base/memory.h"
#include "format/json_impl.h"
#include "format/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- New values -- */

fcps_json *fcps_json_object(void)
{
  return from_jansson(json_object());
}

fcps_json *fcps_json_array(void)
{
  return from_jansson(json_array());
}

fcps_json *fcps_json_null(void)
{
  return from_jansson(json_null());
}

fcps_json *fcps_json_from_number(double value)
{
  /* JSON has no such numbers, and Jansson refuses them */
  if (isnan(value)) return from_jansson(json_string("nan"));
  if (isinf(value)) return from_jansson(json_string(value > 0 ? "inf" : "-inf"));
  return from_jansson(json_real(value));
}

fcps_json *fcps_json_from_integer(int64_t value)
{
  return from_jansson(json_integer(value));
}

fcps_json *fcps_json_from_bool(bool value)
{
  return from_jansson(json_boolean(value));
}

fcps_json *fcps_json_from_text(const char *value)
{
  static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
  if (value == NULL) return NULL;

  char *clean = fcps_allocate(strlen(value) * (sizeof replacement - 1) + 1, 1);
  if (clean == NULL) return NULL;
  for (char *end = clean; *value;) {
    const size_t length = fcps_utf8_length(value);
    const size_t added = length > 0 ? length : sizeof replacement - 1;
    memcpy(end, length > 0 ? value : replacement, added);
    end += added;
    value += length > 0 ? length : 1;
  }
  json_t *text = json_string(clean);
  free(clean);
  return from_jansson(text);
}

fcps_json *fcps_json_from_numbers(int count, const double *values)
{
  fcps_json *array = fcps_json_array();
  for (int i = 0; i < count && array != NULL; i++) {
    if (fcps_json_append(array, fcps_json_from_number(values[i])) == FCPS_OK) continue;
    fcps_json_destroy(array);
    array = NULL;
  }
  return array;
}

void fcps_json_destroy(fcps_json *json)
{
  json_decref(to_jansson(json));
}

/* Jansson's *_new functions take the value in every case, and fail for a NULL value or a wrong container. */
fcps_status fcps_json_set(fcps_json *object, const char *key, fcps_json *value)
{
  const fcps_status reason = value != NULL ? FCPS_ERR_ARGUMENT : FCPS_ERR_MEMORY;
  return json_object_set_new(to_jansson(object), key, to_jansson(value)) ? reason : FCPS_OK;
}

fcps_status fcps_json_append(fcps_json *array, fcps_json *value)
{
  const fcps_status reason = value != NULL ? FCPS_ERR_ARGUMENT : FCPS_ERR_MEMORY;
  return json_array_append_new(to_jansson(array), to_jansson(value)) ? reason : FCPS_OK;
}

fcps_json *fcps_json_whole(fcps_json *json, unsigned failed)
{
  if (!failed) return json;
  fcps_json_destroy(json);
  return NULL;
}

/* -- Looking inside -- */

bool fcps_json_is_object(const fcps_json *json)
{
  return json != NULL && json_is_object(to_jansson(json));
}

bool fcps_json_is_array(const fcps_json *json)
{
  return json != NULL && json_is_array(to_jansson(json));
}

bool fcps_json_is_null(const fcps_json *json)
{
  return json != NULL && json_is_null(to_jansson(json));
}

int fcps_json_count(const fcps_json *json)
{
  if (fcps_json_is_array(json)) return (int)json_array_size(to_jansson(json));
  if (fcps_json_is_object(json)) return (int)json_object_size(to_jansson(json));
  return 0;
}

const fcps_json *fcps_json_get(const fcps_json *object, const char *key)
{
  return from_jansson(json_object_get(to_jansson(object), key));
}

const fcps_json *fcps_json_at(const fcps_json *array, int index)
{
  return index >= 0 ? from_jansson(json_array_get(to_jansson(array), (size_t)index)) : NULL;
}

const char *fcps_json_key(const fcps_json *object, int index)
{
  if (index < 0 || index >= fcps_json_count(object) || !fcps_json_is_object(object)) return NULL;
  void *place = json_object_iter(to_jansson(object));
  for (; index > 0; index--)
    place = json_object_iter_next(to_jansson(object), place);
  return json_object_iter_key(place);
}

bool fcps_json_number(const fcps_json *json, double *value)
{
  if (json == NULL) return false;
  if (json_is_number(to_jansson(json))) {
    *value = json_number_value(to_jansson(json));
    return true;
  }
  static const struct {
    const char *text;
    double value;
  } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  const char *text = fcps_json_text(json);
  for (int i = 0; text != NULL && i < 3; i++) {
    if (strcmp(text, words[i].text) != 0) continue;
    *value = words[i].value;
    return true;
  }
  return false;
}

bool fcps_json_integer(const fcps_json *json, int64_t *value)
{
  if (json == NULL || !json_is_integer(to_jansson(json))) return false;
  *value = json_integer_value(to_jansson(json));
  return true;
}

bool fcps_json_bool(const fcps_json *json, bool *value)
{
  if (json == NULL || !json_is_boolean(to_jansson(json))) return false;
  *value = json_is_true(to_jansson(json));
  return true;
}

const char *fcps_json_text(const fcps_json *json)
{
  return json_string_value(to_jansson(json));
}

bool fcps_json_numbers(const fcps_json *array, int count, double *values)
{
  if (!fcps_json_is_array(array) || fcps_json_count(array) != count) return false;
  double ignored;
  for (int i = 0; i < count; i++)
    if (!fcps_json_number(fcps_json_at(array, i), &ignored)) return false;
  for (int i = 0; i < count; i++)
    fcps_json_number(fcps_json_at(array, i), &values[i]);
  return true;
}
