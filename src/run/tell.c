/* SPDX-License-Identifier: Apache-2.0 */
/* Telling a finished result until it is stored.
 *
 * A trial may have cost a robot's time. So if the study is locked, or cannot be written for a reason that may pass,
 * the result is put on disk beside it (kept.c), this is said once, and storing it is tried again, with growing pauses,
 * until it is stored or the caller stops. Only what cannot pass ends the call: then the words say where the result is.
 *
 * A write that failed is not repeated on the same handle (store/sqlite/sqlite.c says why): the study is opened once more for
 * it, and only if it is the same study.
 */
#include "base/clock.h"
#include "base/error.h"
#include "run/kept.h"
#include "run/loop.h"
#include "study/inside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Seconds between two tries: the first and the longest pause, and how often the caller is asked whether to stop. */
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

/* Each function holds the study, calls the one that was given, and lets the study go. A callback that is not given stays
 * NULL, so that the loop sees what it has. */

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
  char name[40];                 /* " of ask 7"; "": nobody asked for it */
  char path[FCPS_RUN_KEPT_PATH]; /* where it is on disk; "": nowhere */
} waiting_result;

/* -- Another handle -- */

/* Tells whether every ask that one handle knows is there in the other. */
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
    /* the numbers of an ask stand side by side, target first */
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

/* Puts the result on disk, and says so once. */
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

/* Writes the result itself to the log if nothing else keeps it. */
static void say_result(const waiting_result *waiting)
{
  char *text = fcps_run_kept_text(waiting->study, waiting->ask, waiting->result);
  fcps_log_say(&waiting->patience->log, FCPS_LOG_WARNING, "W_RESULT_NOT_KEPT",
               "the result%s could not be saved; copy it: %s", waiting->name,
               text != NULL ? text : "unknown, without memory");
  fcps_free(text);
}

/* Says where the result is that could not be stored; then, as far as there is room, the reason in `error`. */
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
