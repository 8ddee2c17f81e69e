/* SPDX-License-Identifier: Apache-2.0 */
/* Each change is one request; its answer is read by the readers of src/wire. An answer that was lost is an error that
 * says so: to give the command again is harmless, as it is with a file. */
#include "cli/support/remote.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/log.h"
#include "cli/support/passing_folder.h"
#include "format/csv.h"
#include "format/file.h"
#include "format/text.h"
#include "wire/wire.h"
#ifdef FCPS_HAS_SERVE
#include "door/client_study.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* a server takes no larger table */
enum { IMPORT_MAX = 60 << 20 };

/* What lives until the program ends: the numbers of asks. */
static struct {
  void **kept;
  size_t count, capacity;
} remote;

static void forget_all(void)
{
  for (size_t i = 0; i < remote.count; i++)
    free(remote.kept[i]);
  free(remote.kept);
  remote.kept = NULL;
  remote.count = remote.capacity = 0;
}

static bool keep(void *memory)
{
  if (memory == NULL || !fcps_reserve((void **)&remote.kept, &remote.capacity, remote.count + 1, sizeof *remote.kept)) {
    free(memory);
    return false;
  }
  if (remote.count == 0) atexit(forget_all);
  remote.kept[remote.count++] = memory;
  return true;
}

/* -- Talking to the server -- */

#ifdef FCPS_HAS_SERVE
bool cli_remote_is(const char *path)
{
  return fcps_client_is_url(path);
}

/* whose token came with an address */
static fcps_client owner;

void cli_remote_hide_tokens(int argc, char **argv)
{
  fcps_client found;
  for (int i = 1; i < argc; i++)
    if (fcps_client_take_token(argv[i], &found)) owner = found;
}

const char *cli_remote_token(const char *url)
{
  return owner.token[0] != '\0' && fcps_client_is_same_server(&owner, url) ? owner.token : NULL;
}

/* an address without a study: the server knows which there are */
static fcps_status refuse_nameless(const fcps_client *client, fcps_error *error)
{
  char *answer = NULL;
  size_t length = 0;
  int http_status = 0;
  char address[1100];
  fcps_json *json = NULL;
  fcps_status status = fcps_client_call(client, "/v1/studies", NULL, &http_status, &answer, &length, error);
  if (status != FCPS_OK) return status;
  fcps_client_write_address(client, sizeof address, address);
  const bool is_read = fcps_json_read(&json, answer, length, "the answer", NULL) == FCPS_OK;
  const char *first = fcps_json_text(fcps_json_get(fcps_json_at(fcps_json_get(json, "studies"), 0), "study"));
  status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "this address names no study; write %s%.60s", address,
                          is_read && first != NULL ? first : "STUDY");
  fcps_json_destroy(json);
  fcps_free(answer);
  return status;
}

bool cli_remote_is_away(const char *url)
{
  fcps_client client;
  char *answer = NULL;
  size_t length = 0;
  int http_status = 0;
  if (fcps_client_open(&client, url, cli_remote_token(url), NULL) != FCPS_OK) return false;
  const bool is_there = fcps_client_call(&client, "/v1/studies", NULL, &http_status, &answer, &length, NULL) == FCPS_OK;
  fcps_free(answer);
  return !is_there;
}

/* calls STUDY/what; what an answer says is wrong becomes the error */
static fcps_status call_server(const char *url, const char *what, const char *body, char **answer, size_t *length,
                               fcps_error *error)
{
  fcps_client client;
  const fcps_status status = fcps_client_open(&client, url, cli_remote_token(url), error);
  if (status != FCPS_OK) return status;
  if (client.study[0] == '\0') return refuse_nameless(&client, error);
  return fcps_client_call_study(&client, what, body, answer, length, error);
}

static const char *name_study(const char *url, const char *message, size_t size, char *room)
{
  fcps_client client;
  return fcps_client_open(&client, url, cli_remote_token(url), NULL) == FCPS_OK
             ? fcps_client_name_study(&client, message, size, room)
             : message;
}
#else
bool cli_remote_is(const char *path)
{
  return strncmp(path, "http://", 7) == 0;
}

bool cli_remote_is_away(const char *url)
{
  (void)url;
  return false;
}

void cli_remote_hide_tokens(int argc, char **argv)
{
  (void)argc, (void)argv; /* no address leads anywhere */
}

const char *cli_remote_token(const char *url)
{
  (void)url;
  return NULL;
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

static const char *name_study(const char *url, const char *message, size_t size, char *room)
{
  (void)url, (void)size, (void)room;
  return message;
}
#endif

static void say_warnings(const char *url, const fcps_json *answer)
{
  char room[4096];
  const fcps_json *list = fcps_json_get(answer, "warnings");
  for (int i = 0; i < fcps_json_count(list); i++) {
    const char *code = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "code"));
    const char *message = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "message"));
    if (code == NULL || message == NULL) continue;
    if (strcmp(code, "W_OTHER_CONTEXT") != 0)
      cli_warn(code, "%s", name_study(url, message, sizeof room, room)); /* that the command says itself */
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
  if (status == FCPS_OK) say_warnings(url, answer);
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
  return cli_remote_copy_onto(url, NULL, path, error);
}

fcps_status cli_remote_copy_onto(const char *url, const char *onto, const char **path, fcps_error *error)
{
  char *bytes = NULL, what[80] = "file";
  size_t length = 0;
  bool is_taken = false;
  struct stat there;
  if (onto != NULL && stat(onto, &there) == 0)
    snprintf(what, sizeof what, "file?not=%llu:%llu", (unsigned long long)there.st_dev,
             (unsigned long long)there.st_ino);
  fcps_status status = call_server(url, what, NULL, &bytes, &length, error);
  if (status != FCPS_OK) return status;
  const char *copy = cli_passing_folder_make(CLI_PASSING_COPY, "study.fcps");
  if (copy == NULL) {
    fcps_free(bytes);
    return fcps_error_set(error, FCPS_ERR_IO, "STUDY", "there is no folder for a copy of the study in /tmp");
  }
  status = fcps_file_create(copy, bytes, length, &is_taken, error);
  fcps_free(bytes);
  *path = copy;
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

/* Whether the server answers, and has the study: before something is sent that it may have to work on for long. */
static fcps_status look(const char *url, fcps_error *error)
{
  char *answer = NULL;
  size_t length = 0;
  const fcps_status status = call_server(url, "problem", NULL, &answer, &length, error);
  fcps_free(answer);
  return status;
}

/* JSON is UTF-8: what is not would become other characters on the way */
static fcps_status check_text(const char *text, size_t length, const char *file, fcps_error *error)
{
  int line = 1;
  for (size_t i = 0, step; i < length; i += step) {
    line += text[i] == '\n';
    step = fcps_utf8_length(text + i);
    if (step == 0 || text[i] == '\0')
      return fcps_error_at(error, FCPS_ERR_FORMAT, file, line, 0, NULL,
                           "this is not a text in UTF-8, which a server needs; save the table as CSV in UTF-8");
  }
  return FCPS_OK;
}

fcps_status cli_remote_import(const char *url, const char *file, bool again, int *added, int *skipped,
                              fcps_error *error)
{
  char *text = NULL;
  size_t length = 0;
  int64_t new_rows = 0, old_rows = 0;
  fcps_csv table = {0};
  fcps_json *answer = NULL;
  fcps_status status = fcps_csv_read_file(&table, file, error); /* what is wrong with it is said as for a study file */
  fcps_csv_destroy(&table);
  if (status == FCPS_OK) status = fcps_file_read(file, IMPORT_MAX, &text, &length, error);
  if (status == FCPS_OK) status = check_text(text, length, file, error);
  if (status == FCPS_OK) status = look(url, error);
  if (status == FCPS_OK) {
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "csv", fcps_json_from_text(text));
    fcps_json_put(&object, "file", fcps_json_from_text(file));
    if (again) fcps_json_put(&object, "again", fcps_json_from_bool(true)); /* an older server knows no such word */
    status = post(url, "import", object, &answer, error);
  }
  if (status == FCPS_OK && (!fcps_json_integer(fcps_json_get(answer, "added"), &new_rows) ||
                            !fcps_json_integer(fcps_json_get(answer, "skipped"), &old_rows)))
    status = fcps_error_set(error, FCPS_ERR_FORMAT, "STUDY", "the server did not answer how many rows it has added");
  *added = (int)new_rows;
  *skipped = (int)old_rows;
  fcps_json_destroy(answer);
  fcps_free(text);
  return status;
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
  const fcps_status status = fcps_client_open(&client, url, cli_remote_token(url), error);
  if (status != FCPS_OK) return status;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "name", fcps_json_from_text(client.name));
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
