/* SPDX-License-Identifier: Apache-2.0 */
/* Building JSON values.
 *
 * A value that is being built is NULL from the first step that failed, because there was no memory or a text was not
 * what JSON can hold; every later step then only destroys what it is given. So a builder is a list of steps without
 * a check between them, and its last value says whether all of them worked.
 */
#include "base/memory.h"
#include "format/json_impl.h"
#include "format/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

fcps_json *fcps_json_from_known(double value)
{
  return isnan(value) ? fcps_json_null() : fcps_json_from_number(value);
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
  for (int i = 0; i < count && array != NULL; i++)
    fcps_json_add(&array, fcps_json_from_number(values[i]));
  return array;
}

fcps_json *fcps_json_from_settings(const fcps_setting *settings)
{
  fcps_json *object = fcps_json_object();
  for (; settings != NULL && settings->name != NULL; settings++)
    fcps_json_put(&object, settings->name, fcps_json_from_text(settings->value));
  return object;
}

void fcps_json_destroy(fcps_json *json)
{
  json_decref(to_jansson(json));
}

/* What is left of a value after a step: the value, or nothing of it. */
static void keep(fcps_json **json, bool has_failed)
{
  if (!has_failed) return;
  fcps_json_destroy(*json);
  *json = NULL;
}

/* Jansson's *_new functions take the value in every case, and fail for a NULL value or a wrong container. */
void fcps_json_put(fcps_json **object, const char *key, fcps_json *value)
{
  keep(object, json_object_set_new(to_jansson(*object), key, to_jansson(value)) != 0);
}

void fcps_json_add(fcps_json **array, fcps_json *value)
{
  keep(array, json_array_append_new(to_jansson(*array), to_jansson(value)) != 0);
}
