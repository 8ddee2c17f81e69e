/* SPDX-License-Identifier: Apache-2.0 */
/* Results that wait on disk: a finished trial outlives its process also if the study cannot be written.
 *
 * Each result is a file of its own beside the study, STUDY-kept-N.json, one line as in wire/wire.h. Invariants:
 *   - a file is made whole under a name that is free, and never changed;
 *   - it is removed only after its result was stored, be it as evidence. Telling twice is harmless, so several
 *     processes may find the same file;
 *   - a result is told only to the study with the same ask: the numbers of the ask are in the file.
 *
 * Workers that reach the study through a server keep theirs apart from it, under its identity in a folder of their
 * machine. A copy of a study has the same identity: so those are told to a file only if somebody says so.
 */
#include "run/kept.h"
#include "run/loop.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "store/store.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT_COUNT = FCPS_STORE_KEPT_COUNT, KEPT_BYTES = 16 << 20 };

static bool find_ask(const fcps_study *study, int64_t id, fcps_ask *ask)
{
  for (int i = fcps_study_ask_count(study) - 1; i >= 0; i--) {
    fcps_study_ask_at(study, i, ask);
    if (ask->id == id) return true;
  }
  return false;
}

/* -- Keeping -- */

/* Where a result waits. */
typedef enum kept_place { BESIDE, APART } kept_place;

/* Turns a path beside the study into that of the same file apart from it; NULL if that is the same. */
static char *move_apart(const fcps_study *study, const char *end, char *beside)
{
  const char *identity = fcps_study_identity(study);
  char *apart = identity != NULL ? fcps_store_state_path(identity, end) : NULL;
  const bool is_same = apart != NULL && beside != NULL && strcmp(apart, beside) == 0;
  if (is_same) free(apart);
  free(beside);
  return is_same ? NULL : apart;
}

/* Writes the path of file `number`, counted from 1. */
static fcps_status name_file(const fcps_study *study, kept_place place, int number, char *path, fcps_error *error)
{
  char end[32], *found = NULL;
  snprintf(end, sizeof end, FCPS_STORE_KEPT_END, number);
  const fcps_status status = fcps_study_beside(study, end, &found, error);
  if (status != FCPS_OK) return status;
  if (place == APART) found = move_apart(study, end, found);
  const bool fits = found != NULL && strlen(found) < FCPS_RUN_KEPT_PATH;
  if (fits) strcpy(path, found);
  free(found);
  return fits ? FCPS_OK : fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "nothing can be kept beside this study");
}

/* Makes the folder in which results wait. Beside a study file it is there already; a study of another kind has a folder
 * of its own, which may not exist yet. */
static fcps_status make_folder(const fcps_study *study, fcps_error *error)
{
  char path[FCPS_RUN_KEPT_PATH];
  const fcps_status status = name_file(study, BESIDE, 1, path, error);
  char *end = status == FCPS_OK ? strrchr(path, '/') : NULL;
  if (end == NULL || end == path) return status;
  *end = '\0';
  return fcps_file_make_directory(path, error);
}

/* Writes the text under the first free name. */
static fcps_status write_file(const fcps_study *study, const char *text, char *path, fcps_error *error)
{
  bool is_taken = true;
  const fcps_status is_ready = make_folder(study, error);
  if (is_ready != FCPS_OK) return is_ready;
  for (int number = 1; number <= KEPT_COUNT && is_taken; number++) {
    fcps_status status = name_file(study, BESIDE, number, path, error);
    if (status == FCPS_OK) status = fcps_file_create(path, text, strlen(text), &is_taken, error);
    if (status != FCPS_OK) return status;
  }
  if (!is_taken) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_IO, "", "%d results wait beside the study already", KEPT_COUNT);
}

static char *write_text(const fcps_study *study, const fcps_ask *ask, const fcps_result *result)
{
  fcps_json *json = fcps_wire_kept_write(fcps_study_problem(study), ask, result);
  const char *identity = fcps_study_identity(study);
  if (identity != NULL) fcps_json_put(&json, "study", fcps_json_from_text(identity));
  return fcps_json_finish(json);
}

/* Returns the ask of a result, as far as this handle knows it; NULL if nobody asked for the result. */
static const fcps_ask *ask_of(const fcps_study *study, int64_t id, fcps_ask *ask)
{
  if (id == FCPS_NOT_ASKED) return NULL;
  if (!find_ask(study, id, ask)) *ask = (fcps_ask){.id = id};
  return ask;
}

char *fcps_run_kept_text(const fcps_study *study, int64_t id, const fcps_result *result)
{
  fcps_ask ask;
  return write_text(study, ask_of(study, id, &ask), result);
}

fcps_status fcps_run_keep(const fcps_study *study, int64_t id, const fcps_result *result, char *path, fcps_error *error)
{
  fcps_ask ask;
  return fcps_run_keep_asked(study, ask_of(study, id, &ask), result, path, error);
}

fcps_status fcps_run_keep_asked(const fcps_study *study, const fcps_ask *ask, const fcps_result *result, char *path,
                                fcps_error *error)
{
  char *text = write_text(study, ask, result);
  if (text == NULL) return fcps_error_memory(error);
  const fcps_status status = write_file(study, text, path, error);
  fcps_free(text);
  return status;
}

/* -- Finding -- */

/* Tells whether there is a plain file with something in it. */
static bool is_kept(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

static int count_at(const fcps_study *study, kept_place place)
{
  int count = 0;
  char path[FCPS_RUN_KEPT_PATH];
  for (int number = 1; study != NULL && number <= KEPT_COUNT; number++) {
    if (name_file(study, place, number, path, NULL) != FCPS_OK) return 0;
    count += is_kept(path);
  }
  return count;
}

int fcps_run_kept_count(const fcps_study *study)
{
  return count_at(study, BESIDE);
}

int fcps_run_kept_count_apart(const fcps_study *study)
{
  return count_at(study, APART);
}

static bool same_numbers(const fcps_space *space, const double *a, const double *b)
{
  if (space->count == 0) return true;
  return a != NULL && b != NULL && memcmp(a, b, (size_t)space->count * sizeof *a) == 0;
}

/* Refuses a kept result of another study, which would be wrong here and nobody would notice. */
fcps_status fcps_run_check_kept(const fcps_problem *p, const fcps_ask *kept, const fcps_ask *there, fcps_error *error)
{
  if (there != NULL && same_numbers(&p->target, there->target, kept->target) &&
      same_numbers(&p->environment, there->environment, kept->environment) &&
      same_numbers(&p->parameters, there->parameters, kept->parameters))
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask", "it belongs to ask %lld of another study",
                        (long long)kept->id);
}

fcps_status fcps_run_check_kept_of(const fcps_study *study, const fcps_ask *kept, fcps_error *error)
{
  fcps_ask ask;
  if (kept->id == FCPS_NOT_ASKED) return FCPS_OK;
  return fcps_run_check_kept(fcps_study_problem(study), kept, find_ask(study, kept->id, &ask) ? &ask : NULL, error);
}

static fcps_status take_into_study(void *user, const fcps_ask *kept, const fcps_result *result, fcps_error *error)
{
  fcps_study *study = user;
  const fcps_status status = fcps_run_check_kept_of(study, kept, error);
  return status == FCPS_OK ? fcps_study_tell(study, kept->id, result, NULL, error) : status;
}

/* Refuses the same by the identity that a study has from its making. */
static fcps_status check_identity(const fcps_study *study, const fcps_json *json, fcps_error *error)
{
  const char *kept = fcps_json_text(fcps_json_get(json, "study")), *own = fcps_study_identity(study);
  if (kept == NULL || own == NULL || strcmp(kept, own) == 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "study", "it belongs to another study that had this name");
}

/* Results on their way. */
typedef struct giving {
  const fcps_study *study;
  const fcps_kept_taker *taker;
  const fcps_run_patience *patience;
  double *numbers; /* room for one result */
} giving;

/* Tells the result of one file. */
static fcps_status tell_file(const giving *g, const char *path, fcps_error *error)
{
  fcps_ask ask;
  fcps_json *json = NULL;
  fcps_result result;
  fcps_status status = fcps_json_read_file(&json, path, KEPT_BYTES, error);
  if (status == FCPS_OK) status = check_identity(g->study, json, error);
  if (status == FCPS_OK)
    status = fcps_wire_kept_read(fcps_study_problem(g->study), json, g->numbers, &ask, &result, error);
  if (status == FCPS_OK) status = g->taker->take(g->taker->user, &ask, &result, error);
  fcps_json_destroy(json);
  return status;
}

/* Tells it again and again until the study is free, or the caller wants to stop. */
static fcps_status tell_file_patiently(const giving *g, const char *path, fcps_error *error)
{
  const fcps_run_patience *patience = g->patience;
  double pause = 0;
  fcps_status status;
  while ((status = tell_file(g, path, error)) == FCPS_ERR_LOCKED) {
    if (pause == 0)
      fcps_log_say(&patience->log, FCPS_LOG_WARNING, "W_RESULT_WAITS",
                   "a result is kept in %s until it can be stored: %s. Still trying.", path,
                   error != NULL ? error->message : "the study is in use");
    if (!fcps_run_pause(patience, &pause))
      return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped while a result waited; it is kept in %s", path);
  }
  if (status == FCPS_OK)
    fcps_log_say(&patience->log, FCPS_LOG_WARNING, "W_KEPT_STORED", "the result that was kept in %s is stored now.",
                 path);
  return status;
}

/* Tells whether a failure is about the file alone: the study and the other files may be well. */
static bool is_refused(fcps_status status)
{
  return status == FCPS_ERR_CONFLICT || status == FCPS_ERR_FORMAT || status == FCPS_ERR_UNKNOWN_ASK ||
         status == FCPS_ERR_ARGUMENT || status == FCPS_ERR_NOT_FINITE;
}

/* Says why a result was not taken. One that contradicts another is stored as evidence, so its file is not needed any
 * more. */
static void say_refused(const fcps_run_patience *patience, const char *path, const fcps_error *why)
{
  const bool is_evidence = why->status == FCPS_ERR_CONFLICT;
  fcps_log_say(&patience->log, FCPS_LOG_WARNING, is_evidence ? "W_KEPT_CONFLICT" : "W_KEPT_REFUSED", "%s: %s%s", path,
               why->message, is_evidence ? "" : ". It is not stored and stays there.");
}

static fcps_status give_from(fcps_study *study, kept_place place, const fcps_kept_taker *taker,
                             const fcps_run_patience *patience, int *stored, fcps_error *error)
{
  int count = 0;
  if (stored != NULL) *stored = 0;
  fcps_run_guard guard;
  const fcps_run_patience guarded = fcps_run_guard_patience(&guard, study, patience);
  patience = &guarded;
  double *numbers = fcps_allocate((size_t)fcps_wire_kept_width(fcps_study_problem(study)), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  const giving g = {study, taker, patience, numbers};
  fcps_status status = FCPS_OK;
  fcps_error why = {0};
  for (int number = 1; status == FCPS_OK && number <= KEPT_COUNT; number++) {
    char path[FCPS_RUN_KEPT_PATH];
    status = name_file(study, place, number, path, &why);
    if (status == FCPS_ERR_UNSUPPORTED) break; /* nothing can be kept there */
    if (status != FCPS_OK || !is_kept(path)) continue;
    status = tell_file_patiently(&g, path, &why);
    if (status == FCPS_ERR_IO && !is_kept(path)) { /* another process has told it meanwhile, and removed it */
      status = FCPS_OK;
      continue;
    }
    count += status == FCPS_OK;
    if (status == FCPS_OK || status == FCPS_ERR_CONFLICT) unlink(path);
    if (!is_refused(status)) continue;
    say_refused(patience, path, &why);
    status = FCPS_OK;
  }
  free(numbers);
  if (stored != NULL) *stored = count;
  if (status == FCPS_OK || status == FCPS_ERR_UNSUPPORTED) return FCPS_OK;
  if (error != NULL) *error = why;
  return status;
}

fcps_status fcps_run_give_kept(fcps_study *study, const fcps_kept_taker *taker, const fcps_run_patience *patience,
                               int *stored, fcps_error *error)
{
  return give_from(study, BESIDE, taker, patience, stored, error);
}

fcps_status fcps_run_tell_kept_apart(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                     fcps_error *error)
{
  const fcps_kept_taker taker = {take_into_study, study};
  return give_from(study, APART, &taker, patience, stored, error);
}

fcps_status fcps_run_tell_kept(fcps_study *study, const fcps_run_patience *patience, int *stored, fcps_error *error)
{
  const fcps_kept_taker taker = {take_into_study, study};
  if (stored != NULL) *stored = 0;
  if (study == NULL) return fcps_error_null(error, "study");
  if (patience == NULL) return fcps_error_null(error, "patience");
  return fcps_run_give_kept(study, &taker, patience, stored, error);
}
