/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of one study behind a server. A request names its study. A refusal of the server becomes the error that a
 * file would have given. */
#include "door/client.h"

#include "base/error.h"
#include "base/memory.h"
#include "wire/wire.h"

#include <stdio.h>
#include <string.h>

/* Returns the place of STUDY in the next "fcps study COMMAND STUDY" of a message; NULL if there is none. */
static const char *find_study(const char *message)
{
  static const char command[] = "fcps study ", study[] = " STUDY";
  for (const char *found = message; (found = strstr(found, command)) != NULL;) {
    found += strlen(command);
    const char *end = found + strspn(found, "abcdefghijklmnopqrstuvwxyz-");
    const char after = strncmp(end, study, strlen(study)) == 0 ? end[strlen(study)] : 'S';
    if (after == ' ' || after == '\0') return end + 1;
  }
  return NULL;
}

/* Returns a message of the server with the study's address in the commands that the message suggests. The server
 * writes STUDY there, because it does not know its own address. If the result would be too long, returns the message
 * unchanged. */
static const char *name_study(const fcps_client *client, const char *message, size_t size, char *room)
{
  char address[1100], quoted[1200];
  size_t length = 0;
  fcps_client_write_address(client, sizeof address, address);
  const char *word = fcps_shell_word(address, sizeof quoted, quoted), *rest = message;
  for (const char *study; (study = find_study(rest)) != NULL; rest = study + strlen("STUDY")) {
    const size_t before = (size_t)(study - rest);
    if (length + before + strlen(word) >= size) return message;
    memcpy(room + length, rest, before);
    memcpy(room + length + before, word, strlen(word));
    length += before + strlen(word);
  }
  if (rest == message || length + strlen(rest) >= size) return message;
  memcpy(room + length, rest, strlen(rest) + 1);
  return room;
}

void fcps_client_say_warnings(const fcps_client *client, const fcps_json *answer, const fcps_log *log)
{
  char room[4096];
  const fcps_json *list = fcps_json_get(answer, "warnings");
  for (int i = 0; i < fcps_json_count(list); i++) {
    const char *code = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "code"));
    const char *message = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "message"));
    if (message == NULL) message = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "text"));
    if (code != NULL && message != NULL)
      fcps_log_say(log, FCPS_LOG_WARNING, code, "%s", name_study(client, message, sizeof room, room));
  }
}

/* Turns a refusal of the server into an error. */
static fcps_status read_refusal(const fcps_client *client, const char *answer, size_t length,
                                fcps_door_failure *failure, fcps_error *error)
{
  fcps_json *json = NULL;
  if (fcps_json_read(&json, answer, length, "the answer", NULL) != FCPS_OK || !fcps_wire_failure_read(json, error))
    fcps_error_set(error, FCPS_ERR_IO, "STUDY", "the server answered %d", failure->http_status);
  const char *code = fcps_json_text(fcps_json_get(fcps_json_get(json, "error"), "code"));
  snprintf(failure->code, sizeof failure->code, "%s", code != NULL ? code : "");
  char room[sizeof error->message];
  const char *named = name_study(client, error->message, sizeof room, room);
  if (named == room) memcpy(error->message, room, strlen(room) + 1);
  fcps_json_destroy(json);
  return error->status;
}

/* Calls the server. `what` is the word after the study in the address, "" for the study itself, or a whole path. */
static fcps_status call(const fcps_client *client, const char *what, const char *body, const char *type,
                        fcps_door_failure *failure, char **answer, size_t *length, fcps_error *error)
{
  char path[1000];
  int *http_status = &failure->http_status;
  *failure->code = '\0';
  snprintf(path, sizeof path, *what != '\0' ? "/v1/studies/%s/%s" : "/v1/studies/%s", client->study, what);
  fcps_status status =
      fcps_client_call(client, *what == '/' ? what : path, body, type, http_status, answer, length, error);
  if (status != FCPS_OK || (*http_status >= 200 && *http_status < 300)) return status;
  status = read_refusal(client, *answer, *length, failure, error);
  fcps_free(*answer);
  *answer = NULL;
  return status;
}

/* Reads an answer. If a field that the operation must answer is missing, the answer acknowledges nothing, as if none
 * had come. */
static fcps_status read_answer(const fcps_operation *operation, const fcps_json *request, const char *text,
                               size_t length, fcps_door_failure *failure, fcps_json **json, fcps_error *error)
{
  fcps_error why = {.message = "it is not JSON"};
  fcps_status status = fcps_json_read(json, text, length, "the answer", NULL);
  if (status == FCPS_OK) status = fcps_operation_check_answer(operation, request, *json, &why);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_json_destroy(*json);
  *json = NULL;
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(error);
  failure->http_status = 0;
  return fcps_error_set(
      error, FCPS_ERR_IO, "STUDY",
      "what came is not an answer of fcps serve, and acknowledges nothing: %s. Is another program, or "
      "a proxy with a page of its own, in between?",
      why.message);
}

/* Tells whether a failed call should be tried again. The server stored nothing if it answered 429, 503 or 507. If no
 * answer came it may have stored something, so a call that `counts` is not repeated. */
static bool may_pass(fcps_status status, int http_status, bool counts)
{
  if (http_status > 0) return http_status == 429 || http_status == 503 || http_status == 507;
  return status == FCPS_ERR_IO && (http_status < 0 || !counts);
}

/* -- Operations -- */

/* Writes the path of a GET with its query: WORD?after=7&limit=100. */
static void write_query(const fcps_operation *operation, const fcps_json *request, size_t size, char *what)
{
  size_t length = (size_t)snprintf(what, size, "%s", fcps_operation_path(operation));
  for (int i = 0; i < fcps_json_count(request); i++) {
    const char *name = fcps_json_key(request, i), *text = fcps_json_text(fcps_json_get(request, name));
    char number[32], value[300];
    int64_t whole = 0;
    if (text == NULL && fcps_json_whole(fcps_json_get(request, name), &whole)) {
      snprintf(number, sizeof number, "%lld", (long long)whole);
      text = number;
    }
    fcps_client_encode(text != NULL ? text : "", sizeof value, value);
    if (length < size)
      length += (size_t)snprintf(what + length, size - length, "%s%s=%s", i == 0 ? "?" : "&", name, value);
  }
}

/* Tells whether repeating the call would do something twice. A client with a name gets its unfinished ask again
 * instead. */
static bool counts_twice(const fcps_operation *operation, const fcps_json *request)
{
  const char *client = fcps_json_text(fcps_json_get(request, "client"));
  return (operation->flags & FCPS_OPERATION_COUNTS) != 0 && (client == NULL || *client == '\0');
}

static fcps_status do_once(const fcps_client *client, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_failure *failure, fcps_client_answer *answer, fcps_error *error)
{
  const bool is_get = (operation->flags & FCPS_OPERATION_BY_GET) != 0;
  const char *type = fcps_operation_type(operation, request);
  char what[600], *body = NULL;
  snprintf(what, sizeof what, "%s", fcps_operation_path(operation));
  if (is_get)
    write_query(operation, request, sizeof what, what);
  else if (request != NULL && (body = fcps_json_write(request)) == NULL)
    return fcps_error_memory(error);
  fcps_status status = call(client, what,
                            is_get         ? NULL
                            : body != NULL ? body
                                           : "{}",
                            type, failure, &answer->text, &answer->length, error);
  fcps_free(body);
  if (status != FCPS_OK || type != NULL) return status;
  status = read_answer(operation, request, answer->text, answer->length, failure, &answer->json, error);
  fcps_free(answer->text);
  answer->text = NULL;
  return status;
}

fcps_status fcps_client_do(const fcps_client *client, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_failure *failure, fcps_client_answer *answer, fcps_error *error)
{
  fcps_error unwanted;
  if (error == NULL) error = &unwanted;
  const fcps_status status = do_once(client, operation, request, failure, answer, error);
  if (status == FCPS_OK || !may_pass(status, failure->http_status, counts_twice(operation, request))) return status;
  const fcps_error why = *error;
  return fcps_error_set(error, FCPS_ERR_LOCKED, why.field, "%s", why.message);
}

/* -- By name -- */

/* The operations of a server that are not in the table. */
static const fcps_field listed[] = {{.name = "studies", .type = FCPS_FIELD_LIST, .flags = FCPS_FIELD_NEEDED}, {0}},
                        made[] = {{.name = "study", .type = FCPS_FIELD_TEXT, .flags = FCPS_FIELD_NEEDED}, {0}};
static const fcps_operation list = {.name = "list",
                                    .path = "/v1/studies",
                                    .flags = FCPS_OPERATION_BY_GET,
                                    .answer = listed},
                            make = {.name = "make", .path = "/v1/studies", .answer = made};

fcps_status fcps_client_ask(const fcps_client *client, const char *name, fcps_json *request, fcps_json **answer,
                            fcps_error *error)
{
  const fcps_operation *operation = fcps_operation_find(name);
  fcps_door_failure failure;
  fcps_client_answer got = {0};
  *answer = NULL;
  if (operation == NULL) operation = strcmp(name, list.name) == 0 ? &list : &make;
  if (request == NULL && (operation->flags & FCPS_OPERATION_BY_GET) == 0) return fcps_error_memory(error);
  const fcps_status status = fcps_client_do(client, operation, request, &failure, &got, error);
  fcps_json_destroy(request);
  *answer = got.json;
  return status;
}
