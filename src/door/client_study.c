/* SPDX-License-Identifier: Apache-2.0 */
/* A request names its study; a refusal of the server becomes the error that a file would have given. */
#include "door/client_study.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/shell_word.h"
#include "wire/failure.h"

#include <stdio.h>
#include <string.h>

/* where STUDY stands in the next "fcps study COMMAND STUDY"; NULL: nowhere */
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

const char *fcps_client_name_study(const fcps_client *client, const char *message, size_t size, char *room)
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

static fcps_status call(const fcps_client *client, const char *what, const char *body, fcps_door_failure *failure,
                        char **answer, size_t *length, fcps_error *error)
{
  char path[1000];
  int *http_status = &failure->http_status;
  *failure->code = '\0';
  snprintf(path, sizeof path,
           what == NULL    ? "/v1/studies"
           : *what != '\0' ? "/v1/studies/%s/%s"
                           : "/v1/studies/%s",
           client->study, what);
  const fcps_status status = fcps_client_call(client, path, body, http_status, answer, length, error);
  if (status != FCPS_OK || (*http_status >= 200 && *http_status < 300)) return status;
  fcps_json *json = NULL;
  if (fcps_json_read(&json, *answer, *length, "the answer", NULL) != FCPS_OK || !fcps_wire_failure_read(json, error))
    fcps_error_set(error, FCPS_ERR_IO, "STUDY", "the server answered %d", *http_status);
  const char *code = fcps_json_text(fcps_json_get(fcps_json_get(json, "error"), "code"));
  snprintf(failure->code, sizeof failure->code, "%s", code != NULL ? code : "");
  char room[sizeof error->message];
  const char *named = fcps_client_name_study(client, error->message, sizeof room, room);
  if (named == room) memcpy(error->message, room, strlen(room) + 1);
  fcps_json_destroy(json);
  fcps_free(*answer);
  *answer = NULL;
  return error->status;
}

/* Whether it is worth another try. 429, 503 and 507: nothing was stored. Without an answer it may have been: `counts` is
 * true of what must not be done twice. */
static bool may_pass(fcps_status status, int http_status, bool counts)
{
  if (http_status > 0) return http_status == 429 || http_status == 503 || http_status == 507;
  return status == FCPS_ERR_IO && (http_status < 0 || !counts);
}

static fcps_status call_patiently(const fcps_client *client, const char *what, const char *body, bool counts,
                                  fcps_door_failure *failure, char **answer, size_t *length, fcps_error *error)
{
  const fcps_status status = call(client, what, body, failure, answer, length, error);
  if (status == FCPS_OK || !may_pass(status, failure->http_status, counts)) return status;
  const fcps_error why = *error;
  return fcps_error_set(error, FCPS_ERR_LOCKED, why.field, "%s", why.message);
}

static fcps_status call_for_json(const fcps_client *client, const char *what, const char *body, fcps_json **answer,
                                 fcps_error *error)
{
  char *text = NULL;
  size_t length = 0;
  fcps_error unwanted;
  fcps_door_failure failure;
  *answer = NULL;
  if (error == NULL) error = &unwanted;
  fcps_status status = call_patiently(client, what, body, false, &failure, &text, &length, error);
  if (status == FCPS_OK) status = fcps_json_read(answer, text, length, "the answer", error);
  fcps_free(text);
  return status;
}

/* -- Operations -- */

/* WORD?after=7&limit=100 */
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

/* whether it would be another thing twice: a client that is named gets its unfinished ask again */
static bool counts_twice(const fcps_operation *operation, const fcps_json *request)
{
  const char *client = fcps_json_text(fcps_json_get(request, "client"));
  return (operation->flags & FCPS_OPERATION_COUNTS) != 0 && (client == NULL || *client == '\0');
}

fcps_status fcps_client_do(const fcps_client *client, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_failure *failure, char **answer, size_t *length, fcps_error *error)
{
  char what[600];
  fcps_error unwanted;
  if (error == NULL) error = &unwanted;
  if ((operation->flags & FCPS_OPERATION_BY_GET) != 0) {
    write_query(operation, request, sizeof what, what);
    return call_patiently(client, what, NULL, false, failure, answer, length, error);
  }
  char *body = request != NULL ? fcps_json_write(request) : NULL;
  if (request != NULL && body == NULL) return fcps_error_memory(error);
  const fcps_status status = call_patiently(client, fcps_operation_path(operation), body != NULL ? body : "{}",
                                            counts_twice(operation, request), failure, answer, length, error);
  fcps_free(body);
  return status;
}

/* -- By the words of a path -- */

fcps_status fcps_client_get(const fcps_client *client, const char *what, fcps_json **answer, fcps_error *error)
{
  return call_for_json(client, what, NULL, answer, error);
}

fcps_status fcps_client_post(const fcps_client *client, const char *what, fcps_json *object, fcps_json **answer,
                             fcps_error *error)
{
  char *body = fcps_json_finish(object);
  *answer = NULL;
  if (body == NULL) return fcps_error_memory(error);
  const fcps_status status = call_for_json(client, what, body, answer, error);
  fcps_free(body);
  return status;
}
