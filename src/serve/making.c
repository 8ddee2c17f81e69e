/* SPDX-License-Identifier: Apache-2.0 */
/* Makes studies by request, and keeps the names under which studies are served.
 *
 * The name of a new study is the only name from a request that reaches the file system. It must be a plain word, and
 * an existing file is never replaced. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "format/text.h"
#include "serve/names.h"
#include "store/store.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fields that a row leaves out are zero on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

const fcps_field fcps_making_request[] = {
    {"name", FCPS_FIELD_TEXT, FCPS_FIELD_NEEDED, "Letters, digits, _ and -; its file is NAME.fcps"},
    {"problem", FCPS_FIELD_TEXT, FCPS_FIELD_NEEDED, "The text of a problem file, YAML"},
    {"learner", FCPS_FIELD_TEXT},
    {"settings", FCPS_FIELD_SETTINGS},
    {"seed", FCPS_FIELD_INTEGER, 0, NULL, 0, INT64_MAX, .initial = "1"},
    {0}};
const fcps_field fcps_making_answer[] = {{"study", FCPS_FIELD_TEXT}, {"repeated", FCPS_FIELD_BOOLEAN}, {0}};

static fcps_status check_name(const char *name, fcps_error *error)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (name != NULL && *name != '\0' && strlen(name) <= 64 && strspn(name, allowed) == strlen(name) && *name != '-')
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "name",
                        "the name of a study has 1 to 64 letters, digits, _ or -, and does not begin with -");
}

/* Whether the existing study was made from the same setup, because the request was repeated. */
static bool is_made_already(const char *path, const fcps_study_setup *setup)
{
  fcps_study *there = NULL;
  const bool is_same = fcps_study_open(&there, path, NULL, NULL) == FCPS_OK && fcps_wire_is_made_from(there, setup);
  fcps_study_close(there);
  return is_same;
}

/* Refuses a problem that names a file, because the server would read the file for the client. The command under `run`
 * is only stored: no server runs it. */
static fcps_status check_problem(const char *text, fcps_error *error)
{
  fcps_problem_file *file = NULL;
  fcps_status status = fcps_problem_file_parse(&file, text, strlen(text), "problem", NULL, error);
  if (status == FCPS_OK && file->contexts == FCPS_CONTEXT_CSV)
    status =
        fcps_error_at(error, FCPS_ERR_UNSUPPORTED, "problem", 0, 0, "contexts.csv",
                      "a problem that comes by request may not name a file; give contexts as boxes, or with each ask");
  fcps_problem_file_destroy(file);
  return status;
}

/* Refuses a study before it is made if the server has no room for it. */
static fcps_status check_room(fcps_call *call, const char *path, fcps_error *error)
{
  const fcps_making *making = call->server;
  if (!fcps_names_is_full(making->names, path)) return FCPS_OK;
  call->status = 403;
  return fcps_error_set(
      error, FCPS_ERR_UNSUPPORTED, "name",
      "this server has %zu studies, as many as its limit of open files allows; nothing was made. Start "
      "it with a higher limit (ulimit -n, or LimitNOFILE= of a systemd unit), or another server for "
      "further studies",
      making->names->most);
}

static fcps_status make(fcps_call *call, const char *name, const fcps_study_setup *setup, fcps_error *error)
{
  fcps_making *making = call->server;
  char file[80], path[4096];
  fcps_study *study = NULL;
  bool is_repeated = false;
  const fcps_study_options options = {.log = call->log};
  snprintf(file, sizeof file, "%s.fcps", name);
  fcps_status status = fcps_file_join(making->folder, file, sizeof path, path, error);
  if (status == FCPS_OK && fcps_names_is_taken(making->names, path))
    status =
        fcps_error_set(error, FCPS_ERR_CONFLICT, "name",
                       "\"%s\" is the name of a study that is served from another folder; choose another name", name);
  if (status == FCPS_OK) status = check_room(call, path, error);
  if (status == FCPS_OK) status = fcps_study_create(&study, path, setup, &options, error);
  if (status == FCPS_ERR_STORE && (is_repeated = is_made_already(path, setup))) status = FCPS_OK;
  if (status == FCPS_ERR_STORE && access(path, F_OK) == 0) {
    call->status = 409;
    status = fcps_error_set(error, FCPS_ERR_STORE, "name",
                            "there is a study \"%s\" already, made from something else; choose another name", name);
  }
  fcps_study_close(study);
  if (status != FCPS_OK) return status;
  making->made = fcps_names_add(making->names, path) ? fcps_copy_text(path) : NULL;
  if (making->made == NULL) return fcps_error_memory(error);
  call->status = is_repeated ? 200 : 201;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "study", fcps_json_from_text(name));
  fcps_json_put(&call->json, "repeated", fcps_json_from_bool(is_repeated));
  return FCPS_OK;
}

fcps_status fcps_making_run(fcps_call *call, fcps_error *error)
{
  const fcps_making *making = call->server;
  const char *name = fcps_call_text(call, "name"), *problem = fcps_call_text(call, "problem");
  fcps_setting *settings = NULL;
  if (making->folder == NULL) {
    call->status = 403;
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "this server makes no studies; start it with --make FOLDER");
  }
  fcps_status status = check_name(name, error);
  if (status == FCPS_OK) status = check_problem(problem, error);
  if (status == FCPS_OK) status = fcps_call_settings(call, "settings", &settings, error);
  const fcps_study_setup setup = {.text = problem,
                                  .text_name = "problem",
                                  .learner = fcps_call_text(call, "learner"),
                                  .settings = settings,
                                  .seed = (uint64_t)fcps_call_integer(call, "seed", 1)};
  if (status == FCPS_OK) status = make(call, name, &setup, error);
  free(settings);
  return status;
}

/* -- Names of served studies --
 *
 * Two paths are compared by the files that they lead to, because one file can have many paths. */

/* The longest name in bytes: each byte may need three in the address of a request. */
enum { NAME_MAX_BYTES = 200 };

static bool can_be_asked_for(const char *name)
{
  if (*name == '\0' || strlen(name) > NAME_MAX_BYTES || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
  for (size_t length; *name != '\0'; name += length) {
    length = fcps_utf8_length(name);
    if (length == 0 || (unsigned char)*name < ' ' || *name == 127 || *name == '\\' || *name == '/') return false;
  }
  return true;
}

fcps_status fcps_names_check(const char *name, const char *path, fcps_error *error)
{
  if (can_be_asked_for(name)) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, "STUDY",
      "no client could ask for a study of the name of \"%.200s\": it has 1 to %d bytes of UTF-8, "
      "without /, \\ and control characters; rename the file, or in a database copy the study to another "
      "name",
      path, (int)NAME_MAX_BYTES);
}

bool fcps_names_create(fcps_names *names, size_t most)
{
  *names = (fcps_names){.most = most};
  names->has_lock = pthread_mutex_init(&names->lock, NULL) == 0;
  return names->has_lock;
}

void fcps_names_destroy(fcps_names *names)
{
  for (size_t i = 0; i < names->count; i++)
    free(names->paths[i]);
  free(names->paths);
  if (names->has_lock) pthread_mutex_destroy(&names->lock);
  *names = (fcps_names){.has_lock = false};
}

/* Whether a path is in the list. Called under the lock. */
static bool has_path(const fcps_names *names, const char *path)
{
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->paths[i], path) == 0) return true;
  return false;
}

bool fcps_names_add(fcps_names *names, const char *path)
{
  char *copy = fcps_copy_text(path);
  pthread_mutex_lock(&names->lock);
  const bool is_there = has_path(names, path);
  const bool has_room =
      copy != NULL && fcps_reserve((void **)&names->paths, &names->capacity, names->count + 1, sizeof *names->paths);
  if (has_room && !is_there) names->paths[names->count++] = copy;
  pthread_mutex_unlock(&names->lock);
  if (!has_room || is_there) free(copy);
  return has_room;
}

bool fcps_names_is_full(fcps_names *names, const char *path)
{
  pthread_mutex_lock(&names->lock);
  const bool is_full = names->count >= names->most && !has_path(names, path);
  pthread_mutex_unlock(&names->lock);
  return is_full;
}

bool fcps_names_is_taken(fcps_names *names, const char *path)
{
  char *wanted = fcps_store_study_name(path);
  bool is_taken = false;
  pthread_mutex_lock(&names->lock);
  for (size_t i = 0; i < names->count && wanted != NULL && !is_taken; i++) {
    char *name = fcps_store_study_name(names->paths[i]);
    is_taken = name != NULL && strcmp(name, wanted) == 0 && !fcps_draft_is_same(names->paths[i], path);
    free(name);
  }
  pthread_mutex_unlock(&names->lock);
  free(wanted);
  return is_taken;
}
