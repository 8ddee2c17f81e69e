/* SPDX-License-Identifier: Apache-2.0 */
/* Behind a door is a study of this process, or a server. Nobody who has one asks which. */
#include "door/door.h"

#include "base/error.h"
#include "base/memory.h"
#include "door/client_study.h"
#include "format/file.h"
#include "wire/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fcps_door {
  fcps_door_options options;
  fcps_study *study; /* opened here; or the copy of a served one */
  fcps_call_kept kept;
  fcps_json *warnings; /* of the call at hand; NULL: none so far */
  bool is_served;
  fcps_client client;
  char address[1100]; /* of the server, without the token */
  char folder[32];    /* of the copy; "": there is none */
};

/* a warning goes to the log, and comes back with the answer */
static void note_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  fcps_door *door = user;
  fcps_log_say(&door->options.study.log, level, code, "%s", message);
  if (level != FCPS_LOG_WARNING) return;
  fcps_json *warning = fcps_json_object();
  fcps_json_put(&warning, "code", fcps_json_from_text(code));
  fcps_json_put(&warning, "message", fcps_json_from_text(message));
  if (door->warnings == NULL) door->warnings = fcps_json_array();
  fcps_json_add(&door->warnings, warning);
}

/* -- Opening -- */

static fcps_status open_served(fcps_door *door, const char *address, fcps_error *error)
{
  const fcps_door_options *o = &door->options;
  door->is_served = true;
  const fcps_status status = fcps_client_open(&door->client, address, o->token, error);
  if (status != FCPS_OK) return status;
  door->client.stop = o->stop;
  door->client.user = o->user;
  fcps_client_write_address(&door->client, sizeof door->address, door->address);
  return FCPS_OK;
}

fcps_status fcps_door_open(fcps_door **result, const char *address, const fcps_door_options *options, fcps_error *error)
{
  if (result == NULL) return fcps_error_null(error, "door");
  *result = NULL;
  if (address == NULL) return fcps_error_null(error, "address");
  fcps_door *door = fcps_allocate(1, sizeof *door);
  if (door == NULL) return fcps_error_memory(error);
  if (options != NULL) door->options = *options;
  door->kept.suspects_sequence = -1;
  fcps_study_options own = door->options.study;
  own.log = (fcps_log){note_warning, door};
  const fcps_status status = fcps_client_is_url(address) ? open_served(door, address, error)
                                                         : fcps_study_open(&door->study, address, &own, error);
  if (status == FCPS_OK)
    *result = door;
  else
    fcps_door_close(door);
  return status;
}

static void remove_copy(const fcps_door *door)
{
  char path[64];
  if (*door->folder == '\0') return;
  snprintf(path, sizeof path, "%s/study.fcps", door->folder);
  (void)fcps_study_remove(path, NULL);
  (void)rmdir(door->folder);
}

void fcps_door_close(fcps_door *door)
{
  if (door == NULL) return;
  fcps_call_kept_clear(&door->kept);
  fcps_study_close(door->study);
  remove_copy(door);
  fcps_json_destroy(door->warnings);
  free(door);
}

/* -- A copy of a served study -- */

static fcps_status open_copy(fcps_door *door, const char *bytes, size_t length, fcps_error *error)
{
  char path[64];
  bool is_taken = false;
  fcps_study_options own = door->options.study;
  own.log = (fcps_log){note_warning, door};
  snprintf(door->folder, sizeof door->folder, "/tmp/fcps-copy-XXXXXX");
  if (mkdtemp(door->folder) == NULL) {
    *door->folder = '\0';
    return fcps_error_set(error, FCPS_ERR_IO, "STUDY", "there is no folder for a copy of the study in /tmp");
  }
  snprintf(path, sizeof path, "%s/study.fcps", door->folder);
  fcps_status status = fcps_file_create(path, bytes, length, &is_taken, error);
  if (status == FCPS_OK) status = fcps_study_open(&door->study, path, &own, error);
  if (status == FCPS_OK) status = fcps_wire_name_study(door->study, door->address, error);
  return status;
}

fcps_status fcps_door_study(fcps_door *door, fcps_study **study, fcps_error *error)
{
  fcps_door_answer copy = {NULL};
  fcps_status status = FCPS_OK;
  if (door->study == NULL) {
    status = fcps_door_do(door, fcps_operation_find("file"), NULL, &copy, error);
    if (status == FCPS_OK) status = open_copy(door, copy.text, copy.length, error);
    fcps_door_answer_destroy(&copy);
  }
  *study = door->study;
  return status;
}

/* -- Calls -- */

void fcps_door_answer_destroy(fcps_door_answer *answer)
{
  fcps_json_destroy(answer->json);
  fcps_free(answer->text);
  *answer = (fcps_door_answer){NULL};
}

static fcps_status do_here(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_answer *answer, fcps_error *error)
{
  fcps_call call = {.operation = operation,
                    .study = door->study,
                    .name = fcps_study_url(door->study),
                    .request = request,
                    .kept = &door->kept,
                    .log = {note_warning, door}};
  const fcps_status status = fcps_call_run(&call, error);
  *answer = (fcps_door_answer){call.json, call.text, call.length};
  if (answer->text != NULL && answer->length == 0) answer->length = strlen(answer->text);
  if (answer->json != NULL && door->warnings != NULL) {
    fcps_json_put(&answer->json, "warnings", door->warnings);
    door->warnings = NULL;
  }
  if (status == FCPS_OK && answer->json == NULL && answer->text == NULL) return fcps_error_memory(error);
  return status;
}

/* what the server warned of goes to the log here */
static void say_warnings(const fcps_door *door, const fcps_json *answer)
{
  char room[4096];
  const fcps_json *list = fcps_json_get(answer, "warnings");
  for (int i = 0; i < fcps_json_count(list); i++) {
    const char *code = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "code"));
    const char *message = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "message"));
    if (code == NULL || message == NULL) continue;
    fcps_log_say(&door->options.study.log, FCPS_LOG_WARNING, code, "%s",
                 fcps_client_name_study(&door->client, message, sizeof room, room));
  }
}

static fcps_status do_there(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                            fcps_door_answer *answer, fcps_error *error)
{
  fcps_status status = fcps_client_do(&door->client, operation, request, &answer->text, &answer->length, error);
  if (status != FCPS_OK || operation->type != NULL) return status;
  status = fcps_json_read(&answer->json, answer->text, answer->length, "the answer", error);
  fcps_free(answer->text);
  answer->text = NULL;
  if (status == FCPS_OK && (operation->flags & FCPS_OPERATION_BY_GET) == 0) say_warnings(door, answer->json);
  return status;
}

fcps_status fcps_door_do(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                         fcps_door_answer *answer, fcps_error *error)
{
  *answer = (fcps_door_answer){NULL};
  fcps_json_destroy(door->warnings);
  door->warnings = NULL;
  const fcps_status status = door->is_served ? do_there(door, operation, request, answer, error)
                                             : do_here(door, operation, request, answer, error);
  if (status != FCPS_OK) fcps_door_answer_destroy(answer);
  return status;
}

/* -- In texts -- */

static fcps_status find_operation(const char *name, const fcps_operation **operation, fcps_error *error)
{
  enum { NAMES_MAX = 64 };
  const char *names[NAMES_MAX];
  char hint[256];
  int count = 0;
  *operation = fcps_operation_find(name);
  if (*operation != NULL) return FCPS_OK;
  for (const fcps_operation *o; count < NAMES_MAX && (o = fcps_operation_at(count)) != NULL; count++)
    names[count] = o->name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "operation", "there is no operation \"%.60s\"; %s", name,
                        fcps_name_hint(name, count, names, sizeof hint, hint));
}

fcps_status fcps_door_call(fcps_door *door, const char *name, const char *request, char **text, size_t *length,
                           fcps_error *error)
{
  const fcps_operation *operation = NULL;
  fcps_json *object = NULL;
  fcps_door_answer answer = {NULL};
  if (text == NULL) return fcps_error_null(error, "answer");
  *text = NULL;
  if (door == NULL) return fcps_error_null(error, "door");
  if (name == NULL) return fcps_error_null(error, "operation");
  fcps_status status = find_operation(name, &operation, error);
  if (status == FCPS_OK && request != NULL)
    status = fcps_json_read(&object, request, strlen(request), "the request", error);
  if (status == FCPS_OK && object != NULL && !fcps_json_is_object(object))
    status = fcps_error_set(error, FCPS_ERR_FORMAT, "", "the request must be a JSON object, such as {\"ask\": 7}");
  if (status == FCPS_OK) status = fcps_door_do(door, operation, object, &answer, error);
  if (status == FCPS_OK && answer.json != NULL) {
    answer.text = fcps_json_write(answer.json);
    if (answer.text == NULL) status = fcps_error_memory(error);
    answer.length = answer.text != NULL ? strlen(answer.text) : 0;
  }
  if (status == FCPS_OK) {
    *text = answer.text;
    answer.text = NULL;
    if (length != NULL) *length = answer.length;
  }
  fcps_door_answer_destroy(&answer);
  fcps_json_destroy(object);
  return status;
}

char *fcps_door_describe(void)
{
  static const fcps_operation none[] = {{0}};
  return fcps_operation_openapi(none);
}
