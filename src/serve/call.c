/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what a call was given. The readers are strict, as those of src/wire are: a misspelt key is refused with the
 * one that was meant, since a robot's program has nobody who reads warnings. */
#include "serve/call.h"

#include "base/error.h"
#include "base/memory.h"
#include "space/space.h"
#include "wire/wire.h"

#include <fcps/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Keys and values -- */

fcps_status fcps_call_check_keys(const fcps_call *call, const char *const *keys, fcps_error *error)
{
  int count = 0;
  while (keys[count] != NULL)
    count++;
  for (int i = 0; i < fcps_json_count(call->body); i++) {
    const char *key = fcps_json_key(call->body, i);
    char hint[256];
    bool is_known = false;
    for (int k = 0; k < count && key != NULL; k++)
      is_known |= strcmp(keys[k], key) == 0;
    if (!is_known)
      return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "", "there is no key \"%.60s\" here; %s",
                            key != NULL ? key : "",
                            fcps_name_hint(key != NULL ? key : "", count, keys, sizeof hint, hint));
  }
  return FCPS_OK;
}

static const fcps_json *given(const fcps_call *call, const char *key)
{
  const fcps_json *value = fcps_json_get(call->body, key);
  return value == NULL || fcps_json_is_null(value) ? NULL : value;
}

fcps_status fcps_call_text(const fcps_call *call, const char *key, const char **value, fcps_error *error)
{
  const fcps_json *json = given(call, key);
  if (json == NULL) return FCPS_OK;
  const char *text = fcps_json_text(json);
  if (text == NULL) return fcps_error_set(error, FCPS_ERR_FORMAT, key, "\"%s\" is not a text", key);
  *value = text;
  return FCPS_OK;
}

/* `fcps run` knows its own asks by their client, and would take another's for its own; and a history says who told what. */
fcps_status fcps_call_client(const fcps_call *call, const char **client, fcps_error *error)
{
  const fcps_status status = fcps_call_text(call, "client", client, error);
  if (status != FCPS_OK || !fcps_run_owns_client(*client)) return status;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "client", "\"%.40s\" is a client of `fcps run`; choose another name",
                        *client);
}

fcps_status fcps_call_integer(const fcps_call *call, const char *key, int64_t least, int64_t most, int64_t *value,
                              fcps_error *error)
{
  const fcps_json *json = given(call, key);
  int64_t number = 0;
  if (json == NULL) return FCPS_OK;
  if (!fcps_json_integer(json, &number) || number < least || number > most)
    return fcps_error_set(error, FCPS_ERR_FORMAT, key, "\"%s\" must be a whole number from %lld to %lld", key,
                          (long long)least, (long long)most);
  *value = number;
  return FCPS_OK;
}

fcps_status fcps_call_bool(const fcps_call *call, const char *key, bool *value, fcps_error *error)
{
  const fcps_json *json = given(call, key);
  if (json == NULL || fcps_json_bool(json, value)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, key, "\"%s\" must be true or false", key);
}

fcps_status fcps_call_settings(const fcps_call *call, const char *key, fcps_setting **settings, fcps_error *error)
{
  const fcps_json *json = given(call, key);
  *settings = NULL;
  if (json == NULL) return FCPS_OK;
  bool is_right = fcps_json_is_object(json);
  for (int i = 0; is_right && i < fcps_json_count(json); i++)
    is_right = fcps_json_text(fcps_json_get(json, fcps_json_key(json, i))) != NULL;
  if (!is_right)
    return fcps_error_set(error, FCPS_ERR_FORMAT, key, "\"%s\" must be an object of texts: {\"kappa\": \"1\"}", key);
  *settings = fcps_json_settings(json);
  return *settings != NULL ? FCPS_OK : fcps_error_memory(error);
}

/* -- Numbers by name -- */

fcps_status fcps_call_check_names(const fcps_json *object, const fcps_space *space, const char *key, fcps_error *error)
{
  const char *names[FCPS_SPACE_MAX];
  for (int i = 0; i < space->count; i++)
    names[i] = space->dims[i].name;
  for (int i = 0; i < fcps_json_count(object); i++) {
    const char *name = fcps_json_is_object(object) ? fcps_json_key(object, i) : NULL;
    char hint[256];
    if (name == NULL || fcps_space_find(space, name) >= 0) continue;
    if (space->count == 0)
      return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "this problem has no dimensions under \"%s\"", key);
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "\"%s\" has no \"%.60s\"; %s", key, name,
                          fcps_name_hint(name, space->count, names, sizeof hint, hint));
  }
  return FCPS_OK;
}

fcps_status fcps_call_context(const fcps_problem *p, const fcps_json *object, double *target, double *environment,
                              fcps_error *error)
{
  fcps_status status = fcps_call_check_names(fcps_json_get(object, "target"), &p->target, "target", error);
  if (status == FCPS_OK)
    status = fcps_call_check_names(fcps_json_get(object, "environment"), &p->environment, "environment", error);
  return status == FCPS_OK ? fcps_wire_context_read(p, object, target, environment, error) : status;
}

fcps_status fcps_call_contexts_create(fcps_call_contexts *c, const fcps_call *call, int most, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const fcps_json *list = given(call, "contexts");
  *c = (fcps_call_contexts){.count = list != NULL ? fcps_json_count(list) : 1, .is_list = list != NULL};
  if (list != NULL && (given(call, "target") != NULL || given(call, "environment") != NULL))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "contexts",
                          "the contexts come from \"contexts\"; leave out \"target\" and \"environment\"");
  if (list != NULL && (!fcps_json_is_array(list) || c->count < 1 || c->count > most))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "contexts", "\"contexts\" must be an array of 1 to %d contexts",
                          most);
  c->targets = fcps_allocate((size_t)c->count * (size_t)p->target.count, sizeof *c->targets);
  c->environments = fcps_allocate((size_t)c->count * (size_t)p->environment.count, sizeof *c->environments);
  fcps_status status = c->targets == NULL || c->environments == NULL ? fcps_error_memory(error) : FCPS_OK;
  for (int i = 0; i < c->count && status == FCPS_OK; i++)
    status = fcps_call_context(p, list != NULL ? fcps_json_at(list, i) : call->body, c->targets + i * p->target.count,
                               c->environments + i * p->environment.count, error);
  return status;
}

void fcps_call_contexts_destroy(fcps_call_contexts *c)
{
  free(c->targets);
  free(c->environments);
  *c = (fcps_call_contexts){0};
}

/* -- Failures -- */

int fcps_call_http_status(fcps_status status)
{
  switch (status) {
  case FCPS_OK:
    return 200;
  case FCPS_ERR_ARGUMENT:
  case FCPS_ERR_NOT_FINITE:
  case FCPS_ERR_BOUNDS:
  case FCPS_ERR_UNKNOWN_NAME:
  case FCPS_ERR_FORMAT:
    return 400;
  case FCPS_ERR_UNKNOWN_ASK:
    return 404;
  case FCPS_ERR_CONFLICT:
    return 409;
  case FCPS_ERR_UNSUPPORTED:
    return 422;
  case FCPS_ERR_UNAVAILABLE:
    return 501;
  case FCPS_ERR_LOCKED:
  case FCPS_ERR_MEMORY:
  case FCPS_ERR_STOPPED:
  case FCPS_ERR_STORE:
    return 503; /* nothing was acknowledged: worth another try */
  case FCPS_ERR_STORE_FULL:
    return 507;
  case FCPS_ERR_IO:
  case FCPS_ERR_NOT_POSITIVE:
  case FCPS_ERR_CALLBACK:
  case FCPS_ERR_DAMAGED:
  case FCPS_ERR_PROGRAM:
  case FCPS_ERR_FAILURE_RATE:
  case FCPS_ERR_INTERNAL:
  case FCPS_ERR_BUSY:
  case FCPS_ERR_NO_REWARD:
  case FCPS_STATUS_COUNT:
    break;
  }
  return 500;
}
