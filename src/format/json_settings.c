/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as a JSON object of texts, and choices by their names. */
#include "base/memory.h"
#include "base/settings.h"
#include "format/json.h"

#include <limits.h>

fcps_json *fcps_json_from_settings(const fcps_setting *settings)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = json == NULL;
  for (; settings != NULL && settings->name != NULL; settings++)
    failed |= fcps_json_set(json, settings->name, fcps_json_from_text(settings->value));
  return fcps_json_whole(json, failed);
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
