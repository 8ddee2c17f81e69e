/* SPDX-License-Identifier: Apache-2.0 */
/* A path is found by its words, never by its text, so that no spelling of a path gets past a rule. */
#include "serve/route.h"

#include "base/error.h"
#include "base/number.h"
#include "serve/http/guard.h"
#include "serve/names.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows end where the rest is zero */

static const fcps_field nothing[] = {{0}};
static const fcps_field summary[] = {
    {"study", FCPS_FIELD_TEXT},
    {"problem", FCPS_FIELD_TEXT},
    {"learner", FCPS_FIELD_TEXT},
    {"sequence", FCPS_FIELD_INTEGER, 0, "The number of the last record: a larger one means news"},
    {"rollouts", FCPS_FIELD_INTEGER},
    {"failed", FCPS_FIELD_INTEGER},
    {"pending", FCPS_FIELD_INTEGER},
    {"best_reward", FCPS_FIELD_NUMBER, FCPS_FIELD_NULLABLE},
    {"recent_reward", FCPS_FIELD_NUMBER, FCPS_FIELD_NULLABLE},
    {0}};
static const fcps_field list_answer[] = {
    {"studies", FCPS_FIELD_LIST, .of = summary}, {"version", FCPS_FIELD_TEXT}, {0}};
static const fcps_field proof_request[] = {
    {"nonce", FCPS_FIELD_TEXT, FCPS_FIELD_NEEDED, "32 digits 0-9a-f, drawn for this connection"},
    {"address", FCPS_FIELD_TEXT, FCPS_FIELD_NEEDED, "To which the client is connected: 127.0.0.1:8017"},
    {"host", FCPS_FIELD_TEXT, FCPS_FIELD_NEEDED, "As the client calls the server: localhost:8017"},
    {0}};
static const fcps_field proof_answer[] = {{"proof", FCPS_FIELD_TEXT}, {0}};

enum { ROW_LIST, ROW_MAKE, ROW_CHANGES, ROW_PROOF };
const fcps_operation fcps_route_own[] = {
    [ROW_LIST] = {"list", "/v1/studies", FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, FCPS_OPERATION_BY_GET,
                  "All studies that are served", .request = nothing, .answer = list_answer},
    [ROW_MAKE] = {"make", "/v1/studies", FCPS_OPERATION_WRITES, FCPS_RIGHT_MANAGE, 0, "Make a study",
                  "If the server was started with --make FOLDER. A repeated request is harmless.",
                  .request = fcps_making_request, .answer = fcps_making_answer, .run = fcps_making_run},
    [ROW_CHANGES] =
        {"changes", "/v1/changes", FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ, FCPS_OPERATION_BY_GET, "A stream of changes",
         "Server-sent events: `event: change`, `data: {\"study\": \"throw\", \"sequence\": 12}`; first one for "
         "each study as it is now. A line `:` every 15 seconds says that the server lives. Instead of it, "
         "GET /v1/studies may be polled: its sequences are the same.",
         .request = nothing, .answer = nothing, .type = "text/event-stream"},
    [ROW_PROOF] =
        {"proof", FCPS_ROUTE_PROOF_PATH, FCPS_OPERATION_LOOKS, FCPS_RIGHT_READ,
         FCPS_OPERATION_BY_GET | FCPS_OPERATION_IS_OPEN,
         "A proof that the server knows the token, for clients that send it to no other server",
         "Needs no token. The proof is HMAC-SHA256, in hexadecimal digits, of the lines `fcps server`, nonce, "
         "address and host, each ended by a line feed, with the token as the key. It is given if the address "
         "is the server's end of this connection, or the host one that `--host` names.",
         .request = proof_request, .answer = proof_answer},
    {0}};

fcps_route_place fcps_route_place_of(const fcps_operation *operation)
{
  static const fcps_route_place own[] = {[ROW_LIST] = FCPS_ROUTE_LIST,
                                         [ROW_MAKE] = FCPS_ROUTE_MAKE,
                                         [ROW_CHANGES] = FCPS_ROUTE_CHANGES,
                                         [ROW_PROOF] = FCPS_ROUTE_PROOF};
  for (int i = 0; fcps_route_own[i].name != NULL; i++)
    if (operation == fcps_route_own + i) return own[i];
  switch (operation->kind) {
  case FCPS_OPERATION_ASKS:
    return FCPS_ROUTE_MODEL;
  case FCPS_OPERATION_WRITES:
    return FCPS_ROUTE_CHANGE;
  case FCPS_OPERATION_LOOKS:
    break;
  }
  return FCPS_ROUTE_LOOK;
}

size_t fcps_route_body_max(const fcps_operation *operation)
{
  enum { USUAL = 1 << 20 };
  return (operation->flags & FCPS_OPERATION_IS_LONG) != 0 ? FCPS_GUARD_BODY_MAX : USUAL;
}

/* -- Finding -- */

static bool is_of_method(const fcps_operation *operation, fcps_head_method method)
{
  return ((operation->flags & FCPS_OPERATION_BY_GET) != 0) == (method == FCPS_HEAD_GET);
}

/* Tells whether the words of a query are those of a path. */
static bool matches(const char *path, const fcps_query *query)
{
  for (int i = 0; i < query->word_count; i++) {
    if (*path++ != '/') return false;
    const size_t length = strcspn(path, "/");
    if (strlen(query->words[i]) != length || strncmp(path, query->words[i], length) != 0) return false;
    path += length;
  }
  return *path == '\0';
}

/* Finds the operation of /v1/studies/{study}, or with a word behind it. */
static const fcps_operation *find_of_study(const fcps_query *query)
{
  const fcps_operation *operation = NULL;
  const char *word = query->word_count == 4 ? query->words[3] : "";
  if (query->word_count < 3 || query->word_count > 4 || strcmp(query->words[0], "v1") != 0 ||
      strcmp(query->words[1], "studies") != 0)
    return NULL;
  for (int i = 0; (operation = fcps_operation_at(i)) != NULL; i++)
    if (strcmp(fcps_operation_path(operation), word) == 0) break;
  return operation;
}

int fcps_route_find(fcps_head_method method, const fcps_query *query, const fcps_operation **operation,
                    const char **study)
{
  int status = 404;
  *study = NULL;
  for (const fcps_operation *own = fcps_route_own; own->name != NULL; own++) {
    if (!matches(own->path, query)) continue;
    *operation = own;
    if (is_of_method(own, method)) return 0;
    status = 405;
  }
  const fcps_operation *found = find_of_study(query);
  if (found == NULL) return status;
  *operation = found;
  *study = query->words[2];
  return is_of_method(found, method) ? 0 : 405;
}

/* -- Values of a query -- */

static fcps_json *read_value(const fcps_operation *operation, const fcps_query_value *given)
{
  int64_t whole = 0;
  double number = 0.0;
  for (const fcps_field *f = operation->request; f->name != NULL; f++) {
    if (strcmp(f->name, given->name) != 0) continue;
    if (f->type == FCPS_FIELD_INTEGER && fcps_integer_read(given->value, &whole)) return fcps_json_from_integer(whole);
    if (f->type == FCPS_FIELD_NUMBER && fcps_number_read(given->value, &number)) return fcps_json_from_number(number);
  }
  return fcps_json_from_text(given->value);
}

fcps_status fcps_route_read_query(const fcps_operation *operation, const fcps_query *query, fcps_json **request,
                                  fcps_error *error)
{
  *request = fcps_json_object();
  for (int i = 0; i < query->value_count; i++)
    fcps_json_put(request, query->values[i].name, read_value(operation, query->values + i));
  return *request != NULL ? FCPS_OK : fcps_error_memory(error);
}
