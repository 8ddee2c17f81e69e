/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a finished result again and again until it is stored.
 *
 * A trial may have cost a robot's time. If the study is locked, or cannot be written for a reason that may pass, the
 * result is put into a file beside it (below), and the user is warned once. Then storing is tried again, with growing
 * pauses, until the result is stored or the caller stops. Only a reason that cannot pass ends the call; the error then
 * says where the result is.
 *
 * A write that failed is not repeated on the same handle (store/sqlite/sqlite.c says why): the study is opened once
 * more for it, and only if it is the same study. */
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "format/file.h"
#include "run/kept.h"
#include "run/loop.h"
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

/* The first and the longest pause between two tries, in seconds; and after how many milliseconds the caller is asked
 * again whether to stop. */
static const double first_pause = 0.1, longest_pause = 5.0;
enum { STOP_MS = 50 };

static bool wants_stop(const fcps_run_patience *patience)
{
  return patience->stop != NULL && patience->stop(patience->user);
}

bool fcps_run_pause(const fcps_run_patience *patience, double *pause)
{
  if (*pause < first_pause) *pause = first_pause;
  for (double slept = 0; slept < *pause; slept += STOP_MS / 1000.0) {
    if (wants_stop(patience)) return false;
    fcps_clock_pause(STOP_MS);
  }
  *pause = *pause * 2 < longest_pause ? *pause * 2 : longest_pause;
  return !wants_stop(patience);
}

static bool may_pass(const fcps_run_patience *patience, fcps_status status)
{
  if (status == FCPS_ERR_LOCKED) return true;
  return patience->is_persistent &&
         (status == FCPS_ERR_STORE || status == FCPS_ERR_STORE_FULL || status == FCPS_ERR_IO);
}

/* -- The guard -- */

/* Each of these functions holds the study, calls the function that the caller gave, and releases the study. If the
 * caller gave no function, the option stays NULL, so that the loop knows. */

static bool stop(void *user)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true), answer = g->given.stop(g->given.user);
  fcps_study_set_held(g->study, was_held);
  return answer;
}

static void context(void *user, int64_t episode, double *target, double *environment)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  g->given.context(g->given.user, episode, target, environment);
  fcps_study_set_held(g->study, was_held);
}

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  const fcps_status status = g->given.on_episode(g->given.user, episode);
  fcps_study_set_held(g->study, was_held);
  return status;
}

static fcps_status on_offline(void *user, const fcps_offline *offline)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  const fcps_status status = g->given.on_offline(g->given.user, offline);
  fcps_study_set_held(g->study, was_held);
  return status;
}

static void write_log(void *user, fcps_log_level level, const char *code, const char *message)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  g->given.log.write(g->given.log.user, level, code, message);
  fcps_study_set_held(g->study, was_held);
}

fcps_run_options fcps_run_guard_options(fcps_run_guard *guard, fcps_study *study, const fcps_run_options *options)
{
  fcps_run_options guarded = *options;
  *guard = (fcps_run_guard){study, *options};
  if (options->stop != NULL) guarded.stop = stop;
  if (options->context != NULL) guarded.context = context;
  if (options->on_episode != NULL) guarded.on_episode = on_episode;
  if (options->on_offline != NULL) guarded.on_offline = on_offline;
  if (options->log.write != NULL) guarded.log = (fcps_log){write_log, guard};
  guarded.user = guard;
  return guarded;
}

fcps_run_patience fcps_run_guard_patience(fcps_run_guard *guard, fcps_study *study, const fcps_run_patience *patience)
{
  fcps_run_patience guarded = *patience;
  *guard = (fcps_run_guard){study, {.stop = patience->stop, .user = patience->user, .log = patience->log}};
  if (patience->stop != NULL) guarded.stop = stop;
  if (patience->log.write != NULL) guarded.log = (fcps_log){write_log, guard};
  guarded.user = guard;
  return guarded;
}

/* -- Telling -- */

/* A result that waits. */
typedef struct waiting_result {
  fcps_study *study;
  int64_t ask;
  const fcps_result *result;
  const fcps_run_patience *patience;
  char name[40];                 /* " of ask 7"; "" if the result has no ask */
  char path[FCPS_RUN_KEPT_PATH]; /* the file in which it is kept; "": in none */
} waiting_result;

/* -- Another handle -- */

/* Whether one handle knows every ask that the other knows. */
static bool is_same_study(const fcps_study *study, const fcps_study *again)
{
  const fcps_problem *p = fcps_study_problem(study);
  const size_t size = (size_t)(p->target.count + p->environment.count + p->parameters.count) * sizeof(double);
  if (fcps_study_seed(study) != fcps_study_seed(again) || fcps_study_ask_count(study) > fcps_study_ask_count(again))
    return false;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask a, b;
    fcps_study_ask_at(study, i, &a);
    fcps_study_ask_at(again, i, &b);
    /* The numbers of an ask stand side by side, beginning with the target. */
    if (a.id != b.id || memcmp(a.target, b.target, size) != 0) return false;
  }
  return true;
}

static fcps_status tell_anew(waiting_result *waiting, fcps_receipt *receipt, fcps_error *error)
{
  const fcps_study_options options = {.problem = fcps_study_problem(waiting->study), .log = waiting->patience->log};
  fcps_study *again = NULL;
  fcps_status status = fcps_study_open(&again, fcps_study_url(waiting->study), &options, error);
  if (status != FCPS_OK) return status;
  if (is_same_study(waiting->study, again))
    status = fcps_study_tell(again, waiting->ask, waiting->result, receipt, error);
  else
    status = fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s has become another study", fcps_study_url(again));
  fcps_study_close(again);
  if (status == FCPS_OK || status == FCPS_ERR_CONFLICT) fcps_study_refresh(waiting->study, NULL);
  return status;
}

/* -- Waiting -- */

/* Puts the result into a file, and warns of it once. */
static void keep(waiting_result *waiting, bool is_waiting, const fcps_error *why)
{
  const fcps_run_patience *patience = waiting->patience;
  fcps_error error = {0};
  char text[600] = "";
  if (patience->is_kept &&
      fcps_run_keep(waiting->study, waiting->ask, waiting->result, waiting->path, &error) != FCPS_OK) {
    waiting->path[0] = '\0';
    snprintf(text, sizeof text, " (it could not be put on disk: %.400s)", error.message);
  }
  if (!is_waiting) return;
  const char *place = waiting->path[0] != '\0' ? waiting->path : "memory";
  if (why->status == FCPS_ERR_LOCKED)
    fcps_log_say(&patience->log, FCPS_LOG_WARNING, "W_RESULT_WAITS",
                 "the result%s is kept in %s%s until another process releases %s. Still trying.", waiting->name, place,
                 text, fcps_study_url(waiting->study));
  else
    fcps_log_say(&patience->log, FCPS_LOG_WARNING, "W_RESULT_WAITS", "the result%s is kept in %s%s: %s Still trying.",
                 waiting->name, place, text, why->message);
}

/* If the result is kept nowhere else, writes it to the log. */
static void say_result(const waiting_result *waiting)
{
  char *text = fcps_run_kept_text(waiting->study, waiting->ask, waiting->result);
  fcps_log_say(&waiting->patience->log, FCPS_LOG_WARNING, "W_RESULT_NOT_KEPT",
               "the result%s could not be saved; copy it: %s", waiting->name,
               text != NULL ? text : "unknown, without memory");
  fcps_free(text);
}

/* Says where the result is that could not be stored, and, as far as there is room in `error`, why. */
static fcps_status end_unstored(const waiting_result *waiting, fcps_status status, fcps_error *error)
{
  const fcps_error reason = *error;
  const char *name = waiting->name;
  if (!waiting->patience->is_kept) return status;
  if (waiting->path[0] == '\0') {
    say_result(waiting);
    return fcps_error_set(error, status, reason.field, "the result%s is NOT kept. %s", name, reason.message);
  }
  return fcps_error_set(error, status, reason.field,
                        "the result%s is kept in %s; to store it: fcps study tell %s --kept. %s", name, waiting->path,
                        fcps_study_word(waiting->study), reason.message);
}

static fcps_status stop_waiting(const waiting_result *waiting, fcps_error *error)
{
  fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped while a result waited to be stored.");
  return end_unstored(waiting, FCPS_ERR_STOPPED, error);
}

static fcps_status tell_until_stored(waiting_result *waiting, fcps_status status, fcps_receipt *receipt,
                                     fcps_error *error)
{
  double pause = 0;
  while (may_pass(waiting->patience, status)) {
    const bool is_open = status == FCPS_ERR_LOCKED || status == FCPS_ERR_STORE_FULL;
    if (!fcps_run_pause(waiting->patience, &pause)) return stop_waiting(waiting, error);
    status = is_open ? fcps_study_tell(waiting->study, waiting->ask, waiting->result, receipt, error)
                     : tell_anew(waiting, receipt, error);
  }
  return status;
}

fcps_status fcps_run_tell(fcps_study *study, int64_t ask, const fcps_result *result, const fcps_run_patience *patience,
                          fcps_receipt *receipt, fcps_error *error)
{
  if (study == NULL) return fcps_error_null(error, "study");
  if (result == NULL) return fcps_error_null(error, "result");
  if (patience == NULL) return fcps_error_null(error, "patience");
  fcps_run_guard guard;
  const fcps_run_patience guarded = fcps_run_guard_patience(&guard, study, patience);
  patience = &guarded;
  fcps_error unwanted = {0};
  if (error == NULL) error = &unwanted;
  fcps_status status = fcps_study_tell(study, ask, result, receipt, error);
  if (status == FCPS_OK || status == FCPS_ERR_CONFLICT) return status;
  const bool is_waiting = may_pass(patience, status);
  if (!is_waiting && !patience->is_persistent) return status;

  waiting_result waiting = {.study = study, .ask = ask, .result = result, .patience = patience};
  if (ask != FCPS_NOT_ASKED) snprintf(waiting.name, sizeof waiting.name, " of ask %lld", (long long)ask);
  keep(&waiting, is_waiting, error);
  if (is_waiting) status = tell_until_stored(&waiting, status, receipt, error);
  if (status == FCPS_ERR_STOPPED) return status;
  if (status != FCPS_OK && status != FCPS_ERR_CONFLICT) return end_unstored(&waiting, status, error);
  if (waiting.path[0] != '\0') unlink(waiting.path);
  return status;
}

/* -- Results that wait in files --
 *
 * The result of a finished trial must outlive its process even if the study cannot be written.
 *
 * Each result has its own file beside the study, STUDY-kept-N.json, with one line as in wire/wire.h. Invariants:
 * - a file is written whole under a name that is free, and never changed;
 * - it is removed only after its result was stored, even if the result does not count. Telling twice is harmless, so
 *   several processes may find the same file;
 * - a result is told only to a study with the same ask; to compare, the file has the numbers of the ask.
 *
 * Workers that reach the study through a server keep their results apart from it: in a folder of their machine, under
 * the study's identity. A copy of a study has the same identity, so these results are told to a study file only if the
 * user says so. */

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

/* Where the file of a result is: beside the study, or apart from it in a folder of this machine. */
typedef enum kept_place { BESIDE, APART } kept_place;

/* Turns the path of a file beside the study into the path of that file apart from it. NULL if both are the same. */
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

/* Writes the text into a new file, under the first name that is free. */
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

/* Returns the ask of a result if this handle knows it. NULL if the result has no ask. */
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

/* Whether a plain file with this path exists and is not empty. */
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

/* Refuses a kept result of another study. It would be wrong in this study, and nobody would notice. */
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

/* Refuses a result of another study by the study's identity, which it has got when it was made. */
static fcps_status check_identity(const fcps_study *study, const fcps_json *json, fcps_error *error)
{
  const char *kept = fcps_json_text(fcps_json_get(json, "study")), *own = fcps_study_identity(study);
  if (kept == NULL || own == NULL || strcmp(kept, own) == 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "study", "it belongs to another study that had this name");
}

/* Where kept results are taken from, and who receives them. */
typedef struct giving {
  const fcps_study *study;
  const fcps_kept_taker *taker;
  const fcps_run_patience *patience;
  double *numbers; /* memory for the numbers of one result */
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

/* Tells the result of one file again and again, until the study is free or the caller wants to stop. */
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

/* Whether a failure is caused by this file alone. The study and the other files may then be in order. */
static bool is_refused(fcps_status status)
{
  return status == FCPS_ERR_CONFLICT || status == FCPS_ERR_FORMAT || status == FCPS_ERR_UNKNOWN_ASK ||
         status == FCPS_ERR_ARGUMENT || status == FCPS_ERR_NOT_FINITE;
}

/* Says why a result was not taken. If it contradicts another result, the study has stored it all the same, so its file
 * is deleted. */
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
    if (status == FCPS_ERR_UNSUPPORTED) break; /* No file can be kept for this study. */
    if (status != FCPS_OK || !is_kept(path)) continue;
    status = tell_file_patiently(&g, path, &why);
    /* Another process has told the result meanwhile, and removed its file. */
    if (status == FCPS_ERR_IO && !is_kept(path)) {
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
