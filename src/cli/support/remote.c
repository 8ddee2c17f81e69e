/* SPDX-License-Identifier: Apache-2.0 */
/* Each change is one request; its answer is read by the readers of src/wire. An answer that was lost is an error that
 * says so: to give the command again is harmless, as it is with a file. */
#include "cli/support/remote.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/log.h"
#include "format/file.h"
#include "wire/wire.h"
#ifdef FCPS_HAS_SERVE
#include "serve/client_study.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What lives until the program ends: the copy, and the numbers of asks. */
static struct {
  char folder[64], path[400];
  void **kept;
  size_t count, capacity;
} remote;

static void forget_all(void)
{
  if (remote.path[0] != '\0') unlink(remote.path);
  if (remote.folder[0] != '\0') rmdir(remote.folder);
  for (size_t i = 0; i < remote.count; i++)
    free(remote.kept[i]);
  free(remote.kept);
}

static bool keep(void *memory)
{
  if (memory == NULL || !fcps_reserve((void **)&remote.kept, &remote.capacity, remote.count + 1, sizeof *remote.kept)) {
    free(memory);
    return false;
  }
  if (remote.count == 0 && remote.folder[0] == '\0') atexit(forget_all);
  remote.kept[remote.count++] = memory;
  return true;
}

/* -- Talking to the server -- */

#ifdef FCPS_HAS_SERVE
bool cli_remote_is(const char *path)
{
  return fcps_client_is_url(path);
}

/* calls STUDY/what; what an answer says is wrong becomes the error */
static fcps_status call_server(const char *url, const char *what, const char *body, char **answer, size_t *length,
                               fcps_error *error)
{
  fcps_client client;
  fcps_status status = fcps_client_open(&client, url, error);
  if (status != FCPS_OK) return status;
  if (client.study[0] == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "%.100s names no study; write http://HOST:PORT/STUDY",
                          url);
  return fcps_client_call_study(&client, what, body, answer, length, error);
}
#else
bool cli_remote_is(const char *path)
{
  return strncmp(path, "http://", 7) == 0;
}

static fcps_status call_server(const char *url, const char *what, const char *body, char **answer, size_t *length,
                               fcps_error *error)
{
  (void)what, (void)body, (void)answer, (void)length;
  return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "STUDY",
                        "%.100s is a server, and this fcps was built without libevent: install libevent-dev, and build "
                        "it again",
                        url);
}
#endif

static void say_warnings(const fcps_json *answer)
{
  const fcps_json *list = fcps_json_get(answer, "warnings");
  for (int i = 0; i < fcps_json_count(list); i++) {
    const char *code = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "code"));
    const char *message = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "message"));
    if (code != NULL && message != NULL) cli_warn(code, "%s", message);
  }
}

/* posts an object, which is destroyed, and reads the answer (may be NULL: not wanted) */
static fcps_status post(const char *url, const char *what, fcps_json *object, fcps_json **result, fcps_error *error)
{
  char *body = fcps_json_finish(object), *text = NULL;
  size_t length = 0;
  fcps_json *answer = NULL;
  fcps_status status = body != NULL ? call_server(url, what, body, &text, &length, error) : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_json_read(&answer, text, length, "the answer", error);
  if (status == FCPS_OK) say_warnings(answer);
  fcps_free(body);
  fcps_free(text);
  if (result != NULL)
    *result = answer;
  else
    fcps_json_destroy(answer);
  return status;
}

/* -- Copies -- */

fcps_status cli_remote_copy(const char *url, const char **path, fcps_error *error)
{
  char *bytes = NULL;
  size_t length = 0;
  bool is_taken = false;
  fcps_status status = call_server(url, "file", NULL, &bytes, &length, error);
  if (status != FCPS_OK) return status;
  snprintf(remote.folder, sizeof remote.folder, "/tmp/fcps-copy-XXXXXX");
  if (mkdtemp(remote.folder) == NULL) {
    remote.folder[0] = '\0';
    fcps_free(bytes);
    return fcps_error_set(error, FCPS_ERR_IO, "STUDY", "there is no folder for a copy of the study in /tmp");
  }
  if (remote.count == 0) atexit(forget_all);
  snprintf(remote.path, sizeof remote.path, "%s/study.fcps", remote.folder);
  status = fcps_file_create(remote.path, bytes, length, &is_taken, error);
  fcps_free(bytes);
  *path = remote.path;
  return status;
}

/* -- Asks -- */

static void put_client(fcps_json **object, const char *client)
{
  if (client != NULL && *client != '\0') fcps_json_put(object, "client", fcps_json_from_text(client));
}

static fcps_json *write_context(const fcps_problem *p, const double *target, const double *environment)
{
  fcps_json *object = fcps_json_object();
  if (p->target.count > 0) fcps_json_put(&object, "target", fcps_wire_numbers_write(&p->target, target));
  if (p->environment.count > 0)
    fcps_json_put(&object, "environment", fcps_wire_numbers_write(&p->environment, environment));
  return object;
}

static fcps_status read_ask(const fcps_problem *p, const fcps_json *json, fcps_ask *ask, fcps_error *error)
{
  double *numbers = fcps_allocate((size_t)fcps_wire_ask_width(p), sizeof *numbers);
  if (!keep(numbers)) return fcps_error_memory(error);
  return fcps_wire_ask_read(p, json, numbers, ask, error);
}

static fcps_status post_ask(const char *url, const char *what, const fcps_problem *p, fcps_json *object, fcps_ask *ask,
                            fcps_error *error)
{
  fcps_json *answer = NULL;
  fcps_status status = post(url, what, object, &answer, error);
  if (status == FCPS_OK) status = read_ask(p, answer, ask, error);
  fcps_json_destroy(answer);
  return status;
}

fcps_status cli_remote_ask(const char *url, const fcps_problem *p, const char *client, const double *target,
                           const double *environment, fcps_ask *ask, fcps_error *error)
{
  fcps_json *object = write_context(p, target, environment);
  put_client(&object, client);
  return post_ask(url, "ask", p, object, ask, error);
}

/* the numbers that are not free */
static fcps_json *write_fixed(const fcps_space *space, const bool *is_free, const double *values)
{
  fcps_json *object = fcps_json_object();
  for (int i = 0; i < space->count; i++)
    if (!is_free[i]) fcps_json_put(&object, space->dims[i].name, fcps_json_from_number(values[i]));
  return object;
}

fcps_status cli_remote_choose(const char *url, const fcps_problem *p, const char *client,
                              const fcps_free_dimensions *free_dims, const double *target, const double *environment,
                              fcps_ask *ask, fcps_error *error)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "target", write_fixed(&p->target, free_dims->target, target));
  fcps_json_put(&object, "environment", write_fixed(&p->environment, free_dims->environment, environment));
  put_client(&object, client);
  return post_ask(url, "choose", p, object, ask, error);
}

fcps_status cli_remote_ask_many(const char *url, const fcps_problem *p, int count, const fcps_ask_contexts *contexts,
                                fcps_ask *asks, fcps_error *error)
{
  fcps_json *list = fcps_json_array(), *object = fcps_json_object(), *answer = NULL;
  for (int i = 0; i < count; i++) {
    const int row = contexts->rows > 1 ? i : 0;
    fcps_json_add(&list, write_context(p, contexts->targets + row * p->target.count,
                                       contexts->environments + row * p->environment.count));
  }
  fcps_json_put(&object, "contexts", list);
  fcps_status status = post(url, "ask", object, &answer, error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = read_ask(p, fcps_json_at(fcps_json_get(answer, "asks"), i), asks + i, error);
  fcps_json_destroy(answer);
  return status;
}

static fcps_status post_number(const char *url, const char *what, const char *key, int64_t number, fcps_error *error)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, key, fcps_json_from_integer(number));
  return post(url, what, object, NULL, error);
}

fcps_status cli_remote_forget(const char *url, int64_t id, fcps_error *error)
{
  return post_number(url, "forget", "ask", id, error);
}

/* -- Results -- */

fcps_status cli_remote_tell(const char *url, const fcps_problem *p, int64_t id, const fcps_result *result,
                            fcps_receipt *receipt, fcps_error *error)
{
  fcps_json *answer = NULL;
  const fcps_status status = post(url, "tell", fcps_wire_told_write(p, id, result), &answer, error);
  fcps_wire_receipt_read(answer, id, receipt);
  fcps_json_destroy(answer);
  return status;
}

fcps_status cli_remote_use_result(const char *url, int64_t sequence, bool is_used, fcps_error *error)
{
  return post_number(url, is_used ? "use" : "drop", "result", sequence, error);
}

fcps_status cli_remote_confirm(const char *url, int64_t sequence, fcps_error *error)
{
  return post_number(url, "confirm", "result", sequence, error);
}

/* -- Changes -- */

fcps_status cli_remote_amend(const char *url, const char *what, const char *value, fcps_error *error)
{
  fcps_json *object = fcps_json_object();
  if (strncmp(what, "bounds.", 7) == 0) {
    char lower[64] = "", upper[64] = "";
    double numbers[2];
    if (sscanf(value, "%63[^,],%63s", lower, upper) != 2 || !fcps_number_read(lower, numbers) ||
        !fcps_number_read(upper, numbers + 1)) {
      fcps_json_destroy(object);
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--bounds", "\"%.60s\" is not LOWER,UPPER", value);
    }
    fcps_json *bounds = fcps_json_object();
    fcps_json_put(&bounds, what + 7, fcps_json_from_numbers(2, numbers));
    fcps_json_put(&object, "bounds", bounds);
  } else {
    fcps_json_put(&object, what, fcps_json_from_text(value));
    fcps_json_put(&object, "force", fcps_json_from_bool(true)); /* the command has asked the copy already */
  }
  return post(url, "amend", object, NULL, error);
}

fcps_status cli_remote_amend_learner(const char *url, const char *learner, const fcps_setting *settings,
                                     fcps_error *error)
{
  fcps_json *object = fcps_json_object();
  if (learner != NULL) fcps_json_put(&object, "learner", fcps_json_from_text(learner));
  if (settings != NULL) fcps_json_put(&object, "settings", fcps_json_from_settings(settings));
  return post(url, "amend", object, NULL, error);
}

fcps_status cli_remote_create(const char *url, const fcps_study_setup *setup, fcps_error *error)
{
#ifdef FCPS_HAS_SERVE
  fcps_client client;
  const fcps_status status = fcps_client_open(&client, url, error);
  if (status != FCPS_OK) return status;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "name", fcps_json_from_text(client.study));
  fcps_json_put(&object, "problem", fcps_json_from_text(setup->text));
  if (setup->learner != NULL) fcps_json_put(&object, "learner", fcps_json_from_text(setup->learner));
  if (setup->settings != NULL) fcps_json_put(&object, "settings", fcps_json_from_settings(setup->settings));
  fcps_json_put(&object, "seed", fcps_json_from_integer((int64_t)setup->seed));
  return post(url, NULL, object, NULL, error);
#else
  (void)setup;
  return call_server(url, NULL, NULL, NULL, NULL, error);
#endif
}
