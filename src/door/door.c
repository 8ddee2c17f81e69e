/* SPDX-License-Identifier: Apache-2.0 */
/* A door leads to a study of this process or to a study behind a server. A caller that has a door need not ask which
 * of the two it is. */
#include "door/door.h"

#include "base/error.h"
#include "base/memory.h"
#include "door/client.h"
#include "format/file.h"
#include "run/kept.h"
#include "store/store.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fcps_door {
  fcps_door_options options;
  fcps_study *study; /* a study that was opened here, or a copy of a served study */
  fcps_call_kept kept;
  fcps_json *warnings;     /* warnings of the present call; NULL: none so far */
  bool is_served, is_lent; /* `is_lent`: the caller closes the study */
  fcps_client client;
  char identity[FCPS_CLIENT_IDENTITY_SIZE]; /* identity of the served study; "": no answer has contained it */
  char address[1100];                       /* address of the server, without the token */
  fcps_door_failure failure;
  char folder[32];            /* folder of the copy; "": there is none */
  const char *(*place)(void); /* returns the path for the copy; NULL: the copy is in a folder of its own */
};

/* Sends a warning to the log, and keeps it for the answer. */
static void note_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  fcps_door *door = user;
  fcps_log_say(&door->options.study.log, level, code, "%s", message);
  if (level != FCPS_LOG_WARNING) return;
  fcps_wire_warning_add(&door->warnings, code, message);
}

/* -- Opening -- */

/* Refuses an address without a study. The error names a study that the server may have. */
static fcps_status refuse_nameless(const fcps_door *door, fcps_error *error)
{
  fcps_json *answer = NULL;
  fcps_error unwanted;
  (void)fcps_client_ask(&door->client, "list", NULL, &answer, &unwanted);
  const char *first = fcps_json_text(fcps_json_get(fcps_json_at(fcps_json_get(answer, "studies"), 0), "study"));
  const fcps_status status =
      fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "this address names no study; write %.300s%.60s", door->address,
                     first != NULL ? first : "STUDY");
  fcps_json_destroy(answer);
  return status;
}

static fcps_status open_served(fcps_door *door, const char *address, fcps_error *error)
{
  const fcps_door_options *o = &door->options;
  door->is_served = true;
  const fcps_status status = fcps_client_open(&door->client, address, o->token, error);
  if (status != FCPS_OK) return status;
  door->client.stop = o->stop;
  door->client.user = o->user;
  door->client.identity = door->identity;
  door->client.wait_s = o->wait_s;
  fcps_client_write_address(&door->client, sizeof door->address, door->address);
  return *door->client.study != '\0' ? FCPS_OK : refuse_nameless(door, error);
}

static fcps_door *create_door(const fcps_door_options *options)
{
  fcps_door *door = fcps_allocate(1, sizeof *door);
  if (door == NULL) return NULL;
  if (options != NULL) door->options = *options;
  door->kept.suspects_sequence = -1;
  door->failure.http_status = -1;
  return door;
}

fcps_status fcps_door_open_study(fcps_door **door, fcps_study *study, const fcps_door_options *options,
                                 fcps_error *error)
{
  if (door == NULL) return fcps_error_null(error, "door");
  *door = NULL;
  if (study == NULL) return fcps_error_null(error, "study");
  *door = create_door(options);
  if (*door == NULL) return fcps_error_memory(error);
  (*door)->study = study;
  (*door)->is_lent = true;
  return FCPS_OK;
}

static fcps_study_options study_options(fcps_door *door)
{
  fcps_study_options own = door->options.study;
  own.log = (fcps_log){note_warning, door};
  return own;
}

static fcps_status make_served(fcps_door *door, const fcps_study_setup *setup, fcps_error *error)
{
  fcps_json *object = fcps_json_object(), *answer = NULL;
  fcps_json_put(&object, "name", fcps_json_from_text(door->client.name));
  fcps_json_put(&object, "problem", fcps_json_from_text(setup->text));
  fcps_json_put_text(&object, "learner", setup->learner);
  if (setup->settings != NULL) fcps_json_put(&object, "settings", fcps_json_from_settings(setup->settings));
  fcps_json_put(&object, "seed", fcps_json_from_integer((int64_t)setup->seed));
  const fcps_status status = fcps_client_ask(&door->client, "make", object, &answer, error);
  if (status == FCPS_OK) fcps_client_say_warnings(&door->client, answer, &door->options.study.log);
  fcps_json_destroy(answer);
  return status;
}

/* Opens a door. If `setup` is not NULL, it first makes the study. */
static fcps_status open_door(fcps_door **result, const char *address, const fcps_study_setup *setup,
                             const fcps_door_options *options, fcps_error *error)
{
  fcps_door *door = create_door(options);
  if (door == NULL) return fcps_error_memory(error);
  const fcps_study_options own = study_options(door);
  fcps_status status;
  if (fcps_client_is_url(address))
    status = open_served(door, address, error);
  else
    status = setup != NULL ? fcps_study_create(&door->study, address, setup, &own, error)
                           : fcps_study_open(&door->study, address, &own, error);
  if (status == FCPS_OK && door->is_served && setup != NULL) status = make_served(door, setup, error);
  if (status == FCPS_OK)
    *result = door;
  else
    fcps_door_close(door);
  return status;
}

fcps_status fcps_door_open(fcps_door **result, const char *address, const fcps_door_options *options, fcps_error *error)
{
  if (result == NULL) return fcps_error_null(error, "door");
  *result = NULL;
  return address != NULL ? open_door(result, address, NULL, options, error) : fcps_error_null(error, "address");
}

fcps_status fcps_door_make(fcps_door **result, const char *address, const fcps_study_setup *setup,
                           const fcps_door_options *options, fcps_error *error)
{
  *result = NULL;
  return open_door(result, address, setup, options, error);
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
  if (!door->is_lent) fcps_study_close(door->study);
  remove_copy(door);
  fcps_json_destroy(door->warnings);
  free(door);
}

const char *fcps_door_address(const fcps_door *door)
{
  const char *url = door != NULL && !door->is_served ? fcps_study_url(door->study) : NULL;
  if (door == NULL) return "";
  return door->is_served ? door->address : url != NULL ? url : "memory:";
}

void fcps_door_explain(const fcps_door *door, fcps_door_failure *failure)
{
  if (failure != NULL) *failure = door != NULL ? door->failure : (fcps_door_failure){.http_status = -1};
}

/* -- A copy of a served study -- */

void fcps_door_set_place(fcps_door *door, const char *(*place)(void))
{
  door->place = place;
}

/* Returns where to put the copy, in memory for PATH bytes; NULL if /tmp has no room. */
enum { PATH = 200 };
static const char *find_place(fcps_door *door, char path[PATH])
{
  const char *place = door->place != NULL ? door->place() : NULL;
  if (place != NULL || door->place != NULL) return place;
  snprintf(door->folder, sizeof door->folder, "/tmp/fcps-copy-XXXXXX");
  if (mkdtemp(door->folder) == NULL) {
    *door->folder = '\0';
    return NULL;
  }
  snprintf(path, PATH, "%s/study.fcps", door->folder);
  return path;
}

/* Fetches a copy of a served study. `path` has room for PATH bytes; *copy points into it, or to the caller's own
 * file. */
static fcps_status fetch(fcps_door *door, const char *onto, char path[PATH], const char **copy, fcps_error *error)
{
  fcps_door_answer answer = {0};
  fcps_json *request = fcps_json_object();
  struct stat there;
  char number[64];
  bool is_taken = false;
  if (onto != NULL && stat(onto, &there) == 0) {
    snprintf(number, sizeof number, "%llu:%llu", (unsigned long long)there.st_dev, (unsigned long long)there.st_ino);
    fcps_json_put(&request, "not", fcps_json_from_text(number));
  }
  fcps_status status = fcps_door_do(door, fcps_operation_find("file"), request, &answer, error);
  fcps_json_destroy(request);
  if (status == FCPS_OK && (*copy = find_place(door, path)) == NULL)
    status = fcps_error_set(error, FCPS_ERR_IO, "STUDY", "there is no folder for a copy of the study in /tmp");
  if (status == FCPS_OK) status = fcps_file_create(*copy, answer.text, answer.length, &is_taken, error);
  fcps_door_answer_destroy(&answer);
  return status;
}

fcps_status fcps_door_study(fcps_door *door, fcps_study **study, fcps_error *error)
{
  const fcps_study_options own = study_options(door);
  const char *copy = NULL;
  char path[PATH];
  fcps_status status = FCPS_OK;
  if (door->study == NULL) {
    status = fetch(door, NULL, path, &copy, error);
    if (status == FCPS_OK) status = fcps_study_open(&door->study, copy, &own, error);
    if (status == FCPS_OK) status = fcps_study_set_address(door->study, door->address, error);
  }
  *study = door->study;
  return status;
}

fcps_status fcps_door_fetch(fcps_door **door, const char *address, const char *onto, const fcps_door_options *options,
                            const char *(*place)(void), const char **path, fcps_error *error)
{
  char own[PATH];
  *door = NULL;
  *path = address;
  if (!fcps_client_is_url(address)) return FCPS_OK;
  const fcps_status status = open_door(door, address, NULL, options, error);
  if (status != FCPS_OK) return status;
  fcps_door_set_place(*door, place);
  return fetch(*door, onto, own, path, error);
}

/* -- Work -- */

fcps_status fcps_door_work(fcps_door *door, const fcps_problem_file *file, const fcps_work_options *options,
                           int64_t *done, fcps_error *error)
{
  if (!door->is_served) return fcps_work(door->study, file, options, done, error);
  return fcps_client_work(door->address, door->client.token, file, options, done, error);
}

/* -- What waits -- */

const char *fcps_door_identity(const fcps_door *door)
{
  if (!door->is_served) return fcps_study_identity(door->study);
  return *door->identity != '\0' ? door->identity : NULL;
}

bool fcps_door_is_away(const fcps_door *door)
{
  return door->is_served && door->failure.http_status <= 0;
}

/* Opens the study for which workers on this machine may have kept results. */
static fcps_status open_kept(fcps_door *door, fcps_study **study, fcps_error *error)
{
  const fcps_status status = fcps_door_study(door, study, error);
  const char *identity = status == FCPS_OK ? fcps_study_identity(*study) : NULL;
  return door->is_served && identity != NULL ? fcps_study_stand_in(*study, door->address, identity, error) : status;
}

/* Whether this machine keeps a result for any study of a server. Only then the study must be identified. */
static bool may_wait(void)
{
  char *folder = fcps_store_state_path("", "");
  DIR *names = folder != NULL ? opendir(folder) : NULL;
  const struct dirent *entry;
  bool is_found = false;
  while (names != NULL && !is_found && (entry = readdir(names)) != NULL)
    is_found = strstr(entry->d_name, "-kept-") != NULL;
  if (names != NULL) closedir(names);
  free(folder);
  return is_found;
}

fcps_status fcps_door_count_kept(fcps_door *door, fcps_door_kept *kept, fcps_error *error)
{
  fcps_study *study = NULL;
  *kept = (fcps_door_kept){.where = door->is_served ? "on this machine" : "beside the study"};
  if (door->is_served && !may_wait()) return FCPS_OK;
  const fcps_status status = open_kept(door, &study, error);
  if (status != FCPS_OK) return status;
  kept->count = fcps_run_kept_count(study);
  if (!door->is_served) kept->apart = fcps_run_kept_count_apart(study);
  return FCPS_OK;
}

/* Tells a kept result to the server. Told to the copy it would be lost together with the copy; the copy is only used
 * for its asks. */
static fcps_status take(void *user, const fcps_ask *kept, const fcps_result *result, fcps_error *error)
{
  fcps_door *door = user;
  fcps_json *answer = NULL;
  fcps_status status = fcps_run_check_kept_of(door->study, kept, error);
  if (status == FCPS_OK)
    status = fcps_client_ask(&door->client, "tell",
                             fcps_wire_told_write(fcps_study_problem(door->study), kept->id, result), &answer, error);
  fcps_json_destroy(answer);
  return status;
}

static fcps_status tell_waiting(fcps_door *door, int *stored, fcps_error *error)
{
  const fcps_kept_taker taker = {take, door};
  fcps_study *study = NULL;
  const fcps_status status = open_kept(door, &study, error);
  *stored = 0;
  if (status != FCPS_OK) return status;
  return door->is_served ? fcps_run_give_kept(study, &taker, door->options.patience, stored, error)
                         : fcps_run_tell_kept(study, door->options.patience, stored, error);
}

fcps_status fcps_door_tell_kept(fcps_door *door, int *stored, fcps_error *error)
{
  int apart = 0;
  fcps_status status = tell_waiting(door, stored, error);
  if (status == FCPS_OK && !door->is_served)
    status = fcps_run_tell_kept_apart(door->study, door->options.patience, &apart, error);
  *stored += apart;
  return status;
}

/* Tells the kept results before an ask is made, so that the study does not ask for their trials again. */
static fcps_status tell_before_asking(fcps_door *door, const fcps_operation *operation, fcps_error *error)
{
  int stored = 0;
  if (door->options.patience == NULL || (operation->flags & FCPS_OPERATION_MAKES_ASKS) == 0) return FCPS_OK;
  return !door->is_served || may_wait() ? tell_waiting(door, &stored, error) : FCPS_OK;
}

/* -- Calls -- */

void fcps_door_answer_destroy(fcps_door_answer *answer)
{
  fcps_json_destroy(answer->json);
  fcps_free(answer->text);
  *answer = (fcps_door_answer){0};
}

static fcps_status do_here(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_answer *answer, fcps_error *error)
{
  fcps_call call = {.operation = operation,
                    .study = door->study,
                    .name = fcps_door_address(door),
                    .request = request,
                    .kept = &door->kept,
                    .log = {note_warning, door},
                    .patience = door->options.patience};
  fcps_status status = fcps_study_refresh(door->study, error); /* Other processes may have stored something. */
  if (status == FCPS_OK || status == FCPS_ERR_CALLBACK) status = fcps_call_run(&call, error);
  *answer = (fcps_door_answer){call.json, call.text, call.length};
  if (answer->text != NULL && answer->length == 0) answer->length = strlen(answer->text);
  if (door->warnings != NULL) fcps_wire_warnings_put(&answer->json, &door->warnings);
  if (status == FCPS_OK && answer->json == NULL && answer->text == NULL) return fcps_error_memory(error);
  return status;
}

/* Checks that the server answers and has the study, before something long is sent. */
static fcps_status look(const fcps_door *door, fcps_error *error)
{
  fcps_json *answer = NULL;
  const fcps_status status = fcps_client_ask(&door->client, "problem", NULL, &answer, error);
  fcps_json_destroy(answer);
  return status;
}

static fcps_status do_there(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                            fcps_door_answer *answer, fcps_error *error)
{
  fcps_status status = (operation->flags & FCPS_OPERATION_IS_LONG) != 0 ? look(door, error) : FCPS_OK;
  if (status == FCPS_OK) status = fcps_client_do(&door->client, operation, request, &door->failure, answer, error);
  if (status == FCPS_OK) fcps_client_say_warnings(&door->client, answer->json, &door->options.study.log);
  return status;
}

fcps_status fcps_door_do(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                         fcps_door_answer *answer, fcps_error *error)
{
  *answer = (fcps_door_answer){0};
  fcps_json_destroy(door->warnings);
  door->warnings = NULL;
  fcps_status status = tell_before_asking(door, operation, error);
  if (status == FCPS_OK)
    status = door->is_served ? do_there(door, operation, request, answer, error)
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
  fcps_door_answer answer = {0};
  if (text == NULL) return fcps_error_null(error, "answer");
  *text = NULL;
  if (door == NULL) return fcps_error_null(error, "door");
  door->failure = (fcps_door_failure){.http_status = -1};
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
