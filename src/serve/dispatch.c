/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the operation that a request asks for, gives it to a lane, and sends the answer. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "serve/http/head.h"
#include "serve/names.h"
#include "serve/route.h"
#include "serve/server_impl.h"

#include <serve_assets_table.h> /* made by the build */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The page: its table is made by the build (cmake/Serve.cmake) -- */

/* Returns asset `index`, from 0; NULL after the last one. */
static const fcps_asset *asset_at(int index)
{
  return index >= 0 && index < (int)(sizeof asset_table / sizeof *asset_table) ? asset_table + index : NULL;
}

const fcps_asset *fcps_asset_find(const char *path)
{
  const fcps_asset *asset;
  for (int i = 0; (asset = asset_at(i)) != NULL; i++)
    if (strcmp(asset->path, path) == 0) return asset;
  return NULL;
}

/* -- What the loop answers itself -- */

static void answer_asset(fcps_peer *peer, const fcps_asset *asset)
{
  const fcps_answer answer = {.status = 200,
                              .type = asset->type,
                              .body = (char *)(uintptr_t)asset->bytes,
                              .length = asset->length,
                              .is_constant = true};
  fcps_peer_answer(peer, &answer, NULL);
}

/* Answers with a list of all studies, each as it was after its last job. */
static void answer_list(fcps_peer *peer)
{
  const fcps_server *s = peer->server;
  fcps_json *list = fcps_json_array(), *object = fcps_json_object();
  for (size_t i = 0; i < s->served_count; i++) {
    fcps_json *summary = NULL;
    const char *text = s->served[i]->summary;
    if (text != NULL && fcps_json_read(&summary, text, strlen(text), "summary", NULL) == FCPS_OK)
      fcps_json_add(&list, summary);
  }
  fcps_json_put(&object, "studies", list);
  fcps_json_put(&object, "version", fcps_json_from_text(fcps_version()));
  fcps_answer answer = {.status = 200, .body = fcps_json_finish(object)};
  answer.length = answer.body != NULL ? strlen(answer.body) : 0;
  if (answer.body != NULL)
    fcps_peer_answer(peer, &answer, NULL);
  else
    fcps_peer_refuse(peer, fcps_refusal_of(503));
  fcps_free(answer.body);
}

static const fcps_refusal wrong_question = {
    400, "E_REQUEST",
    "a request for a proof needs nonce (32 digits 0-9a-f), address (to which you are connected) and host"};
static const fcps_refusal wrong_address = {403, "E_HOST",
                                           "this server does not listen at that address, and was not told that it is "
                                           "reached there; start it with --host HOST:PORT, as in the address that you "
                                           "use"};

/* Tells whether the server may show its proof to a client. The client has said to which address it is connected and
 * by which name it calls the server. */
static bool is_reached_at(const fcps_peer *peer, const char *address, const char *host)
{
  char own[FCPS_PROOF_ADDRESS_SIZE];
  fcps_proof_address(bufferevent_getfd(peer->stream), true, own);
  return (*own != '\0' && strcmp(own, address) == 0) || fcps_guard_is_named(&peer->server->guard, host);
}

static void answer_proof(fcps_peer *peer, const fcps_head *head)
{
  const char *token = peer->server->guard.token;
  fcps_query query = {0};
  const fcps_refusal *refusal = &wrong_question;
  char text[100], proof[FCPS_HMAC_SIZE];
  if (fcps_query_read(&query, head->target) == 0) {
    const char *nonce = fcps_query_get(&query, "nonce"), *address = fcps_query_get(&query, "address"),
               *host = fcps_query_get(&query, "host");
    if (nonce != NULL && fcps_hex_is(nonce, FCPS_PROOF_NONCE_LENGTH) && address != NULL && host != NULL)
      refusal = is_reached_at(peer, address, host) ? NULL : &wrong_address;
    if (refusal == NULL) fcps_proof_write(token, nonce, address, host, proof);
  }
  fcps_query_destroy(&query);
  if (refusal != NULL) {
    fcps_peer_refuse(peer, refusal);
    return;
  }
  fcps_answer answer = {.status = 200, .body = text};
  answer.length = (size_t)snprintf(text, sizeof text, "{\"proof\":\"%s\"}", proof);
  fcps_peer_answer(peer, &answer, NULL);
}

/* -- On the way in -- */

static fcps_served *find_served(const fcps_server *s, const char *name)
{
  for (size_t i = 0; i < s->served_count; i++)
    if (strcmp(s->served[i]->name, name) == 0) return s->served[i];
  return NULL;
}

/* Refuses an unknown study. The error has the names of the studies that are served. */
static const fcps_refusal *refuse_study(fcps_server *s, const char *name)
{
  const char **names = fcps_allocate(s->served_count, sizeof *names);
  char hint[300] = "GET /v1/studies lists them";
  for (size_t i = 0; i < s->served_count && names != NULL; i++)
    names[i] = s->served[i]->name;
  if (names != NULL && s->served_count > 0) fcps_name_hint(name, (int)s->served_count, names, sizeof hint, hint);
  free(names);
  snprintf(s->words, sizeof s->words, "no study of this name is served; %s", hint);
  s->refusal = (fcps_refusal){404, "E_STUDY", s->words};
  return &s->refusal;
}

/* Finds the route of a request, and the study for which it is. Returns NULL, or why the request is refused. */
static const fcps_refusal *find_way(fcps_server *s, const fcps_head *head, fcps_request *job)
{
  const char *name = NULL;
  int status = fcps_query_read(&job->query, head->target);
  if (status == 0) status = fcps_route_find(head->method, &job->query, &job->operation, &name);
  if (status != 0) return fcps_refusal_of(status);
  if (head->content_length > fcps_route_body_max(job->operation)) return fcps_refusal_of(413);
  if (name != NULL && (job->served = find_served(s, name)) == NULL) return refuse_study(s, name);
  return NULL;
}

/* Refuses a stream if half of the connections are streams. A stream is never ended to make room, so the other half is
 * left for calls. */
static const fcps_refusal *refuse_stream(const fcps_server *s)
{
  static const fcps_refusal too_many = {503, "E_BUSY",
                                        "half of the connections are streams of changes already; end some, or poll "
                                        "GET /v1/studies instead, or start the server with more --connections"};
  return atomic_load(&s->listeners) >= s->connections_max / 2 ? &too_many : NULL;
}

/* Takes a request with the token. If it becomes a job, returns the job in *result; otherwise the request has been
 * answered. */
static bool dispatch_call(fcps_peer *peer, const fcps_head *head, fcps_request **result)
{
  fcps_request *job = fcps_allocate(1, sizeof *job);
  const fcps_refusal *refusal =
      job == NULL || peer->server->is_ending ? fcps_refusal_of(503) : find_way(peer->server, head, job);
  const fcps_route_place place = refusal == NULL ? fcps_route_place_of(job->operation) : FCPS_ROUTE_LOOK;
  if (refusal == NULL && job->operation->run != NULL) {
    *result = job;
    return true;
  }
  fcps_request_destroy(job);
  if (refusal == NULL && place == FCPS_ROUTE_CHANGES) refusal = refuse_stream(peer->server);
  if (refusal != NULL)
    fcps_peer_refuse(peer, refusal);
  else if (place == FCPS_ROUTE_LIST)
    answer_list(peer);
  else if (place == FCPS_ROUTE_PROOF)
    answer_proof(peer, head); /* The path of the proof is spelt in another way. */
  else
    fcps_changes_begin(peer);
  return false;
}

static bool is_for_proof(const fcps_head *head)
{
  const size_t length = strcspn(head->target, "?");
  return length == strlen(FCPS_ROUTE_PROOF_PATH) && strncmp(head->target, FCPS_ROUTE_PROOF_PATH, length) == 0;
}

/* Finds a part of the page, or the description of the API. */
static const fcps_asset *find_asset(const fcps_server *s, const char *target)
{
  if (strcmp(target, s->description.path) == 0) return &s->description;
  return fcps_asset_find(strcmp(target, "/") == 0 ? "/index.html" : target);
}

bool fcps_dispatch_head(fcps_peer *peer, const fcps_head *head, fcps_request **result)
{
  const fcps_asset *asset = find_asset(peer->server, head->target);
  const bool is_open = asset != NULL || is_for_proof(head);
  const fcps_refusal *refusal = fcps_guard_judge(&peer->server->guard, head, is_open);
  if (refusal == NULL && is_open && head->method != FCPS_HEAD_GET) refusal = fcps_refusal_of(405);
  if (refusal != NULL)
    fcps_peer_refuse(peer, refusal);
  else if (asset != NULL)
    answer_asset(peer, asset);
  else if (is_open)
    answer_proof(peer, head);
  else
    fcps_peer_trust(peer);
  return refusal == NULL && !is_open && dispatch_call(peer, head, result);
}

void fcps_dispatch_job(fcps_peer *peer)
{
  fcps_server *s = peer->server;
  fcps_request *job = peer->job;
  fcps_served *served = job->served;
  const fcps_route_place place = fcps_route_place_of(job->operation);
  fcps_lane *lane = place == FCPS_ROUTE_MAKE    ? s->maker
                    : place == FCPS_ROUTE_LOOK  ? served->look
                    : place == FCPS_ROUTE_MODEL ? served->model
                                                : served->change;
  job->peer = peer;
  s->job_count++;
  if (fcps_lane_add(lane, job)) return;
  s->job_count--;
  peer->job = NULL;
  fcps_request_destroy(job);
  fcps_peer_refuse(peer, fcps_refusal_of(503));
}

/* -- On the way back -- */

/* Takes over into the list of studies what a job has changed, and tells the listeners. */
static void take_news(fcps_server *s, fcps_request *job)
{
  fcps_served *served = job->served;
  if (served == NULL || job->summary == NULL || job->sequence < served->sequence) return;
  fcps_free(served->summary);
  served->summary = job->summary;
  job->summary = NULL;
  if (job->sequence == served->sequence) return;
  served->sequence = job->sequence;
  fcps_changes_announce(s, served);
}

/* Serves a study that was just made. If that fails, returns a refusal; the client can repeat its request to have the
 * study served. */
static const fcps_refusal *take_made(fcps_server *s, const fcps_request *job)
{
  fcps_error error = {0};
  if (job->made == NULL || fcps_dispatch_add_study(s, job->made, &error) == FCPS_OK) return NULL;
  fcps_log_say(&s->log, FCPS_LOG_WARNING, "W_NOT_SERVED", "%s was made and is not served: %s", job->made,
               error.message);
  snprintf(s->words, sizeof s->words, "the study was made and cannot be served yet: %.300s", error.message);
  s->refusal = (fcps_refusal){503, "E_STORE", s->words};
  return &s->refusal;
}

void fcps_dispatch_finished(fcps_server *s, fcps_request *job)
{
  fcps_peer *peer = job->peer;
  const fcps_served *served = job->served;
  if (job->operation != NULL) s->job_count--;
  take_news(s, job);
  const fcps_refusal *refusal = take_made(s, job);
  if (peer != NULL) peer->job = NULL;
  if (peer != NULL && refusal != NULL) {
    fcps_peer_refuse(peer, refusal);
  } else if (peer != NULL) {
    fcps_peer_answer(peer, &job->answer, served != NULL ? served->name : NULL);
  }
  fcps_request_destroy(job);
}

/* -- Studies -- */

static void destroy_served(fcps_served *served)
{
  if (served == NULL) return;
  fcps_lane_destroy(served->change);
  fcps_lane_destroy(served->look);
  fcps_lane_destroy(served->model);
  if (served->has_lock) pthread_mutex_destroy(&served->seen.lock);
  fcps_free(served->summary);
  free(served->name);
  free(served);
}

fcps_status fcps_dispatch_add_study(fcps_server *s, const char *path, fcps_error *error)
{
  fcps_served *served = fcps_allocate(1, sizeof *served);
  if (served == NULL) return fcps_error_memory(error);
  served->name = fcps_store_study_name(path);
  fcps_status status = served->name != NULL ? fcps_names_check(served->name, path, error) : fcps_error_memory(error);
  if (status == FCPS_OK && find_served(s, served->name) != NULL) {
    destroy_served(served); /* The request to make it was repeated, or the same file is served under another path. */
    return FCPS_OK;
  }
  fcps_lane_options options = {.name = served->name,
                               .path = path,
                               .served = served,
                               .seen = &served->seen,
                               .listeners = &s->listeners,
                               .maker = s->study_maker,
                               .log = s->log,
                               .finish = fcps_server_take_finished,
                               .user = s};
  served->has_lock = pthread_mutex_init(&served->seen.lock, NULL) == 0;
  if (status == FCPS_OK && !served->has_lock) status = fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_lane_create(&served->change, &options, error);
  options.is_looking = true;
  if (status == FCPS_OK) status = fcps_lane_create(&served->model, &options, error);
  options.is_watching = true;
  if (status == FCPS_OK) status = fcps_lane_create(&served->look, &options, error);
  if (status == FCPS_OK &&
      (!fcps_reserve((void **)&s->served, &s->served_capacity, s->served_count + 1, sizeof *s->served) ||
       !fcps_names_add(&s->names, path)))
    status = fcps_error_memory(error);
  if (status != FCPS_OK) {
    destroy_served(served);
    return status;
  }
  served->summary = fcps_lane_take_summary(served->look);
  s->served[s->served_count++] = served;
  return FCPS_OK;
}

void fcps_dispatch_remove_studies(fcps_server *s)
{
  for (size_t i = 0; i < s->served_count; i++)
    destroy_served(s->served[i]);
  free(s->served);
  s->served = NULL;
  s->served_count = 0;
}

/* -- Paths --
 *
 * A path is split into words, which are looked up one by one, so no unusual spelling of a path gets around a rule. */

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* The rest of each row is zero on purpose. */

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
