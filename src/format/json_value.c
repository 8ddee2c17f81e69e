/* SPDX-License-Identifier: Apache-2.0 */
/* Looking inside a JSON value. Every function takes NULL, which stands for a value that is not there, and says "no" of
 * it; so a path of several steps needs one check, at its end. */
#include "base/memory.h"
#include "base/settings.h"
#include "format/json_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

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

fcps_setting *fcps_json_settings(const fcps_json *object)
{
  const int count = fcps_json_count(object);
  fcps_setting *settings = fcps_allocate((size_t)count + 1, sizeof *settings);
  for (int i = 0; settings != NULL && i < count; i++) {
    const char *name = fcps_json_key(object, i), *value = fcps_json_text(fcps_json_get(object, name));
    settings[i] = (fcps_setting){name, value != NULL ? value : ""};
  }
  return settings;
}

bool fcps_json_choice(const fcps_json *json, fcps_choice_fn *choice, int *index)
{
  const int named = fcps_choice_find(choice, fcps_json_text(json));
  double number = named;
  if (named < 0 && (!fcps_json_number(json, &number) || !(number >= 0 && number <= INT_MAX))) return false;
  if (number != (int)number || choice((int)number) == NULL) return false;
  *index = (int)number;
  return true;
}
