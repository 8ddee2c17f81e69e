/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the JSON files only: an fcps_json is a json_t under another name. */
#ifndef FCPS_FORMAT_JSON_IMPL_H
#define FCPS_FORMAT_JSON_IMPL_H

#include "format/json.h"

#include <jansson.h>

/* Jansson's macros and iterators want json_t without const even to read. */
static inline json_t *to_jansson(const fcps_json *json)
{
  return (json_t *)json;
}

static inline fcps_json *from_jansson(json_t *json)
{
  return (fcps_json *)json;
}

#endif
